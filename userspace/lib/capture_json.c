// SPDX-License-Identifier: GPL-2.0-or-later
/* A capture, all but its records, as ktrc.json. */
#include <errno.h>

#include "array.h"
#include "cleanup.h"
#include "json.h"
#include "session_rules.h"
#include "trace.h"

static const struct ktrc_json_member session_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_session, packet_bytes),
	KTRC_JSON_MEMBER(struct ktrc_session, memory_bytes),
};

static const struct ktrc_json_member clock_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_timebase, hz),
	KTRC_JSON_MEMBER(struct ktrc_timebase, ticks),
	KTRC_JSON_MEMBER(struct ktrc_timebase, mono_ns),
	KTRC_JSON_MEMBER(struct ktrc_timebase, real_ns),
};

static const struct ktrc_json_member capture_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_capture, start_ticks),
	KTRC_JSON_MEMBER(struct ktrc_capture, end_ticks),
	KTRC_JSON_MEMBER(struct ktrc_capture, schema_version),
	KTRC_JSON_MEMBER(struct ktrc_capture, nr_cpus),
	KTRC_JSON_MEMBER(struct ktrc_capture, nr_online),
	KTRC_JSON_MEMBER(struct ktrc_capture, nr_packets),
};

static json_t *counters_row(const struct ktrc_counters *row, const struct ktrc_schema *schema)
{
	const struct ktrc_event *event = ktrc_schema_event(schema, row->event);
	struct ktrc_counters copy = *row;
	json_t *object = json_object(), *hist = json_array();

	json_object_set_new(object, "event", json_string(event ? event->label : "?"));
	json_object_set_new(object, "cpu",
			    row->cpu == KTRC_CPU_NONE ? json_null() : json_integer(row->cpu));
	for (size_t i = 0; i < KTRC_NR_COUNTERS; i++)
		json_object_set_new(
			object, ktrc_counter_table[i].name,
			json_integer((s64)*ktrc_counter_of(&ktrc_counter_table[i], &copy)));
	for (size_t i = 0; i < KTRC_HIST_BUCKETS; i++)
		json_array_append_new(hist, json_integer((s64)row->hist[i]));
	json_object_set_new(object, "hist", hist);
	return object;
}

json_t *ktrc_counters_to_json(const struct ktrc_counter_set *set, const struct ktrc_schema *schema)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < set->nr; i++)
		json_array_append_new(rows, counters_row(&set->rows[i], schema));
	return rows;
}

static int counters_row_from_json(const json_t *object, struct ktrc_counters *row)
{
	const json_t *cpu = json_object_get(object, "cpu"), *hist = json_object_get(object, "hist");
	const json_t *number;

	if (!(ktrc_json_is_u32(cpu) || json_is_null(cpu)) || !json_is_array(hist) ||
	    json_array_size(hist) > KTRC_HIST_BUCKETS)
		return -EPROTO;
	row->cpu = json_is_null(cpu) ? KTRC_CPU_NONE : (u32)json_integer_value(cpu);
	for (size_t i = 0; i < KTRC_NR_COUNTERS; i++) {
		number = json_object_get(object, ktrc_counter_table[i].name);
		if (!json_is_integer(number))
			return -EPROTO;
		*ktrc_counter_of(&ktrc_counter_table[i], row) = (u64)json_integer_value(number);
	}
	for (size_t i = 0; i < json_array_size(hist); i++) {
		number = json_array_get(hist, i);
		if (!json_is_integer(number))
			return -EPROTO;
		row->hist[i] = (u64)json_integer_value(number);
	}
	return 0;
}

static int counters_from_json(const json_t *rows, const struct ktrc_schema *schema,
			      struct ktrc_counter_set *set)
{
	const struct ktrc_event *event;
	struct ktrc_counters *row;
	const json_t *object;
	const char *label;
	size_t i;

	json_array_foreach(rows, i, object) {
		label = ktrc_json_text(object, "event");
		event = label ? ktrc_schema_find(schema, label) : NULL;
		row = ktrc_array_push(set->rows, set->nr);
		if (!event || !row || counters_row_from_json(object, row) < 0)
			return -EPROTO;
		row->event = event->id;
	}
	return 0;
}

static json_t *events_to_json(const struct ktrc_capture *capture)
{
	json_t *labels = json_array();

	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++)
		if (capture->session.events >> id & 1 && ktrc_schema_event(capture->schema, id))
			json_array_append_new(labels,
					      json_string(capture->schema->events[id].label));
	return labels;
}

