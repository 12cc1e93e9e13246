// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions by hit. */
#include "overhead.h"

/*
 * Instructions a hit: recorded, the same with where it was in user mode, or with a user stack of eleven
 * frames, kept from it by a filter, of an event only counted, lost.
 */
struct cost {
	const char *label;
	double written;
	double with_ip;
	double with_stack;
	double filtered;
	double counted;
	double lost;
};

/*
 * Figures of tests/bench/figures.txt, with their names; tests/check compares them. What
 * was not measured is taken to cost as much as the costliest that was.
 */
static const struct cost costs[] = {
	{ "fault.light", 78.2 /* light */, 209.4 /* light_ip_deep */, 445.0 /* light_user_deep */,
	  101.2 /* light_others */, 50.0 /* light_counted */, 113.9 /* light_full */ },
	{ NULL, 527.8 /* timed */, 1053.8 /* timed_user_deep */, 1053.8 /* timed_user_deep */,
	  541.4 /* timed_others */, 448.3 /* timed_counted */, 527.8 /* timed */ },
};

/* What is more of a record with a kernel stack; a copy was not measured. */
static const double kernel_stack = 4563.6 /* light_kernel_deep */ - 78.2 /* light */;

static const struct cost *cost_of(const struct ktrc_event *event)
{
	const struct cost *cost = costs;

	while (cost->label && !(event && strcmp(cost->label, event->label) == 0))
		cost++;
	return cost;
}

static double cost_written(const struct cost *cost, const struct ktrc_rule *rule)
{
	double user = !rule->user_frames     ? cost->written :
		      rule->user_frames == 1 ? cost->with_ip :
					       cost->with_stack;

	return user + (rule->kernel_frames ? kernel_stack : 0) +
	       (rule->user_bytes ? kernel_stack : 0);
}

static double instructions(const struct ktrc_capture *capture, const struct ktrc_counters *row)
{
	const struct cost *cost = cost_of(ktrc_schema_event(capture->schema, row->event));
	const struct ktrc_rule *rule = &capture->session.rules[row->event];
	bool is_counted = rule->flags & KTRC_RULE_COUNT;

	return (double)row->written * cost_written(cost, rule) +
	       (double)row->filtered * (is_counted ? cost->counted : cost->filtered) +
	       (double)ktrc_counters_lost(row) * cost->lost;
}

struct ktrc_overhead ktrc_overhead_of(const struct ktrc_capture *capture)
{
	u64 ns = ktrc_ticks_to_ns(&capture->clock,
				  ktrc_capture_window_ticks(capture, capture->start_ticks));
	struct ktrc_overhead overhead = { 0 };

	for (size_t i = 0; i < capture->after.nr; i++)
		overhead.instructions += instructions(capture, &capture->after.rows[i]);
	if (capture->start_ticks && ns)
		overhead.cpu_percent =
			100.0 * overhead.instructions / KTRC_INSTRUCTIONS_PER_NS / (double)ns;
	return overhead;
}
