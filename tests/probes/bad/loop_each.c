// SPDX-License-Identifier: GPL-2.0
/* refused: for_each_set_bit: not a loop with a constant bound */
#include <linux/bitmap.h>

static int ktrc_on_bad(const unsigned long *bits, int nr_bits)
{
	int bit, sum = 0;

	for_each_set_bit(bit, bits, nr_bits)
		sum += bit;
	return sum;
}

void *ktrc_bad_loop_each = ktrc_on_bad;
