// SPDX-License-Identifier: GPL-2.0
/*
 * A timer of another CPU looks who is in the middle of a write, and sends an interrupt or an
 * NMI. Both write; the interrupt raises a softirq that writes too. Each goes on until it was
 * interrupted in turn, as the other CPU may be slow.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "contexts.h"

#define SOFTIRQ_MOST 400
#define IRQ_MOST 100
#define EVERY 8 /* records between two interrupts, or nobody would get on */
#define TIMER_NS 100000

static struct rig *rig;
static unsigned int rig_cpu;
static struct hrtimer timer;
static atomic_t sent; /* RIG_IRQ or RIG_NMI, which is on its way; 0: none */

static void from_softirq(struct tasklet_struct *tasklet)
{
	rig_write(rig, RIG_SOFTIRQ, SOFTIRQ_MOST);
}

static DECLARE_TASKLET(softirq, from_softirq);

static void from_irq(void *unused)
{
	atomic_set(&sent, 0);
	rig_write(rig, RIG_IRQ, IRQ_MOST);
	if (!in_serving_softirq()) /* or it would not end */
		tasklet_schedule(&softirq);
}

static call_single_data_t irq = CSD_INIT(from_irq, NULL);

static int from_nmi(unsigned int type, struct pt_regs *regs)
{
	if (smp_processor_id() != rig_cpu || atomic_cmpxchg(&sent, RIG_NMI, 0) != RIG_NMI)
		return NMI_DONE;
	rig_write(rig, RIG_NMI, RIG_LEAST);
	return NMI_HANDLED;
}

static u32 nr_records(void)
{
	u32 nr = 0;
	int level;

	for (level = RIG_TASK; level < RIG_NR_LEVELS; level++)
		nr += READ_ONCE(rig->seq[level]);
	return nr;
}

/* What comes less often; of the task the interrupt, as that starts the others. */
static enum rig_level next_over(enum rig_level outer)
{
	const u32(*nr)[RIG_NR_LEVELS] = rig->interrupted;
	bool nmi = true;

	if (outer == RIG_TASK)
		nmi = READ_ONCE(nr[RIG_TASK][RIG_NMI]) < READ_ONCE(nr[RIG_SOFTIRQ][RIG_NMI]);
	else if (outer == RIG_SOFTIRQ)
		nmi = READ_ONCE(nr[RIG_SOFTIRQ][RIG_NMI]) <= READ_ONCE(nr[RIG_SOFTIRQ][RIG_IRQ]);
	return nmi ? RIG_NMI : RIG_IRQ;
}

static void interrupt(enum rig_level outer)
{
	enum rig_level inner = next_over(outer);

	atomic_set(&sent, inner);
	if (inner == RIG_NMI)
		apic->send_IPI(rig_cpu, NMI_VECTOR);
	else
		smp_call_function_single_async(rig_cpu, &irq);
}

/* never the same step of a writer twice in a row */
static u32 next_ns(void)
{
	static u32 seed = 1;

	seed = seed * 1664525 + 1013904223;
	return TIMER_NS + (seed >> 8) % TIMER_NS;
}

static enum hrtimer_restart look(struct hrtimer *t)
{
	static u32 last;
	u32 now = nr_records();
	enum rig_level writer = rig_writer(rig);

	if (writer < RIG_NMI && now - last >= EVERY && !atomic_read(&sent)) {
		interrupt(writer);
		last = now;
	}
	hrtimer_forward_now(t, ns_to_ktime(next_ns()));
	return HRTIMER_RESTART;
}

static void start_timer(void *unused)
{
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = look;
	hrtimer_start(&timer, ns_to_ktime(TIMER_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * contexts_start() - let every context write into @r
 * @r: rig of this CPU, which the caller stays on and writes into
 *
 * Return: 0, -ENODEV when there is no other CPU, -ENOMEM.
 */
int contexts_start(struct rig *r)
{
	unsigned int timer_cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	int err;

	rig = r;
	rig_cpu = raw_smp_processor_id();
	if (timer_cpu >= nr_cpu_ids)
		return -ENODEV;
	atomic_set(&sent, 0);
	err = register_nmi_handler(NMI_LOCAL, from_nmi, 0, "ktrc_kunit");
	if (err)
		return err;
	err = smp_call_function_single(timer_cpu, start_timer, NULL, true);
	if (err)
		unregister_nmi_handler(NMI_LOCAL, "ktrc_kunit");
	return err;
}

/** contexts_stop() - none of them writes any more */
void contexts_stop(void)
{
	hrtimer_cancel(&timer);
	while (atomic_read(&sent)) /* the last one is on its way */
		cpu_relax();
	tasklet_kill(&softirq);
	unregister_nmi_handler(NMI_LOCAL, "ktrc_kunit");
}
