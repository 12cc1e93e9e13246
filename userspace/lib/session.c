// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of a session's states, and arithmetic on its counters. */
#include "session.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const char *const mode_names[] = { "flight", "stream" };
static const char *const state_names[] = { "new", "running", "stopped" };
static const char *const stop_reason_names[] = { "none",    "asked",	"no_consumer",
						 "deleted", "max_time", "broken" };
static const char *const clock_names[] = { "none", "tsc", "mono" };

static const char unknown[] = "unknown";

const struct ktrc_words ktrc_modes = { mode_names, ARRAY_SIZE(mode_names) };
const struct ktrc_words ktrc_states = { state_names, ARRAY_SIZE(state_names) };
const struct ktrc_words ktrc_stop_reasons = { stop_reason_names, ARRAY_SIZE(stop_reason_names) };
const struct ktrc_words ktrc_clocks = { clock_names, ARRAY_SIZE(clock_names) };

const char *ktrc_word(const struct ktrc_words *words, u32 number)
{
	return number < words->nr ? words->names[number] : unknown;
}

int ktrc_word_number(const struct ktrc_words *words, const char *word)
{
	for (size_t i = 0; i < words->nr; i++)
		if (strcmp(words->names[i], word) == 0)
			return (int)i;
	return strcmp(word, unknown) == 0 ? (int)words->nr : -EINVAL;
}

#define COUNTER(member, ATTR, loss)                                                           \
	{                                                                                     \
#member, KTRC_A_COUNTERS_##ATTR, offsetof(struct ktrc_counters, member), loss \
	}

const struct ktrc_counter ktrc_counter_table[KTRC_NR_COUNTERS] = {
	COUNTER(hits, HITS, false),
	COUNTER(written, WRITTEN, false),
	COUNTER(filtered, FILTERED, false),
	COUNTER(lost_full, LOST_FULL, true),
	COUNTER(lost_nest, LOST_NEST, true),
	COUNTER(lost_recursion, LOST_RECURSION, true),
	COUNTER(lost_noring, LOST_NORING, true),
	COUNTER(lost_missed, LOST_MISSED, true),
	COUNTER(nested, NESTED, false),
	COUNTER(sum_ticks, SUM, false),
	COUNTER(longest_ticks, LONGEST, false),
};

u64 ktrc_counters_lost(const struct ktrc_counters *row)
{
	struct ktrc_counters copy = *row;
	u64 lost = 0;

	for (size_t i = 0; i < KTRC_NR_COUNTERS; i++)
		if (ktrc_counter_table[i].is_loss)
			lost += *ktrc_counter_of(&ktrc_counter_table[i], &copy);
	return lost;
}

void ktrc_counters_add(struct ktrc_counters *total, const struct ktrc_counters *row)
{
	struct ktrc_counters copy = *row;
	u64 longest = total->longest_ticks;

	for (size_t i = 0; i < KTRC_NR_COUNTERS; i++)
		*ktrc_counter_of(&ktrc_counter_table[i], total) +=
			*ktrc_counter_of(&ktrc_counter_table[i], &copy);
	for (size_t i = 0; i < KTRC_HIST_BUCKETS; i++)
		total->hist[i] += row->hist[i];
	total->longest_ticks = longest > row->longest_ticks ? longest : row->longest_ticks;
}

struct ktrc_counters ktrc_counter_set_total(const struct ktrc_counter_set *set, u32 event)
{
	struct ktrc_counters total = { .event = event, .cpu = KTRC_CPU_NONE };

	for (size_t i = 0; i < set->nr; i++)
		if (event == KTRC_CPU_NONE || set->rows[i].event == event)
			ktrc_counters_add(&total, &set->rows[i]);
	return total;
}

const struct ktrc_counters *ktrc_counter_set_find(const struct ktrc_counter_set *set, u32 event,
						  u32 cpu)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->rows[i].event == event && set->rows[i].cpu == cpu)
			return &set->rows[i];
	return NULL;
}
