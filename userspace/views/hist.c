// SPDX-License-Identifier: GPL-2.0-or-later
/* Percentiles. */
#include "hist.h"

/* The highest value that falls into a slot. */
static u64 slot_top(u32 slot)
{
	u32 shift = slot >> KTRC_HIST_SUB_BITS;
	u64 mantissa = slot;

	if (shift > 1)
		mantissa = slot - ((shift - 1) << KTRC_HIST_SUB_BITS);
	shift = shift > 1 ? shift - 1 : 0;
	return ((mantissa + 1) << shift) - 1;
}

u64 ktrc_hist_percentile(const struct ktrc_hist *hist, u64 count, double percent)
{
	u64 wanted = (u64)((double)count * percent / 100.0), seen = 0;

	if (wanted == 0)
		wanted = 1;
	for (u32 slot = 0; slot < KTRC_HIST_SLOTS; slot++) {
		seen += hist->slots[slot];
		if (seen >= wanted)
			return slot_top(slot);
	}
	return 0;
}
