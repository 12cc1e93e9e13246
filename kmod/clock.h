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

/**
 * ktrc_clock_ticks() - now
 * @clock: enum ktrc_clock
 *
 * Context: any, NMI included.
 * Return: ticks; on one CPU they never run back.
 */
static __always_inline u64 ktrc_clock_ticks(u32 clock)
{
	return clock == KTRC_CLOCK_TSC ? ktrc_arch_tsc() >> 2 : ktime_get_mono_fast_ns();
}

u32 ktrc_clock_choose(void);
u64 ktrc_clock_hz(u32 clock);

#endif /* KTRC_CLOCK_H */
