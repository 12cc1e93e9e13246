// SPDX-License-Identifier: GPL-2.0
/* refused: BIG_NUMBER is no bound of a loop */
/* a constant, but nothing ends before it is reached */
#include "bound.h"

#define BIG_NUMBER 0xffffffffffffffffull
KTRC_BOUND(BIG_NUMBER);

static int ktrc_on_bad(const volatile int *at)
{
	unsigned long long i;
	int sum = 0;

	for (i = 0; i < BIG_NUMBER; i++)
		sum += at[i];
	return sum;
}

void *ktrc_bad_loop_huge = ktrc_on_bad;
