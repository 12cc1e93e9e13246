/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU quotas: how long they kept cgroups off CPUs, by whose quota it was and by cgroup; which
 * threads lost how much by that; and who is kept off at the end.
 */
#ifndef KTRC_THROTTLE_H
#define KTRC_THROTTLE_H

#include "../lib/capture.h"
#include "stalls.h"
#include "under_way.h"

/**
 * struct ktrc_throttle - the view
 * @capture: what it is a view of
 * @event: the event counted; NULL when the session records no throttling
 * @start_ticks: intervals that ended before it are left out, because some CPU's are missing
 * @left_out: records left out for that
 * @all: how long cgroups' own quotas were used up, and in how many intervals; what cpu.stat counts;
 *	in how many periods in a row one of them was at most, on whichever CPU, 0: not known
 * @quotas: that by cgroup; each CPU counts, so they can take more than the window; with
 *	limiters above the session's cgroup, whose own time was not recorded
 * @cgroups: all intervals, by cgroup and limiter
 * @threads: gaps, by thread and cgroup
 * @lost: gaps, by limiter, with the number of threads
 * @needs: events that it takes numbers from beside @event, up to NULL
 * @has_gaps: they are recorded, else @threads and @lost say nothing
 * @under_way: who is kept off
 * @nr_unnamed: cgroups without a name
 */
struct ktrc_throttle {
	const struct ktrc_capture *capture;
	const struct ktrc_event *event;
	u64 start_ticks;
	u64 left_out;
	struct ktrc_stall_row *all;
	struct ktrc_stalls quotas;
	struct ktrc_stalls cgroups;
	struct ktrc_stalls threads;
	struct ktrc_stalls lost;
	const char *const *needs;
	bool has_gaps;
	struct ktrc_under_way under_way;
	u64 nr_unnamed;
	struct ktrc_throttle_private *priv;
};

/** ktrc_throttle_create() - an empty view; NULL without memory */
struct ktrc_throttle *ktrc_throttle_create(const struct ktrc_capture *capture);
void ktrc_throttle_destroy(struct ktrc_throttle *view);

/** ktrc_throttle_add() - look at a record; 0 or -ENOMEM */
int ktrc_throttle_add(struct ktrc_throttle *view, const struct ktrc_record *record);

/** ktrc_throttle_finish() - sort, and list who is kept off; more records may follow; 0 or -ENOMEM */
int ktrc_throttle_finish(struct ktrc_throttle *view);

/** ktrc_throttle_is_empty() - was nothing kept off */
bool ktrc_throttle_is_empty(const struct ktrc_throttle *view);

/** ktrc_throttle_lost() - gaps of the threads below a limiter; NULL: none */
const struct ktrc_stall_row *ktrc_throttle_lost(const struct ktrc_throttle *view, u64 limiter);

#endif
