// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < NR_ROUNDS; i++): no constant bound */
/* a name like a constant's */
#define NR_ROUNDS nr

static int ktrc_on_bad(const volatile int *at, int nr)
{
	int i, sum = 0;

	for (i = 0; i < NR_ROUNDS; i++)
		sum += at[i];
	return sum;
}

void *ktrc_bad_loop_name = ktrc_on_bad;
