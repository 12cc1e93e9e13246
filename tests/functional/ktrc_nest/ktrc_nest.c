// SPDX-License-Identifier: GPL-2.0
/*
 * Test module: interrupts that take page faults (reads of an unmapped kernel page
 * that the kernel expects to fail).  With fault and fault.light recorded, their
 * writers in hardirq context interrupt the writer of a task's fault.
 *
 * On every CPU a timer interrupts whatever runs.  Where it meets code of ktrc, of which
 * it is told where it lies, a burst of such interrupts follows.
 */
#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/irq_regs.h>

static unsigned int period_ns = 50000;
module_param(period_ns, uint, 0444);
static unsigned int burst = 200;
module_param(burst, uint, 0444);
static unsigned long core; /* where ktrc.ko lies, and how long it is */
module_param(core, ulong, 0444);
static unsigned long core_bytes;
module_param(core_bytes, ulong, 0444);

struct nest {
	struct hrtimer timer;
	struct irq_work work;
	unsigned int left;
};

static DEFINE_PER_CPU(struct nest, nest);
static char *area; /* one page; the page behind it is never mapped */

static void nest_work(struct irq_work *work)
{
	struct nest *n = container_of(work, struct nest, work);
	char c;

	(void)copy_from_kernel_nofault(&c, area + PAGE_SIZE, 1);
	if (n->left && --n->left)
		irq_work_queue(work);
}

static enum hrtimer_restart nest_fire(struct hrtimer *timer)
{
	struct nest *n = container_of(timer, struct nest, timer);

	n->left = get_irq_regs()->ip - core < core_bytes ? burst : 1;
	irq_work_queue(&n->work);
	hrtimer_forward_now(timer, ns_to_ktime(period_ns));
	return HRTIMER_RESTART;
}

static void nest_start(void *unused)
{
	struct nest *n = this_cpu_ptr(&nest);

	init_irq_work(&n->work, nest_work);
	hrtimer_init(&n->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	n->timer.function = nest_fire;
	hrtimer_start(&n->timer, ns_to_ktime(period_ns), HRTIMER_MODE_REL_PINNED_HARD);
}

static int __init nest_init(void)
{
	area = vmalloc(PAGE_SIZE);
	if (!area)
		return -ENOMEM;
	cpus_read_lock();
	on_each_cpu(nest_start, NULL, 1);
	cpus_read_unlock();
	return 0;
}

static void nest_stop(void *unused)
{
	this_cpu_ptr(&nest)->left = 0;
}

static void __exit nest_exit(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(&nest, cpu)->timer);
	on_each_cpu(nest_stop, NULL, 1);
	for_each_online_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&nest, cpu)->work);
	vfree(area);
}

module_init(nest_init);
module_exit(nest_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ktrc test: page faults from interrupts");
