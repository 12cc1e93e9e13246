/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Free memory by the size of its blocks: /proc/buddyinfo. */
#ifndef KTRC_BUDDY_H
#define KTRC_BUDDY_H

#include <jansson.h>

#include "types.h"

#define KTRC_MAX_BUDDY_ZONES 64
#define KTRC_MAX_ORDERS 16

/**
 * struct ktrc_buddy_zone - a zone of a memory node
 * @node: the node
 * @name: the zone's name
 * @nr_orders: orders that the kernel has
 * @blocks: free blocks of 2^order pages, by order
 */
struct ktrc_buddy_zone {
	u32 node;
	char name[16];
	u32 nr_orders;
	u64 blocks[KTRC_MAX_ORDERS];
};

/**
 * struct ktrc_buddy - all of them
 * @nr: their number; 0: not known
 * @zones: the zones, those beyond the room left out
 */
struct ktrc_buddy {
	u32 nr;
	struct ktrc_buddy_zone zones[KTRC_MAX_BUDDY_ZONES];
};

/** ktrc_buddy_read() - read /proc/buddyinfo now; not known when that fails */
struct ktrc_buddy ktrc_buddy_read(void);

/** ktrc_buddy_to_json() - an array, a row for each zone */
json_t *ktrc_buddy_to_json(const struct ktrc_buddy *buddy);
struct ktrc_buddy ktrc_buddy_from_json(const json_t *array);

#endif
