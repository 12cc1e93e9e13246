/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hook that is attached is tried before a session relies on it: what it is hooked to
 * is made to happen, and has to arrive at the event's outlet.
 */
#ifndef KTRC_TRIAL_H
#define KTRC_TRIAL_H

#include "outlet.h"

/**
 * struct ktrc_trial - a listener that only counts
 * @filter: what the process that tries does is meant, which others may do meanwhile as well
 * @cpus: its counters; no ring
 * @listeners: it, as outlets want it
 */
struct ktrc_trial {
	struct ktrc_filter filter;
	struct ktrc_cpu __percpu *cpus;
	struct ktrc_listeners listeners;
};

struct ktrc_trial *ktrc_trial_create(void);
void ktrc_trial_destroy(struct ktrc_trial *t);
int ktrc_trial_event(struct ktrc_trial *t, struct ktrc_outlet *outlet, u32 event);
int ktrc_trial_run(struct ktrc_trial *t, struct ktrc_outlet *outlet, u32 event,
		   u32 (*provoke)(void));

#endif /* KTRC_TRIAL_H */
