// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad can trap, as WARN and BUG do */
/* refused: probe_bad_warn.o has a WARN or BUG */
#include <linux/bug.h>

static void ktrc_on_bad(int n)
{
	WARN_ON_ONCE(n);
}

void *ktrc_bad_warn = ktrc_on_bad;
