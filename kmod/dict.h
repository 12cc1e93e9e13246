/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Task records: written on first use in each packet, so that a packet explains
 * itself.  Ids only; names that need a lock or a path walk are not for probes.
 */
#ifndef KTRC_DICT_H
#define KTRC_DICT_H

#include "env.h"
#include "record.h"
#include "../uapi/ktrc.h"

#define KTRC_DICT_TASKS 64 /* power of two */

/**
 * struct ktrc_who - a task, as far as telling it from another goes
 * @key: see ktrc_task_key(); 0 of nobody
 * @tid: thread id in the initial pid namespace; KTRC_TID_NOBODY
 */
struct ktrc_who {
	u64 key;
	u32 tid;
};

/**
 * struct ktrc_dict - tasks whose full record stands in a packet
 * @task: by thread id; an entry is valid for one packet only
 * @task.who: the task
 * @task.packet: the packet's number + 1
 */
struct ktrc_dict {
	struct {
		struct ktrc_who who;
		u64 packet;
	} task[KTRC_DICT_TASKS];
};

/* how the task of a record is named before it */
enum ktrc_task_form {
	KTRC_TASK_IN_EFFECT, /* the last task record before it is right */
	KTRC_TASK_REF, /* its full record stands earlier in the packet */
	KTRC_TASK_FULL,
};

/**
 * ktrc_task_key() - a task's start, name and cgroups in one word; tells exec, rename, another
 * cgroup and a thread id in use again
 * @task: the task
 */
static __always_inline u64 ktrc_task_key(const struct task_struct *task)
{
	u64 low, high;

	memcpy(&low, task->comm, sizeof(low));
	memcpy(&high, task->comm + sizeof(low), sizeof(high));
	/* odd, and several bytes wide: what a few letters change here a few in @low do not undo */
	return (0x61c88647 * high ^ low) + task->start_boottime + ktrc_task_cgroups(task);
}

void ktrc_who_is(struct ktrc_who *who, const struct task_struct *task);
enum ktrc_task_form ktrc_dict_form(const struct ktrc_dict *d, const struct ktrc_who *who,
				   u64 packet);
u32 ktrc_dict_bytes(enum ktrc_task_form form);
void ktrc_dict_write(struct ktrc_dict *d, const struct ktrc_who *who,
		     const struct task_struct *task, enum ktrc_task_form form, u64 packet,
		     struct ktrc_pen *pen);

#endif /* KTRC_DICT_H */
