// SPDX-License-Identifier: GPL-2.0
/*
 * The task dictionary.  Called by emit.c's slow path, any context, preemption
 * disabled.  A nested writer has the same current task as the one it
 * interrupted, so that a half-updated entry can only cause a second full record; so does
 * one that is half another's, as both words are compared.
 */
#include "dict.h"
#include "../uapi/ktrc_events.h"

static u32 slot_of(u32 tid)
{
	return tid % KTRC_DICT_TASKS;
}

/**
 * ktrc_who_is() - identify a task
 * @who: receives the answer
 * @task: the task; NULL: nobody
 */
void ktrc_who_is(struct ktrc_who *who, const struct task_struct *task)
{
	who->tid = task ? task->pid : KTRC_TID_NOBODY;
	who->key = task ? ktrc_task_key(task) : 0;
}

/**
 * ktrc_dict_form() - how @who must be named in a packet
 * @d: the CPU's dictionary
 * @who: the task
 * @packet: number of the packet
 *
 * Return: KTRC_TASK_REF or KTRC_TASK_FULL.
 */
enum ktrc_task_form ktrc_dict_form(const struct ktrc_dict *d, const struct ktrc_who *who,
				   u64 packet)
{
	typeof(d->task[0]) *e = &d->task[slot_of(who->tid)];

	if (e->packet == packet + 1 && e->who.tid == who->tid && e->who.key == who->key)
		return KTRC_TASK_REF;
	return KTRC_TASK_FULL;
}

/**
 * ktrc_dict_bytes() - size of the record that names a task
 * @form: in which form
 */
u32 ktrc_dict_bytes(enum ktrc_task_form form)
{
	if (form == KTRC_TASK_FULL)
		return ktrc_record_bytes(sizeof(struct ktrc_ev_task));
	if (form == KTRC_TASK_REF)
		return ktrc_record_bytes(sizeof(struct ktrc_ev_task_ref));
	return 0;
}

static void write_full(const struct task_struct *task, struct ktrc_pen *pen)
{
	struct ktrc_ev_task rec = { .tid = KTRC_TID_NOBODY, .pid = KTRC_TID_NOBODY };
	u32 i;

	KTRC_BOUND(sizeof(rec.comm) - 1);
	if (task) {
		rec.tid = task->pid;
		rec.pid = task->tgid;
		rec.cgid = ktrc_task_cgid(task);
		rec.start_ns = task->start_boottime;
	}
	for (i = 0; i < sizeof(rec.comm) - 1 && task && task->comm[i]; i++)
		rec.comm[i] = task->comm[i];
	ktrc_record_put(pen, KTRC_EV_task, &rec, sizeof(rec));
}

/**
 * ktrc_dict_write() - name a task and remember that its packet knows it
 * @d: the CPU's dictionary
 * @who: the task
 * @task: the same; NULL: nobody
 * @form: in which form
 * @packet: number of the packet
 * @pen: at ktrc_dict_bytes() reserved bytes
 */
void ktrc_dict_write(struct ktrc_dict *d, const struct ktrc_who *who,
		     const struct task_struct *task, enum ktrc_task_form form, u64 packet,
		     struct ktrc_pen *pen)
{
	struct ktrc_ev_task_ref ref = { .tid = who->tid };
	u32 slot = slot_of(who->tid);

	if (form == KTRC_TASK_REF) {
		ktrc_record_put(pen, KTRC_EV_task_ref, &ref, sizeof(ref));
	} else if (form == KTRC_TASK_FULL) {
		write_full(task, pen);
		d->task[slot].who = *who;
		d->task[slot].packet = packet + 1;
	}
}
