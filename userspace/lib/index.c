// SPDX-License-Identifier: GPL-2.0-or-later
/* At most half of the slots are used, so a search ends soon. */
#include "index.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "array.h"
#include "hash.h"

/* The slot of a key, or the empty one where it belongs. */
static struct ktrc_index_slot *slot_of(const struct ktrc_index *index, u64 a, u64 b)
{
	for (size_t i = (size_t)ktrc_hash(a, b);; i++) {
		struct ktrc_index_slot *slot = &index->slots[i & (index->nr_slots - 1)];

		if (!slot->is_used || (slot->a == a && slot->b == b))
			return slot;
	}
}

static bool grow(struct ktrc_index *index)
{
	struct ktrc_index grown = { .nr_slots = index->nr_slots ? 2 * index->nr_slots : 16,
				    .nr = index->nr };

	grown.slots = calloc(grown.nr_slots, sizeof(*grown.slots));
	if (!grown.slots)
		return false;
	for (size_t i = 0; i < index->nr_slots; i++)
		if (index->slots[i].is_used)
			*slot_of(&grown, index->slots[i].a, index->slots[i].b) = index->slots[i];
	free(index->slots);
	*index = grown;
	return true;
}

u32 *ktrc_index_get(struct ktrc_index *index, u64 a, u64 b)
{
	struct ktrc_index_slot *slot = index->nr_slots ? slot_of(index, a, b) : NULL;

	if (slot && slot->is_used)
		return &slot->place;
	if (2 * index->nr >= index->nr_slots && !grow(index))
		return NULL;
	slot = slot_of(index, a, b);
	*slot = (struct ktrc_index_slot){ a, b, KTRC_INDEX_NONE, true };
	index->nr++;
	return &slot->place;
}

u32 ktrc_index_find(const struct ktrc_index *index, u64 a, u64 b)
{
	struct ktrc_index_slot *slot = index->nr_slots ? slot_of(index, a, b) : NULL;

	return slot && slot->is_used ? slot->place : KTRC_INDEX_NONE;
}

int ktrc_index_add(struct ktrc_index *set, const void *thing)
{
	u32 *place = ktrc_index_get(set, (u64)(uintptr_t)thing, 0);

	if (!place)
		return -ENOMEM;
	*place = 0;
	return 0;
}

bool ktrc_index_has(const struct ktrc_index *set, const void *thing)
{
	return ktrc_index_find(set, (u64)(uintptr_t)thing, 0) != KTRC_INDEX_NONE;
}

u64 *ktrc_index_numbers(const struct ktrc_index *index)
{
	u64 *numbers = calloc(index->nr + 1, sizeof(*numbers));
	size_t nr = 0;

	for (size_t i = 0; numbers && i < index->nr_slots; i++)
		if (index->slots[i].is_used)
			numbers[nr++] = index->slots[i].a;
	if (numbers)
		ktrc_array_sort(numbers, nr);
	return numbers;
}

void ktrc_index_release(struct ktrc_index *index)
{
	free(index->slots);
	*index = (struct ktrc_index){ 0 };
}
