// SPDX-License-Identifier: GPL-2.0
/* refused: :leave does not leave preemption as it was, on the way from */
/* refused: :ktrc_on_bad_forgets does not leave preemption as it was, on the way from */
/* refused: :ktrc_on_bad_number changes the preemption count by more than one */
#include <linux/percpu.h>
#include <linux/preempt.h>

static DEFINE_PER_CPU(int, hits);

static noinline void leave(void)
{
	preempt_enable_notrace();
}

static int ktrc_on_bad(int by)
{
	preempt_disable_notrace();
	leave();
	this_cpu_add(hits, by);
	return 0;
}

static int ktrc_on_bad_forgets(int by)
{
	preempt_disable_notrace();
	this_cpu_add(hits, by);
	return 0;
}

static int ktrc_on_bad_number(int by)
{
	__preempt_count_add(2);
	this_cpu_add(hits, by);
	preempt_enable_notrace();
	return 0;
}

void *ktrc_bad_preempt_left[] = { ktrc_on_bad, ktrc_on_bad_forgets, ktrc_on_bad_number };
