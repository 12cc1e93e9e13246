// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad refers to jiffies, which kmod/probe_symbols does not list */
#include <linux/jiffies.h>

static unsigned long ktrc_on_bad(void)
{
	return jiffies;
}

void *ktrc_bad_data = ktrc_on_bad;
