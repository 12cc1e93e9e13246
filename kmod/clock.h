/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session's clock: raw time stamp counter where it is the kernel's own
 * stable clock source, else the NMI-safe monotonic clock.  Chosen once for each
 * session (ktrc_clock_choose); its reading is an argument of the writers so that
 * the hot paths know it at build time.
 */
#ifndef KTRC_CLOCK_H
#define KTRC_CLOCK_H

#include "env.h"
#include "../uapi/ktrc.h"

/* an interrupt that reads the clock voids a try */
#define KTRC_CLOCK_MONO_TRIES 8
KTRC_BOUND(KTRC_CLOCK_MONO_TRIES);

DECLARE_PER_CPU(u64, ktrc_clock_last);

/*
 * The kernel's NMI-safe clock may step back by nanoseconds when its update races with
 * a reading; here it stands still then.
 */
static __always_inline u64 ktrc_clock_mono(void)
{
	u64 now = ktime_get_mono_fast_ns(), last = this_cpu_read(ktrc_clock_last);
	int i;

	for (i = 0; i < KTRC_CLOCK_MONO_TRIES && now > last; i++) {
		u64 seen = this_cpu_cmpxchg(ktrc_clock_last, last, now);

		if (seen == last)
			return now;
		last = seen;
	}
	return now > last ? now : last;
}

/**
 * ktrc_clock_ticks() - now
 * @clock: enum ktrc_clock
 *
 * Context: any, NMI included.
 * Return: ticks; on one CPU they never run back.
 */
static __always_inline u64 ktrc_clock_ticks(u32 clock)
{
	return clock == KTRC_CLOCK_TSC ? ktrc_arch_tsc() >> 2 : ktrc_clock_mono();
}

/**
 * ktrc_clock_since() - ticks from @start to now
 * @clock: enum ktrc_clock
 * @start: an earlier ktrc_clock_ticks(), on any CPU
 *
 * Context: any, NMI included.
 * Return: 0 also when this CPU's clock is behind the one @start was read from.
 */
static __always_inline u64 ktrc_clock_since(u32 clock, u64 start)
{
	s64 ticks = ktrc_clock_ticks(clock) - start;

	return likely(ticks >= 0) ? ticks : 0;
}

u32 ktrc_clock_choose(void);
u64 ktrc_clock_from_ns(u32 clock, u64 ns);
u64 ktrc_clock_hz(u32 clock);

#endif /* KTRC_CLOCK_H */
