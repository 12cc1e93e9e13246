// SPDX-License-Identifier: GPL-2.0
/* refused: can get back to itself: it calls */
#include "env.h"

static int ktrc_on_bad(volatile int *n);

static noinline int again(volatile int *n)
{
	return (*n)-- ? ktrc_on_bad(n) + 1 : 0;
}

static noinline int ktrc_on_bad(volatile int *n)
{
	return again(n) + *n;
}

void *ktrc_bad_recursion = ktrc_on_bad;
