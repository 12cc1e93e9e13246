// SPDX-License-Identifier: GPL-2.0
/*
 * Page faults.  fault: entry and exit of handle_mm_fault.  fault_light: the
 * exception tracepoints.  Everything above "control" runs inside the kernel's
 * fault path: it never sleeps, locks, allocates or prints.
 */
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/magic.h>
#include <linux/mm.h>

#include <linux/hugetlb_inline.h> /* needs what mm.h has, where there are no huge pages */

#include "compat/exceptions.h"
#include "compat/inode.h"
#include "compat/kretprobe.h"
#include "fault.h"
#include "hook.h"
#include "probe.h"

/* ---- fault_light ---- */

/*
 * The record's flags lie in the order of the exception's error code, so that
 * they move as one: prot, write, and mode, whose upper bit (reserved-bit
 * violation) no fault that gets here has, then exec.
 */
#define PF_FLAGS (X86_PF_PROT | X86_PF_WRITE | X86_PF_USER | X86_PF_INSTR)

static __always_inline u64 fault_light_word(unsigned long address, unsigned long error_code)
{
	return address >> 12 | (u64)(error_code & PF_FLAGS) << 52;
}

static __always_inline void check_fault_light_layout(void)
{
	const union {
		struct ktrc_ev_fault_light rec;
		u64 word;
	} u = {
		.rec = {
			.page = 1,
			.prot = 1,
			.write = 1,
			.mode = KTRC_fault_mode_user,
			.exec = 1,
		},
	};

	BUILD_BUG_ON(u.word != (1 | (u64)PF_FLAGS << 52));
}

static struct ktrc_outlet fault_light_outlet;

static const struct ktrc_facts fault_light_facts[] = {
	{ .ticks = KTRC_NO_TICKS, .mode = KTRC_fault_mode_kernel },
	{ .ticks = KTRC_NO_TICKS, .mode = KTRC_fault_mode_user },
};

static noinline void fault_light_hand(const struct ktrc_listener *l, u64 word)
{
	const struct ktrc_facts *facts = &fault_light_facts[!!(word & (u64)X86_PF_USER << 52)];

	ktrc_outlet_hand(l, KTRC_EV_fault_light, &word, sizeof(word), facts);
}

/* to a session with a filter; without a frame of its own */
static noinline void fault_light_filtered(const struct ktrc_listener *l, u64 word)
{
	if (ktrc_outlet_concerns(l, KTRC_EV_fault_light))
		fault_light_hand(l, word);
}

/* to a session that takes every hit with its stacks: the shortest way but the direct one */
static noinline void fault_light_stacks(const struct ktrc_listener *l, u64 word)
{
	struct ktrc_cpu *c = this_cpu_ptr(l->cpus);

	if (!READ_ONCE(c->ring.off))
		ktrc_emit_word_with_stacks(c, KTRC_EV_fault_light, word, l->stacks);
}

/* to a session that does not simply take every hit */
static __always_inline void fault_light_to(const struct ktrc_listener *l, u64 word)
{
	if (l->stacks)
		fault_light_stacks(l, word);
	else
		fault_light_filtered(l, word);
}

/* many sessions, or filters */
static noinline void fault_light_each(u64 word, u32 clock)
{
	const struct ktrc_listeners *all = ktrc_outlet_all(&fault_light_outlet);
	u32 i;

	for (i = 0; i < KTRC_MAX_SESSIONS && all && i < all->nr; i++) {
		const struct ktrc_listener *l = &all->at[i];

		if (!l->filter)
			ktrc_emit_record(this_cpu_ptr(l->cpus), clock, fault_light,
					 (const void *)&word);
		else
			fault_light_to(l, word);
	}
}

/* two sessions, of which the first takes all */
static __always_inline void fault_light_pair(const struct ktrc_listeners *pair, u64 word, u32 clock)
{
	ktrc_emit_record(this_cpu_ptr(pair->at[0].cpus), clock, fault_light, (const void *)&word);
	if (likely(!pair->at[1].filter))
		ktrc_emit_record(this_cpu_ptr(pair->at[1].cpus), clock, fault_light,
				 (const void *)&word);
	else
		fault_light_to(&pair->at[1], word);
}

