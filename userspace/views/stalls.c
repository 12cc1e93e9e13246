// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows by key: an open-addressed hash table of places in an array. */
#include "stalls.h"

#include <stdlib.h>

#include "../lib/array.h"

static size_t hash(u64 a, u64 b)
{
	u64 mixed = (a * 0x9e3779b97f4a7c15ull ^ b) * 0x9e3779b97f4a7c15ull;

	return (size_t)(mixed >> 32);
}

/* The slot of a key, or the empty one where it belongs. */
static u32 *find_slot(const struct ktrc_stalls *stalls, u64 a, u64 b)
{
	size_t i = hash(a, b);

	for (;; i++) {
		u32 *slot = &stalls->slots[i & (stalls->nr_slots - 1)];

		if (!*slot ||
		    (stalls->rows[*slot - 1]->key.a == a && stalls->rows[*slot - 1]->key.b == b))
			return slot;
	}
}

static void fill_slots(struct ktrc_stalls *stalls)
{
	memset(stalls->slots, 0, stalls->nr_slots * sizeof(*stalls->slots));
	for (size_t i = 0; i < stalls->nr; i++)
		*find_slot(stalls, stalls->rows[i]->key.a, stalls->rows[i]->key.b) = (u32)i + 1;
}

static bool grow(struct ktrc_stalls *stalls)
{
	size_t nr_slots = stalls->nr_slots ? 2 * stalls->nr_slots : 16;
	u32 *slots = reallocarray(stalls->slots, nr_slots, sizeof(*slots));

	if (!slots)
		return false;
	stalls->slots = slots;
	stalls->nr_slots = nr_slots;
	fill_slots(stalls);
	return true;
}

struct ktrc_stall_row *ktrc_stalls_get(struct ktrc_stalls *stalls, u64 a, u64 b)
{
	struct ktrc_stall_row *row, **place;
	u32 *slot;

	if (2 * stalls->nr >= stalls->nr_slots && !grow(stalls))
		return NULL;
	slot = find_slot(stalls, a, b);
	if (*slot)
		return stalls->rows[*slot - 1];
	row = calloc(1, sizeof(*row));
	place = row ? ktrc_array_push(stalls->rows, stalls->nr) : NULL;
	if (!place) {
		free(row);
		return NULL;
	}
	row->key = (struct ktrc_stall_key){ a, b };
	*place = row;
	*slot = (u32)stalls->nr;
	return row;
}

void ktrc_stalls_release(struct ktrc_stalls *stalls)
{
	for (size_t i = 0; i < stalls->nr; i++)
		free(stalls->rows[i]);
	free(stalls->rows);
	free(stalls->slots);
	*stalls = (struct ktrc_stalls){ 0 };
}

static int by_time(const void *pa, const void *pb)
{
	const struct ktrc_stall_row *a = *(void *const *)pa, *b = *(void *const *)pb;

	if (a->total_ticks != b->total_ticks)
		return a->total_ticks < b->total_ticks ? 1 : -1;
	if (a->stalls != b->stalls)
		return a->stalls < b->stalls ? 1 : -1;
	if (a->key.a != b->key.a)
		return a->key.a < b->key.a ? -1 : 1;
	return a->key.b < b->key.b ? -1 : a->key.b > b->key.b;
}

void ktrc_stalls_sort(struct ktrc_stalls *stalls)
{
	if (!stalls->nr)
		return;
	qsort(stalls->rows, stalls->nr, sizeof(struct ktrc_stall_row *), by_time);
	fill_slots(stalls);
}

void ktrc_stall_add(struct ktrc_stall_row *row, u64 ticks, u64 pages, u32 weight)
{
	row->records++;
	row->stalls += weight;
	row->pages += pages * weight;
	row->total_ticks += ticks * weight;
	if (ticks > row->max_ticks)
		row->max_ticks = ticks;
	ktrc_hist_add(&row->hist, ticks);
}

u64 ktrc_stall_percentile_ticks(const struct ktrc_stall_row *row, double percent)
{
	u64 ticks = ktrc_hist_percentile(&row->hist, row->records, percent);

	return ticks < row->max_ticks ? ticks : row->max_ticks;
}
