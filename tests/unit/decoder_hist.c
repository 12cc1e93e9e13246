// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Percentiles of a few values and of many: what they say, that share of the values, or more, does not exceed, and less of them
 * does not exceed less, but for the width of a bucket.
 */
#include <stdlib.h>
#include <string.h>

#include "../../userspace/views/hist.h"
#include "decoder_tap.h"

#define MOST_VALUES 307
#define NR_PERCENTS 3

static const u32 percents[NR_PERCENTS] = { 50, 99, 100 };

static int by_value(const void *a, const void *b)
{
	return *(const u64 *)a < *(const u64 *)b ? -1 : *(const u64 *)a > *(const u64 *)b;
}

/* the rank by its definition: the first that so many reach */
static u64 exact(const u64 *values, u64 nr, u32 percent)
{
	u64 rank = 1;

	while (rank * 100 < nr * percent)
		rank++;
	return values[rank - 1];
}

static bool is_exact(u64 nr)
{
	struct ktrc_hist hist = { 0 };
	u64 values[MOST_VALUES];
	bool is = true;

	for (u64 i = 0; i < nr; i++) {
		values[i] = (u64)rand() << rand() % 20;
		if (ktrc_hist_add(&hist, values[i]) < 0)
			abort();
	}
	qsort(values, nr, sizeof(*values), by_value);
	for (int i = 0; i < NR_PERCENTS; i++) {
		u64 wanted = exact(values, nr, percents[i]);
		u64 got = ktrc_hist_percentile(&hist, nr, percents[i]);

		is = is && got >= wanted && got <= wanted + wanted / 32;
	}
	ktrc_hist_release(&hist);
	return is;
}

int main(void)
{
	struct ktrc_hist two = { 0 };
	bool is = true;

	for (u64 nr = 1; nr <= MOST_VALUES; nr++)
		is = is && is_exact(nr);
	ok(is, "50, 99 and 100 % of 1 to 307 values");
	if (ktrc_hist_add(&two, 1) < 0 || ktrc_hist_add(&two, 5000) < 0)
		abort();
	ok(ktrc_hist_percentile(&two, 2, 50) == 1 && ktrc_hist_percentile(&two, 2, 99) >= 5000,
	   "99 % of two are both");
	ktrc_hist_release(&two);
	return end_of_tests();
}
