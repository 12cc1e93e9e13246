// SPDX-License-Identifier: GPL-2.0
/*
 * What the hooks cost before anything is done in them: an empty probe on both page
 * fault tracepoints, or on those of switches and wake-ups, or an empty kretprobe on
 * handle_mm_fault.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

static char *hook = "";
module_param(hook, charp, 0444);
MODULE_PARM_DESC(hook, "tracepoints, switches or kretprobe");

struct point {
	const char *name;
	void *probe;
	struct tracepoint *found;
};

static notrace void on_page_fault(void *data, unsigned long address, struct pt_regs *regs,
				  unsigned long error_code)
{
}

static notrace void on_switch(void *data, bool preempt, struct task_struct *prev,
			      struct task_struct *next, unsigned int prev_state)
{
}

static notrace void on_wakeup(void *data, struct task_struct *task)
{
}

/* the first two are of page faults, the others of switches */
static struct point points[] = {
	{ "page_fault_user", on_page_fault },
	{ "page_fault_kernel", on_page_fault },
	{ "sched_switch", on_switch },
	{ "sched_wakeup", on_wakeup },
};

static struct point *first;
#define NR_POINTS 2

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

	for (i = 0; i < NR_POINTS; i++)
		if (!strcmp(tp->name, first[i].name))
			first[i].found = tp;
}

static void detach_tracepoints(size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		tracepoint_probe_unregister(first[i].found, first[i].probe, NULL);
	tracepoint_synchronize_unregister();
}

static int attach_tracepoints(void)
{
	size_t i;
	int err;

	for_each_kernel_tracepoint(match, NULL);
	for (i = 0; i < NR_POINTS; i++) {
		err = first[i].found ?
			      tracepoint_probe_register(first[i].found, first[i].probe, NULL) :
			      -ENOENT;
		if (err) {
			detach_tracepoints(i);
			return err;
		}
	}
	return 0;
}

static int __init floor_init(void)
{
	if (!strcmp(hook, "tracepoints"))
		first = points;
	else if (!strcmp(hook, "switches"))
		first = points + NR_POINTS;
	if (first)
		return attach_tracepoints();
	return strcmp(hook, "kretprobe") ? -EINVAL : register_kretprobe(&rp);
}

static void __exit floor_exit(void)
{
	if (first)
		detach_tracepoints(NR_POINTS);
	else
		unregister_kretprobe(&rp);
}

module_init(floor_init);
module_exit(floor_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("empty probes: the floor of a measurement");
