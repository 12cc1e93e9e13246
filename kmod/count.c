// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the counters.
 */
#include "count.h"

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
