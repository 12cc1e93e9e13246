/* SPDX-License-Identifier: GPL-2.0 */
/* What is measured again and again: the median counts. */
#ifndef PASSES_H
#define PASSES_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_PASSES 101

static inline void fail(const char *what)
{
	perror(what);
	exit(1);
}

static inline long long clock_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		fail("clock_gettime");
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static inline int by_value(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return (d > 0) - (d < 0);
}

/* the median, what all passes did together, and the slowest less the fastest */
static inline void print_passes(double *cost, int passes, long all)
{
	qsort(cost, (size_t)passes, sizeof(cost[0]), by_value);
	printf("%.2f %ld %.2f\n", cost[passes / 2], all, cost[passes - 1] - cost[0]);
}

#endif
