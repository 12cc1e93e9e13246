// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that wait while a CPU quota keeps their cgroup off their CPU: throttle.gap is the
 * record of one that runs again, or goes elsewhere.  Which threads wait is known of CPUs that are
 * armed.  Everything above "control" runs in the scheduler, with a run queue locked and
 * interrupts off: it never sleeps, locks, allocates, prints or wakes.
 */
#include <trace/events/sched.h>

#include "held.h"
#include "hook.h"
#include "probe.h"
#include "throttle.h"

static struct ktrc_outlet gap_outlet;

static void emit_gap(const struct ktrc_held_cpu *c, const struct ktrc_held *h,
		     const struct task_struct *task, u64 limiter, u64 ticks, u64 late)
{
	const struct ktrc_ev_throttle_gap rec = {
		.cgid = h->cgid,
		.limiter_id = limiter,
		.dur = min_t(u64, ticks, KTRC_THROTTLE_DUR_MAX),
		.cpu = c->cpu,
		.late = min_t(u64, late, U32_MAX),
	};
	const struct ktrc_facts facts = { .ticks = ticks };
	struct ktrc_subject subject = { .task = task };

	rcu_read_lock();
	subject.cgroup = task_dfl_cgroup((struct task_struct *)task);
	ktrc_outlet_emit_of(&gap_outlet, KTRC_EV_throttle_gap, &rec, sizeof(rec), &facts, &subject);
	rcu_read_unlock();
}

/*
 * A thread waits on a CPU no more.  What it has lost is how long its cgroup was kept off meanwhile; of
 * one that was ready when nothing was kept off yet, how long it was since; of one that came to the cgroup
 * meanwhile, or whose cgroup found no room, it is not known.
 */
static void charge(struct ktrc_held_cpu *c, const struct task_struct *task, u64 now)
{
	const struct cgroup_subsys_state *css = (const void *)task->sched_task_group;
	struct ktrc_waiting w = ktrc_waiting_unnoted(task);
	bool is_known = ktrc_waiting_take(c, task, &w) || READ_ONCE(c->knows_all);
	const struct ktrc_held *h = ktrc_held_find(c, css);
	u64 ticks, late;

	if (w.off == KTRC_NEVER_OFF)
		return;
	/* no quota is the root's */
	if (!h && css->parent && ktrc_held_lacks_room(c, css))
		atomic_long_inc(&ktrc_helds.missed_waits);
	if (!h || !ktrc_held_is_of(h, css) || (w.tg && w.tg != css))
		return;
	ticks = ktrc_watch_read(&h->off, now) - w.off;
	late = READ_ONCE(h->start) || now < h->end ? 0 : now - h->end;
	if (w.tg ? (s64)ticks <= 0 : now - late <= w.off)
		return;
	if (w.tg && is_known)
		emit_gap(c, h, task, w.off < h->off_before ? 0 : h->limiter, ticks, late);
	else
		atomic_long_inc(&ktrc_helds.missed_waits);
}

/* under the lock of the run queue */
static void wait_begins(struct ktrc_held_cpu *c, const struct task_struct *task, u64 now,
			bool is_new)
{
	if (atomic_read(&c->nr_held))
		ktrc_throttle_adopt(c, (const void *)task->sched_task_group, now);
	ktrc_waiting_add(c, task, now, is_new);
}

static void disarm(struct ktrc_held_cpu *c, u64 now)
{
	ktrc_waiting_forget(c, NULL, now);
	WRITE_ONCE(c->is_armed, false);
	atomic_dec(&ktrc_helds.nr_armed);
}

/* on a CPU off which something is kept, or was in the last seconds */
static noinline void switch_armed(struct ktrc_held_cpu *c, const struct task_struct *prev,
				  const struct task_struct *next, bool is_ready)
{
	u64 now = ktrc_clock_ticks(ktrc_helds.clock);

	if (is_ready)
		wait_begins(c, prev, now, true);
	else
		ktrc_waiting_take(c, prev, NULL); /* it was woken before it slept */
	if (!is_idle_task(next))
		charge(c, next, now);
	if (!atomic_read(&c->nr_held) &&
	    (s64)(now - READ_ONCE(c->last_end)) > (s64)ktrc_helds.linger)
		disarm(c, now);
}

static __always_inline bool any_is_armed(void)
{
	return unlikely(atomic_read(&ktrc_helds.nr_armed));
}

