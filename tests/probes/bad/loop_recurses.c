// SPDX-License-Identifier: GPL-2.0
/* refused: kmod/probe_bad_loop_recurses.c: ktrc_on_bad: names itself, and may loop */
/* a list of any length; of the loop inside only its head is left, which each round passes */
#include "env.h"

#define THE_REST(n, sum) ktrc_on_bad((n)->next, sum)

struct ktrc_bad_node {
	struct ktrc_bad_node *next;
	int value[64];
};

static int ktrc_on_bad(struct ktrc_bad_node *n, int sum)
{
	int i;

	if (!n)
		return sum;
	for (i = 0; i < 64 && n->value[i]; i++) {
		sum += n->value[i + 1];
		break;
	}
	return THE_REST(n, sum);
}

void *ktrc_bad_loop_recurses = ktrc_on_bad;
