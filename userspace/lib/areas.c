// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A treap: sorted by place, and a heap by random numbers, which makes it about as deep as a balanced
 * tree, whatever comes.  A node that several have, directly or by what is above it, is copied before it
 * is changed.
 */
#include "areas.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "hash.h"

struct ktrc_areas {
	struct ktrc_area area;
	struct ktrc_areas *left;
	struct ktrc_areas *right;
	u64 rank; /* above those with a smaller one */
	u64 nr_users; /* nodes and others that point here */
};

static struct ktrc_areas *make(const struct ktrc_area *area)
{
	static u64 nr_made;
	struct ktrc_areas *node = malloc(sizeof(*node));

	if (node)
		*node = (struct ktrc_areas){ .area = *area,
					     .rank = ktrc_hash(nr_made++, 0),
					     .nr_users = 1 };
	return node;
}

struct ktrc_areas *ktrc_areas_share(struct ktrc_areas *areas)
{
	if (areas)
		areas->nr_users++;
	return areas;
}

void ktrc_areas_drop(struct ktrc_areas *areas)
{
	while (areas && --areas->nr_users == 0) {
		struct ktrc_areas *right = areas->right;

		ktrc_areas_drop(areas->left);
		free(areas);
		areas = right;
	}
}

/* Instead of @node one that nobody else has; NULL without memory. */
static struct ktrc_areas *own(struct ktrc_areas *node)
{
	struct ktrc_areas *copy;

	if (node->nr_users == 1)
		return node;
	copy = malloc(sizeof(*copy));
	if (copy) {
		*copy = *node;
		copy->nr_users = 1;
		ktrc_areas_share(copy->left);
		ktrc_areas_share(copy->right);
	}
	ktrc_areas_drop(node);
	return copy;
}

/* @all become @front and what lies behind them, @back. */
static int join(struct ktrc_areas **all, struct ktrc_areas *front, struct ktrc_areas *back)
{
	while (front && back) {
		bool is_front = front->rank > back->rank;
		struct ktrc_areas *top = own(is_front ? front : back);

		*all = top;
		if (!top) {
			ktrc_areas_drop(is_front ? back : front);
			return -ENOMEM;
		}
		all = is_front ? &top->right : &top->left;
		*(is_front ? &front : &back) = *all;
	}
	*all = front ? front : back;
	return 0;
}

/* An area that ends at @page from now on; the rest of it; NULL without memory. */
static struct ktrc_areas *cut(struct ktrc_areas *node, u64 page)
{
	struct ktrc_area rest = node->area;

	rest.offset += page - rest.begin;
	rest.begin = page;
	node->area.end = page;
	return make(&rest);
}

/* All that is before @page to @front, all from there on to @back. */
static int split(struct ktrc_areas *all, u64 page, struct ktrc_areas **front,
		 struct ktrc_areas **back)
{
	struct ktrc_areas **all_back = back, *rest;
	int ret = 0;

	while (all) {
		all = own(all);
		if (!all) {
			ret = -ENOMEM;
		} else if (all->area.end <= page) {
			*front = all;
			front = &all->right;
			all = *front;
		} else if (all->area.begin >= page) {
			*back = all;
			back = &all->left;
			all = *back;
		} else {
			rest = cut(all, page);
			*front = all;
			*back = all->right;
			all->right = NULL;
			/* from above: its rank may be the highest */
			return join(all_back, rest, *all_back) < 0 || !rest ? -ENOMEM : 0;
		}
	}
	*front = *back = NULL;
	return ret;
}

/* From @begin to @end there is @middle, or nothing. */
static int replace(struct ktrc_areas **areas, u64 begin, u64 end, struct ktrc_areas *middle)
{
	struct ktrc_areas *front, *rest, *old, *back;
	int ret = split(*areas, begin, &front, &rest);

	ret |= split(rest, end, &old, &back);
	ktrc_areas_drop(old);
	ret |= join(&rest, middle, back);
	ret |= join(areas, front, rest);
	return ret ? -ENOMEM : 0;
}

int ktrc_areas_clear(struct ktrc_areas **areas, u64 begin, u64 end)
{
	return begin < end ? replace(areas, begin, end, NULL) : 0;
}

int ktrc_areas_put(struct ktrc_areas **areas, const struct ktrc_area *area)
{
	struct ktrc_areas *node;

	if (area->begin >= area->end)
		return 0;
	node = make(area);
	return node ? replace(areas, area->begin, area->end, node) : -ENOMEM;
}

const struct ktrc_area *ktrc_areas_find(const struct ktrc_areas *areas, u64 page)
{
	while (areas && (page < areas->area.begin || page >= areas->area.end))
		areas = page < areas->area.begin ? areas->left : areas->right;
	return areas ? &areas->area : NULL;
}

int ktrc_areas_walk(const struct ktrc_areas *areas,
		    int (*visit)(const struct ktrc_area *area, void *data), void *data)
{
	int ret = 0;

	for (; ret == 0 && areas; areas = areas->right) {
		ret = ktrc_areas_walk(areas->left, visit, data);
		if (ret == 0)
			ret = visit(&areas->area, data);
	}
	return ret;
}
