// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 8 || at[i]; i++): no constant bound */
static int ktrc_on_bad(const volatile int *at)
{
	int i, sum = 0;

	for (i = 0; i < 8 || at[i]; i++)
		sum += at[i];
	return sum;
}

void *ktrc_bad_loop_either = ktrc_on_bad;
