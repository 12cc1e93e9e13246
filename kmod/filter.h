/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which hits of a session become records.  Pure decisions of checked numbers.
 */
#ifndef KTRC_FILTER_H
#define KTRC_FILTER_H

#include "count.h"
#include "../uapi/ktrc_events.h"

KTRC_BOUND(KTRC_MAX_PIDS);

/**
 * struct ktrc_facts - what a filter may ask of a hit, beside its task
 * @ticks: its duration, or KTRC_NO_TICKS
 * @mode: KTRC_fault_mode_*; events without: kernel
 * @is_major: it waited for I/O
 * @has_waited: it goes on with something that was a hit of its own, and as a rule took most of the time
 * @shared_by: a number that it has in common with what it goes on with, or what will go on with it,
 *	as good as a random one; 0: there is nothing like that
 */
struct ktrc_facts {
	u64 ticks;
	u32 mode;
	bool is_major;
	bool has_waited;
	u64 shared_by;
};

/**
 * struct ktrc_rule - which hits of one event become records
 * @min_ticks: those that last at least so long, and what goes on with them; 0: all
 * @sample: of what is left every n-th on each CPU, of what belongs together about every n-th
 *	and no part without the other; 0: all
 * @flags: KTRC_RULE_*
 * @user_frames: of the user stack, with each record; 0: none
 * @kernel_frames: of the kernel stack
 * @user_bytes: copy so many of the user stack; 0: none
 */
struct ktrc_rule {
	u64 min_ticks;
	u32 sample;
	u32 flags;
	u32 user_frames;
	u16 kernel_frames;
	u16 user_bytes;
};

/**
 * ktrc_rule_has_stacks() - do records of an event have stacks
 * @r: its rule
 */
static inline bool ktrc_rule_has_stacks(const struct ktrc_rule *r)
{
	return r->user_frames || r->kernel_frames || r->user_bytes;
}

/**
 * ktrc_rule_takes_all() - does every hit that concerns the session become a record
 * @r: the event's rule
 */
static inline bool ktrc_rule_takes_all(const struct ktrc_rule *r)
{
	return !(r->flags | r->sample) && !r->min_ticks;
}

/**
 * struct ktrc_filter - a session's filter; does not change while the session exists
 * @tgid: processes, in the initial pid namespace
 * @nr_tgids: their number; 0: every process
 * @cgroup: only tasks in this cgroup or below, with a reference; NULL: all
 * @rule: by event id
 */
struct ktrc_filter {
	u32 tgid[KTRC_MAX_PIDS];
	u32 nr_tgids;
	struct cgroup *cgroup;
	struct ktrc_rule rule[KTRC_NR_EVENTS];
};

enum ktrc_verdict {
	KTRC_TAKE, /* make a record */
	KTRC_COUNT, /* account its duration, make no record */
	KTRC_REJECT, /* it is none of ours */
};

/**
 * ktrc_filter_has_process() - is a task of one of a filter's processes
 * @f: the filter
 * @task: the task
 */
static __always_inline bool ktrc_filter_has_process(const struct ktrc_filter *f,
						    const struct task_struct *task)
{
	u32 i;

	if (!f->nr_tgids)
		return true;
	for (i = 0; i < KTRC_MAX_PIDS && i < f->nr_tgids; i++) {
		if (f->tgid[i] == (u32)task->tgid)
			return true;
	}
	return false;
}

bool ktrc_filter_is_in_cgroup(const struct ktrc_filter *f);

/**
 * ktrc_filter_is_ours() - does what the current task does concern the session
 * @f: its filter
 */
static __always_inline bool ktrc_filter_is_ours(const struct ktrc_filter *f)
{
	return (likely(!f->cgroup) || ktrc_filter_is_in_cgroup(f)) &&
	       ktrc_filter_has_process(f, current);
}

/**
 * struct ktrc_subject - whom a hit concerns, where that is not the current task
 * @task: whose the record is; NULL: no task's
 * @cgroup: the cgroup that it is about; NULL: none that a filter could name
 */
struct ktrc_subject {
	const struct task_struct *task;
	struct cgroup *cgroup;
};

bool ktrc_filter_takes(const struct ktrc_filter *f, const struct ktrc_subject *subject);

enum ktrc_verdict ktrc_filter_judge(const struct ktrc_filter *f, struct ktrc_count *n, u32 id,
				    const struct ktrc_facts *facts);

/* does every hit of an event, whoever's it is, become a record */
static inline bool ktrc_filter_takes_all(const struct ktrc_filter *f, u32 id)
{
	return !f->nr_tgids && !f->cgroup && ktrc_rule_takes_all(&f->rule[id]);
}

/**
 * ktrc_filter_is_empty() - does every hit of an event become a record, and nothing beside it
 * @f: the filter
 * @id: event id
 */
static inline bool ktrc_filter_is_empty(const struct ktrc_filter *f, u32 id)
{
	return ktrc_filter_takes_all(f, id) && !ktrc_rule_has_stacks(&f->rule[id]);
}

/**
 * ktrc_filter_only_stacks() - does every hit of an event become a record with stacks
 * @f: the filter
 * @id: event id
 *
 * Return: of which; NULL: not every hit does, or without stacks.
 */
static inline const struct ktrc_rule *ktrc_filter_only_stacks(const struct ktrc_filter *f, u32 id)
{
	const struct ktrc_rule *r = &f->rule[id];

	return ktrc_filter_takes_all(f, id) && ktrc_rule_has_stacks(r) ? r : NULL;
}

/**
 * ktrc_filter_only_counts() - is every hit of an event counted and none recorded
 * @f: the filter
 * @id: event id
 */
static inline bool ktrc_filter_only_counts(const struct ktrc_filter *f, u32 id)
{
	return !f->nr_tgids && !f->cgroup && f->rule[id].flags == KTRC_RULE_COUNT;
}

#endif /* KTRC_FILTER_H */