/* ktrc's own exception is a hit of every session, and a record of none; an interrupt's is not its own */
static noinline void fault_light_own(void)
{
	const struct ktrc_listeners *all = ktrc_outlet_all(&fault_light_outlet);
	u32 i;

	for (i = 0; i < KTRC_MAX_SESSIONS && all && i < all->nr; i++) {
		struct ktrc_cpu *c = this_cpu_ptr(all->at[i].cpus);

		if (!READ_ONCE(c->ring.off))
			ktrc_emit_nothing(c, KTRC_EV_fault_light);
	}
}

/* not one session alone that takes all */
static __always_inline void fault_light_others(u64 word, u32 clock)
{
	const struct ktrc_listeners *pair;
	const struct ktrc_listener *one;

	if (unlikely(ktrc_is_own_read())) {
		fault_light_own();
		return;
	}
	if (ktrc_outlet_only_counts(&fault_light_outlet, KTRC_EV_fault_light, KTRC_NO_TICKS))
		return;
	pair = READ_ONCE(fault_light_outlet.pair);
	one = READ_ONCE(fault_light_outlet.one);
	if (likely(pair))
		fault_light_pair(pair, word, clock);
	else if (one)
		fault_light_to(one, word);
	else
		fault_light_each(word, clock);
}

/* a constant clock is worth some instructions */
static noinline void fault_light_others_tsc(u64 word)
{
	fault_light_others(word, KTRC_CLOCK_TSC);
}

static noinline void fault_light_others_mono(u64 word)
{
	fault_light_others(word, KTRC_CLOCK_MONO);
}

static __always_inline void fault_light_hit(u32 clock, unsigned long address,
					    unsigned long error_code)
{
	const u64 word = fault_light_word(address, error_code);
	struct ktrc_cpu __percpu *only;

	check_fault_light_layout();
	preempt_disable_notrace();
	only = READ_ONCE(fault_light_outlet.only);
	if (likely(only))
		ktrc_emit_record(this_cpu_ptr(only), clock, fault_light, (const void *)&word);
	else if (clock == KTRC_CLOCK_TSC)
		fault_light_others_tsc(word);
	else
		fault_light_others_mono(word);
	preempt_enable_notrace();
}

/* page_fault_user and page_fault_kernel; one callback for each clock */
static void ktrc_on_page_fault_tsc(void *data, unsigned long address, struct pt_regs *regs,
				   unsigned long error_code)
{
	fault_light_hit(KTRC_CLOCK_TSC, address, error_code);
}

static void ktrc_on_page_fault_mono(void *data, unsigned long address, struct pt_regs *regs,
				    unsigned long error_code)
{
	fault_light_hit(KTRC_CLOCK_MONO, address, error_code);
}

/* ---- fault ---- */

/* the unit of a field in the record's first word; a constant, so that fields move as shifts */
#define FAULT_ONE(field) (((const union ktrc_fault_payload){ .rec = { .field = 1 } }).word)

static struct ktrc_outlet fault_outlet;

/* By the file's type: a driver's may lie on tmpfs, as all of /dev does, or have no name, as perf's rings. */
static __always_inline u32 file_class(const struct file *file)
{
	const struct inode *inode = file ? file_inode(file) : NULL;

	if (!inode)
		return KTRC_fault_class_device;
	if (S_ISBLK(inode->i_mode))
		return KTRC_fault_class_file;
	if (!ktrc_inode_is_regular(inode))
		return KTRC_fault_class_device;
	return inode->i_sb->s_magic == TMPFS_MAGIC ? KTRC_fault_class_shmem : KTRC_fault_class_file;
}

/* What the kernel itself goes by: a mapping without operations is anonymous. */
static __always_inline u32 fault_class(const struct vm_area_struct *vma, unsigned int flags)
{
	if (likely(vma_is_anonymous((struct vm_area_struct *)vma)))
		return KTRC_fault_class_anon;
	if (vma->vm_flags & (VM_PFNMAP | VM_MIXEDMAP | VM_IO))
		return KTRC_fault_class_device;
	if (is_vm_hugetlb_page((struct vm_area_struct *)vma))
		return KTRC_fault_class_hugetlb;
	if ((flags & FAULT_FLAG_WRITE) && !(vma->vm_flags & VM_SHARED))
		return KTRC_fault_class_cow;
	return file_class(vma->vm_file);
}

