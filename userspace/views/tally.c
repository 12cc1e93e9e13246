// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters by event. */
#include "tally.h"

#include <stdlib.h>

#include "../lib/array.h"
#include "../lib/cleanup.h"

u64 ktrc_counters_timed(const struct ktrc_counters *counters)
{
	u64 sum = 0;

	for (size_t i = 0; i < KTRC_HIST_BUCKETS; i++)
		sum += counters->hist[i];
	return sum;
}

static bool has_duration(const struct ktrc_event *event)
{
	for (size_t i = 0; i < event->nr_fields; i++)
		if (event->fields[i].format == KTRC_FMT_TICKS)
			return true;
	return false;
}

/* Whose hits, or which, concern the session; a duration or a sample only keep records away. */
static bool is_choosy(const struct ktrc_session *s, const struct ktrc_rule *rule)
{
	return s->nr_pids || s->cgid || rule->flags & ~(u32)KTRC_RULE_COUNT;
}

/* Only hits that concern the session have their duration counted. */
static void find_wanted(struct ktrc_tally *tally, const struct ktrc_session *s)
{
	const struct ktrc_rule *rule = &s->rules[tally->event->id];
	bool leaves_out = rule->flags & KTRC_RULE_COUNT || rule->sample > 1;

	tally->knows_wanted = tally->has_duration || !is_choosy(s, rule) || !leaves_out;
	if (tally->has_duration)
		tally->wanted = ktrc_counters_timed(&tally->total);
	else if (!leaves_out)
		tally->wanted = tally->total.hits - tally->total.filtered;
	else
		tally->wanted = tally->total.hits;
	tally->is_counted = leaves_out && !tally->total.written && tally->wanted;
}

struct ktrc_tallies *ktrc_tallies_create(const struct ktrc_capture *capture)
{
	__ktrc_tallies struct ktrc_tallies *tallies = calloc(1, sizeof(*tallies));

	if (!tallies)
		return NULL;
	tallies->capture = capture;
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		const struct ktrc_event *event = ktrc_schema_event(capture->schema, id);
		struct ktrc_tally *tally;

		if (!event || !(capture->session.events >> id & 1) || event->kind != KTRC_KIND_DATA)
			continue;
		tally = ktrc_array_push(tallies->rows, tallies->nr);
		if (!tally)
			return NULL;
		tally->event = event;
		tally->has_duration = has_duration(event);
		tally->total = ktrc_counter_set_total(&capture->after, id);
		find_wanted(tally, &capture->session);
	}
	return ktrc_steal(tallies);
}

void ktrc_tallies_destroy(struct ktrc_tallies *tallies)
{
	if (!tallies)
		return;
	free(tallies->rows);
	free(tallies);
}

void ktrc_cleanup_tallies(struct ktrc_tallies **tallies)
{
	ktrc_tallies_destroy(*tallies);
}

const struct ktrc_tally *ktrc_tallies_find(const struct ktrc_tallies *tallies,
					   const struct ktrc_event *event)
{
	for (size_t i = 0; i < tallies->nr; i++)
		if (tallies->rows[i].event == event)
			return &tallies->rows[i];
	return NULL;
}

const struct ktrc_tally *ktrc_tallies_counted(const struct ktrc_tallies *tallies)
{
	for (size_t i = 0; i < tallies->nr; i++)
		if (tallies->rows[i].is_counted)
			return &tallies->rows[i];
	return NULL;
}

/* Bucket i ends below 2^i ticks; nothing is longer than the longest. */
u64 ktrc_tally_percentile_ticks(const struct ktrc_tally *tally, u32 percent)
{
	double wanted = (double)ktrc_counters_timed(&tally->total) * percent / 100.0;
	u64 longest = tally->total.longest_ticks, seen = 0;

	for (size_t i = 0; i < KTRC_HIST_BUCKETS; i++) {
		seen += tally->total.hist[i];
		if (seen && (double)seen >= wanted)
			return 1ull << i < longest ? 1ull << i : longest;
	}
	return longest;
}
