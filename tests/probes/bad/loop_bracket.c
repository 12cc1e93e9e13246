// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 8; i++): something else may change i */
/* refused: for (k = 0; k < 9; k++): something else may change k */
static int ktrc_on_bad(const volatile int *at)
{
	int i, k, sum = 0;

	for (i = 0; i < 8; i++) {
		sum += at[i];
		(i)--;
	}
	for (k = 0; k < 9; k++) {
		sum += at[k];
		/* clang-format off */
		k
			= 0;
		/* clang-format on */
	}
	return sum;
}

void *ktrc_bad_loop_bracket = ktrc_on_bad;
