// SPDX-License-Identifier: GPL-2.0
/* refused: :ktrc_on_bad uses .data..percpu with preemption on, on the way from */
/* refused: :add uses this_cpu_off with preemption on, on the way from */
#include <linux/kprobes.h>
#include <linux/percpu.h>

static DEFINE_PER_CPU(int, hits);

static noinline void add(int by)
{
	*this_cpu_ptr(&hits) += by;
}

static int ktrc_on_bad(struct kprobe *kp, struct pt_regs *regs)
{
	preempt_disable_notrace();
	add(1);
	preempt_enable_notrace();
	this_cpu_inc(hits);
	return 0;
}

static int ktrc_on_bad_too(struct kprobe *kp, struct pt_regs *regs)
{
	add(2);
	preempt_disable_notrace();
	this_cpu_inc(hits);
	preempt_enable_notrace();
	return 0;
}

void *ktrc_bad_preemptible[] = { ktrc_on_bad, ktrc_on_bad_too };
