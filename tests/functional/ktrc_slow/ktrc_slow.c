// SPDX-License-Identifier: GPL-2.0
/*
 * Test module: each call of the function `symbol` takes `us` longer, at its entry, so that what
 * other CPUs do meanwhile is no rare thing.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char *symbol;
module_param(symbol, charp, 0444);

static unsigned int us = 100;
module_param(us, uint, 0444);

static int on_entry(struct kprobe *kp, struct pt_regs *regs)
{
	udelay(min(us, 1000u));
	return 0;
}
NOKPROBE_SYMBOL(on_entry);

static struct kprobe kp = { .pre_handler = on_entry };

static int __init slow_init(void)
{
	kp.symbol_name = symbol;
	return register_kprobe(&kp);
}

static void __exit slow_exit(void)
{
	unregister_kprobe(&kp);
}

module_init(slow_init);
module_exit(slow_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ktrc test: a function that is slow to begin");
