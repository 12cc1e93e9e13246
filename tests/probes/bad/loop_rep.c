// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad loops at */
/* refused: asm/string_64.h */
/* a string instruction of the kernel's own */
#include <linux/string.h>

static void ktrc_on_bad(u64 *at, size_t n)
{
	memset64(at, 1, n);
}

void *ktrc_bad_loop_rep = ktrc_on_bad;
