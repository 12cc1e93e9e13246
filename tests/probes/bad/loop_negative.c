// SPDX-License-Identifier: GPL-2.0
/* refused: BELOW_ZERO is no bound of a loop */
/* 4,294,967,295 rounds, or as many before it is reached */
#include "bound.h"

#define BELOW_ZERO -1
KTRC_BOUND(BELOW_ZERO);

static int ktrc_on_bad(const volatile int *at)
{
	unsigned int i;
	int sum = 0;

	for (i = 0; i < BELOW_ZERO; i++)
		sum += at[i];
	return sum;
}

void *ktrc_bad_loop_negative = ktrc_on_bad;
