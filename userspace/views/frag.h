/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How free memory was fragmented when recording started, and when it stopped: free blocks by
 * zone and order, and whether an allocation of that order would have failed for it.
 */
#ifndef KTRC_FRAG_H
#define KTRC_FRAG_H

#include "../lib/capture.h"

/**
 * struct ktrc_frag_row - blocks of one order in a zone
 * @node: memory node
 * @zone: the zone's name
 * @order: log2 of a block's pages
 * @before: free blocks at the start
 * @after: free blocks at the end
 * @index_before: the kernel's fragmentation index, in thousandths: -1000: there is a block;
 *	towards 0: an allocation fails for lack of memory, towards 1000: as it lies in pieces
 * @index_after: the same at the end
 */
struct ktrc_frag_row {
	u32 node;
	const char *zone;
	u32 order;
	u64 before;
	u64 after;
	s64 index_before;
	s64 index_after;
};

/**
 * struct ktrc_frag - the view
 * @capture: what it is a view of
 * @why_unknown: why there is nothing to show, or NULL
 * @rows: by zone and order
 * @nr_rows: their number
 */
struct ktrc_frag {
	const struct ktrc_capture *capture;
	const char *why_unknown;
	struct ktrc_frag_row *rows;
	size_t nr_rows;
};

/** ktrc_frag_create() - compute it; NULL without memory */
struct ktrc_frag *ktrc_frag_create(const struct ktrc_capture *capture);
void ktrc_frag_destroy(struct ktrc_frag *frag);
void ktrc_cleanup_frag(struct ktrc_frag **frag);
#define __ktrc_frag KTRC_CLEANUP(ktrc_cleanup_frag)

#endif
