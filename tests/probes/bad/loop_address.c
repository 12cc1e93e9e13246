// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 8; i++): something else may change i */
/* refused: for (k = 0; k < 9; k++): something else may change k */
/* refused: for (m = 0; m < 6; m++): something else may change m */
static int ktrc_on_bad(const volatile int *at)
{
	int i, k, m, n, sum = 0;
	int *p = &i, *later = 0;
	volatile int *cast;

	for (i = 0; i < 8; i++) {
		sum += at[i];
		*p = 0;
	}
	for (n = 0; n < 7; n++) {
		for (k = 0; k < 9; k++) {
			sum += at[k];
			if (later)
				*later = 0;
		}
		later = &k;
	}
	/* clang-format off */
	cast = (volatile int *)& m;
	/* clang-format on */
	for (m = 0; m < 6; m++) {
		sum += at[m];
		*cast = 0;
	}
	return sum;
}

void *ktrc_bad_loop_address = ktrc_on_bad;
