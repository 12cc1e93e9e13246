// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad loops at kmod/probe_bad_loop_tail.c:15: not a loop with a constant bound */
/* no loop in the source, but one in the machine code */
#include "env.h"

struct ktrc_bad_node {
	struct ktrc_bad_node *next;
	int value;
};

static int ktrc_on_bad(struct ktrc_bad_node *n, int sum)
{
	if (!n)
		return sum;
	return ktrc_on_bad(READ_ONCE(n->next), sum + READ_ONCE(n->value));
}

void *ktrc_bad_loop_tail = ktrc_on_bad;
