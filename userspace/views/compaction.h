/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stalls in compaction: by cause, by allocation, by how they ended, by cgroup and by process;
 * the zones that were compacted, for whom and with what success; runs of kcompactd; and
 * allocations that mixed kinds of pages.
 */
#ifndef KTRC_COMPACTION_H
#define KTRC_COMPACTION_H

#include "../lib/capture.h"
#include "cause.h"
#include "stalls.h"
#include "under_way.h"

/**
 * struct ktrc_zone_row - attempts in a zone that have all this in common
 * @node: memory node
 * @zone: number of enumeration mem_zone
 * @origin: of compaction_origin
 * @mode: of compaction_mode
 * @status: of compaction_status
 * @attempts: their number
 * @migrated: pages moved
 * @failed: pages that could not be moved
 * @scanned: pages looked at
 * @total_ticks: time in them
 * @max_ticks: the longest
 */
struct ktrc_zone_row {
	u32 node;
	u32 zone;
	u32 origin;
	u32 mode;
	u32 status;
	u64 attempts;
	u64 migrated;
	u64 failed;
	u64 scanned;
	u64 total_ticks;
	u64 max_ticks;
};

/**
 * struct ktrc_attempt - a stall, or a run of kcompactd, or a zone in one
 * @nr: of the stall or run, from 1; its zones come before it and have the same; 0: of none
 * @is_zone: it is a zone
 * @has_begun: of a zone: it was fit for it, and not left as it is
 * @end_ticks: when it ended
 * @pid: process
 * @tid: thread
 * @comm: its name
 * @origin: number of enumeration compaction_origin
 * @order: log2 of the pages wanted
 * @node: of a zone, or kcompactd
 * @zone: of a zone: number of enumeration mem_zone
 * @mode: of a zone: of compaction_mode; of a stall: of compaction_prio
 * @status: how it ended: of compaction_status
 * @cause: of a stall
 * @migrated: pages moved
 * @failed: pages that could not be moved
 * @scanned: pages looked at
 * @ticks: how long it took
 */
struct ktrc_attempt {
	u64 nr;
	bool is_zone;
	bool has_begun;
	u64 end_ticks;
	u32 pid;
	u32 tid;
	char comm[32];
	u32 origin;
	u32 order;
	u32 node;
	u32 zone;
	u32 mode;
	u32 status;
	enum ktrc_cause cause;
	u64 migrated;
	u64 failed;
	u64 scanned;
	u64 ticks;
};

/**
 * struct ktrc_kcompactd - the daemon of one memory node
 * @node: the node
 * @woken: runs for which it was woken
 * @proactive: runs of its own accord
 * @migrated: pages moved
 * @failed: pages that could not be moved
 * @total_ticks: time in its runs
 */
struct ktrc_kcompactd {
	u32 node;
	u64 woken;
	u64 proactive;
	u64 migrated;
	u64 failed;
	u64 total_ticks;
};

/**
 * struct ktrc_fallback - allocations that took a block of another kind of pages
 * @kind: what was asked for: number of enumeration mem_kind
 * @block_kind: what the block was for
 * @allocations: their number
 * @mixed: those after which both kinds lie in one block
 */
struct ktrc_fallback {
	u32 kind;
	u32 block_kind;
	u64 allocations;
	u64 mixed;
};

/**
 * struct ktrc_compaction - the view
 * @capture: what it is a view of
 * @event: the event counted; NULL when the session records no stalls
 * @needs: events that it takes numbers from beside @event, up to NULL
 * @keeps_attempts: set before the first record: keep @attempts
 * @stall: number of enumeration compaction_origin, or KTRC_NO_VALUE
 * @proactive: the same
 * @manual: the same
 * @start_ticks: what ended before it is left out, because some CPU's records are missing
 * @left_out: stalls left out for that
 * @counted: stalls that the kernel counts in compact_stall
 * @torn: stalls and runs of which not every zone was recorded
 * @guessed: stalls whose cause is told by order and flags alone
 * @why_no_pages: why the pages that stalls moved are not known, or NULL
 * @all: all stalls; their pages are those that they moved
 * @causes: by enum ktrc_cause
 * @requests: by order and gfp
 * @statuses: by status and priority
 * @cgroups: by the task's cgroup
 * @processes: by process
 * @under_way: stalls that have not ended
 * @zones: attempts, the longest time first once sorted
 * @nr_zones: their number
 * @attempts: each of them, in the order in which they ended, zones before their stall
 * @nr_attempts: their number
 * @kcompactd: by node
 * @nr_kcompactd: their number
 * @fallbacks: by kinds of pages
 * @nr_fallbacks: their number
 * @nr_unnamed: cgroups without a name
 */
struct ktrc_compaction {
	const struct ktrc_capture *capture;
	const struct ktrc_event *event;
	const char *const *needs;
	bool keeps_attempts;
	u64 stall;
	u64 proactive;
	u64 manual;
	u64 start_ticks;
	u64 left_out;
	u64 counted;
	u64 torn;
	u64 guessed;
	const char *why_no_pages;
	struct ktrc_stall_row *all;
	struct ktrc_stalls causes;
	struct ktrc_stalls requests;
	struct ktrc_stalls statuses;
	struct ktrc_stalls cgroups;
	struct ktrc_stalls processes;
	struct ktrc_under_way under_way;
	struct ktrc_zone_row *zones;
	size_t nr_zones;
	struct ktrc_attempt *attempts;
	size_t nr_attempts;
	struct ktrc_kcompactd *kcompactd;
	size_t nr_kcompactd;
	struct ktrc_fallback *fallbacks;
	size_t nr_fallbacks;
	u64 nr_unnamed;
	struct ktrc_compaction_private *priv;
};

/** ktrc_compaction_create() - an empty view; NULL without memory */
struct ktrc_compaction *ktrc_compaction_create(const struct ktrc_capture *capture);
void ktrc_compaction_destroy(struct ktrc_compaction *view);

/** ktrc_compaction_add() - look at a record; 0 or -ENOMEM */
int ktrc_compaction_add(struct ktrc_compaction *view, const struct ktrc_record *record);

/** ktrc_compaction_finish() - sort, and list what is under way; more records may follow; 0 or -ENOMEM */
int ktrc_compaction_finish(struct ktrc_compaction *view);

/** ktrc_compaction_is_empty() - no stall, none under way, no zone was compacted, no kinds mixed */
bool ktrc_compaction_is_empty(const struct ktrc_compaction *view);

/** ktrc_compaction_why_guessed() - and what would tell more; NULL: no cause is */
const char *ktrc_compaction_why_guessed(const struct ktrc_compaction *view);

/** ktrc_compaction_name() - a value of one of its enumerations; NULL if it has no name */
const char *ktrc_compaction_name(const struct ktrc_compaction *view, const char *enumeration,
				 u64 number);

#endif
