/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing array: a pointer, the number of members, and doubling room behind them. */
#ifndef KTRC_ARRAY_H
#define KTRC_ARRAY_H

#include <stdlib.h>
#include <string.h>

#include "types.h"

static inline void *ktrc_array_push_bytes(void **array, size_t *nr, size_t bytes)
{
	void *grown, *member;

	/* room is a power of two, so it is used up exactly when nr is one */
	if ((*nr & (*nr - 1)) == 0) {
		grown = reallocarray(*array, *nr ? 2 * *nr : 1, bytes);
		if (!grown)
			return NULL;
		*array = grown;
	}
	member = (char *)*array + (*nr)++ * bytes;
	return memset(member, 0, bytes);
}

/**
 * ktrc_array_push() - append a zeroed member
 * @array: pointer to the first member, NULL when empty
 * @nr: number of members
 *
 * Return: the new member, NULL without memory.
 */
#define ktrc_array_push(array, nr) \
	((__typeof__(array))ktrc_array_push_bytes((void **)&(array), &(nr), sizeof(*(array))))

static inline size_t ktrc_array_before_bytes(const void *array, size_t nr, size_t bytes, u64 key)
{
	size_t low = 0, high = nr;
	u64 found;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		memcpy(&found, (const char *)array + middle * bytes, sizeof(found));
		if (found < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * ktrc_array_before() - how many members stand before a key
 * @array: pointer to the first member; each is, or begins with, a u64, by which they are sorted
 * @nr: number of members
 * @key: to compare that with
 *
 * Return: the place of the first member that is not below @key.
 */
#define ktrc_array_before(array, nr, key) \
	ktrc_array_before_bytes((array), (nr), sizeof(*(array)), (key))

static inline int ktrc_array_compare(const void *a, const void *b)
{
	u64 x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/**
 * ktrc_array_sort() - as ktrc_array_before() wants it
 * @array: pointer to the first member; each is, or begins with, a u64
 * @nr: number of members
 */
#define ktrc_array_sort(array, nr)                                                  \
	do {                                                                        \
		if (nr)                                                             \
			qsort((array), (nr), sizeof(*(array)), ktrc_array_compare); \
	} while (0)

#endif
