// SPDX-License-Identifier: GPL-2.0
/* refused: while: not a loop with a constant bound */
#include "env.h"

static void ktrc_on_bad(u64 *head)
{
	u64 old;

	do {
		old = READ_ONCE(*head);
	} while (cmpxchg_local(head, old, old + 8) != old);
}

void *ktrc_bad_loop_do = ktrc_on_bad;
