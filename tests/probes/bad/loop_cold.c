// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad_loop_cold loops at kmod/probe_bad_loop_cold.c: */
/* closed by a jump from the function's cold part to its name */
#include "env.h"

static u64 sum;

static noinline __cold void add(u64 value)
{
	WRITE_ONCE(sum, sum + value);
}

void ktrc_on_bad_loop_cold(const u64 *at, volatile int depth);
noinline void ktrc_on_bad_loop_cold(const u64 *at, volatile int depth)
{
	if (likely(!READ_ONCE(*at)))
		return;
	add(*at);
	ktrc_on_bad_loop_cold((const u64 *)READ_ONCE(*at), 3);
}
