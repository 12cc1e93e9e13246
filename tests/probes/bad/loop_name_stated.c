// SPDX-License-Identifier: GPL-2.0
/* refused: in static assertion is not constant */
#include "bound.h"

static int nr;

#define NR_ROUNDS nr
KTRC_BOUND(NR_ROUNDS);

static int ktrc_on_bad(const volatile int *at)
{
	int i, sum = 0;

	for (i = 0; i < NR_ROUNDS; i++)
		sum += at[i];
	return sum;
}

void *ktrc_bad_loop_name_stated = ktrc_on_bad;
