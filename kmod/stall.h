/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stalls under way: what is known of a task from the hook where its stall begins to the
 * one where it ends.  A task has one at a time in a table.
 */
#ifndef KTRC_STALL_H
#define KTRC_STALL_H

#include "env.h"

/* both powers of two */
#define KTRC_NR_STALLS 1024
#define KTRC_STALL_REACH 16
KTRC_BOUND(KTRC_STALL_REACH);

/**
 * struct ktrc_stall - one stall
 * @task: whose it is; NULL: free
 * @start: ticks; 0: it is only announced
 * @cgid: cgroup v2 id; 0: not known
 * @nr_switches: how often the task had given up its CPU when it began
 * @gfp: the kernel's allocation flags
 * @reclaimed: pages
 * @node: memory node
 * @kind: KTRC_reclaim_kind_*, or KTRC_compaction_origin_*
 * @order: of the allocation
 * @depth: others of its table that began inside it and have not ended
 * @is_nested: it is part of a stall of another table
 * @is_asked: reclaim of a memory cgroup is for who asked for it
 */
struct ktrc_stall {
	struct task_struct *task;
	u64 start;
	u64 cgid;
	u64 nr_switches;
	u32 gfp;
	u32 reclaimed;
	u16 node;
	u8 kind;
	u8 order;
	u8 depth;
	bool is_nested;
	bool is_asked;
};

/**
 * struct ktrc_stalls - a table of them, by task
 * @missed: stalls for which there was no room; counted where they begin
 * @at: open addressing; an entry is changed by its task only
 */
struct ktrc_stalls {
	atomic_long_t missed;
	struct ktrc_stall at[KTRC_NR_STALLS];
};

void ktrc_stalls_clear(struct ktrc_stalls *t);
struct ktrc_stall *ktrc_stall_find(struct ktrc_stalls *t);
struct ktrc_stall *ktrc_stall_get(struct ktrc_stalls *t);
void ktrc_stall_put(struct ktrc_stall *s);

#endif /* KTRC_STALL_H */
