// SPDX-License-Identifier: GPL-2.0
/* refused: probe_bad_user_memory.o touches memory that may fault */
#include <linux/uaccess.h>

static long ktrc_on_bad(long __user *from)
{
	long value;

	unsafe_get_user(value, from, fault);
	return value;
fault:
	return 0;
}

void *ktrc_bad_user_memory = ktrc_on_bad;
