/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stalls in reclaim: by kind, by allocation, by cgroup and by process; what they consisted
 * of, where that has records of its own; those that had not ended; what kswapd did meanwhile,
 * and shrinkers.
 */
#ifndef KTRC_RECLAIM_H
#define KTRC_RECLAIM_H

#include "../lib/capture.h"
#include "stalls.h"
#include "under_way.h"

/**
 * struct ktrc_kswapd - the daemon of one memory node
 * @node: the node
 * @wakes: times it was woken, or went on for a harder request
 * @sleeps: times it went to sleep
 * @max_order: largest order that was wanted
 * @awake_ticks: time between a wake, or the window's start if it was awake then, and the next sleep
 * @since_ticks: since when it is awake, in the window; 0 while it sleeps
 */
struct ktrc_kswapd {
	u32 node;
	u64 wakes;
	u64 sleeps;
	u32 max_order;
	u64 awake_ticks;
	u64 since_ticks;
};

/**
 * struct ktrc_direct - a stall in direct reclaim
 * @comm: name of the task
 * @pid: its process
 * @end_ticks: when it ended
 * @ticks: how long it took
 * @pages: reclaimed
 */
struct ktrc_direct {
	char comm[32];
	u32 pid;
	u64 end_ticks;
	u64 ticks;
	u64 pages;
};

/**
 * struct ktrc_reclaim - the view
 * @capture: what it is a view of
 * @event: the event counted; NULL when the session records no stalls
 * @needs: events that it takes numbers from beside @event, up to NULL
 * @has_wakes: those of kswapd are recorded
 * @has_sleeps: likewise
 * @keeps_direct: set before the first record: keep @direct
 * @start_ticks: stalls that ended before it are left out, because some CPU's are missing
 * @left_out: records left out for that
 * @all: everything
 * @kinds: by kind
 * @parts: by kind, what lies inside of other stalls, or of kswapd's work: in no other sum
 * @reasons: by reason and node, stalls and parts of kind vmscan_throttled
 * @requests: by order and gfp
 * @cgroups: by cgroup and kind
 * @processes: by process
 * @shrinkers: calls of shrinkers, by function and cgroup; their pages are objects
 * @under_way: stalls that have not ended
 * @direct: each stall in direct reclaim, in the order in which they ended
 * @nr_direct: their number
 * @kswapd: by node
 * @nr_kswapd: their number
 * @nr_unnamed: cgroups without a name
 */
struct ktrc_reclaim {
	const struct ktrc_capture *capture;
	const struct ktrc_event *event;
	const char *const *needs;
	bool has_wakes;
	bool has_sleeps;
	bool keeps_direct;
	u64 start_ticks;
	u64 left_out;
	struct ktrc_stall_row *all;
	struct ktrc_stalls kinds;
	struct ktrc_stalls parts;
	struct ktrc_stalls reasons;
	struct ktrc_stalls requests;
	struct ktrc_stalls cgroups;
	struct ktrc_stalls processes;
	struct ktrc_stalls shrinkers;
	struct ktrc_under_way under_way;
	struct ktrc_direct *direct;
	size_t nr_direct;
	struct ktrc_kswapd *kswapd;
	size_t nr_kswapd;
	u64 nr_unnamed;
	struct ktrc_reclaim_private *priv;
};

/** ktrc_reclaim_create() - an empty view; NULL without memory */
struct ktrc_reclaim *ktrc_reclaim_create(const struct ktrc_capture *capture);
void ktrc_reclaim_destroy(struct ktrc_reclaim *view);

/** ktrc_reclaim_add() - look at a record; 0 or -ENOMEM */
int ktrc_reclaim_add(struct ktrc_reclaim *view, const struct ktrc_record *record);

/** ktrc_reclaim_finish() - sort, and list what is under way; more records may follow; 0 or -ENOMEM */
int ktrc_reclaim_finish(struct ktrc_reclaim *view);

/** ktrc_reclaim_is_empty() - no stall or part of one, none under way; kswapd and shrinkers did nothing */
bool ktrc_reclaim_is_empty(const struct ktrc_reclaim *view);

/** ktrc_reclaim_kind() - a kind's name; NULL if it has none */
const char *ktrc_reclaim_kind(const struct ktrc_reclaim *view, u64 kind);

/** ktrc_reclaim_kind_number() - a kind by its name; KTRC_NO_VALUE if it is not known */
u64 ktrc_reclaim_kind_number(const struct ktrc_reclaim *view, const char *name);

/** ktrc_reclaim_reason() - a reason's name; NULL if it has none */
const char *ktrc_reclaim_reason(const struct ktrc_reclaim *view, u64 reason);

/** ktrc_reclaim_percent() - time as a share of the window; threads add up, so it may pass 100 */
double ktrc_reclaim_percent(const struct ktrc_reclaim *view, u64 ticks);

/** ktrc_reclaim_knows_awake() - is each wake and each sleep of kswapd recorded, and none lost */
bool ktrc_reclaim_knows_awake(const struct ktrc_reclaim *view);

/** ktrc_kswapd_awake_ticks() - time it was awake, as far as the window shows */
u64 ktrc_kswapd_awake_ticks(const struct ktrc_reclaim *view, const struct ktrc_kswapd *kswapd);

#endif
