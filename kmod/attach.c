// SPDX-License-Identifier: GPL-2.0
/*
 * A hook is attached by the first session that needs it and detached by the last;
 * its outlet says who listens in between.
 */
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>

#include "attach.h"
#include "hook.h"
#include "trial.h"

static const struct ktrc_probe *const probes[KTRC_NR_EVENTS] = {
#define KTRC_PROBE_DATA(ev) (&ktrc_probe_##ev)
#define KTRC_PROBE_PART KTRC_PROBE_DATA
#define KTRC_PROBE_DICT(ev) NULL
#define KTRC_EVENT(id, ev, label, kind, doc) [id] = KTRC_PROBE_##kind(ev),
#include "../uapi/ktrc_events.def"
};

/* sessions that use each event's hook, and the clock that it reads */
static u32 nr_users[KTRC_NR_EVENTS];
static u32 hook_clock[KTRC_NR_EVENTS];

/* some session follows user stacks, or just did: an exception may be ktrc's own */
static bool is_walked;

/**
 * ktrc_attach_probe() - how an event gets recorded
 * @event: its id
 *
 * Return: NULL when it is no DATA event.
 */
const struct ktrc_probe *ktrc_attach_probe(u32 event)
{
	return event < KTRC_NR_EVENTS ? probes[event] : NULL;
}

static bool wants(const struct ktrc_session *s, u32 event)
{
	return s->config.events & BIT_ULL(event);
}

static bool anyone_walks(void)
{
	struct ktrc_session *s;
	u32 i;

	list_for_each_entry(s, &ktrc_sessions, node) {
		for (i = 0; i < KTRC_NR_EVENTS; i++) {
			const struct ktrc_rule *rule = &s->filter.rule[i];

			if (s->is_listening && (rule->user_frames || rule->user_bytes))
				return true;
		}
	}
	return false;
}

/* one listener that takes every hit; an exception of ktrc's own is no record of its */
static void set_direct_path(u32 event)
{
	struct ktrc_outlet *outlet = probes[event]->outlet;
	const struct ktrc_listeners *all = outlet->all;
	bool is_watched = event == KTRC_EV_fault_light && is_walked;
	bool is_direct = all->nr == 1 && !all->at[0].filter && !is_watched;

	WRITE_ONCE(outlet->only, is_direct ? all->at[0].cpus : NULL);
}

/* who listens to @event, from the list of sessions; nothing is freed before a grace period */
static void set_outlet(u32 event)
{
	struct ktrc_outlet *outlet = probes[event]->outlet;
	struct ktrc_listeners *all = &outlet->bank[outlet->all == &outlet->bank[0]];
	struct ktrc_cpu __percpu *counting = NULL;
	struct ktrc_session *s;

	all->nr = 0;
	list_for_each_entry(s, &ktrc_sessions, node) {
		if (!s->is_listening || !wants(s, event))
			continue;
		counting = ktrc_filter_only_counts(&s->filter, event) ? s->cpus : NULL;
		all->at[all->nr++] = (struct ktrc_listener){
			.cpus = s->cpus,
			.filter = ktrc_filter_is_empty(&s->filter, event) ? NULL : &s->filter,
			.stacks = ktrc_filter_only_stacks(&s->filter, event),
		};
	}
	if (all->nr == 2 && all->at[0].filter)
		swap(all->at[0], all->at[1]);
	/* pairs with the acquire in outlet.c; before it: who finds nobody direct looks there */
	smp_store_release(&outlet->all, all);
	/* pairs with the probes' dependent load: who sees the pair sees @at */
	smp_store_release(&outlet->pair, all->nr == 2 && !all->at[0].filter ? all : NULL);
	/* pairs with theirs as well */
	smp_store_release(&outlet->one, all->nr == 1 && all->at[0].filter ? &all->at[0] : NULL);
	set_direct_path(event);
	WRITE_ONCE(outlet->counting, all->nr == 1 ? counting : NULL);
}

/* exceptions first: whoever follows stacks after that raises none that is taken for another's */
static void set_outlets(const struct ktrc_session *s)
{
	u32 i;

	set_outlet(KTRC_EV_fault_light);
	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		if (wants(s, i) && i != KTRC_EV_fault_light)
			set_outlet(i);
	}
}

