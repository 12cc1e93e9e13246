/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What has begun and not ended: stalls of threads in reclaim or compaction, intervals in which
 * a cgroup is kept off a CPU.
 */
#ifndef KTRC_UNDER_WAY_H
#define KTRC_UNDER_WAY_H

#include "../lib/capture.h"
#include "../lib/index.h"
#include "stalls.h"

/**
 * enum ktrc_under_way_what - how a view speaks of them
 * @KTRC_UNDER_WAY_RECLAIM: stalls of threads in reclaim
 * @KTRC_UNDER_WAY_COMPACTION: those in compaction
 * @KTRC_UNDER_WAY_THROTTLE: intervals in which a cgroup is kept off a CPU
 */
enum ktrc_under_way_what {
	KTRC_UNDER_WAY_RECLAIM,
	KTRC_UNDER_WAY_COMPACTION,
	KTRC_UNDER_WAY_THROTTLE,
};

/**
 * struct ktrc_stall_now - a stall or an interval that has begun and not ended
 * @is_open: it has not
 * @is_certain: no end can have been missed
 * @pid: process
 * @tid: thread
 * @comm: its name
 * @cgid: the cgroup that is short or was asked (memcg, high, asked), else the task's; of an interval: that is kept off
 * @limiter: of an interval: the cgroup whose quota is used up
 * @cpu: of an interval: the CPU
 * @kind: reclaim: number of enumeration reclaim_kind; compaction: of compaction_prio
 * @order: of the allocation
 * @gfp: of the allocation
 * @node: memory node
 * @begin_ticks: when it began
 */
struct ktrc_stall_now {
	bool is_open;
	bool is_certain;
	u32 pid;
	u32 tid;
	char comm[32];
	u64 cgid;
	u64 limiter;
	u32 cpu;
	u32 kind;
	u32 order;
	u32 gfp;
	u32 node;
	u64 begin_ticks;
};

/**
 * struct ktrc_under_way - them
 * @capture: where they were recorded
 * @event: the event that ends them
 * @why_unknown: why it cannot be said which are under way, or NULL
 * @open: the last of each thread, or cgroup and CPU, that has begun one
 * @nr_open: their number
 * @places: of them, by what they are told apart by
 * @nows: those under way when last listed, the longest first
 * @nr: their number
 */
struct ktrc_under_way {
	const struct ktrc_capture *capture;
	const struct ktrc_event *event;
	const char *why_unknown;
	struct ktrc_stall_now *open;
	size_t nr_open;
	struct ktrc_index places;
	struct ktrc_stall_now *nows;
	size_t nr;
};

/**
 * ktrc_under_way_begin() - none yet
 * @capture: where they are recorded
 * @end: the event that ends them; NULL: it is not recorded
 * @begin: the event that begins them; NULL: it is not recorded
 * @what: for the words of @why_unknown
 */
struct ktrc_under_way ktrc_under_way_begin(const struct ktrc_capture *capture,
					   const struct ktrc_event *end,
					   const struct ktrc_event *begin,
					   enum ktrc_under_way_what what);
void ktrc_under_way_release(struct ktrc_under_way *u);

/**
 * ktrc_under_way_open() - a record says that something began
 * @u: the list
 * @record: the record
 * @start_ticks: the window's start: an end may have been before it
 * @a: with @b what tells it apart; one that began before it with the same has ended
 * @b: see @a
 *
 * Return: it, for the caller to describe; NULL without memory.
 */
struct ktrc_stall_now *ktrc_under_way_open(struct ktrc_under_way *u,
					   const struct ktrc_record *record, u64 start_ticks, u64 a,
					   u64 b);

/** ktrc_under_way_open_task() - the same of the record's thread: told apart by its id, and 0 */
struct ktrc_stall_now *ktrc_under_way_open_task(struct ktrc_under_way *u,
						const struct ktrc_record *record, u64 start_ticks);

/** ktrc_under_way_find() - what @a and @b tell apart; NULL if it is not under way */
const struct ktrc_stall_now *ktrc_under_way_find(const struct ktrc_under_way *u, u64 a, u64 b);

/** ktrc_under_way_close() - a record says that what @a and @b tell apart has ended */
void ktrc_under_way_close(struct ktrc_under_way *u, u64 a, u64 b);

/** ktrc_under_way_list() - make @nows; 0 or -ENOMEM */
int ktrc_under_way_list(struct ktrc_under_way *u);

/**
 * ktrc_under_way_add_unnamed() - the cgroups of a view that have no name
 * @u: what is under way, listed
 * @cgroups: rows by cgroup
 * @processes: rows by process, with their cgroups
 * @unnamed: gets a row for each
 *
 * Return: 0 or -ENOMEM.
 */
int ktrc_under_way_add_unnamed(const struct ktrc_under_way *u, const struct ktrc_stalls *cgroups,
			       const struct ktrc_stalls *processes, struct ktrc_stalls *unnamed);

/** ktrc_stall_now_ticks() - how long what is under way already lasts */
u64 ktrc_stall_now_ticks(const struct ktrc_capture *capture, const struct ktrc_stall_now *now);

#endif
