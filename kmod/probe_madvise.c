// SPDX-License-Identifier: GPL-2.0
/*
 * Advice about memory: entry and exit of do_madvise, to which all who give advice come.
 * Everything above "control" runs there, in the task that gives it: it never sleeps, locks,
 * allocates or prints.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "compat/madvise.h"
#include "hook.h"
#include "probe.h"

/* largest numbers of the record's fields */
#define MAX_PAGES ((1ull << 40) - 1)
#define MAX_TICKS ((1ull << 40) - 1)
#define MAX_ADVICE ((1u << 16) - 1)
#define MAX_ERROR ((1u << 12) - 1)

static struct ktrc_outlet madvise_outlet;
static u32 madvise_clock;

/* Kept from entry to exit: the record without what only the exit tells. */
struct madvise_entry {
	u64 start;
	struct ktrc_ev_madvise rec;
};

static u32 who_calls(void)
{
	if (current->flags & PF_KTHREAD)
		return KTRC_madvise_call_kernel;
	if (current->flags & PF_IO_WORKER)
		return KTRC_madvise_call_io_uring;
	return ktrc_is_in_process_madvise() ? KTRC_madvise_call_process_madvise :
					      KTRC_madvise_call_madvise;
}

/* do_madvise(mm, start, len, advice) */
static int ktrc_on_madvise_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct mm_struct *mm = (void *)regs_get_kernel_argument(regs, 0);
	u64 start = regs_get_kernel_argument(regs, 1), bytes = regs_get_kernel_argument(regs, 2);
	struct madvise_entry *e = (void *)ri->data;

	e->rec = (struct ktrc_ev_madvise){
		.page = start >> 12,
		.pages = min((bytes >> 12) + !!(bytes & 4095), MAX_PAGES),
		.target = mm == current->mm ? current->tgid : ktrc_mm_tgid(mm),
		.call = who_calls(),
		.advice = min((u32)regs_get_kernel_argument(regs, 3), MAX_ADVICE),
	};
	e->start = ktrc_clock_ticks(madvise_clock); /* last: what comes before is not the call's */
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_madvise_entry);

static int ktrc_on_madvise_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct madvise_entry *e = (void *)ri->data;
	const struct ktrc_facts facts = { .ticks = ktrc_clock_since(madvise_clock, e->start) };
	int ret = regs_return_value(regs);

	e->rec.dur = min(facts.ticks, MAX_TICKS);
	e->rec.error = ret < 0 ? min(0u - ret, MAX_ERROR) : 0;
	preempt_disable_notrace();
	ktrc_outlet_emit(&madvise_outlet, KTRC_EV_madvise, &e->rec, sizeof(e->rec), &facts);
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_madvise_exit);

/* ---- control ---- */

static struct ktrc_function do_madvise_hook = {
	.symbol = "do_madvise",
	.on_entry = ktrc_on_madvise_entry,
	.on_exit = ktrc_on_madvise_exit,
	.entry_bytes = sizeof(struct madvise_entry),
};

static int madvise_check(void)
{
	return ktrc_function_check(&do_madvise_hook);
}

static int madvise_attach(u32 clock)
{
	madvise_clock = clock;
	return ktrc_function_attach(&do_madvise_hook);
}

static void madvise_detach(void)
{
	ktrc_function_detach(&do_madvise_hook);
}

static u64 madvise_missed(void)
{
	return ktrc_function_missed(&do_madvise_hook);
}

const struct ktrc_probe ktrc_probe_madvise = {
	.hook = "kretprobe do_madvise",
	.outlet = &madvise_outlet,
	.rules = KTRC_RULE_MIN | KTRC_RULE_STACK | KTRC_RULE_COPY,
	.check = madvise_check,
	.attach = madvise_attach,
	.detach = madvise_detach,
	.missed = madvise_missed,
};
