// SPDX-License-Identifier: GPL-2.0
/*
 * Test module: how long a function that does next to nothing takes for a kretprobe that
 * reads the clock last thing on entry and first thing on exit: the share of each duration
 * that is the kernel's way from one handler to the other; parameter `share`, in ns.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <asm/msr.h>

static unsigned long share = ULONG_MAX;
module_param(share, ulong, 0444);

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	*(u64 *)ri->data = rdtsc_ordered();
	return 0;
}
NOKPROBE_SYMBOL(on_entry);

static int on_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	share = min_t(u64, share, rdtsc_ordered() - *(u64 *)ri->data);
	return 0;
}
NOKPROBE_SYMBOL(on_exit);

static struct kretprobe rp = {
	.kp.symbol_name = "__x64_sys_sched_get_priority_max",
	.entry_handler = on_entry,
	.handler = on_exit,
	.data_size = sizeof(u64),
	.maxactive = 64,
};

static int __init share_init(void)
{
	return register_kretprobe(&rp);
}

static void __exit share_exit(void)
{
	unregister_kretprobe(&rp);
}

module_init(share_init);
module_exit(share_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ktrc test: a tracer's own share of a duration");
