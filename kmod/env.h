/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the ring, the dictionary and the counters take from their surroundings.
 * tests/unit compiles the same C in user space with its own kernel_shim.h.
 */
#ifndef KTRC_ENV_H
#define KTRC_ENV_H

#include "bound.h"

#ifdef __KERNEL__

#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/cgroup.h>
#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <asm/barrier.h>
#include <asm/cmpxchg.h>
#include <asm/local.h>

#include "compat/compat.h"

/* the cgroup v2 id of a task; any context */
static inline u64 ktrc_task_cgid(const struct task_struct *task)
{
	u64 cgid;

	rcu_read_lock();
	cgid = cgroup_id(task_dfl_cgroup((struct task_struct *)task));
	rcu_read_unlock();
	return cgid;
}

/*
 * which set of cgroups a task is in: an address, only to be compared.  Of a set that is gone another one may
 * have it, in which the task comes by way of a third one.
 */
static __always_inline u64 ktrc_task_cgroups(const struct task_struct *task)
{
	return (u64)(unsigned long)rcu_access_pointer(task->cgroups);
}

static inline u64 ktrc_current_cgid(void)
{
	return ktrc_task_cgid(current);
}

/* of cgroup v2 /proc/PID/cgroup says "0::" */
static inline bool ktrc_is_cgroup_v2(const struct cgroup *cgroup)
{
	return cgroup->root->hierarchy_id == 0;
}

/* the cgroup v2 id of a controller's part of a cgroup; 0: of cgroup v1 */
static inline u64 ktrc_css_cgid(const struct cgroup_subsys_state *css)
{
	const struct cgroup *cgroup = css->cgroup;

	return cgroup && ktrc_is_cgroup_v2(cgroup) ? cgroup_id(cgroup) : 0;
}

/* is the current task in @top or below; any context */
static inline bool ktrc_current_is_in(struct cgroup *top)
{
	bool is_in;

	rcu_read_lock();
	is_in = cgroup_is_descendant(task_dfl_cgroup(current), top);
	rcu_read_unlock();
	return is_in;
}

/* have @work done out of the caller's context */
static inline void ktrc_wake(struct irq_work *work)
{
	irq_work_queue(work);
}

/* the same, if there are any readers to wake */
static inline void ktrc_wake_readers(struct irq_work *work, wait_queue_head_t *readers)
{
	smp_mb(); /* pairs with the barrier in ktrc_poll(): published, then looked who waits */
	if (waitqueue_active(readers))
		ktrc_wake(work);
}

#else
#include "kernel_shim.h"
#endif

#endif /* KTRC_ENV_H */
