// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad loops at */
/* refused: include/linux/atomic */
/* the kernel's own, around a cmpxchg */
#include <linux/atomic.h>

static int ktrc_on_bad(atomic_t *n)
{
	return atomic_add_unless(n, 1, 1000);
}

void *ktrc_bad_loop_inline = ktrc_on_bad;
