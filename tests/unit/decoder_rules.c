// SPDX-License-Identifier: GPL-2.0-or-later
/* What a rule on an event means to the parts of it. */
#include <stdio.h>
#include <string.h>

#include "../../userspace/lib/session_rules.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

static struct ktrc_schema *schema;

static struct ktrc_session parsed(const char *events)
{
	struct ktrc_session session = { 0 };
	struct ktrc_error err;

	if (ktrc_session_parse_events(schema, events, &session, &err) < 0) {
		printf("# %s\n", err.text);
		abort();
	}
	return session;
}

static bool has(const struct ktrc_session *session, u32 event, u64 min_ns, u32 sample)
{
	const struct ktrc_rule *rule = &session->rules[event];

	return session->events >> event & 1 && rule->min_ns == min_ns && rule->sample == sample;
}

static void test_parts(void)
{
	struct ktrc_session s = parsed("compaction:min=10ms:1/8,reclaim:1/4");

	ok(has(&s, KTRC_EV_compaction, 10000000, 8) && has(&s, KTRC_EV_reclaim, 0, 4),
	   "an event has the rule that it was given");
	ok(has(&s, KTRC_EV_compaction_extfrag, 10000000, 8) && has(&s, KTRC_EV_reclaim_slab, 0, 4),
	   "what stands for itself follows");
	ok(has(&s, KTRC_EV_compaction_zone, 0, 0) && has(&s, KTRC_EV_reclaim_wake, 0, 0) &&
		   has(&s, KTRC_EV_reclaim_sleep, 0, 0),
	   "what is added up or paired is recorded whole");
}

static void test_all(void)
{
	const struct ktrc_rule all = { .sample = 16 };
	struct ktrc_session s = parsed("compaction,reclaim:1/4");
	struct ktrc_error err;

	ok(ktrc_session_apply_rule(schema, &all, &s, &err) == 0 &&
		   has(&s, KTRC_EV_compaction, 0, 16) && has(&s, KTRC_EV_reclaim, 0, 4) &&
		   has(&s, KTRC_EV_compaction_zone, 0, 0),
	   "so too by a rule for all events");
}

int main(void)
{
	schema = synth_schema();
	for (u32 i = 0; i < KTRC_MAX_EVENTS; i++)
		schema->events[i].rules = KTRC_RULE_MIN | KTRC_RULE_COUNT;
	test_parts();
	test_all();
	ktrc_schema_destroy(schema);
	return end_of_tests();
}
