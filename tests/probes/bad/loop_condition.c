// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 8 && (i = at[0]) < 8; i++): something else may change i */
static int ktrc_on_bad(const volatile int *at)
{
	int i, sum = 0;

	for (i = 0; i < 8 && (i = at[0]) < 8; i++)
		sum += at[i];
	return sum;
}

void *ktrc_bad_loop_condition = ktrc_on_bad;
