// SPDX-License-Identifier: GPL-2.0
/*
 * Test module: page faults inside ktrc's probes.  Kprobes stand on functions that the
 * probes call, or are made of.  Where one is called by code of ktrc, of which the module is
 * told where it lies, for the process that it is told of, its handler reads a kernel address
 * that is not mapped and a user address that is swapped out.  Both raise the exception that
 * fault.light records, and fail.
 *
 * A kprobe that is a jump, or ftrace's, runs in the caller's context, a task; one that is a
 * breakpoint in another one, as the kernel takes it as it takes an NMI.  breakpoints says which of both
 * are meant, and makes those of all functions that ftrace does not hook breakpoints.
 *
 * What it did and saw stands in its parameters: seen, exceptions that another probe on the
 * same tracepoints counts; walked, those of them that a task raises that may not wait for a page, as ktrc does when it
 * follows a stack; sampled, those that an interrupt raises, and those of these that come while ktrc runs; raised, those of them that are the module's own, for the kernel's
 * address and for the user's; least_stack, bytes of the task's stack that nothing was written to meanwhile; and, in the
 * order of functions, how many reads failed in each: kernel_faults and user_faults, by address;
 * negative: the kernel has no kprobe there.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include <asm/irq_regs.h>

#define MOST 32

static unsigned long core; /* where ktrc.ko lies, and how long it is */
module_param(core, ulong, 0444);
static unsigned long core_bytes;
module_param(core_bytes, ulong, 0444);
static int pid; /* whose faults, as the first namespace numbers it */
module_param(pid, int, 0644);
static unsigned long swapped; /* an address of that process */
module_param(swapped, ulong, 0644);
static bool breakpoints;
module_param(breakpoints, bool, 0444);
static char *functions[MOST];
static int nr_functions;
module_param_array(functions, charp, &nr_functions, 0444);
static int kernel_faults[MOST];
module_param_array(kernel_faults, int, NULL, 0444);
static int user_faults[MOST];
module_param_array(user_faults, int, NULL, 0444);
static unsigned long seen;
module_param(seen, ulong, 0444);
static unsigned long walked;
module_param(walked, ulong, 0444);
static unsigned long sampled[2]; /* all, as ktrc ran */
module_param_array(sampled, ulong, NULL, 0444);
static unsigned long raised[2]; /* kernel, user */
module_param_array(raised, ulong, NULL, 0444);
static unsigned long least_stack = THREAD_SIZE;
module_param(least_stack, ulong, 0444);

static struct kprobe probes[MOST];
static bool is_raising;
static char *area; /* one page; the page behind it is never mapped */
static struct tracepoint *points[2];
static const char *const point_names[] = { "page_fault_user", "page_fault_kernel" };

/* nobody sends NMIs here: what looks like one is a breakpoint in a task */
static bool is_meant_context(void)
{
	u32 context = preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET);

	return context == (breakpoints ? NMI_OFFSET + HARDIRQ_OFFSET : 0);
}

#define PAINT 0x5ec7e75ec7e75ec7ul

/* what is below the caller's frames, in words; the end's first has the kernel's mark */
static __no_sanitize_address noinline void paint(void)
{
	unsigned long *word, *own = (unsigned long *)current_stack_pointer - 1;

	for (word = end_of_stack(current) + 1; word < own; word++)
		WRITE_ONCE(*word, PAINT);
}

static __no_sanitize_address noinline unsigned long bytes_unused(void)
{
	unsigned long *word = end_of_stack(current) + 1;

	while (READ_ONCE(*word) == PAINT)
		word++;
	return (unsigned long)word - (unsigned long)end_of_stack(current);
}

static bool is_wanted(const struct pt_regs *regs)
{
	unsigned long caller = *(unsigned long *)regs->sp;

	return current->tgid == READ_ONCE(pid) && is_meant_context() && caller - core < core_bytes;
}

static int on_call(struct kprobe *probe, struct pt_regs *regs)
{
	char c;

	if (!is_wanted(regs))
		return 0;
	paint();
	WRITE_ONCE(is_raising, true);
	/* a page that came back is read, and no fault: none may be served here */
	pagefault_disable();
	if (copy_from_kernel_nofault(&c, area + PAGE_SIZE, 1))
		kernel_faults[probe - probes]++;
	if (copy_from_user_nofault(&c, (void __user *)swapped, 1))
		user_faults[probe - probes]++;
	pagefault_enable();
	WRITE_ONCE(is_raising, false);
	least_stack = min(least_stack, bytes_unused());
	return 0;
}

/* with one the kernel makes no jump of a kprobe */
static void after_call(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static void on_fault(void *data, unsigned long address, struct pt_regs *regs, unsigned long error)
{
	if (current->tgid != READ_ONCE(pid))
		return;
	seen++;
	if (READ_ONCE(is_raising)) {
		raised[address == READ_ONCE(swapped)]++;
	} else if (in_hardirq()) {
		sampled[0]++;
		sampled[1] += get_irq_regs()->ip - core < core_bytes;
	} else {
		walked += pagefault_disabled();
	}
}

static void find_points(struct tracepoint *point, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(points); i++) {
		if (!strcmp(point->name, point_names[i]))
			points[i] = point;
	}
}

static void forget(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(points); i++) {
		if (points[i])
			tracepoint_probe_unregister(points[i], on_fault, NULL);
	}
	for (i = 0; i < nr_functions; i++) {
		if (probes[i].addr)
			unregister_kprobe(&probes[i]);
	}
	tracepoint_synchronize_unregister();
	vfree(area);
}

static int watch(void)
{
	int i, err = 0;

	for_each_kernel_tracepoint(find_points, NULL);
	for (i = 0; i < ARRAY_SIZE(points) && !err; i++)
		err = points[i] ? tracepoint_probe_register(points[i], on_fault, NULL) : -ENOENT;
	return err;
}

static int __init recurse_init(void)
{
	int i, err;

	area = vmalloc(PAGE_SIZE);
	if (!area)
		return -ENOMEM;
	for (i = 0; i < nr_functions; i++) {
		probes[i].symbol_name = functions[i];
		probes[i].pre_handler = on_call;
		probes[i].post_handler = breakpoints ? after_call : NULL;
		err = register_kprobe(&probes[i]);
		if (!err)
			continue;
		kernel_faults[i] = user_faults[i] = err;
		probes[i].addr = NULL;
	}
	err = watch();
	if (err)
		forget();
	return err;
}

static void __exit recurse_exit(void)
{
	forget();
}

module_init(recurse_init);
module_exit(recurse_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ktrc test: page faults inside probes");