static void ktrc_on_sched_switch(void *data, bool preempt, struct task_struct *prev,
				 struct task_struct *next, unsigned int prev_state)
{
	struct ktrc_held_cpu *c;

	if (!any_is_armed())
		return;
	preempt_disable_notrace();
	c = ktrc_held_here();
	if (c && READ_ONCE(c->is_armed))
		switch_armed(c, prev, next, preempt || task_is_running(prev));
	preempt_enable_notrace();
}

/* who wakes itself runs */
static noinline void ready(const struct task_struct *task, bool is_new)
{
	struct ktrc_held_cpu *c;

	if (task == current)
		return;
	preempt_disable_notrace();
	c = ktrc_held_here() ? ktrc_helds.cpu[task_cpu(task)] : NULL;
	if (c && READ_ONCE(c->is_armed))
		wait_begins(c, task, ktrc_clock_ticks(ktrc_helds.clock), is_new);
	preempt_enable_notrace();
}

static void ktrc_on_sched_wakeup(void *data, struct task_struct *task)
{
	if (any_is_armed())
		ready(task, false);
}

/* what is known of a task at this address is another one's, which is dead */
static void ktrc_on_sched_wakeup_new(void *data, struct task_struct *task)
{
	if (any_is_armed())
		ready(task, true);
}

/* from one run queue, which is locked, to another one, which need not be */
static noinline void move(const struct task_struct *task, int dest_cpu)
{
	struct ktrc_held_cpu *from, *to;
	u64 now;

	preempt_disable_notrace();
	if (ktrc_held_here()) {
		from = ktrc_helds.cpu[task_cpu(task)];
		to = ktrc_helds.cpu[dest_cpu];
		now = ktrc_clock_ticks(ktrc_helds.clock);
		if (from && READ_ONCE(from->is_armed))
			charge(from, task, now);
		if (to && READ_ONCE(to->is_armed))
			ktrc_waiting_add(to, task, now, true);
	}
	preempt_enable_notrace();
}

/* who is on no run queue is being woken, and waits nowhere yet */
static void ktrc_on_sched_migrate_task(void *data, struct task_struct *task, int dest_cpu)
{
	if (any_is_armed() && READ_ONCE(task->on_rq))
		move(task, dest_cpu);
}

/* ---- control ---- */

static struct ktrc_point gap_points[] = {
	KTRC_POINT(sched_switch, ktrc_on_sched_switch),
	KTRC_POINT(sched_wakeup, ktrc_on_sched_wakeup),
	KTRC_POINT(sched_wakeup_new, ktrc_on_sched_wakeup_new),
	KTRC_POINT(sched_migrate_task, ktrc_on_sched_migrate_task),
};

static int gap_check(void)
{
	return ktrc_throttle_check() ?: ktrc_points_check(gap_points, ARRAY_SIZE(gap_points));
}

static void gap_detach(void)
{
	WRITE_ONCE(ktrc_helds.sees_threads, false);
	ktrc_points_detach(gap_points, ARRAY_SIZE(gap_points));
	ktrc_throttle_detach();
}

static int gap_attach(u32 clock)
{
	int err;

	check_trace_callback_type_sched_switch(ktrc_on_sched_switch);
	check_trace_callback_type_sched_wakeup(ktrc_on_sched_wakeup);
	check_trace_callback_type_sched_wakeup_new(ktrc_on_sched_wakeup_new);
	check_trace_callback_type_sched_migrate_task(ktrc_on_sched_migrate_task);
	err = ktrc_throttle_attach(clock);
	if (err)
		return err;
	ktrc_waiting_clear_all(); /* of who waited when these were attached last */
	err = ktrc_points_attach(gap_points, ARRAY_SIZE(gap_points));
	if (err)
		ktrc_throttle_detach();
	else
		WRITE_ONCE(ktrc_helds.sees_threads, true);
	return err;
}

static u64 gap_missed(void)
{
	return atomic_long_read(&ktrc_helds.missed_waits);
}

const struct ktrc_probe ktrc_probe_throttle_gap = {
	.hook = "tracepoints sched_switch, sched_wakeup, sched_wakeup_new, sched_migrate_task, and those of throttle",
	.outlet = &gap_outlet,
	.check = gap_check,
	.attach = gap_attach,
	.detach = gap_detach,
	.missed = gap_missed,
};
