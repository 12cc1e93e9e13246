// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad loops at kmod/probe_bad_loop_inside.c: */
/* a list of any length; the loop inside is all right */
#include "env.h"

struct ktrc_bad_node {
	struct ktrc_bad_node *next;
	int value[64];
};

static int ktrc_on_bad(struct ktrc_bad_node *n, int sum)
{
	int i;

	if (!n)
		return sum;
	for (i = 0; i < 64; i++)
		sum += READ_ONCE(n->value[i]);
	return ktrc_on_bad(READ_ONCE(n->next), sum);
}

void *ktrc_bad_loop_inside = ktrc_on_bad;