static __always_inline u32 fault_mode(unsigned int flags, const struct pt_regs *regs)
{
	if (!regs)
		return KTRC_fault_mode_gup;
	return flags & FAULT_FLAG_USER ? KTRC_fault_mode_user : KTRC_fault_mode_kernel;
}

static u32 fault_result_unusual(vm_fault_t ret)
{
	if (ret & VM_FAULT_OOM)
		return KTRC_fault_result_oom;
	if (ret & VM_FAULT_SIGSEGV)
		return KTRC_fault_result_sigsegv;
	if (ret & (VM_FAULT_HWPOISON | VM_FAULT_HWPOISON_LARGE))
		return KTRC_fault_result_hwpoison;
	if (ret & VM_FAULT_ERROR)
		return KTRC_fault_result_sigbus;
	if (ret & VM_FAULT_RETRY)
		return ret & VM_FAULT_MAJOR ? KTRC_fault_result_retry_io : KTRC_fault_result_retry;
	return KTRC_fault_result_major;
}

static __always_inline u32 fault_result(vm_fault_t ret)
{
	if (likely(!(ret & (VM_FAULT_ERROR | VM_FAULT_RETRY | VM_FAULT_MAJOR))))
		return KTRC_fault_result_minor;
	return fault_result_unusual(ret);
}

/* handle_mm_fault(vma, address, flags, regs): what is known at entry */
static __always_inline u64 fault_word(struct pt_regs *regs)
{
	const struct vm_area_struct *vma;
	unsigned long address;
	unsigned int flags;

	barrier(); /* a hit that is only counted shall not pay for the arguments */
	vma = (void *)regs_get_kernel_argument(regs, 0);
	address = regs_get_kernel_argument(regs, 1);
	flags = regs_get_kernel_argument(regs, 2);
	return address >> 12 |
	       fault_mode(flags, (void *)regs_get_kernel_argument(regs, 3)) * FAULT_ONE(mode) |
	       !!(flags & FAULT_FLAG_WRITE) * FAULT_ONE(write) |
	       !!(flags & FAULT_FLAG_INSTRUCTION) * FAULT_ONE(exec) |
	       !!(flags & FAULT_FLAG_TRIED) * FAULT_ONE(tried) |
	       fault_class(vma, flags) * FAULT_ONE(class);
}

static __always_inline void fault_entry(struct ktrc_fault *e, struct pt_regs *regs, u32 clock)
{
	e->word = unlikely(READ_ONCE(fault_outlet.counting)) ? 0 : fault_word(regs);
	e->start = ktrc_clock_ticks(clock); /* last: what comes before is not the fault's */
}

/*
 * The same for each attempt of one fault of the current task, and another one for its next: only the last
 * attempt is counted in the task's faults, as a major one, and has been when it ends.
 */
static u64 fault_key(const struct ktrc_ev_fault *attempt)
{
	bool is_counted = attempt->tried && (attempt->result == KTRC_fault_result_minor ||
					     attempt->result == KTRC_fault_result_major);
	u64 before = current->min_flt + current->maj_flt - is_counted;

	return 1 + hash_64(attempt->page ^ (u64)current->pid << 36 ^ before << 20, 32);
}

/* will the fault have another attempt */
static bool goes_on(const struct ktrc_ev_fault *attempt)
{
	return attempt->result == KTRC_fault_result_retry ||
	       attempt->result == KTRC_fault_result_retry_io;
}

static noinline void fault_exit_hand(const struct ktrc_listener *l, u64 word, u64 ticks)
{
	union ktrc_fault_payload p = { .word = word };
	struct ktrc_facts facts = { .ticks = ticks };

	p.rec.dur = min_t(u64, ticks, U32_MAX);
	facts.mode = p.rec.mode;
	facts.is_major = p.rec.tried || p.rec.result == KTRC_fault_result_major || goes_on(&p.rec);
	facts.has_waited = p.rec.tried;
	if (p.rec.tried || goes_on(&p.rec))
		facts.shared_by = fault_key(&p.rec);
	ktrc_outlet_hand(l, KTRC_EV_fault, &p.rec, sizeof(p.rec), &facts);
}

