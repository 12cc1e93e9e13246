// SPDX-License-Identifier: GPL-2.0
/*
 * Who serves a fault: entries of the functions to which the kernel turns for the rarer classes.
 * Everything above "control" runs there: it never sleeps, locks, allocates or prints.
 */
#include <linux/kprobes.h>

#include "bound.h"
#include "compat/fault.h"
#include "fault.h"
#include "hook.h"

static __always_inline u32 class_of(u64 word)
{
	const union ktrc_fault_payload p = { .word = word };

	return p.rec.class;
}

static __always_inline void set_class(struct ktrc_fault *f, u32 class)
{
	union ktrc_fault_payload p = { .word = f->word };

	p.rec.class = class;
	f->word = p.word;
}

/* what was swapped out stays that; shared memory and files are neither copied nor huge there */
static __always_inline int anon_becomes(u32 class)
{
	struct ktrc_fault *f = ktrc_fault_under_way();

	if (f && class_of(f->word) == KTRC_fault_class_anon)
		set_class(f, class);
	return 0;
}

/* do_swap_page(vmf): it may turn to do_wp_page() itself */
static int ktrc_on_swap(struct kprobe *kp, struct pt_regs *regs)
{
	struct ktrc_fault *f = ktrc_fault_under_way();

	if (f && ktrc_is_swapped_out((void *)regs_get_kernel_argument(regs, 0)))
		set_class(f, KTRC_fault_class_swap);
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_swap);

static int ktrc_on_wp(struct kprobe *kp, struct pt_regs *regs)
{
	return anon_becomes(KTRC_fault_class_cow);
}
NOKPROBE_SYMBOL(ktrc_on_wp);

/* where a page table is put aside for the huge page that takes its place */
static int ktrc_on_huge(struct kprobe *kp, struct pt_regs *regs)
{
	return anon_becomes(KTRC_fault_class_huge);
}
NOKPROBE_SYMBOL(ktrc_on_huge);

static int ktrc_on_numa(struct kprobe *kp, struct pt_regs *regs)
{
	struct ktrc_fault *f = ktrc_fault_under_way();

	if (f)
		set_class(f, KTRC_fault_class_numa);
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_numa);

/* ---- control ---- */

/* @can_come: whether the kernel is built so that there are such faults */
static struct server {
	struct ktrc_entry entry;
	bool can_come;
} servers[] = {
	{ { .symbol = "do_swap_page", .on_entry = ktrc_on_swap }, IS_ENABLED(CONFIG_SWAP) },
	{ { .symbol = "do_wp_page", .on_entry = ktrc_on_wp }, true },
	{ { .symbol = "do_huge_pmd_wp_page", .on_entry = ktrc_on_wp },
	  IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) },
	{ { .symbol = "pgtable_trans_huge_deposit", .on_entry = ktrc_on_huge },
	  IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) },
	{ { .symbol = "numa_migrate_prep", .on_entry = ktrc_on_numa },
	  IS_ENABLED(CONFIG_NUMA_BALANCING) },
};
KTRC_BOUND(ARRAY_SIZE(servers));

/**
 * ktrc_fault_class_check() - can all of these functions be hooked
 *
 * Return: 0 or a negative error, see ktrc_hook_reason().
 */
int ktrc_fault_class_check(void)
{
	size_t i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(servers) && !err; i++)
		err = servers[i].can_come ? ktrc_entry_check(&servers[i].entry) : 0;
	return err;
}

/**
 * ktrc_fault_class_attach() - say of faults under way who serves them, from now on
 *
 * Return: 0 or a negative error, see ktrc_hook_reason().
 */
int ktrc_fault_class_attach(void)
{
	size_t i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(servers) && !err; i++)
		err = servers[i].can_come ? ktrc_entry_attach(&servers[i].entry) : 0;
	if (err)
		ktrc_fault_class_detach();
	return err;
}

/**
 * ktrc_fault_class_detach() - undo ktrc_fault_class_attach(); nothing if not attached
 */
void ktrc_fault_class_detach(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(servers); i++)
		ktrc_entry_detach(&servers[i].entry);
}
