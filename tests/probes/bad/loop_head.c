// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 8 && was_set(at); i++): nobody knows whether its condition loops */
/* refused: for (k = 0; k < 9 && ffz(*at); k++): nobody knows whether its condition loops */
/* refused: for (n = 0; n < 7; n++): its body begins on its line */
#include <linux/atomic.h>
#include <linux/bitops.h>

#define was_set(at) set_mask_bits(at, 1, 2)

static int ktrc_on_bad(unsigned long *at)
{
	int i, k, n, sum = 0;

	for (i = 0; i < 8 && was_set(at); i++)
		sum += i;
	for (k = 0; k < 9 && ffz(*at); k++)
		sum += k;
	/* clang-format off */
	for (n = 0; n < 7; n++) sum += set_mask_bits(at, 1, 8);
	/* clang-format on */
	return sum;
}

void *ktrc_bad_loop_head = ktrc_on_bad;
