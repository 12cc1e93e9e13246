// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad calls or jumps through a pointer */
#include <linux/static_call.h>

static int first(int n)
{
	return n;
}

DEFINE_STATIC_CALL(ktrc_bad, first);

static int ktrc_on_bad(int n)
{
	return static_call(ktrc_bad)(n) + 1;
}

void *ktrc_bad_static_call = ktrc_on_bad;
