// SPDX-License-Identifier: GPL-2.0
/* refused: goto: not a loop with a constant bound */
#include "env.h"

static void ktrc_on_bad(int *flag)
{
again:
	if (READ_ONCE(*flag))
		goto again;
}

void *ktrc_bad_loop_goto = ktrc_on_bad;
