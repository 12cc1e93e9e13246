// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad refers to _printk, which kmod/probe_symbols does not list */
#include <linux/printk.h>

static void ktrc_on_bad(void)
{
	pr_info("bad\n");
}

void *ktrc_bad_printk = ktrc_on_bad;
