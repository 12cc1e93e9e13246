// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 8; i++): something else may change i */
/* refused: for (k = 0; k < 9; k++): something else may change k */
#include <linux/minmax.h>

#define SKIP(x, by) ((x) -= (by))

static int ktrc_on_bad(const volatile int *at)
{
	int i, k, sum = 0;

	for (i = 0; i < 8; i++) {
		if (at[i])
			SKIP(i, 2);
	}
	for (k = 0; k < 9; k++) {
		sum = at[k];
		swap(sum, k);
	}
	return sum;
}

void *ktrc_bad_loop_macro = ktrc_on_bad;
