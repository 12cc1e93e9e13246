// SPDX-License-Identifier: GPL-2.0
/* refused: while: not a loop with a constant bound */
#include "env.h"

static void ktrc_on_bad(int *flag)
{
	while (READ_ONCE(*flag))
		;
}

void *ktrc_bad_loop_while = ktrc_on_bad;
