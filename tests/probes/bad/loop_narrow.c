// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 256; i++): i is not of the function's own, of 32 bits or more */
/* the bound is never reached */
static int ktrc_on_bad(const volatile int *at)
{
	unsigned char i;
	int sum = 0;

	for (i = 0; i < 256; i++)
		sum += at[i];
	return sum;
}

void *ktrc_bad_loop_narrow = ktrc_on_bad;
