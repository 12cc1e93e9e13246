// SPDX-License-Identifier: GPL-2.0
/*
 * Which clock a session uses, and how fast it runs.  Process context only.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/timekeeping.h>

#include "clock.h"

#define KTRC_CLOCK_TRIES 3

/*
 * The kernel's clock source is not visible to a module, but its raw count is:
 * it is the time stamp counter if it lies between two readings of that counter.
 */
static bool clocksource_is_tsc(void)
{
	struct system_time_snapshot snap;
	u64 before, after;
	int i;

	for (i = 0; i < KTRC_CLOCK_TRIES; i++) {
		before = ktrc_arch_tsc_ordered();
		ktime_get_snapshot(&snap);
		after = ktrc_arch_tsc_ordered();
		if (snap.cycles < before || snap.cycles > after)
			return false;
	}
	return true;
}

/**
 * ktrc_clock_choose() - the best clock this machine has now
 *
 * Context: may sleep.
 * Return: enum ktrc_clock
 */
u32 ktrc_clock_choose(void)
{
	if (ktrc_arch_tsc_is_stable() && clocksource_is_tsc())
		return KTRC_CLOCK_TSC;
	return KTRC_CLOCK_MONO;
}

/**
 * ktrc_clock_from_ns() - nanoseconds as ticks, rounded down
 * @clock: enum ktrc_clock
 * @ns: a duration, at most KTRC_MAX_MIN_NS
 */
u64 ktrc_clock_from_ns(u32 clock, u64 ns)
{
	return mul_u64_u32_div(ns, ktrc_clock_hz(clock), NSEC_PER_SEC);
}

/**
 * ktrc_clock_hz() - ticks per second
 * @clock: enum ktrc_clock
 */
u64 ktrc_clock_hz(u32 clock)
{
	return clock == KTRC_CLOCK_TSC ? ktrc_arch_tsc_hz() / 4 : NSEC_PER_SEC;
}
