/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that records belong to.  Each distinct (tid, start, name, cgroup)
 * is kept once, so that a task can be compared by its address and views can
 * keep arrays by its index.
 */
#ifndef KTRC_TASK_H
#define KTRC_TASK_H

#include "index.h"
#include "schema.h"

/**
 * struct ktrc_task - a thread, as long as its name and cgroup stay the same
 * @index: 0, 1, 2... in the order of first sight; 0 is "unknown"
 * @tid: thread id
 * @tgid: process id
 * @cgid: cgroup id
 * @start_ns: CLOCK_BOOTTIME
 * @thread: a number of the thread that no other one gets, as @tid may be given again
 * @process: the @thread of its process's first thread, by whose start processes are told apart
 * @comm: name, NUL-terminated
 */
struct ktrc_task {
	u32 index;
	u32 tid;
	u32 tgid;
	u64 cgid;
	u64 start_ns;
	u32 thread;
	u32 process;
	char comm[32];
};

/** ktrc_comm_copy() - a name as it can be printed everywhere; @to has its room */
void ktrc_comm_copy(char *to, const char *from);

struct ktrc_tasks;

/** ktrc_tasks_create() - an empty table for records of @schema; NULL without memory or task event */
struct ktrc_tasks *ktrc_tasks_create(const struct ktrc_schema *schema);
void ktrc_tasks_destroy(struct ktrc_tasks *tasks);

/** ktrc_tasks_intern() - the task a `task` record describes; NULL without memory */
const struct ktrc_task *ktrc_tasks_intern(struct ktrc_tasks *tasks, const void *payload);

/** ktrc_tasks_nr() - how many are kept */
size_t ktrc_tasks_nr(const struct ktrc_tasks *tasks);

/**
 * ktrc_tasks_drop() - give back all but those that are still used, and the unknown one
 * @tasks: the table; numbers of threads and processes begin anew
 * @used: their addresses
 *
 * Return: 0 or -ENOMEM; then all are kept.
 */
int ktrc_tasks_drop(struct ktrc_tasks *tasks, const struct ktrc_index *used);

/** ktrc_tasks_unknown() - stands for the task of a record that no task record precedes */
const struct ktrc_task *ktrc_tasks_unknown(const struct ktrc_tasks *tasks);

/** struct ktrc_known_tasks - the tasks written in full in one packet, by tid */
struct ktrc_known_tasks {
	struct ktrc_known_task {
		u32 tid;
		u32 packet;
		const struct ktrc_task *task;
	} * slots;
	u32 mask;
	u32 packet;
	u32 used;
};

/** ktrc_known_reset() - a new packet begins */
void ktrc_known_reset(struct ktrc_known_tasks *known);
int ktrc_known_add(struct ktrc_known_tasks *known, const struct ktrc_task *task);
/** ktrc_known_use() - add those of this packet to the used ones; 0 or -ENOMEM */
int ktrc_known_use(const struct ktrc_known_tasks *known, struct ktrc_index *used);
/** ktrc_known_find() - NULL if this packet does not name @tid */
const struct ktrc_task *ktrc_known_find(const struct ktrc_known_tasks *known, u32 tid);

#endif
