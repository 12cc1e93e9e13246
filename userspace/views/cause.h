/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an allocation that stalled was for. */
#ifndef KTRC_CAUSE_H
#define KTRC_CAUSE_H

#include "../lib/capture.h"
#include "../lib/reader.h"

/**
 * enum ktrc_cause - what an allocation was for, as far as its stack, or order and flags, tell
 * @KTRC_CAUSE_OTHER: they do not tell, or not of this kernel
 * @KTRC_CAUSE_THP: a transparent huge page
 * @KTRC_CAUSE_SLAB: memory of the kernel in one block: slab, kmalloc
 * @KTRC_CAUSE_NETWORK: the data of a network packet
 */
enum ktrc_cause {
	KTRC_CAUSE_OTHER,
	KTRC_CAUSE_THP,
	KTRC_CAUSE_SLAB,
	KTRC_CAUSE_NETWORK,
};

/**
 * ktrc_cause_of() - what an allocation was for
 * @capture: where it was recorded
 * @record: of the stall
 * @order: log2 of its pages
 * @gfp: its flags
 *
 * By the functions that called for it where their names are known; else by the flags that the
 * kernel's own callers use: a driver that uses the same is taken for one of them.
 */
enum ktrc_cause ktrc_cause_of(const struct ktrc_capture *capture, const struct ktrc_record *record,
			      u32 order, u32 gfp);

/** ktrc_cause_is_guess() - it is told by the flags alone */
bool ktrc_cause_is_guess(const struct ktrc_capture *capture, const struct ktrc_record *record);

/** ktrc_cause_name() - "thp", "slab", "network", "other" */
const char *ktrc_cause_name(enum ktrc_cause cause);

#endif