/* to a session with a filter; without a frame of its own */
static noinline void fault_exit_filtered(const struct ktrc_listener *l, u64 word, u64 ticks)
{
	if (ktrc_outlet_concerns(l, KTRC_EV_fault))
		fault_exit_hand(l, word, ticks);
}

static __always_inline void fault_exit_to(struct ktrc_cpu __percpu *cpus, u64 word, u64 ticks,
					  u32 clock)
{
	struct ktrc_cpu *c = this_cpu_ptr(cpus);
	union ktrc_fault_payload p = { .word = word };

	p.rec.dur = min_t(u64, ticks, U32_MAX);
	ktrc_emit_timed(c, clock, fault, &p.rec, ticks);
}

/* many sessions, or filters */
static noinline void fault_exit_each(u64 word, u64 ticks, u32 clock)
{
	const struct ktrc_listeners *all = ktrc_outlet_all(&fault_outlet);
	u32 i;

	for (i = 0; i < KTRC_MAX_SESSIONS && all && i < all->nr; i++) {
		const struct ktrc_listener *l = &all->at[i];

		if (!l->filter)
			fault_exit_to(l->cpus, word, ticks, clock);
		else
			fault_exit_filtered(l, word, ticks);
	}
}

/* not one session alone that takes all */
static __always_inline void fault_exit_others(u64 word, u64 ticks, u32 clock)
{
	const struct ktrc_listeners *pair = READ_ONCE(fault_outlet.pair);

	if (unlikely(!pair)) {
		const struct ktrc_listener *one = READ_ONCE(fault_outlet.one);

		if (one)
			fault_exit_filtered(one, word, ticks);
		else
			fault_exit_each(word, ticks, clock);
		return;
	}
	fault_exit_to(pair->at[0].cpus, word, ticks, clock);
	if (likely(!pair->at[1].filter))
		fault_exit_to(pair->at[1].cpus, word, ticks, clock);
	else
		fault_exit_filtered(&pair->at[1], word, ticks);
}

static noinline void fault_exit_others_tsc(u64 word, u64 ticks)
{
	fault_exit_others(word, ticks, KTRC_CLOCK_TSC);
}

static noinline void fault_exit_others_mono(u64 word, u64 ticks)
{
	fault_exit_others(word, ticks, KTRC_CLOCK_MONO);
}

static __always_inline void fault_exit_counted(u64 ticks)
{
	preempt_disable_notrace();
	if (!ktrc_outlet_only_counts(&fault_outlet, KTRC_EV_fault, ticks))
		ktrc_outlet_count(&fault_outlet, KTRC_EV_fault, ticks);
	preempt_enable_notrace();
}

static __always_inline void fault_exit(const struct ktrc_fault *e, struct pt_regs *regs, u32 clock)
{
	u64 ticks = ktrc_clock_since(clock, e->start);
	struct ktrc_cpu __percpu *only;
	u64 word = e->word;

	if (unlikely(!word)) {
		fault_exit_counted(ticks);
		return;
	}
	word |= fault_result((__force vm_fault_t)regs_return_value(regs)) * FAULT_ONE(result);
	preempt_disable_notrace();
	only = READ_ONCE(fault_outlet.only);
	if (likely(only))
		fault_exit_to(only, word, ticks, clock);
	else if (clock == KTRC_CLOCK_TSC)
		fault_exit_others_tsc(word, ticks);
	else
		fault_exit_others_mono(word, ticks);
	preempt_enable_notrace();
}

static struct ktrc_function handle_mm_fault_hook;

/**
 * ktrc_fault_under_way() - the innermost fault under way of the current task
 *
 * Context: any; its own data, which nobody else changes.
 * Return: NULL when there is none that is recorded.
 */
struct ktrc_fault *ktrc_fault_under_way(void)
{
	struct ktrc_fault *f = ktrc_kretprobe_data(&handle_mm_fault_hook.rp);

	return f && f->word ? f : NULL;
}

/* one pair of handlers for each clock */
static int ktrc_on_fault_entry_tsc(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	fault_entry((void *)ri->data, regs, KTRC_CLOCK_TSC);
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_fault_entry_tsc);