static const struct ktrc_json_member filter_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_session, cgid),
	KTRC_JSON_MEMBER(struct ktrc_session, max_seconds),
	KTRC_JSON_MEMBER(struct ktrc_session, names_missed),
};

static const struct ktrc_json_member rule_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_rule, min_ns),
	KTRC_JSON_MEMBER(struct ktrc_rule, sample),
	KTRC_JSON_MEMBER(struct ktrc_rule, flags),
};

static json_t *rule_to_json(const struct ktrc_event *event, const struct ktrc_rule *rule)
{
	json_t *object = ktrc_json_pack(rule_members, ARRAY_SIZE(rule_members), rule);
	char text[KTRC_RULE_ROOM];

	json_object_set_new(object, "event", json_string(event->label));
	json_object_set_new(object, "rule", json_string(ktrc_rule_text(rule, text)));
	return object;
}

json_t *ktrc_filters_to_json(const struct ktrc_session *s, const struct ktrc_schema *schema)
{
	json_t *object = ktrc_json_pack(filter_members, ARRAY_SIZE(filter_members), s);
	json_t *pids = json_array(), *rules = json_array();
	char text[KTRC_RULE_ROOM];

	for (u32 i = 0; i < s->nr_pids; i++)
		json_array_append_new(pids, json_integer(s->pids[i]));
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++)
		if (ktrc_schema_event(schema, id) && *ktrc_rule_text(&s->rules[id], text))
			json_array_append_new(rules,
					      rule_to_json(&schema->events[id], &s->rules[id]));
	json_object_set_new(object, "pids", pids);
	json_object_set_new(object, "rules", rules);
	return object;
}

static int rule_from_json(const json_t *object, const struct ktrc_schema *schema,
			  struct ktrc_session *s)
{
	const char *label = ktrc_json_text(object, "event");
	const struct ktrc_event *event = label ? ktrc_schema_find(schema, label) : NULL;

	if (!event)
		return -EPROTO;
	return ktrc_json_unpack(object, rule_members, ARRAY_SIZE(rule_members),
				&s->rules[event->id]);
}

/* Traces of older tools have none. */
static int filters_from_json(const json_t *object, const struct ktrc_schema *schema,
			     struct ktrc_session *s)
{
	const json_t *row;
	size_t i;

	if (!object)
		return 0;
	if (!ktrc_json_fits(object, "{s:[], s:[]}", "pids", "rules") ||
	    ktrc_json_unpack(object, filter_members, ARRAY_SIZE(filter_members), s) < 0)
		return -EPROTO;
	json_array_foreach(json_object_get(object, "pids"), i, row) {
		if (!ktrc_json_is_u32(row) || i == KTRC_MAX_PIDS)
			return -EPROTO;
		s->pids[s->nr_pids++] = (u32)json_integer_value(row);
	}
	json_array_foreach(json_object_get(object, "rules"), i, row)
		if (rule_from_json(row, schema, s) < 0)
			return -EPROTO;
	return 0;
}

static const struct ktrc_json_member stack_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_rule, user_frames),
	KTRC_JSON_MEMBER(struct ktrc_rule, kernel_frames),
	KTRC_JSON_MEMBER(struct ktrc_rule, user_bytes),
};

static json_t *stacks_to_json(const struct ktrc_capture *capture)
{
	const struct ktrc_rule *rules = capture->session.rules;
	json_t *rows = json_array(), *row;

	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		if (!ktrc_schema_event(capture->schema, id) || !ktrc_rule_has_stacks(&rules[id]))
			continue;
		row = ktrc_json_pack(stack_members, ARRAY_SIZE(stack_members), &rules[id]);
		json_object_set_new(row, "event", json_string(capture->schema->events[id].label));
		json_array_append_new(rows, row);
	}
	return rows;
}

/* Traces of older tools have none. */
static int stacks_from_json(const json_t *rows, const struct ktrc_schema *schema,
			    struct ktrc_session *s)
{
	const struct ktrc_event *event;
	const json_t *row;
	size_t i, nr;

	json_array_foreach(rows, i, row) {
		event = ktrc_json_text(row, "event") ?
				ktrc_schema_find(schema, ktrc_json_text(row, "event")) :
				NULL;
		/* nor have those of somewhat newer ones copies: the last member */
		nr = ARRAY_SIZE(stack_members) - !json_object_get(row, "user_bytes");
		if (!event || ktrc_json_unpack(row, stack_members, nr, &s->rules[event->id]) < 0)
			return -EPROTO;
	}
	return 0;
}

