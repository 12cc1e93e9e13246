/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The books of one event on one CPU.  Written on that CPU only, by any context
 * that may interrupt another; read from anywhere, exact once the session stopped.
 */
#ifndef KTRC_COUNT_H
#define KTRC_COUNT_H

#include "env.h"
#include "../uapi/ktrc.h"

/* an interrupt with a longer duration voids a try */
#define KTRC_LONGEST_TRIES 8
KTRC_BOUND(KTRC_LONGEST_TRIES);

/* enough buckets for any duration, so that none is clamped in a probe */
#define KTRC_HIST_BITS 64
KTRC_BOUND(KTRC_HIST_BITS);
KTRC_BOUND(KTRC_HIST_BUCKETS);

/* no duration: of an event that has none */
#define KTRC_NO_TICKS (~0ull)

enum ktrc_loss {
	KTRC_LOST_FULL,
	KTRC_LOST_NEST,
	KTRC_LOST_RECURSION,
	KTRC_LOST_NORING,
	KTRC_NR_LOSSES
};
KTRC_BOUND(KTRC_NR_LOSSES);

/**
 * struct ktrc_count - counters of one event on one CPU
 * @hits: times the hook fired while the session recorded
 * @filtered: hits rejected by a filter
 * @nested: hits that interrupted another writer on this CPU
 * @seen: hits that a sampling rule has looked at
 * @is_only_counted: no hit becomes a record: @filtered is not kept but taken from @hits
 * @lost: hits without a record, by reason
 * @sum: ticks, all durations together
 * @longest: ticks, the longest duration
 * @hist: durations by bucket as of KTRC_HIST_BUCKETS, but that the last goes on in others
 */
struct ktrc_count {
	local_t hits;
	local_t filtered;
	local_t nested;
	local_t seen;
	bool is_only_counted;
	local_t lost[KTRC_NR_LOSSES];
	local_t sum;
	u64 longest;
	local_t hist[KTRC_HIST_BITS];
};

/**
 * struct ktrc_books - a reading of struct ktrc_count
 * @hits: see there
 * @filtered: see there
 * @lost_by: lost, by reason
 * @lost: all reasons together
 * @written: records written: hits that were neither filtered nor lost
 */
struct ktrc_books {
	u64 hits;
	u64 filtered;
	u64 lost_by[KTRC_NR_LOSSES];
	u64 lost;
	u64 written;
};

void ktrc_count_hist(const struct ktrc_count *n, u64 *hist);
void ktrc_count_read(const struct ktrc_count *n, struct ktrc_books *b);

/**
 * ktrc_count_duration() - account the duration of one hit
 * @n: the event's counters on this CPU
 * @ticks: the duration, below 2^63
 *
 * Context: any; preemption disabled, @n is this CPU's.
 */
static __always_inline void ktrc_count_duration(struct ktrc_count *n, u64 ticks)
{
	unsigned long bucket = __fls(ticks << 1 | 1);
	int i;

	local_add(ticks, &n->sum);
	local_inc(&n->hist[bucket]);
	/* an interrupt may change it meanwhile: then the loop sees it */
	if (likely(ticks <= data_race(n->longest)))
		return;
	for (i = 0; i < KTRC_LONGEST_TRIES; i++) {
		u64 longest = READ_ONCE(n->longest);

		if (ticks <= longest || cmpxchg_local(&n->longest, longest, ticks) == longest)
			break;
	}
}

/**
 * ktrc_count_only() - account a hit that can become no record
 * @n: the event's counters on this CPU, @is_only_counted
 * @ticks: its duration, or KTRC_NO_TICKS
 *
 * Context: any; preemption disabled, @n is this CPU's.  One increment is all that a
 * packet's books can see of it.
 */
static __always_inline void ktrc_count_only(struct ktrc_count *n, u64 ticks)
{
	local_inc(&n->hits);
	if (ticks != KTRC_NO_TICKS)
		ktrc_count_duration(n, ticks);
}

#endif /* KTRC_COUNT_H */
