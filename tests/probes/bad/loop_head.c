// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 8 && was_set(at); i++): nobody knows whether that loops */
/* refused: for (k = 0; k < 9 && ffz(*at); k++): nobody knows whether that loops */
/* refused: for (n = 0; n < 7; n++): something else is on its line */
/* refused: for (m = 0; m < 6; m++): something else is on its line */
/* refused: for (set_mask_bits(at, 1, 3), j = 0; j < 5; j++): nobody knows whether that loops */
#include <linux/atomic.h>
#include <linux/bitops.h>

#define was_set(at) set_mask_bits(at, 1, 2)

static int ktrc_on_bad(unsigned long *at)
{
	int i, j, k, m, n, sum = 0;

	for (i = 0; i < 8 && was_set(at); i++)
		sum += i;
	for (k = 0; k < 9 && ffz(*at); k++)
		sum += k;
	/* clang-format off */
	for (n = 0; n < 7; n++) sum += set_mask_bits(at, 1, 8);
	if (set_mask_bits(at, 1, 9)) for (m = 0; m < 6; m++)
		sum += m;
	/* clang-format on */
	for (set_mask_bits(at, 1, 3), j = 0; j < 5; j++)
		sum += j;
	return sum;
}

void *ktrc_bad_loop_head = ktrc_on_bad;
