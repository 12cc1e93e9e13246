// SPDX-License-Identifier: GPL-2.0
/*
 * Memory nodes: hint faults, by which the kernel finds out who uses what, and pages that are
 * moved.  Everything above "control" runs where the kernel does that: it never sleeps, locks,
 * allocates or prints.
 */
#include <linux/kprobes.h>

#include "compat/kretprobe.h"
#include "compat/migrate.h"
#include "hook.h"
#include "probe.h"

/* largest numbers of the records' fields */
#define MAX_HINT_TICKS ((1ull << 36) - 1)
#define MAX_HINT_PAGES ((1u << 14) - 1)
#define MAX_PAGES ((1u << 24) - 1)
#define MAX_LEFT ((1u << 28) - 1)
#define MAX_TICKS ((1ull << 40) - 1)
#define UNKNOWN_NODE ((1u << 10) - 1)

/* ---- numa ---- */

static struct ktrc_outlet numa_outlet;
static u32 numa_clock;

/*
 * When hint faults began, by the last bits of the thread's number: ticks, and behind them its other
 * bits; 0: free.  One that has not ended, as the page changed meanwhile, gives way to the next one:
 * a thread that finds another's is not told how long its own took.
 */
#define NR_HINTS 1024
#define TID_BITS 12 /* of 22: 1 << 22 is the largest PID_MAX_LIMIT */
#define START_MASK ((1ull << (64 - TID_BITS)) - 1)

static u64 hints[NR_HINTS];

static u64 *own_hint(void)
{
	return &hints[current->pid % NR_HINTS];
}

/* numa_migrate_prep(page, ...) */
static int ktrc_on_numa_prep(struct kprobe *kp, struct pt_regs *regs)
{
	WRITE_ONCE(*own_hint(), ktrc_clock_ticks(numa_clock) << TID_BITS | current->pid / NR_HINTS);
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_numa_prep);

/* ticks since then; KTRC_NO_TICKS: not known */
static u64 take_hint(void)
{
	u64 began = READ_ONCE(*own_hint()), ticks;

	if (!began || (began & ((1u << TID_BITS) - 1)) != current->pid / NR_HINTS ||
	    cmpxchg(own_hint(), began, 0) != began)
		return KTRC_NO_TICKS;
	ticks = (ktrc_clock_ticks(numa_clock) - (began >> TID_BITS)) & START_MASK;
	return ticks > START_MASK / 2 ? KTRC_NO_TICKS : ticks; /* this CPU's clock may be behind */
}

/* task_numa_fault(last_cpupid, node, pages, flags): when it has been served */
static int ktrc_on_numa_fault(struct kprobe *kp, struct pt_regs *regs)
{
	u32 pages = regs_get_kernel_argument(regs, 2), flags = regs_get_kernel_argument(regs, 3);
	const struct ktrc_facts facts = { .ticks = take_hint() };
	const struct ktrc_ev_numa rec = {
		.dur = facts.ticks == KTRC_NO_TICKS ? 0 : min(facts.ticks, MAX_HINT_TICKS),
		.pages = min(pages, MAX_HINT_PAGES),
		.node = regs_get_kernel_argument(regs, 1),
		.local = !!(flags & TNF_FAULT_LOCAL),
		.moved = !!(flags & TNF_MIGRATED),
		.move_failed = !!(flags & TNF_MIGRATE_FAIL),
		.shared = !!(flags & TNF_SHARED),
	};

	preempt_disable_notrace();
	ktrc_outlet_emit(&numa_outlet, KTRC_EV_numa, &rec, sizeof(rec), &facts);
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_numa_fault);

/* ---- numa.migrate ---- */

/* Kept from entry to exit: the record without what only its end tells. */
struct migration {
	u64 start;
	struct ktrc_ev_numa_migrate rec;
};

static struct ktrc_outlet migrate_outlet;
static u32 migrate_clock;

static int ktrc_on_migrate_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct migration *m = (void *)ri->data;
	int reason = ktrc_migrate_reason_arg(regs);

	if (reason == MR_COMPACTION)
		return 1;
	m->rec = (struct ktrc_ev_numa_migrate){
		.migrate_reason = ktrc_migrate_reason(reason),
		.from_node = ktrc_migrate_from_arg(regs, UNKNOWN_NODE),
		.to_node = ktrc_migrate_to_arg(regs, reason, UNKNOWN_NODE),
	};
	m->start = ktrc_clock_ticks(migrate_clock); /* last: what comes before is not the call's */
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_migrate_entry);

