// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad can trap, as WARN and BUG do */
static void ktrc_on_bad(int n)
{
	if (n)
		__builtin_trap();
}

void *ktrc_bad_trap = ktrc_on_bad;
