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

/* the node to which NUMA balancing moves; in the caller's words */
static inline u32 ktrc_migrate_node_arg(struct pt_regs *regs)
{
	return regs_get_kernel_argument(regs, 3);
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
