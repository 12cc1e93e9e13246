// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that are ready and do not run.  In probes: interrupts disabled, under the lock of the run
 * queue that they are about, but for a thread that comes from another one.
 */
#include "held.h"

/* in the place of a thread: somebody is about to put one there */
#define TAKEN ((const struct task_struct *)1)

/**
 * ktrc_waiting_clear() - forget all
 * @c: the CPU
 *
 * Whoever is just being added, from another CPU, may stay or not.
 */
void ktrc_waiting_clear(struct ktrc_held_cpu *c)
{
	memset(c->waiting, 0, sizeof(c->waiting));
}

static struct ktrc_waiting *find_waiting(struct ktrc_held_cpu *c, const struct task_struct *task)
{
	u32 i;

	for (i = 0; i < KTRC_HELD_REACH; i++) {
		struct ktrc_waiting *w =
			&c->waiting[(ktrc_held_hash(task) + i) & (KTRC_NR_WAITING - 1)];

		if (READ_ONCE(w->task) == task)
			return w;
	}
	return NULL;
}

/* without room: from now on one that has no note is not known to have been there from the first */
static struct ktrc_waiting *new_waiting(struct ktrc_held_cpu *c, const struct task_struct *task)
{
	u32 i;

	for (i = 0; i < KTRC_HELD_REACH; i++) {
		struct ktrc_waiting *w =
			&c->waiting[(ktrc_held_hash(task) + i) & (KTRC_NR_WAITING - 1)];

		if (!READ_ONCE(w->task) && !cmpxchg(&w->task, NULL, TAKEN))
			return w;
	}
	WRITE_ONCE(c->knows_all, false);
	return NULL;
}

/**
 * ktrc_waiting_add() - a thread is ready and does not run
 * @c: the CPU on which it waits
 * @task: the thread
 * @now: ticks
 * @is_new: it has just run, or come; else it may be waiting already
 */
void ktrc_waiting_add(struct ktrc_held_cpu *c, const struct task_struct *task, u64 now, bool is_new)
{
	const struct cgroup_subsys_state *css = (const void *)task->sched_task_group;
	const struct ktrc_held *h;
	struct ktrc_waiting *w;

	if (is_idle_task(task))
		return;
	w = find_waiting(c, task);
	if (w && !is_new)
		return;
	w = w ?: new_waiting(c, task);
	if (!w)
		return;
	h = ktrc_held_find(c, css);
	w->tg = css;
	w->off = ktrc_waiting_unnoted(task).off;
	if (!w->off && h && ktrc_held_is_of(h, css))
		w->off = ktrc_watch_read(&h->off, now);
	/* who looks for this one waits for the lock under which it comes here */
	WRITE_ONCE(w->task, task);
}

/**
 * ktrc_waiting_any_of() - does a thread of a cgroup wait
 * @c: the CPU
 * @tg: the cgroup's task group
 */
bool ktrc_waiting_any_of(const struct ktrc_held_cpu *c, const void *tg)
{
	u32 i;

	for (i = 0; i < KTRC_NR_WAITING; i++) {
		if (READ_ONCE(c->waiting[i].task) && c->waiting[i].tg == tg)
			return true;
	}
	return false;
}

/* whether a thread that waits has lost something so far, or may have */
static bool has_lost(struct ktrc_held_cpu *c, const struct ktrc_waiting *w, u64 now)
{
	const struct ktrc_held *h = w->tg ? ktrc_held_find(c, w->tg) : NULL;

	if (!w->tg || w->off == KTRC_NEVER_OFF)
		return false;
	if (!h)
		return ktrc_held_lacks_room(c, w->tg);
	return (s64)(ktrc_watch_read(&h->off, now) - w->off) > 0;
}

/**
 * ktrc_waiting_forget() - nobody charges any more who still waits
 * @c: the CPU
 * @tg: in this cgroup; NULL: at all
 * @now: ticks
 */
void ktrc_waiting_forget(struct ktrc_held_cpu *c, const void *tg, u64 now)
{
	bool is_counted;
	u32 i;

	for (i = 0; i < KTRC_NR_WAITING; i++) {
		struct ktrc_waiting *w = &c->waiting[i];

		if (!READ_ONCE(w->task) || !w->tg || w->off == KTRC_NEVER_OFF ||
		    (tg && w->tg != tg))
			continue;
		is_counted = has_lost(c, w, now);
		if (is_counted)
			atomic_long_inc(&ktrc_helds.missed_waits);
		WRITE_ONCE(w->tg, NULL);
		WRITE_ONCE(w->off, is_counted ? KTRC_NEVER_OFF : now);
	}
}

/**
 * ktrc_waiting_move() - a thread comes to another cgroup
 * @task: the thread
 * @now: ticks
 *
 * Its run queue is not locked: of what it has lost there is no record, and from now on its note is of no
 * cgroup.  Who runs has lost nothing, as each that ends: it leaves the group of its session.
 */
void ktrc_waiting_move(const struct task_struct *task, u64 now)
{
	struct ktrc_held_cpu *c = ktrc_helds.cpu[task_cpu(task)];
	struct ktrc_waiting unnoted = ktrc_waiting_unnoted(task);
	struct ktrc_waiting *noted, *w;

	if (!c || !READ_ONCE(c->is_armed) || !READ_ONCE(task->on_rq) || READ_ONCE(task->on_cpu))
		return;
	noted = find_waiting(c, task);
	if (has_lost(c, noted ?: &unnoted, now))
		atomic_long_inc(&ktrc_helds.missed_waits);
	w = noted ?: new_waiting(c, task);
	if (!w)
		return;
	/* a note may just have become another thread's: that has no gap then */
	WRITE_ONCE(w->tg, NULL);
	WRITE_ONCE(w->off, unnoted.off ?: now);
	if (!noted)
		WRITE_ONCE(w->task, task);
}

/**
 * ktrc_waiting_take() - a thread does not wait any more
 * @c: the CPU on which it waited
 * @task: the thread
 * @taken: receives what is known of its wait, if anything is; NULL: nobody asks
 *
 * Return: whether anything is.
 */
bool ktrc_waiting_take(struct ktrc_held_cpu *c, const struct task_struct *task,
		       struct ktrc_waiting *taken)
{
	struct ktrc_waiting *w = find_waiting(c, task);

	if (!w)
		return false;
	if (taken)
		*taken = *w;
	smp_store_release(&w->task, NULL); /* pairs with the cmpxchg in new_waiting() */
	return true;
}