static int ktrc_on_fault_exit_tsc(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	fault_exit((void *)ri->data, regs, KTRC_CLOCK_TSC);
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_fault_exit_tsc);

static int ktrc_on_fault_entry_mono(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	fault_entry((void *)ri->data, regs, KTRC_CLOCK_MONO);
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_fault_entry_mono);

static int ktrc_on_fault_exit_mono(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	fault_exit((void *)ri->data, regs, KTRC_CLOCK_MONO);
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_fault_exit_mono);

/* ---- control ---- */

static struct ktrc_function handle_mm_fault_hook = {
	.symbol = "handle_mm_fault",
	.on_entry = ktrc_on_fault_entry_tsc,
	.on_exit = ktrc_on_fault_exit_tsc,
	.entry_bytes = sizeof(struct ktrc_fault),
};

static int fault_check(void)
{
	return ktrc_fault_class_check() ?: ktrc_function_check(&handle_mm_fault_hook);
}

/* from the inside out: no fault is seen whose server would not be */
static int fault_attach(u32 clock)
{
	bool is_tsc = clock == KTRC_CLOCK_TSC;
	int err;

	handle_mm_fault_hook.on_entry = is_tsc ? ktrc_on_fault_entry_tsc : ktrc_on_fault_entry_mono;
	handle_mm_fault_hook.on_exit = is_tsc ? ktrc_on_fault_exit_tsc : ktrc_on_fault_exit_mono;
	err = ktrc_fault_class_attach();
	if (err)
		return err;
	err = ktrc_function_attach(&handle_mm_fault_hook);
	if (err)
		ktrc_fault_class_detach();
	return err;
}

static void fault_detach(void)
{
	ktrc_function_detach(&handle_mm_fault_hook);
	ktrc_fault_class_detach();
}

static u64 fault_missed(void)
{
	return ktrc_function_missed(&handle_mm_fault_hook);
}

const struct ktrc_probe ktrc_probe_fault = {
	.hook = "kretprobe handle_mm_fault, kprobes do_swap_page, do_wp_page, do_huge_pmd_wp_page, pgtable_trans_huge_deposit, numa_migrate_prep",
	.outlet = &fault_outlet,
	.rules = KTRC_RULE_MIN | KTRC_RULE_MAJOR | KTRC_RULE_USER | KTRC_RULE_KERNEL |
		 KTRC_RULE_STACK,
	.check = fault_check,
	.attach = fault_attach,
	.detach = fault_detach,
	.missed = fault_missed,
};

static struct ktrc_tracepoint user_hook = { .name = "page_fault_user" };
static struct ktrc_tracepoint kernel_hook = { .name = "page_fault_kernel" };

static int fault_light_check(void)
{
	return ktrc_tracepoint_check(user_hook.name) ?: ktrc_tracepoint_check(kernel_hook.name);
}

static void fault_light_detach(void)
{
	ktrc_tracepoint_detach(&user_hook);
	ktrc_tracepoint_detach(&kernel_hook);
}

static int fault_light_attach(u32 clock)
{
	void *probe = clock == KTRC_CLOCK_TSC ? ktrc_on_page_fault_tsc : ktrc_on_page_fault_mono;
	int err;

	check_trace_callback_type_page_fault_user(ktrc_on_page_fault_tsc);
	check_trace_callback_type_page_fault_user(ktrc_on_page_fault_mono);
	check_trace_callback_type_page_fault_kernel(ktrc_on_page_fault_tsc);
	check_trace_callback_type_page_fault_kernel(ktrc_on_page_fault_mono);

	err = ktrc_tracepoint_attach(&user_hook, probe);
	if (err)
		return err;
	err = ktrc_tracepoint_attach(&kernel_hook, probe);
	if (err)
		fault_light_detach();
	return err;
}

const struct ktrc_probe ktrc_probe_fault_light = {
	.hook = "tracepoints page_fault_user, page_fault_kernel",
	.outlet = &fault_light_outlet,
	.rules = KTRC_RULE_USER | KTRC_RULE_KERNEL | KTRC_RULE_STACK,
	.check = fault_light_check,
	.attach = fault_light_attach,
	.detach = fault_light_detach,
};
