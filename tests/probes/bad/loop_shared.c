// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 8; i++): i is not of the function's own */
/* refused: for (k = 0; k < 9; k++): k is not of the function's own */
static int i;

static void begin_anew(void)
{
	i = 0;
}

static int ktrc_on_bad(const volatile int *at)
{
	static int k;
	int sum = 0;

	for (i = 0; i < 8; i++) {
		sum += at[i];
		begin_anew();
	}
	for (k = 0; k < 9; k++)
		sum += at[k];
	return sum;
}

void *ktrc_bad_loop_shared = ktrc_on_bad;
