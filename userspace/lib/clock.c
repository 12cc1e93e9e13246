// SPDX-License-Identifier: GPL-2.0-or-later
/* Clock conversions.  A product of ticks and 10^9 does not fit 64 bits after some seconds. */
#include "clock.h"

#include <stdint.h>

typedef unsigned __int128 u128;

u64 ktrc_ticks_to_ns(const struct ktrc_timebase *tb, u64 ticks)
{
	u128 ns = (u128)ticks * NSEC_PER_SEC / tb->hz;

	return ns > UINT64_MAX ? UINT64_MAX : (u64)ns;
}

struct ktrc_clock_offset ktrc_clock_offset(const struct ktrc_timebase *tb)
{
	u128 now = (u128)tb->real_ns * tb->hz / NSEC_PER_SEC;
	u128 zero = now > tb->ticks ? now - tb->ticks : 0;

	return (struct ktrc_clock_offset){
		.seconds = (u64)(zero / tb->hz),
		.ticks = (u64)(zero % tb->hz),
	};
}

u64 ktrc_ticks_to_real_ns(const struct ktrc_timebase *tb, u64 ticks)
{
	struct ktrc_clock_offset zero = ktrc_clock_offset(tb);
	u128 ns = ((u128)zero.ticks + ticks) * NSEC_PER_SEC / tb->hz;

	return zero.seconds * NSEC_PER_SEC + (u64)ns;
}

u64 ktrc_now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}