static u64 missed_now(u32 event)
{
	return probes[event]->missed ? probes[event]->missed() : 0;
}

/* attach, and see that it works */
static int attach_hook(u32 event, u32 clock, struct ktrc_trial *trial)
{
	int err = probes[event]->attach(clock);

	if (err)
		return err;
	err = ktrc_trial_event(trial, probes[event]->outlet, event);
	if (!err || missed_now(event)) /* it fires, for more than there is room for */
		return 0;
	probes[event]->detach();
	return err;
}

static int get_hook(u32 event, u32 clock, struct ktrc_trial *trial, struct ktrc_why *why)
{
	int err;

	if (nr_users[event] && hook_clock[event] != clock) {
		why->text = "a running session still uses the clock that the kernel had before";
		return -EBUSY;
	}
	/* one that is used already may be switched off since */
	err = nr_users[event] ? probes[event]->check() : attach_hook(event, clock, trial);
	if (err) {
		why->text = ktrc_hook_reason(err);
		return err == -ENOMEM ? err : -EOPNOTSUPP;
	}
	hook_clock[event] = clock;
	nr_users[event]++;
	return 0;
}

static void put_hook(u32 event)
{
	if (!--nr_users[event])
		probes[event]->detach();
}

/**
 * ktrc_attach_missed() - hits that the kernel did not report while a session recorded
 * @s: the session
 * @event: one of its events
 */
u64 ktrc_attach_missed(const struct ktrc_session *s, u32 event)
{
	if (!s->is_listening)
		return s->missed[event];
	return s->missed[event] + missed_now(event) - s->missed_before[event];
}

static void put_hooks(const struct ktrc_session *s, u32 nr_events)
{
	u32 i;

	for (i = 0; i < nr_events; i++) {
		if (wants(s, i))
			put_hook(i);
	}
}

/* all hooks or none */
static int get_hooks(const struct ktrc_session *s, struct ktrc_trial *trial, struct ktrc_why *why)
{
	u32 i;
	int err;

	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		err = wants(s, i) ? get_hook(i, s->clock, trial, why) : 0;
		if (err) {
			put_hooks(s, i);
			return err;
		}
	}
	return 0;
}

/**
 * ktrc_attach_session() - let a session listen to its events
 * @s: the session, its rings switched off
 * @why: receives the reason of a failure
 *
 * Return: 0; -EOPNOTSUPP when the kernel refuses a hook, -ENOMEM, -EBUSY when another
 * session uses another clock.  Of a failure nothing is left.
 */
int ktrc_attach_session(struct ktrc_session *s, struct ktrc_why *why)
{
	struct ktrc_trial *trial = ktrc_trial_create();
	u32 i;
	int err;

	if (!trial)
		return -ENOMEM;
	err = get_hooks(s, trial, why);
	if (!err) {
		s->is_listening = true;
		is_walked = anyone_walks();
		set_outlets(s);
	}
	ktrc_hooks_remove(); /* those of a failed start */
	/* every probe sees it, none the other bank or the trial */
	tracepoint_synchronize_unregister();
	ktrc_trial_destroy(trial);
	if (err)
		return err;
	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		if (wants(s, i))
			s->missed_before[i] = missed_now(i);
	}
	return 0;
}

/**
 * ktrc_detach_session() - undo ktrc_attach_session()
 * @s: a session that listens, its rings switched off
 *
 * No probe touches the session after this.
 */
void ktrc_detach_session(struct ktrc_session *s)
{
	u32 i;

	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		if (wants(s, i))
			s->missed[i] = ktrc_attach_missed(s, i);
	}
	s->is_listening = false;
	set_outlets(s);
	put_hooks(s, KTRC_NR_EVENTS);
	ktrc_hooks_remove();
	/* no probe runs or sees the other bank after this: tracepoints and function hooks */
	tracepoint_synchronize_unregister();
	/* only now does nobody follow a stack any more for the session */
	is_walked = anyone_walks();
	set_direct_path(KTRC_EV_fault_light);
}
