/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram for percentiles: 32 buckets for each power of two, so a
 * percentile is off by at most 1/32 of itself, whatever its size.  Most hold few
 * values; there may be as many histograms as a trace has records.
 */
#ifndef KTRC_HIST_H
#define KTRC_HIST_H

#include "../lib/types.h"

#define KTRC_HIST_SUB_BITS 5
#define KTRC_HIST_SLOTS ((64 - KTRC_HIST_SUB_BITS + 1) << KTRC_HIST_SUB_BITS)
#define KTRC_HIST_FEW 64

/**
 * struct ktrc_hist - values by bucket
 * @slots: number of values in each; NULL while there are few
 * @few: the bucket of each of the first values, rising
 * @nr_few: their number
 */
struct ktrc_hist {
	u32 *slots;
	u16 few[KTRC_HIST_FEW];
	u32 nr_few;
};

static inline u32 ktrc_hist_slot(u64 value)
{
	u32 shift = 0;

	if (value >> KTRC_HIST_SUB_BITS)
		shift = 63 - (u32)__builtin_clzll(value) - KTRC_HIST_SUB_BITS;
	return (shift << KTRC_HIST_SUB_BITS) + (u32)(value >> shift);
}

/** ktrc_hist_add_few() - add to a histogram without slots; 0 or -ENOMEM */
int ktrc_hist_add_few(struct ktrc_hist *hist, u32 slot);

/** ktrc_hist_add() - add a value; 0 or -ENOMEM */
static inline int ktrc_hist_add(struct ktrc_hist *hist, u64 value)
{
	u32 slot = ktrc_hist_slot(value);

	if (!hist->slots)
		return ktrc_hist_add_few(hist, slot);
	hist->slots[slot]++;
	return 0;
}

void ktrc_hist_release(struct ktrc_hist *hist);

/** ktrc_hist_percentile() - the value that @percent of the @count values, or more, do not exceed */
u64 ktrc_hist_percentile(const struct ktrc_hist *hist, u64 count, u32 percent);

#endif