static struct ktrc_function migrate_hook;

/* inside of migrate_pages(), at its end; compaction's may be inside of another one's */
static void ktrc_on_mm_migrate_pages(void *data, unsigned long succeeded, unsigned long failed,
				     unsigned long thp_succeeded, unsigned long thp_failed,
				     unsigned long thp_split, enum migrate_mode mode, int reason)
{
	struct migration *m;

	if (reason == MR_COMPACTION)
		return;
	m = ktrc_kretprobe_data(&migrate_hook.rp);
	if (!m)
		return;
	m->rec.migrated = min_t(u64, succeeded, MAX_PAGES);
	m->rec.failed_pages = min_t(u64, failed, MAX_LEFT);
}

static int ktrc_on_migrate_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct migration *m = (void *)ri->data;
	const struct ktrc_facts facts = { .ticks = ktrc_clock_since(migrate_clock, m->start) };

	m->rec.dur = min(facts.ticks, MAX_TICKS);
	preempt_disable_notrace();
	ktrc_outlet_emit(&migrate_outlet, KTRC_EV_numa_migrate, &m->rec, sizeof(m->rec), &facts);
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_migrate_exit);

/* ---- control ---- */

static struct ktrc_entry numa_hook = {
	.symbol = "task_numa_fault",
	.on_entry = ktrc_on_numa_fault,
};

static struct ktrc_entry prep_hook = {
	.symbol = "numa_migrate_prep",
	.on_entry = ktrc_on_numa_prep,
};

static int numa_check(void)
{
	return ktrc_entry_check(&prep_hook) ?: ktrc_entry_check(&numa_hook);
}

static void numa_detach(void)
{
	ktrc_entry_detach(&prep_hook);
	ktrc_entry_detach(&numa_hook);
}

static int numa_attach(u32 clock)
{
	int err;

	numa_clock = clock;
	memset(hints, 0, sizeof(hints));
	err = ktrc_entry_attach(&prep_hook) ?: ktrc_entry_attach(&numa_hook);
	if (err)
		numa_detach();
	return err;
}

static u64 numa_missed(void)
{
	return ktrc_entry_missed(&numa_hook);
}

const struct ktrc_probe ktrc_probe_numa = {
	.hook = "kprobes numa_migrate_prep, task_numa_fault",
	.outlet = &numa_outlet,
	.rules = KTRC_RULE_MIN | KTRC_RULE_STACK,
	.check = numa_check,
	.attach = numa_attach,
	.detach = numa_detach,
	.missed = numa_missed,
};

static struct ktrc_function migrate_hook = {
	.symbol = "migrate_pages",
	.on_entry = ktrc_on_migrate_entry,
	.on_exit = ktrc_on_migrate_exit,
	.entry_bytes = sizeof(struct migration),
};

static struct ktrc_tracepoint moved_hook = { .name = "mm_migrate_pages" };

static int migrate_check(void)
{
	return ktrc_tracepoint_check(moved_hook.name) ?: ktrc_function_check(&migrate_hook);
}

static void migrate_detach(void)
{
	ktrc_function_detach(&migrate_hook);
	ktrc_tracepoint_detach(&moved_hook);
}

/* from the inside out: nothing is seen whose inside would not be */
static int migrate_attach(u32 clock)
{
	int err;

	check_trace_callback_type_mm_migrate_pages(ktrc_on_mm_migrate_pages);
	migrate_clock = clock;
	err = ktrc_tracepoint_attach(&moved_hook, ktrc_on_mm_migrate_pages);
	if (!err)
		err = ktrc_function_attach(&migrate_hook);
	if (err)
		migrate_detach();
	return err;
}

static u64 migrate_missed(void)
{
	return ktrc_function_missed(&migrate_hook);
}

const struct ktrc_probe ktrc_probe_numa_migrate = {
	.hook = "kretprobe migrate_pages, tracepoint mm_migrate_pages",
	.outlet = &migrate_outlet,
	.rules = KTRC_RULE_MIN,
	.check = migrate_check,
	.attach = migrate_attach,
	.detach = migrate_detach,
	.missed = migrate_missed,
};
