// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < nr; i++): no constant bound */
static int ktrc_on_bad(const volatile int *at, int nr)
{
	int i, sum = 0;

	for (i = 0; i < nr; i++)
		sum += at[i];
	return sum;
}

void *ktrc_bad_loop_bound = ktrc_on_bad;