static json_t *session_to_json(const struct ktrc_capture *capture)
{
	const struct ktrc_session *s = &capture->session;
	json_t *object = ktrc_json_pack(session_members, ARRAY_SIZE(session_members), s);

	json_object_set_new(object, "name", json_string(s->name));
	json_object_set_new(object, "uuid", ktrc_json_uuid(capture->uuid));
	json_object_set_new(object, "mode", json_string(ktrc_word(&ktrc_modes, s->mode)));
	json_object_set_new(object, "state", json_string(ktrc_word(&ktrc_states, s->state)));
	json_object_set_new(object, "stop_reason",
			    json_string(ktrc_word(&ktrc_stop_reasons, s->stop_reason)));
	json_object_set_new(object, "events", events_to_json(capture));
	json_object_set_new(object, "filters", ktrc_filters_to_json(s, capture->schema));
	json_object_set_new(object, "stacks", stacks_to_json(capture));
	return object;
}

json_t *ktrc_capture_to_json(const struct ktrc_capture *capture)
{
	json_t *object = json_pack("{s:s, s:s, s:s}", "format", KTRC_TRACE_FORMAT, "host",
				   capture->host, "kernel", capture->kernel);
	json_t *numbers = ktrc_json_pack(capture_members, ARRAY_SIZE(capture_members), capture);
	json_t *clock = ktrc_json_pack(clock_members, ARRAY_SIZE(clock_members), &capture->clock);

	json_object_update_missing(object, numbers);
	json_decref(numbers);
	json_object_set_new(object, "is_cut", json_boolean(capture->is_cut));
	if (capture->is_unfinished)
		json_object_set_new(object, "is_unfinished", json_true());
	json_object_set_new(object, "lost", json_integer((s64)ktrc_capture_lost(capture)));
	json_object_set_new(object, "session", session_to_json(capture));
	json_object_set_new(clock, "kind",
			    json_string(ktrc_word(&ktrc_clocks, capture->clock.kind)));
	json_object_set_new(object, "clock", clock);
	json_object_set_new(object, "vmstat_start", ktrc_json_vmstat(&capture->base.start));
	json_object_set_new(object, "vmstat_stop", ktrc_json_vmstat(&capture->base.stop));
	json_object_set_new(object, "cpu_max", ktrc_quotas_to_json(&capture->quotas));
	json_object_set_new(object, "counters_before",
			    ktrc_counters_to_json(&capture->before, capture->schema));
	json_object_set_new(object, "counters_after",
			    ktrc_counters_to_json(&capture->after, capture->schema));
	json_object_set_new(object, "settled_ticks", json_integer((s64)capture->settled_ticks));
	json_object_set_new(object, "cgroups", ktrc_names_to_json(&capture->names));
	json_object_set_new(object, "schema", ktrc_schema_to_json(capture->schema));
	return object;
}

static int word_from_json(const json_t *object, const char *key, const struct ktrc_words *words,
			  u32 *ret)
{
	const char *word = ktrc_json_text(object, key);
	int number = word ? ktrc_word_number(words, word) : -EPROTO;

	if (number < 0)
		return number;
	*ret = (u32)number;
	return 0;
}

static int text_from_json(const json_t *object, const char *key, char *text, size_t room)
{
	const char *value = ktrc_json_text(object, key);

	if (!value || strlen(value) >= room)
		return -EPROTO;
	for (const char *c = value; *c; c++)
		if (*c < ' ' || *c > '~')
			return -EPROTO;
	strcpy(text, value);
	return 0;
}

static int session_from_json(struct ktrc_capture *capture, const json_t *object)
{
	struct ktrc_session *s = &capture->session;
	const struct ktrc_event *event;
	const json_t *label;
	size_t i;

	if (!ktrc_json_fits(object, "{s:[], s?{}, s?[]}", "events", "filters", "stacks") ||
	    ktrc_json_unpack(object, session_members, ARRAY_SIZE(session_members), s) < 0 ||
	    text_from_json(object, "name", s->name, sizeof(s->name)) < 0 ||
	    ktrc_json_parse_uuid(json_object_get(object, "uuid"), capture->uuid) < 0 ||
	    word_from_json(object, "mode", &ktrc_modes, &s->mode) < 0 ||
	    word_from_json(object, "state", &ktrc_states, &s->state) < 0 ||
	    word_from_json(object, "stop_reason", &ktrc_stop_reasons, &s->stop_reason) < 0)
		return -EPROTO;
	json_array_foreach(json_object_get(object, "events"), i, label) {
		if (!json_is_string(label))
			return -EPROTO;
		event = ktrc_schema_find(capture->schema, json_string_value(label));
		if (!event)
			return -EPROTO;
		s->events |= 1ull << event->id;
	}
	if (filters_from_json(json_object_get(object, "filters"), capture->schema, s) < 0)
		return -EPROTO;
	return stacks_from_json(json_object_get(object, "stacks"), capture->schema, s);
}

