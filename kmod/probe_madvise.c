// SPDX-License-Identifier: GPL-2.0
/*
 * Advice about memory: entry and exit of do_madvise, to which all who give advice come, but those
 * whose process_madvise fails before, or has nothing to advise on: of that entry and exit, too.
 * Everything above "control" runs there, in the task that gives it: it never sleeps, locks,
 * allocates or prints.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "compat/kretprobe.h"
#include "compat/madvise.h"
#include "compat/syscall.h"
#include "hook.h"
#include "probe.h"

/* largest numbers of the record's fields */
#define MAX_PAGES ((1ull << 40) - 1)
#define MAX_TICKS ((1ull << 40) - 1)
#define MAX_ADVICE ((1u << 16) - 1)
#define MAX_ERROR ((1u << 12) - 1)

static struct ktrc_outlet madvise_outlet;
static u32 madvise_clock;
static struct ktrc_function madvise_hooks[3];

/*
 * Kept from entry to exit: the record without what only the exit tells; of process_madvise, whether
 * a range of it came to do_madvise.
 */
struct madvise_entry {
	u64 start;
	bool has_come;
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

/* of the call of process_madvise that the current task is in, by either ABI */
static void range_came(void)
{
	struct madvise_entry *call = ktrc_kretprobe_data(&madvise_hooks[1].rp);

	if (!call)
		call = ktrc_kretprobe_data(&madvise_hooks[2].rp);
	if (call)
		call->has_come = true;
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
		.target_pid = mm == current->mm ? current->tgid : ktrc_mm_tgid(mm),
		.call = who_calls(),
		.advice = min((u32)regs_get_kernel_argument(regs, 3), MAX_ADVICE),
	};
	if (e->rec.call == KTRC_madvise_call_process_madvise)
		range_came();
	e->start = ktrc_clock_ticks(madvise_clock); /* last: what comes before is not the call's */
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_madvise_entry);

static void emit_call(struct madvise_entry *e, int ret)
{
	const struct ktrc_facts facts = { .ticks = ktrc_clock_since(madvise_clock, e->start) };

	e->rec.dur = min(facts.ticks, MAX_TICKS);
	e->rec.error = ret < 0 ? min(0u - ret, MAX_ERROR) : 0;
	preempt_disable_notrace();
	ktrc_outlet_emit(&madvise_outlet, KTRC_EV_madvise, &e->rec, sizeof(e->rec), &facts);
	preempt_enable_notrace();
}

static int ktrc_on_madvise_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	emit_call((void *)ri->data, regs_return_value(regs));
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_madvise_exit);

static int enter_process_madvise(struct kretprobe_instance *ri, unsigned long advice)
{
	struct madvise_entry *e = (void *)ri->data;

	e->rec = (struct ktrc_ev_madvise){
		.call = KTRC_madvise_call_process_madvise,
		.advice = min((u32)advice, MAX_ADVICE),
	};
	e->has_come = false;
	e->start = ktrc_clock_ticks(madvise_clock);
	return 0;
}

/* process_madvise(pidfd, vec, vlen, advice, flags) */
static int ktrc_on_process_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return enter_process_madvise(ri, ktrc_syscall_argument(regs, 3));
}
NOKPROBE_SYMBOL(ktrc_on_process_entry);

static int ktrc_on_process_32_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return enter_process_madvise(ri, ktrc_syscall_argument_32(regs, 3));
}
NOKPROBE_SYMBOL(ktrc_on_process_32_entry);

/* what came to do_madvise has its records, or was missed there: it says how many bytes it advised on */
static int ktrc_on_process_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct madvise_entry *e = (void *)ri->data;
	long ret = regs_return_value(regs);

	if (!e->has_come && ret <= 0)
		emit_call(e, ret);
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_process_exit);

/* ---- control ---- */

static struct ktrc_function madvise_hooks[] = {
	{ KTRC_FUNCTION("do_madvise", ktrc_on_madvise_entry, ktrc_on_madvise_exit,
			struct madvise_entry) },
	{ KTRC_FUNCTION(KTRC_SYSCALL("process_madvise"), ktrc_on_process_entry,
			ktrc_on_process_exit, struct madvise_entry) },
	/* of 32-bit programs: a kernel may have none */
	{ KTRC_FUNCTION(KTRC_SYSCALL_32("process_madvise"), ktrc_on_process_32_entry,
			ktrc_on_process_exit, struct madvise_entry),
	  .is_optional = true },
};

static int madvise_check(void)
{
	return ktrc_functions_check(madvise_hooks, ARRAY_SIZE(madvise_hooks));
}

static int madvise_attach(u32 clock)
{
	madvise_clock = clock;
	return ktrc_functions_attach(madvise_hooks, ARRAY_SIZE(madvise_hooks));
}

static void madvise_detach(void)
{
	ktrc_functions_detach(madvise_hooks, ARRAY_SIZE(madvise_hooks));
}

/*
 * At most: of a process_madvise that was missed the ranges may have been recorded all the same, and one
 * that failed in a range that was missed has a record of its own.
 */
static u64 madvise_missed(void)
{
	return ktrc_functions_missed(madvise_hooks, ARRAY_SIZE(madvise_hooks));
}

const struct ktrc_probe ktrc_probe_madvise = {
	.hook = "kretprobes do_madvise, process_madvise",
	.outlet = &madvise_outlet,
	.rules = KTRC_RULE_MIN | KTRC_RULE_STACK | KTRC_RULE_COPY,
	.check = madvise_check,
	.attach = madvise_attach,
	.detach = madvise_detach,
	.missed = madvise_missed,
};
