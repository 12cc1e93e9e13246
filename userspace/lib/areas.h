/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges of memory by their place, none of which overlaps another: a tree, NULL if there are none.
 * Several may have the same; what one of them changes takes memory and time for that alone.
 */
#ifndef KTRC_AREAS_H
#define KTRC_AREAS_H

#include "types.h"

enum ktrc_area_kind {
	KTRC_AREA_UNKNOWN,
	KTRC_AREA_FILE,
	KTRC_AREA_ANON,
	KTRC_AREA_SHARED, /* anonymous, and shared with children */
	KTRC_AREA_HEAP,
	KTRC_AREA_STACK, /* of the first thread */
	KTRC_NR_AREA_KINDS
};

/**
 * struct ktrc_area - a range of memory
 * @begin: its first page, address >> 12
 * @end: the page behind it
 * @offset: what of the file lies at @begin, in pages
 * @file: number of the file, as records or mapped.h give it; 0: none, or not known
 * @kind: what it is
 */
struct ktrc_area {
	u64 begin;
	u64 end;
	u64 offset;
	u32 file;
	enum ktrc_area_kind kind;
};

/** ktrc_area_kind() - of memory as it was mapped: of a file or not, shared with others or not */
static inline enum ktrc_area_kind ktrc_area_kind(bool is_anon, bool is_shared)
{
	if (!is_anon)
		return KTRC_AREA_FILE;
	return is_shared ? KTRC_AREA_SHARED : KTRC_AREA_ANON;
}

struct ktrc_areas;

/** ktrc_areas_share() - the same for one more, who has to drop it too */
struct ktrc_areas *ktrc_areas_share(struct ktrc_areas *areas);
void ktrc_areas_drop(struct ktrc_areas *areas);

/**
 * ktrc_areas_clear() - nothing is left from page @begin to @end: what reaches over an end is cut there
 *
 * Return: 0, or -ENOMEM and some are missing.
 */
int ktrc_areas_clear(struct ktrc_areas **areas, u64 begin, u64 end);

/** ktrc_areas_put() - an area, whatever was there; if it is empty, nothing happens; 0 or -ENOMEM */
int ktrc_areas_put(struct ktrc_areas **areas, const struct ktrc_area *area);

/** ktrc_areas_find() - in which a page lies; NULL: in none */
const struct ktrc_area *ktrc_areas_find(const struct ktrc_areas *areas, u64 page);

/** ktrc_areas_walk() - call for all, by rising page, until one does not return 0; that */
int ktrc_areas_walk(const struct ktrc_areas *areas,
		    int (*visit)(const struct ktrc_area *area, void *data), void *data);

#endif
