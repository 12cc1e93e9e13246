// SPDX-License-Identifier: GPL-2.0
/*
 * A hit for several sessions, or for one with a filter.  In probes: any context,
 * preemption disabled.
 */
#include "outlet.h"

/* of an event that cannot tell */
const struct ktrc_facts ktrc_no_facts = { .ticks = KTRC_NO_TICKS };

/**
 * ktrc_outlet_hand() - hand a hit to a listener that it concerns
 * @l: the listener
 * @id: event id
 * @rec: the record's payload
 * @bytes: its size
 * @facts: for its filter
 */
void ktrc_outlet_hand(const struct ktrc_listener *l, u32 id, const void *rec, u32 bytes,
		      const struct ktrc_facts *facts)
{
	struct ktrc_cpu *c = this_cpu_ptr(l->cpus);
	enum ktrc_verdict verdict = KTRC_TAKE;

	if (l->filter)
		verdict = ktrc_filter_judge(l->filter, &c->count[id], id, facts);
	if (verdict == KTRC_TAKE && !(l->filter && ktrc_rule_has_stacks(&l->filter->rule[id]))) {
		ktrc_emit_payload(c, c->ring.clock, id, rec, bytes, facts->ticks);
		return;
	}
	if (verdict != KTRC_REJECT && facts->ticks != KTRC_NO_TICKS)
		ktrc_count_duration(&c->count[id], facts->ticks);
	if (verdict == KTRC_TAKE)
		ktrc_emit_with_stacks(c, id, rec, bytes, &l->filter->rule[id]);
	else
		ktrc_emit_nothing(c, id);
}

/**
 * ktrc_outlet_emit() - hand a hit to every listener
 * @outlet: the event's
 * @id: event id
 * @rec: the record's payload
 * @bytes: its size
 * @facts: for filters
 */
void ktrc_outlet_emit(const struct ktrc_outlet *outlet, u32 id, const void *rec, u32 bytes,
		      const struct ktrc_facts *facts)
{
	const struct ktrc_listeners *all = ktrc_outlet_all(outlet);
	u32 i;

	for (i = 0; i < KTRC_MAX_SESSIONS && all && i < all->nr; i++) {
		if (ktrc_outlet_concerns(&all->at[i], id))
			ktrc_outlet_hand(&all->at[i], id, rec, bytes, facts);
	}
}

/* judged and counted like a hit of the current task */
static void hand_of(const struct ktrc_listener *l, u32 id, const void *rec, u32 bytes,
		    const struct ktrc_facts *facts, const struct ktrc_subject *subject)
{
	struct ktrc_cpu *c = this_cpu_ptr(l->cpus);
	enum ktrc_verdict verdict = KTRC_TAKE;

	if (l->filter && !ktrc_filter_takes(l->filter, subject))
		verdict = KTRC_REJECT;
	else if (l->filter)
		verdict = ktrc_filter_judge(l->filter, &c->count[id], id, facts);
	if (verdict != KTRC_REJECT && facts->ticks != KTRC_NO_TICKS)
		ktrc_count_duration(&c->count[id], facts->ticks);
	if (verdict == KTRC_TAKE)
		ktrc_emit_of(c, id, rec, bytes, subject->task);
	else
		ktrc_emit_nothing(c, id);
}

/**
 * ktrc_outlet_emit_of() - hand a hit of another task, or of none, to every listener
 * @outlet: the event's
 * @id: event id
 * @rec: the record's payload
 * @bytes: its size
 * @facts: for filters
 * @subject: whose it is
 */
void ktrc_outlet_emit_of(const struct ktrc_outlet *outlet, u32 id, const void *rec, u32 bytes,
			 const struct ktrc_facts *facts, const struct ktrc_subject *subject)
{
	const struct ktrc_listeners *all = ktrc_outlet_all(outlet);
	u32 i;

	for (i = 0; i < KTRC_MAX_SESSIONS && all && i < all->nr; i++) {
		if (!READ_ONCE(this_cpu_ptr(all->at[i].cpus)->ring.off))
			hand_of(&all->at[i], id, rec, bytes, facts, subject);
	}
}

/**
 * ktrc_outlet_count() - a hit of which only the duration is known
 * @outlet: the event's
 * @id: event id
 * @ticks: the duration
 *
 * It began when nobody wanted a record.  Who has come since does not count it, as it
 * would have to record it.
 */
void ktrc_outlet_count(const struct ktrc_outlet *outlet, u32 id, u64 ticks)
{
	const struct ktrc_listeners *all = ktrc_outlet_all(outlet);
	u32 i;

	for (i = 0; i < KTRC_MAX_SESSIONS && all && i < all->nr; i++) {
		const struct ktrc_listener *l = &all->at[i];
		struct ktrc_cpu *c = this_cpu_ptr(l->cpus);

		if (l->filter && ktrc_filter_only_counts(l->filter, id) && !READ_ONCE(c->ring.off))
			ktrc_count_only(&c->count[id], ticks);
	}
}
