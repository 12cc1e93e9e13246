// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the counters.
 */
#include "count.h"

/**
 * ktrc_count_hist() - durations of one event on one CPU
 * @n: the counters
 * @hist: receives KTRC_HIST_BUCKETS buckets
 *
 * Context: any.
 */
void ktrc_count_hist(const struct ktrc_count *n, u64 *hist)
{
	u32 i;

	for (i = 0; i < KTRC_HIST_BUCKETS; i++)
		hist[i] = local_read(&n->hist[i]);
	for (i = KTRC_HIST_BUCKETS; i < KTRC_HIST_BITS; i++)
		hist[KTRC_HIST_BUCKETS - 1] += local_read(&n->hist[i]);
}

/**
 * ktrc_count_read() - the books of one event on one CPU
 * @n: the counters
 * @b: receives the reading
 *
 * Context: any.  While the CPU writes, the parts may be a few hits apart.
 */
void ktrc_count_read(const struct ktrc_count *n, struct ktrc_books *b)
{
	int i;

	b->lost = 0;
	for (i = 0; i < KTRC_NR_LOSSES; i++) {
		b->lost_by[i] = local_read(&n->lost[i]);
		b->lost += b->lost_by[i];
	}
	b->filtered = local_read(&n->filtered);
	b->hits = local_read(&n->hits);
	if (n->is_only_counted)
		b->filtered = b->hits;
	b->written = b->hits - b->filtered - b->lost;
}
