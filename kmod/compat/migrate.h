/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moving pages: what kernels call with what, and how they number why.
 */
#ifndef KTRC_COMPAT_MIGRATE_H
#define KTRC_COMPAT_MIGRATE_H

#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched/numa_balancing.h>
#include <linux/sched/task_stack.h>
#include <trace/events/migrate.h>

#include "../../uapi/ktrc_events.h"

/* a reason's number in the event table */
static inline u32 ktrc_migrate_reason(int reason)
{
	switch (reason) {
	case MR_MEMORY_FAILURE:
		return KTRC_migrate_reason_memory_failure;
	case MR_MEMORY_HOTPLUG:
		return KTRC_migrate_reason_memory_hotplug;
	case MR_SYSCALL:
		return KTRC_migrate_reason_syscall;
	case MR_MEMPOLICY_MBIND:
		return KTRC_migrate_reason_mempolicy_mbind;
	case MR_NUMA_MISPLACED:
		return KTRC_migrate_reason_numa_misplaced;
	case MR_CONTIG_RANGE:
		return KTRC_migrate_reason_contig_range;
	case MR_LONGTERM_PIN:
		return KTRC_migrate_reason_longterm_pin;
	case MR_DEMOTION:
		return KTRC_migrate_reason_demotion;
	default:
		return KTRC_migrate_reason_other;
	}
}

/* migrate_pages(from, get_new_page, put_new_page, private, mode, reason, ...): what it is called with */
static inline int ktrc_migrate_reason_arg(struct pt_regs *regs)
{
	return regs_get_kernel_argument(regs, 5);
}

/*
 * The node to which pages go; @unknown: what to say if that is not known.  The fourth argument is for the function that
 * finds a place for each page.  NUMA balancing's is the node.  alloc_migration_target()'s is a struct
 * migration_target_control, private to mm, on the caller's stack; since 5.9 it opens with the node that is tried first.  What it
 * says, by 6.1's callers of migrate_pages():
 *
 *	syscall                       the node: no other one is tried
 *	contig_range, demotion        the node: others are tried if it is full
 *	memory_hotplug                the node that is left, which is not to be tried
 *	memory_failure, longterm_pin  none
 *	mempolicy_mbind               another function: its argument is an address
 */
static inline u32 ktrc_migrate_to_arg(struct pt_regs *regs, int reason, u32 unknown)
{
	unsigned long arg = regs_get_kernel_argument(regs, 3);

	switch (reason) {
	case MR_NUMA_MISPLACED:
		return arg;
	case MR_SYSCALL:
	case MR_CONTIG_RANGE:
	case MR_DEMOTION:
		if (!object_is_on_stack((void *)arg))
			return unknown;
		return min_t(u32, *(const int *)arg, unknown);
	default:
		return unknown;
	}
}

/* the node of the first page of the list, which may be empty; @unknown: what to say then */
static inline u32 ktrc_migrate_from_arg(struct pt_regs *regs, u32 unknown)
{
	const struct list_head *from = (void *)regs_get_kernel_argument(regs, 0);

	if (list_empty(from))
		return unknown;
	return page_to_nid(list_first_entry(from, struct page, lru));
}

#endif /* KTRC_COMPAT_MIGRATE_H */
