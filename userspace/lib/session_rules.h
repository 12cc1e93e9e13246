/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session records, as users type and read it: "fault:min=1ms:major:1/64,reclaim". */
#ifndef KTRC_SESSION_RULES_H
#define KTRC_SESSION_RULES_H

#include "schema.h"

/* Room for the text of a rule. */
#define KTRC_RULE_ROOM 120

/** ktrc_rule_text() - as it is typed behind an event; "" when every hit becomes a record */
const char *ktrc_rule_text(const struct ktrc_rule *rule, char room[KTRC_RULE_ROOM]);

/** ktrc_rules_text() - what an event's rule can ask: "min=TIME major count 1/N"; @rules: event.rules */
const char *ktrc_rules_text(u32 rules, char room[KTRC_RULE_ROOM]);

/** ktrc_stacks_text() - which stacks its records have, as it is typed: "stack=user:depth=32" */
const char *ktrc_stacks_text(const struct ktrc_rule *rule, char room[KTRC_RULE_ROOM]);

/** ktrc_rule_word() - the word for one bit of enum ktrc_rule_flag; NULL if there is none */
const char *ktrc_rule_word(u32 flag);

/** ktrc_rule_flag_of() - the reverse; 0 if it is none */
u32 ktrc_rule_flag_of(const char *word);

/** ktrc_session_weight() - hits that one record of an event stands for: N with 1/N, else 1 */
u32 ktrc_session_weight(const struct ktrc_session *session, u32 event);

/**
 * ktrc_session_filter_text() - all filters and rules in one line, "" if there are none
 *
 * "pid 12,13; cgroup 4711; fault min=1ms:1/64".  The caller frees it; NULL without memory.
 */
char *ktrc_session_filter_text(const struct ktrc_session *session,
			       const struct ktrc_schema *schema);

/**
 * ktrc_session_parse_events() - --events to the session's @events and @rules
 *
 * Only DATA events can be named; their PART events come with them, as far as this kernel has
 * them, and follow their rule as far as they can.
 * Return: 0, -EINVAL with what is meant as hint, or -EOPNOTSUPP when this kernel cannot
 * record one of them.
 */
int ktrc_session_parse_events(const struct ktrc_schema *schema, const char *list,
			      struct ktrc_session *session, struct ktrc_error *err);

/**
 * ktrc_session_apply_rule() - a rule for every event of the session that can follow it
 * @rule: what an event's own rule says goes before @min_ns and @sample
 *
 * Return: 0, or -EINVAL when no event can, or one asks for the contrary.
 */
int ktrc_session_apply_rule(const struct ktrc_schema *schema, const struct ktrc_rule *rule,
			    struct ktrc_session *session, struct ktrc_error *err);

/** ktrc_parse_sample() - "1/64" as 64; false if it is none */
bool ktrc_parse_sample(const char *text, u32 *sample);

#endif
