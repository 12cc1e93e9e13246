/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram for percentiles: 32 buckets for each power of two, so a
 * percentile is off by at most 1/32 of itself, whatever its size.
 */
#ifndef KTRC_HIST_H
#define KTRC_HIST_H

#include "../lib/types.h"

#define KTRC_HIST_SUB_BITS 5
#define KTRC_HIST_SLOTS ((64 - KTRC_HIST_SUB_BITS + 1) << KTRC_HIST_SUB_BITS)

struct ktrc_hist {
	u32 slots[KTRC_HIST_SLOTS];
};

static inline void ktrc_hist_add(struct ktrc_hist *hist, u64 value)
{
	u32 shift = 0;

	if (value >> KTRC_HIST_SUB_BITS)
		shift = 63 - (u32)__builtin_clzll(value) - KTRC_HIST_SUB_BITS;
	hist->slots[(shift << KTRC_HIST_SUB_BITS) + (value >> shift)]++;
}

/** ktrc_hist_percentile() - the value that @percent of the @count values do not exceed */
u64 ktrc_hist_percentile(const struct ktrc_hist *hist, u64 count, double percent);

#endif
