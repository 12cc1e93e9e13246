/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a probe_<family>.c offers for each of its DATA events: one
 * struct ktrc_probe, named ktrc_probe_<event>.  attach.c finds it by that name,
 * through the event table.
 */
#ifndef KTRC_PROBE_H
#define KTRC_PROBE_H

#include "outlet.h"

/**
 * struct ktrc_probe - how an event gets recorded
 * @hook: what it attaches to, for people
 * @outlet: where its hits go
 * @rules: enum ktrc_rule_flag: what rules can ask of it
 * @check: 0, or why it is not available (negative error)
 * @attach: hand hits to @outlet from now on, with this clock (enum ktrc_clock)
 * @detach: stop; probes may still run until the caller waited for them
 * @missed: hits since @attach that the kernel did not report; may be NULL
 *
 * All run in process context, under ktrc_control.
 */
struct ktrc_probe {
	const char *hook;
	struct ktrc_outlet *outlet;
	u32 rules;
	int (*check)(void);
	int (*attach)(u32 clock);
	void (*detach)(void);
	u64 (*missed)(void);
};

#define KTRC_PROBE_DATA(ev) extern const struct ktrc_probe ktrc_probe_##ev
#define KTRC_PROBE_PART KTRC_PROBE_DATA
#define KTRC_PROBE_DICT(ev)
#define KTRC_EVENT(id, ev, label, kind, doc) KTRC_PROBE_##kind(ev);
#include "../uapi/ktrc_events.def"
#undef KTRC_PROBE_DATA
#undef KTRC_PROBE_PART
#undef KTRC_PROBE_DICT

#endif /* KTRC_PROBE_H */
