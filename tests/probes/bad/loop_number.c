// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 4000000000; i++): no constant bound */
static int ktrc_on_bad(const volatile int *at)
{
	unsigned int i;
	int sum = 0;

	for (i = 0; i < 4000000000; i++)
		sum += at[i];
	return sum;
}

void *ktrc_bad_loop_number = ktrc_on_bad;
