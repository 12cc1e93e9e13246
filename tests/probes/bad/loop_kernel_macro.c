// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 8; i++): something else may change i */
/* refused: for (k = 0; k < 9; k++): something else may change k */
/* refused: for (n = 0; n < 7; n++): something else may change n */
#include <linux/compiler.h>
#include <asm/div64.h>

#define AGAIN n = 0

static int ktrc_on_bad(const volatile int *at)
{
	unsigned long long k;
	int i, n, sum = 0;

	for (i = 0; i < 8; i++) {
		sum += at[0];
		WRITE_ONCE(i, 0);
	}
	for (k = 0; k < 9; k++) {
		sum += at[1];
		sum += do_div((k), 10);
	}
	for (n = 0; n < 7; n++) {
		if (at[2])
			AGAIN;
	}
	return sum;
}

void *ktrc_bad_loop_kernel_macro = ktrc_on_bad;
