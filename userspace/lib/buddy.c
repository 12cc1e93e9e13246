// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/buddyinfo. */
#include "buddy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "json.h"

/* "Node 0, zone   Normal   1   0   5 ..."; the kernel has as many numbers as orders */
static bool parse_line(const char *line, struct ktrc_buddy_zone *zone)
{
	int used;
	char *end;

	*zone = (struct ktrc_buddy_zone){ 0 };
	if (sscanf(line, "Node %u, zone %15s%n", &zone->node, zone->name, &used) != 2)
		return false;
	for (line += used; zone->nr_orders < KTRC_MAX_ORDERS; line = end) {
		u64 blocks = strtoull(line, &end, 10);

		if (end == line)
			break;
		zone->blocks[zone->nr_orders++] = blocks;
	}
	return zone->nr_orders > 0;
}

struct ktrc_buddy ktrc_buddy_read(void)
{
	__ktrc_file FILE *file = fopen("/proc/buddyinfo", "re");
	struct ktrc_buddy buddy = { 0 };
	char line[512];

	while (file && buddy.nr < KTRC_MAX_BUDDY_ZONES && fgets(line, sizeof(line), file))
		buddy.nr += parse_line(line, &buddy.zones[buddy.nr]);
	return buddy;
}

json_t *ktrc_buddy_to_json(const struct ktrc_buddy *buddy)
{
	json_t *array = json_array(), *blocks;

	for (u32 i = 0; i < buddy->nr; i++) {
		const struct ktrc_buddy_zone *zone = &buddy->zones[i];

		blocks = json_array();
		for (u32 order = 0; order < zone->nr_orders; order++)
			json_array_append_new(blocks, json_integer((s64)zone->blocks[order]));
		json_array_append_new(array, json_pack("{s:i, s:s, s:o}", "node", (int)zone->node,
						       "zone", zone->name, "blocks", blocks));
	}
	return array;
}

/* Who made the trace may have written anything. */
static void make_plain(char *name)
{
	for (; *name; name++)
		if (*name <= ' ' || *name > '~')
			*name = '?';
}

struct ktrc_buddy ktrc_buddy_from_json(const json_t *array)
{
	struct ktrc_buddy buddy = { 0 };
	const json_t *object, *node, *blocks, *number;
	size_t i, order;

	json_array_foreach(array, i, object) {
		struct ktrc_buddy_zone *zone = &buddy.zones[buddy.nr];
		const char *name = json_string_value(json_object_get(object, "zone"));

		if (buddy.nr == KTRC_MAX_BUDDY_ZONES)
			break;
		node = json_object_get(object, "node");
		blocks = json_object_get(object, "blocks");
		if (!name || !ktrc_json_is_u32(node) || !json_is_array(blocks))
			return (struct ktrc_buddy){ 0 };
		zone->node = (u32)json_integer_value(node);
		snprintf(zone->name, sizeof(zone->name), "%s", name);
		make_plain(zone->name);
		json_array_foreach(blocks, order, number) {
			if (order == KTRC_MAX_ORDERS || !json_is_integer(number))
				return (struct ktrc_buddy){ 0 };
			zone->blocks[zone->nr_orders++] = (u64)json_integer_value(number);
		}
		buddy.nr++;
	}
	return buddy;
}
