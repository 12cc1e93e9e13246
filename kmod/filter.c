// SPDX-License-Identifier: GPL-2.0
/*
 * Judging a hit.  In probes: any context, preemption disabled.
 */
#include "filter.h"

/**
 * ktrc_filter_is_in_cgroup() - is the current task in the filter's cgroup or below it
 * @f: a filter with a cgroup
 */
noinline bool ktrc_filter_is_in_cgroup(const struct ktrc_filter *f)
{
	return ktrc_current_is_in(f->cgroup);
}

/**
 * ktrc_filter_takes() - does something that another task, or none, has to do with concern
 * the session
 * @f: its filter
 * @subject: whom it concerns
 *
 * What is no task's is no process's either.
 */
bool ktrc_filter_takes(const struct ktrc_filter *f, const struct ktrc_subject *subject)
{
	if (f->cgroup && (!subject->cgroup || !cgroup_is_descendant(subject->cgroup, f->cgroup)))
		return false;
	return !f->nr_tgids || (subject->task && ktrc_filter_has_process(f, subject->task));
}

/* what is not known is no longer than anything */
static bool is_long(const struct ktrc_rule *rule, const struct ktrc_facts *facts)
{
	return !rule->min_ticks || facts->has_waited ||
	       (facts->ticks != KTRC_NO_TICKS && facts->ticks >= rule->min_ticks);
}

static bool is_wanted(const struct ktrc_rule *rule, const struct ktrc_facts *facts)
{
	if (rule->flags & KTRC_RULE_MAJOR && !facts->is_major)
		return false;
	if (rule->flags & KTRC_RULE_USER && facts->mode != KTRC_fault_mode_user)
		return false;
	return !(rule->flags & KTRC_RULE_KERNEL && facts->mode == KTRC_fault_mode_user);
}

static bool is_sampled(const struct ktrc_rule *rule, struct ktrc_count *n,
		       const struct ktrc_facts *facts)
{
	if (!rule->sample)
		return true;
	if (facts->shared_by)
		return facts->shared_by % rule->sample == 0;
	return (u64)(local_add_return(1, &n->seen) - 1) % rule->sample == 0;
}

/**
 * ktrc_filter_judge() - what becomes of a hit of a task that the filter lets pass
 * @f: the session's filter
 * @n: the event's counters on this CPU
 * @id: event id
 * @facts: what the probe knows of it
 *
 * Who and what it is decides whether it concerns the session at all; how long it took
 * and the sample only whether it becomes a record.
 */
enum ktrc_verdict ktrc_filter_judge(const struct ktrc_filter *f, struct ktrc_count *n, u32 id,
				    const struct ktrc_facts *facts)
{
	const struct ktrc_rule *rule = &f->rule[id];

	if (likely(ktrc_rule_takes_all(rule)))
		return KTRC_TAKE;
	if (!is_wanted(rule, facts))
		return KTRC_REJECT;
	if (rule->flags & KTRC_RULE_COUNT || !is_long(rule, facts))
		return KTRC_COUNT;
	return is_sampled(rule, n, facts) ? KTRC_TAKE : KTRC_COUNT;
}
