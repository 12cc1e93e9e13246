/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session's clock: ticks to nanoseconds and to wall-clock time. */
#ifndef KTRC_CLOCK_H
#define KTRC_CLOCK_H

#include <time.h>

#include "types.h"

/**
 * struct ktrc_timebase - one reading of three clocks, and the tick rate
 * @kind: enum ktrc_clock
 * @hz: ticks per second, never zero
 * @ticks: the session's clock
 * @mono_ns: CLOCK_MONOTONIC at @ticks
 * @real_ns: CLOCK_REALTIME at @ticks
 */
struct ktrc_timebase {
	u32 kind;
	u64 hz;
	u64 ticks;
	u64 mono_ns;
	u64 real_ns;
};

/**
 * struct ktrc_clock_offset - wall-clock time of tick 0, as CTF states it
 * @seconds: whole seconds since 1970
 * @ticks: and this many ticks
 */
struct ktrc_clock_offset {
	u64 seconds;
	u64 ticks;
};

/** ktrc_ticks_to_ns() - a duration; saturates at 2^64 - 1 */
u64 ktrc_ticks_to_ns(const struct ktrc_timebase *tb, u64 ticks);

/** ktrc_clock_offset() - when tick 0 was */
struct ktrc_clock_offset ktrc_clock_offset(const struct ktrc_timebase *tb);

/** ktrc_ticks_to_real_ns() - a stamp as CLOCK_REALTIME, from the offset as a CTF reader does */
u64 ktrc_ticks_to_real_ns(const struct ktrc_timebase *tb, u64 ticks);

/** ktrc_now_ns() - what a clock of the kernel's says, as CLOCK_MONOTONIC */
u64 ktrc_now_ns(clockid_t clock);

#endif
