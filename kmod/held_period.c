// SPDX-License-Identifier: GPL-2.0
/*
 * How often quotas were filled up, and in how many periods in a row they were used up.  In probes:
 * interrupts disabled, the run queue of the limiter locked, but for ktrc_period_tick() and
 * ktrc_period_forget().
 */
#include "held.h"

#define MOST_TIMER_AT 8192 /* a task group is not larger */
/* periods: nobody knows by how much longer a run is; that one is as long as this at least */
#define OLDER (1u << 30)
/*
 * Who fails to change a run finds it changed by another CPU, and what the CPUs of one quota add at about
 * the same time ends with the same period: hardly more than the first of them has something to change.
 */
#define RUN_TRIES 8
KTRC_BOUND(RUN_TRIES);

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
	if (found == old) {
		WRITE_ONCE(p->last, now);
		WRITE_ONCE(p->run.word, 0);
	}
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

/**
 * ktrc_period_forget() - a task group goes: what comes to its address has a quota of its own
 * @tg: the task group
 */
void ktrc_period_forget(const void *tg)
{
	struct ktrc_period *p = find_period(tg + READ_ONCE(ktrc_helds.timer_at));

	if (p)
		WRITE_ONCE(p->timer, NULL);
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
	if (READ_ONCE(limiter->period->before) > limiter->own_start)
		limiter->began -= OLDER;
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
	if (knows_period(limiter))
		limiter->began = READ_ONCE(limiter->period->count);
}

static union ktrc_run own_run(const struct ktrc_held *limiter)
{
	return ktrc_run_until(limiter->began, READ_ONCE(limiter->period->count));
}

static union ktrc_run read_run(const struct ktrc_period *p)
{
	return (union ktrc_run){ .word = READ_ONCE(p->run.word) };
}

/**
 * ktrc_period_end() - a cgroup's own quota is filled up
 * @limiter: the cgroup
 *
 * The kernel fills up first what was used up first: so what is added to a run touches what is in it.
 */
void ktrc_period_end(const struct ktrc_held *limiter)
{
	struct ktrc_period *p = limiter->period;
	u32 i;

	if (!knows_period(limiter))
		return;
	for (i = 0; i < RUN_TRIES; i++) {
		union ktrc_run old = read_run(p), run = ktrc_run_join(old, own_run(limiter));

		if (run.word == old.word || cmpxchg(&p->run.word, old.word, run.word) == old.word)
			break;
	}
}

static bool is_used_up(const struct ktrc_held *limiter)
{
	u32 i;

	for (i = 0; i < KTRC_NR_QUOTAS && i < limiter->nr; i++) {
		if (limiter->quota[i] == limiter->own)
			return true;
	}
	return false;
}

/**
 * ktrc_period_run() - in how many periods in a row a cgroup's quota was used up on any CPU, up to now
 * @limiter: the cgroup; its quota for this CPU is being filled up, or was last
 *
 * Return: 0 when it is not known.
 */
u32 ktrc_period_run(const struct ktrc_held *limiter)
{
	union ktrc_run run;

	if (!knows_period(limiter))
		return 0;
	run = read_run(limiter->period);
	if (is_used_up(limiter))
		run = ktrc_run_join(run, own_run(limiter));
	return run.end - run.first < OLDER ? run.end - run.first : 0;
}