static int clock_from_json(struct ktrc_timebase *clock, const json_t *object)
{
	if (ktrc_json_unpack(object, clock_members, ARRAY_SIZE(clock_members), clock) < 0 ||
	    word_from_json(object, "kind", &ktrc_clocks, &clock->kind) < 0 || !clock->hz)
		return -EPROTO;
	return 0;
}

/* What traces of older tools do not have. */
static int fill_newer(struct ktrc_capture *capture, const json_t *document)
{
	const json_t *settled = json_object_get(document, "settled_ticks");

	capture->settled_ticks = json_is_integer(settled) ? (u64)json_integer_value(settled) :
							    capture->end_ticks;
	/* names are not worth a trace */
	if (ktrc_symbols_from_json(&capture->symbols, json_object_get(document, "functions")) < 0)
		ktrc_symbols_release(&capture->symbols);
	if (ktrc_code_from_json(&capture->code, json_object_get(document, "code")) < 0)
		ktrc_code_release(&capture->code);
	if (ktrc_mapped_from_json(&capture->mapped, json_object_get(document, "mapped")) < 0)
		ktrc_mapped_release(&capture->mapped);
	if (ktrc_quotas_from_json(&capture->quotas, json_object_get(document, "cpu_max")) < 0)
		return -EPROTO;
	return ktrc_names_from_json(&capture->names, json_object_get(document, "cgroups"));
}

static int fill(struct ktrc_capture *capture, const json_t *document)
{
	if (!ktrc_json_fits(document, "{s?b, s?b, s?i, s?[], s?[], s:[], s:[]}", "is_cut",
			    "is_unfinished", "settled_ticks", "cgroups", "cpu_max",
			    "counters_before", "counters_after") ||
	    ktrc_json_unpack(document, capture_members, ARRAY_SIZE(capture_members), capture) < 0 ||
	    text_from_json(document, "host", capture->host, sizeof(capture->host)) < 0 ||
	    text_from_json(document, "kernel", capture->kernel, sizeof(capture->kernel)) < 0 ||
	    clock_from_json(&capture->clock, json_object_get(document, "clock")) < 0 ||
	    session_from_json(capture, json_object_get(document, "session")) < 0 ||
	    fill_newer(capture, document) < 0)
		return -EPROTO;
	capture->is_saved = true;
	capture->is_cut = json_is_true(json_object_get(document, "is_cut"));
	capture->is_unfinished = json_is_true(json_object_get(document, "is_unfinished"));
	capture->base.start = ktrc_json_parse_vmstat(json_object_get(document, "vmstat_start"));
	capture->base.stop = ktrc_json_parse_vmstat(json_object_get(document, "vmstat_stop"));
	if (counters_from_json(json_object_get(document, "counters_before"), capture->schema,
			       &capture->before) < 0)
		return -EPROTO;
	return counters_from_json(json_object_get(document, "counters_after"), capture->schema,
				  &capture->after);
}

int ktrc_capture_from_json(struct ktrc_capture *capture, const json_t *document,
			   struct ktrc_error *err)
{
	const char *format = ktrc_json_text(document, "format");

	if (!format || strcmp(format, KTRC_TRACE_FORMAT) != 0) {
		ktrc_fail_as(err, EPROTO, KTRC_EXIT_ABI,
			     KTRC_TRACE_JSON ": format \"%s\", this tool reads \"%s\"",
			     format ? format : "none", KTRC_TRACE_FORMAT);
		ktrc_hint(err, "read it with the ktrc-read that saved it, or with babeltrace2");
		return -EPROTO;
	}
	capture->schema = ktrc_schema_from_json(json_object_get(document, "schema"), err);
	if (!capture->schema)
		return -EPROTO;
	if (fill(capture, document) < 0)
		return ktrc_fail_as(err, EPROTO, KTRC_EXIT_FAILED,
				    KTRC_TRACE_JSON ": it is damaged");
	return 0;
}
