/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From one hook to the sessions that listen to it.  attach.c says who listens; probes
 * hand over their hits.  One session without a filter, the usual case, is reached
 * directly.
 */
#ifndef KTRC_OUTLET_H
#define KTRC_OUTLET_H

#include "emit.h"
#include "filter.h"

KTRC_BOUND(KTRC_MAX_SESSIONS);

/**
 * struct ktrc_listener - a session that listens to an event
 * @cpus: where it records
 * @filter: its filter; NULL: it takes every hit
 * @stacks: of which stacks, if it takes every hit with its stacks; NULL: it does not
 */
struct ktrc_listener {
	struct ktrc_cpu __percpu *cpus;
	const struct ktrc_filter *filter;
	const struct ktrc_rule *stacks;
};

/**
 * struct ktrc_listeners - who listens to an event
 * @nr: how many
 * @at: they
 */
struct ktrc_listeners {
	u32 nr;
	struct ktrc_listener at[KTRC_MAX_SESSIONS];
};

/**
 * struct ktrc_outlet - an event's listeners; read in probes, changed by set_outlet() in attach.c
 * @only: the one listener, if it takes every hit; of exceptions, if no session follows user stacks
 * @counting: the one listener, if it counts every hit and records none
 * @one: the one listener, if it has a filter
 * @pair: both listeners, if there are two and the first takes every hit
 * @all: all of them, when the others are NULL
 * @bank: two of them in turn, so that a change needs no memory and cannot fail
 */
struct ktrc_outlet {
	struct ktrc_cpu __percpu *only;
	struct ktrc_cpu __percpu *counting;
	const struct ktrc_listener *one;
	const struct ktrc_listeners *pair;
	const struct ktrc_listeners *all;
	struct ktrc_listeners bank[2];
};

void ktrc_outlet_emit(const struct ktrc_outlet *outlet, u32 id, const void *rec, u32 bytes,
		      const struct ktrc_facts *facts);
void ktrc_outlet_emit_of(const struct ktrc_outlet *outlet, u32 id, const void *rec, u32 bytes,
			 const struct ktrc_facts *facts, const struct ktrc_subject *subject);
void ktrc_outlet_hand(const struct ktrc_listener *l, u32 id, const void *rec, u32 bytes,
		      const struct ktrc_facts *facts);
void ktrc_outlet_count(const struct ktrc_outlet *outlet, u32 id, u64 ticks);

extern const struct ktrc_facts ktrc_no_facts;

/* is the current task one that a listener wants hits of */
static __always_inline bool ktrc_outlet_is_ours(const struct ktrc_listener *l)
{
	return !l->filter || ktrc_filter_is_ours(l->filter);
}

/**
 * ktrc_outlet_concerns() - does a hit of the current task concern a listener
 * @l: the listener
 * @id: event id
 *
 * Return: false when its session is off, or when its filter names others: that is counted.
 */
static __always_inline bool ktrc_outlet_concerns(const struct ktrc_listener *l, u32 id)
{
	struct ktrc_cpu *c = this_cpu_ptr(l->cpus);

	if (READ_ONCE(c->ring.off))
		return false;
	if (ktrc_outlet_is_ours(l))
		return true;
	ktrc_emit_nothing(c, id);
	return false;
}

/**
 * ktrc_outlet_all() - what attach.c published last
 * @outlet: the event's
 *
 * Return: constant until a grace period after the next time; NULL: nobody ever listened.
 */
static __always_inline const struct ktrc_listeners *
ktrc_outlet_all(const struct ktrc_outlet *outlet)
{
	/* pairs with the release in set_outlet() in attach.c */
	return smp_load_acquire(&outlet->all);
}

/**
 * ktrc_outlet_is_wanted() - may a hit of the current task become anyone's record
 * @outlet: the event's
 *
 * Context: any; the caller disabled preemption.
 */
static __always_inline bool ktrc_outlet_is_wanted(const struct ktrc_outlet *outlet)
{
	const struct ktrc_listeners *all = ktrc_outlet_all(outlet);
	u32 i;

	for (i = 0; i < KTRC_MAX_SESSIONS && all && i < all->nr; i++) {
		const struct ktrc_listener *l = &all->at[i];

		if (!READ_ONCE(this_cpu_ptr(l->cpus)->ring.off) && ktrc_outlet_is_ours(l))
			return true;
	}
	return false;
}

/**
 * ktrc_outlet_only_counts() - count a hit, if that is all that anybody wants
 * @outlet: the event's
 * @id: event id
 * @ticks: its duration, or the constant KTRC_NO_TICKS
 *
 * Context: any; the caller disabled preemption.
 * Return: whether it was that one session's case; false: nothing has happened.
 */
static __always_inline bool ktrc_outlet_only_counts(const struct ktrc_outlet *outlet, u32 id,
						    u64 ticks)
{
	struct ktrc_cpu __percpu *counting = READ_ONCE(outlet->counting);
	struct ktrc_cpu *c;

	if (unlikely(!counting))
		return false;
	c = this_cpu_ptr(counting);
	if (likely(!READ_ONCE(c->ring.off)))
		ktrc_count_only(&c->count[id], ticks);
	return true;
}

/**
 * ktrc_emit() - hand a hit that has no duration to every listener
 * @outlet: the event's
 * @ev: the event's name in ktrc_events.def
 * @...: designated initialisers of struct ktrc_ev_<ev>; the rest becomes zero
 *
 * Context: any; the caller disabled preemption.
 */
#define ktrc_emit(outlet, ev, ...)                                                            \
	ktrc_outlet_emit((outlet), KTRC_EV_##ev, &(const struct ktrc_ev_##ev){ __VA_ARGS__ }, \
			 sizeof(struct ktrc_ev_##ev), &ktrc_no_facts)

#endif /* KTRC_OUTLET_H */
