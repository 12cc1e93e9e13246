// SPDX-License-Identifier: GPL-2.0
/*
 * A hard timer writes, and raises a softirq that writes more; a thread on another CPU
 * sends NMIs that write as well.  What is written at a time is long enough to be
 * interrupted.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "contexts.h"

#define IRQ_RECORDS 12
#define SOFTIRQ_RECORDS 60
#define NMI_RECORDS 8
#define TIMER_NS 60000
#define NMI_EVERY 24 /* records of the others between two NMIs, or nothing but NMIs would run */

static struct rig *rig;
static unsigned int rig_cpu;
static struct hrtimer timer;
static struct task_struct *sender;
static atomic_t nmi_is_due;
static bool is_over;

static void emit_many(enum rig_level level, int nr)
{
	while (nr--)
		rig_emit(rig, level);
}

static void from_softirq(struct tasklet_struct *tasklet)
{
	emit_many(RIG_SOFTIRQ, SOFTIRQ_RECORDS);
}

static DECLARE_TASKLET(softirq, from_softirq);

/* never the same step of a writer twice in a row */
static u32 next_ns(void)
{
	static u32 seed = 1;

	seed = seed * 1664525 + 1013904223;
	return TIMER_NS + (seed >> 8) % TIMER_NS;
}

static enum hrtimer_restart from_irq(struct hrtimer *t)
{
	if (READ_ONCE(is_over))
		return HRTIMER_NORESTART;
	emit_many(RIG_IRQ, IRQ_RECORDS);
	tasklet_schedule(&softirq);
	hrtimer_forward_now(t, ns_to_ktime(next_ns()));
	return HRTIMER_RESTART;
}

static int from_nmi(unsigned int type, struct pt_regs *regs)
{
	if (smp_processor_id() != rig_cpu || !atomic_xchg(&nmi_is_due, 0))
		return NMI_DONE;
	emit_many(RIG_NMI, NMI_RECORDS);
	return NMI_HANDLED;
}

static u32 records_of_others(void)
{
	return READ_ONCE(rig->seq[RIG_TASK]) + READ_ONCE(rig->seq[RIG_SOFTIRQ]) +
	       READ_ONCE(rig->seq[RIG_IRQ]);
}

static int send_nmis(void *unused)
{
	u32 last = records_of_others();

	while (!kthread_should_stop()) {
		u32 now = records_of_others();

		if (now - last >= NMI_EVERY && !atomic_xchg(&nmi_is_due, 1)) {
			apic->send_IPI(rig_cpu, NMI_VECTOR);
			last = now;
		}
		cond_resched();
	}
	return 0;
}

static struct task_struct *start_sender(void)
{
	unsigned int cpu = cpumask_any_but(cpu_online_mask, rig_cpu);
	struct task_struct *task;

	if (cpu >= nr_cpu_ids)
		return ERR_PTR(-ENODEV);
	task = kthread_create(send_nmis, NULL, "ktrc_kunit_nmi");
	if (IS_ERR(task))
		return task;
	kthread_bind(task, cpu);
	wake_up_process(task);
	return task;
}

/**
 * contexts_start() - let every context write into @r
 * @r: rig of this CPU, which the caller stays on
 *
 * Return: 0, -ENODEV when there is no other CPU to send NMIs, -ENOMEM.
 */
int contexts_start(struct rig *r)
{
	int err;

	rig = r;
	rig_cpu = raw_smp_processor_id();
	is_over = false;
	atomic_set(&nmi_is_due, 0);
	err = register_nmi_handler(NMI_LOCAL, from_nmi, 0, "ktrc_kunit");
	if (err)
		return err;
	sender = start_sender();
	if (IS_ERR(sender)) {
		unregister_nmi_handler(NMI_LOCAL, "ktrc_kunit");
		return PTR_ERR(sender);
	}
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = from_irq;
	hrtimer_start(&timer, ns_to_ktime(TIMER_NS), HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

/** contexts_stop() - none of them writes any more */
void contexts_stop(void)
{
	WRITE_ONCE(is_over, true);
	kthread_stop(sender);
	hrtimer_cancel(&timer);
	tasklet_kill(&softirq);
	while (atomic_read(&nmi_is_due)) /* the last one is on its way */
		cpu_relax();
	unregister_nmi_handler(NMI_LOCAL, "ktrc_kunit");
}
