// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 8; i++): the address of i is taken */
static int ktrc_on_bad(const volatile int *at)
{
	int i, sum = 0;
	int *p = &i;

	for (i = 0; i < 8; i++) {
		sum += at[i];
		*p = 0;
	}
	return sum;
}

void *ktrc_bad_loop_address = ktrc_on_bad;
