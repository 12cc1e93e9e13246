// SPDX-License-Identifier: GPL-2.0
/*
 * What the hooks cost before anything is done in them: an empty probe on both page
 * fault tracepoints, or an empty kretprobe on handle_mm_fault.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

static char *hook = "";
module_param(hook, charp, 0444);
MODULE_PARM_DESC(hook, "tracepoints or kretprobe");

static const char *const names[] = { "page_fault_user", "page_fault_kernel" };
static struct tracepoint *found[ARRAY_SIZE(names)];

static notrace void on_page_fault(void *data, unsigned long address, struct pt_regs *regs,
				  unsigned long error_code)
{
}

static int on_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}
NOKPROBE_SYMBOL(on_call);

static struct kretprobe rp = {
	.kp.symbol_name = "handle_mm_fault",
	.entry_handler = on_call,
	.handler = on_call,
	.maxactive = 64,
};

static void match(struct tracepoint *tp, void *unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(tp->name, names[i]))
			found[i] = tp;
}

static void detach_tracepoints(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (found[i])
			tracepoint_probe_unregister(found[i], on_page_fault, NULL);
	tracepoint_synchronize_unregister();
}

static int attach_tracepoints(void)
{
	size_t i;
	int err;

	for_each_kernel_tracepoint(match, NULL);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		err = found[i] ? tracepoint_probe_register(found[i], on_page_fault, NULL) : -ENOENT;
		if (err) {
			memset(found + i, 0, sizeof(found) - i * sizeof(found[0]));
			detach_tracepoints();
			return err;
		}
	}
	return 0;
}

static int __init floor_init(void)
{
	if (!strcmp(hook, "tracepoints"))
		return attach_tracepoints();
	return strcmp(hook, "kretprobe") ? -EINVAL : register_kretprobe(&rp);
}

static void __exit floor_exit(void)
{
	if (!strcmp(hook, "tracepoints"))
		detach_tracepoints();
	else
		unregister_kretprobe(&rp);
}

module_init(floor_init);
module_exit(floor_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("empty probes: the floor of a measurement");
