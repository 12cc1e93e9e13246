// SPDX-License-Identifier: GPL-2.0-or-later
/* Percentiles. */
#include "hist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static int spread(struct ktrc_hist *hist)
{
	hist->slots = calloc(KTRC_HIST_SLOTS, sizeof(*hist->slots));
	if (!hist->slots)
		return -ENOMEM;
	for (u32 i = 0; i < hist->nr_few; i++)
		hist->slots[hist->few[i]]++;
	return 0;
}

int ktrc_hist_add_few(struct ktrc_hist *hist, u32 slot)
{
	u32 at = hist->nr_few;

	if (at == KTRC_HIST_FEW) {
		if (spread(hist) < 0)
			return -ENOMEM;
		hist->slots[slot]++;
		return 0;
	}
	while (at && hist->few[at - 1] > slot)
		at--;
	memmove(&hist->few[at + 1], &hist->few[at], (hist->nr_few - at) * sizeof(*hist->few));
	hist->few[at] = (u16)slot;
	hist->nr_few++;
	return 0;
}

void ktrc_hist_release(struct ktrc_hist *hist)
{
	free(hist->slots);
	*hist = (struct ktrc_hist){ 0 };
}

u64 ktrc_hist_percentile(const struct ktrc_hist *hist, u64 count, u32 percent)
{
	u64 wanted = (count * percent + 99) / 100, seen = 0;

	if (!hist->slots)
		return wanted && wanted <= hist->nr_few ? slot_top(hist->few[wanted - 1]) : 0;
	for (u32 slot = 0; slot < KTRC_HIST_SLOTS; slot++) {
		seen += hist->slots[slot];
		if (seen >= wanted)
			return slot_top(slot);
	}
	return 0;
}
