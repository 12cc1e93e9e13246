// SPDX-License-Identifier: GPL-2.0-or-later
/* Comparing free blocks. */
#include "frag.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/array.h"
#include "../lib/cleanup.h"

void ktrc_frag_destroy(struct ktrc_frag *frag)
{
	if (!frag)
		return;
	free(frag->rows);
	free(frag);
}

void ktrc_cleanup_frag(struct ktrc_frag **frag)
{
	ktrc_frag_destroy(*frag);
}

/* As the kernel computes it: fill_contig_page_info() and __fragmentation_index(). */
static s64 fragmentation_index(const struct ktrc_buddy_zone *zone, u32 order)
{
	u64 free_pages = 0, free_blocks = 0;

	for (u32 i = 0; i < zone->nr_orders; i++) {
		if (i >= order && zone->blocks[i])
			return -1000;
		free_blocks += zone->blocks[i];
		free_pages += zone->blocks[i] << i;
	}
	if (!free_blocks)
		return 0;
	return 1000 - (s64)((1000 + (free_pages * 1000 >> order)) / free_blocks);
}

static const struct ktrc_buddy_zone *find_zone(const struct ktrc_buddy *buddy,
					       const struct ktrc_buddy_zone *like)
{
	for (u32 i = 0; i < buddy->nr; i++)
		if (buddy->zones[i].node == like->node &&
		    strcmp(buddy->zones[i].name, like->name) == 0)
			return &buddy->zones[i];
	return NULL;
}

/* A zone that came or went meanwhile had, or has, no block. */
static int add_zone(struct ktrc_frag *frag, const struct ktrc_buddy_zone *before,
		    const struct ktrc_buddy_zone *after)
{
	static const struct ktrc_buddy_zone none;
	const struct ktrc_buddy_zone *named = after ? after : before;

	before = before ? before : &none;
	after = after ? after : &none;
	for (u32 order = 0; order < named->nr_orders; order++) {
		struct ktrc_frag_row *row = ktrc_array_push(frag->rows, frag->nr_rows);

		if (!row)
			return -1;
		*row = (struct ktrc_frag_row){
			.node = named->node,
			.zone = named->name,
			.order = order,
			.before = before->blocks[order],
			.after = after->blocks[order],
			.index_before = fragmentation_index(before, order),
			.index_after = fragmentation_index(after, order),
		};
	}
	return 0;
}

static const char *why_unknown(const struct ktrc_buddy *start, const struct ktrc_buddy *stop)
{
	if (!start->nr)
		return "not known at the start: started by another tool, by an older one, or not by root";
	if (!stop->nr)
		return "not known at the end: the session was not stopped by ktrc-ctl";
	return NULL;
}

struct ktrc_frag *ktrc_frag_create(const struct ktrc_capture *capture)
{
	const struct ktrc_buddy *start = &capture->base.start.buddy;
	const struct ktrc_buddy *stop = &capture->base.stop.buddy;
	__ktrc_frag struct ktrc_frag *frag = calloc(1, sizeof(*frag));

	if (!frag)
		return NULL;
	frag->capture = capture;
	frag->why_unknown = why_unknown(start, stop);
	if (frag->why_unknown)
		return ktrc_steal(frag);
	for (u32 i = 0; i < stop->nr; i++)
		if (add_zone(frag, find_zone(start, &stop->zones[i]), &stop->zones[i]) < 0)
			return NULL;
	for (u32 i = 0; i < start->nr; i++)
		if (!find_zone(stop, &start->zones[i]) &&
		    add_zone(frag, &start->zones[i], NULL) < 0)
			return NULL;
	return ktrc_steal(frag);
}
