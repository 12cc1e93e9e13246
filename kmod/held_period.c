// SPDX-License-Identifier: GPL-2.0
/*
 * How often quotas were filled up, and in how many periods in a row they were used up.  In probes:
 * interrupts disabled, the run queue of the limiter locked, but for ktrc_period_tick().
 */
#include "held.h"

#define MOST_TIMER_AT 8192 /* a task group is not larger */

static struct ktrc_period *find_period(const void *timer)
{
	u32 i;

	for (i = 0; i < KTRC_HELD_REACH; i++) {
		struct ktrc_period *p =
			&ktrc_helds.period[(ktrc_held_hash(timer) + i) & (KTRC_NR_PERIODS - 1)];

		if (READ_ONCE(p->timer) == timer)
			return p;
	}
	return NULL;
}

/* one whose timer has stopped makes room; a timer fires at least once a second, or not at all */
static bool take_place(struct ktrc_period *p, const void *timer, u64 now)
{
	const void *old = READ_ONCE(p->timer), *found;

	if (old == timer)
		return true; /* another CPU has just put it there */
	if (old && (s64)(now - READ_ONCE(p->last)) < 2 * (s64)ktrc_helds.linger)
		return false;
	found = cmpxchg(&p->timer, old, timer);
	if (found == old)
		WRITE_ONCE(p->last, now);
	return found == old || found == timer;
}

static struct ktrc_period *new_period(const void *timer, u64 now)
{
	u32 i;

	for (i = 0; i < KTRC_HELD_REACH; i++) {
		struct ktrc_period *p =
			&ktrc_helds.period[(ktrc_held_hash(timer) + i) & (KTRC_NR_PERIODS - 1)];

		if (take_place(p, timer, now))
			return p;
	}
	return NULL;
}

/**
 * ktrc_period_tick() - a quota is filled up
 * @timer: the quota's
 * @now: ticks
 */
void ktrc_period_tick(const void *timer, u64 now)
{
	struct ktrc_period *p = find_period(timer);
	u64 before = p ? READ_ONCE(p->last) : 0;

	p = p ?: new_period(timer, now);
	if (!p)
		return;
	WRITE_ONCE(p->count, p->count + 1);
	WRITE_ONCE(p->before, before);
	WRITE_ONCE(p->last, now);
}

static bool knows_period(const struct ktrc_held *limiter)
{
	return limiter->period && READ_ONCE(limiter->period->timer) == limiter->timer;
}

/**
 * ktrc_period_learn() - a cgroup may run again because its quota's period ends
 * @limiter: the cgroup
 * @timer: the quota's, which has just fired
 *
 * Its quota was used up in that period at least; if the timer has fired before meanwhile, in others, too.
 */
void ktrc_period_learn(struct ktrc_held *limiter, const void *timer)
{
	if (limiter->timer == timer && knows_period(limiter))
		return;
	limiter->period = find_period(timer);
	limiter->timer = timer;
	if (!limiter->period)
		return;
	limiter->began = READ_ONCE(limiter->period->count) - 1;
	limiter->run_first = limiter->began;
	limiter->is_older = READ_ONCE(limiter->period->before) > limiter->own_start;
	WRITE_ONCE(ktrc_helds.timer_at, timer - limiter->tg);
}

/* Each task group has its timer at the same place. */
static void guess_period(struct ktrc_held *limiter, u64 now)
{
	u64 timer_at = READ_ONCE(ktrc_helds.timer_at);
	const void *timer = limiter->tg + timer_at;

	if (!timer_at || timer_at > MOST_TIMER_AT)
		return;
	limiter->period = find_period(timer) ?: new_period(timer, now);
	limiter->timer = timer;
}

/**
 * ktrc_period_begin() - a cgroup's own quota is used up
 * @limiter: the cgroup
 * @now: ticks
 */
void ktrc_period_begin(struct ktrc_held *limiter, u64 now)
{
	limiter->own_start = now;
	if (!knows_period(limiter))
		guess_period(limiter, now);
	if (!knows_period(limiter))
		return;
	limiter->began = READ_ONCE(limiter->period->count);
	if (limiter->has_run && limiter->began - limiter->run_last <= 1)
		return;
	limiter->run_first = limiter->began;
	limiter->is_older = false;
}

/* the last period so far in which its quota was used up: that which ends now is the one before */
static u32 last_period(const struct ktrc_held *limiter)
{
	u32 now = READ_ONCE(limiter->period->count);

	return now == limiter->began ? now : now - 1;
}

/**
 * ktrc_period_end() - a cgroup's own quota is filled up
 * @limiter: the cgroup
 */
void ktrc_period_end(struct ktrc_held *limiter)
{
	limiter->has_run = knows_period(limiter);
	if (limiter->has_run)
		limiter->run_last = last_period(limiter);
}

/**
 * ktrc_period_run() - in how many periods in a row a cgroup's quota was used up, up to now
 * @limiter: the cgroup; its quota is being filled up, or was last
 *
 * Return: 0 when it is not known.
 */
u32 ktrc_period_run(const struct ktrc_held *limiter)
{
	u32 i;

	if (!knows_period(limiter) || limiter->is_older)
		return 0;
	for (i = 0; i < KTRC_NR_QUOTAS && i < limiter->nr; i++) {
		if (limiter->quota[i] == limiter->own)
			return last_period(limiter) - limiter->run_first + 1;
	}
	return limiter->has_run ? limiter->run_last - limiter->run_first + 1 : 0;
}
