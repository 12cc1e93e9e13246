/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in an array by a key of two numbers: an open-addressed hash table. */
#ifndef KTRC_INDEX_H
#define KTRC_INDEX_H

#include "types.h"

/* The place of a key that was not there. */
#define KTRC_INDEX_NONE (~0u)

/**
 * struct ktrc_index - all keys
 * @slots: by hash; empty ones are not used
 * @nr_slots: a power of two, or 0
 * @nr: keys
 */
struct ktrc_index {
	struct ktrc_index_slot {
		u64 a;
		u64 b;
		u32 place;
		bool is_used;
	} * slots;
	size_t nr_slots;
	size_t nr;
};

/**
 * ktrc_index_get() - where the place of a key stands
 *
 * Of a key that was not there it is KTRC_INDEX_NONE, until the caller sets it.
 * Return: NULL without memory for a key that was not there.
 */
u32 *ktrc_index_get(struct ktrc_index *index, u64 a, u64 b);

/** ktrc_index_find() - the place of a key; KTRC_INDEX_NONE if it is not there */
u32 ktrc_index_find(const struct ktrc_index *index, u64 a, u64 b);

/** ktrc_index_add() - of a set of things: one more; 0 or -ENOMEM */
int ktrc_index_add(struct ktrc_index *set, const void *thing);
/** ktrc_index_has() - is it one of them */
bool ktrc_index_has(const struct ktrc_index *set, const void *thing);

/** ktrc_index_numbers() - of keys of one number: the @nr numbers, rising, to be freed; NULL without memory */
u64 *ktrc_index_numbers(const struct ktrc_index *index);

/** ktrc_index_release() - forget all keys */
void ktrc_index_release(struct ktrc_index *index);

#endif
