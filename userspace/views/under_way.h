/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stalls that have begun and not ended, by thread: of reclaim, or of compaction. */
#ifndef KTRC_UNDER_WAY_H
#define KTRC_UNDER_WAY_H

#include "../lib/capture.h"
#include "../lib/index.h"

/**
 * struct ktrc_stall_now - a stall that has begun and not ended
 * @is_open: it has not
 * @is_certain: no end can have been missed
 * @pid: process
 * @tid: thread
 * @comm: its name
 * @cgid: the cgroup that is short (memcg), else the task's
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
 * @open: the last stall of each thread that has begun one
 * @nr_open: their number
 * @tids: places of them
 * @nows: stalls under way when last listed, the longest first
 * @nr: their number
 */
struct ktrc_under_way {
	const struct ktrc_capture *capture;
	const struct ktrc_event *event;
	const char *why_unknown;
	struct ktrc_stall_now *open;
	size_t nr_open;
	struct ktrc_index tids;
	struct ktrc_stall_now *nows;
	size_t nr;
};

/** ktrc_under_way_begin() - none yet; @end, @begin: NULL if they are not recorded */
struct ktrc_under_way ktrc_under_way_begin(const struct ktrc_capture *capture,
					   const struct ktrc_event *end,
					   const struct ktrc_event *begin);
void ktrc_under_way_release(struct ktrc_under_way *u);

/**
 * ktrc_under_way_open() - a record says that a stall began
 * @u: the list
 * @record: the record
 * @start_ticks: the window's start: an end may have been before it
 *
 * Return: it, with what the record's task says; NULL without memory.
 */
struct ktrc_stall_now *ktrc_under_way_open(struct ktrc_under_way *u,
					   const struct ktrc_record *record, u64 start_ticks);

/** ktrc_under_way_close() - a record says that this thread's stall has ended */
void ktrc_under_way_close(struct ktrc_under_way *u, u32 tid);

/** ktrc_under_way_list() - make @nows; 0 or -ENOMEM */
int ktrc_under_way_list(struct ktrc_under_way *u);

/** ktrc_stall_now_ticks() - how long a stall under way already lasts */
u64 ktrc_stall_now_ticks(const struct ktrc_capture *capture, const struct ktrc_stall_now *now);

#endif
