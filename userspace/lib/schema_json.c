// SPDX-License-Identifier: GPL-2.0-or-later
/* The schema as it stands in ktrc.json. */
#include <errno.h>

#include "array.h"
#include "cleanup.h"
#include "json.h"
#include "session_rules.h"
#include "trace.h"

static const struct ktrc_json_member event_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_event, id),
	KTRC_JSON_MEMBER(struct ktrc_event, kind),
	KTRC_JSON_MEMBER(struct ktrc_event, avail),
	KTRC_JSON_MEMBER(struct ktrc_event, bytes),
};

static const struct ktrc_json_member field_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_field, offset_bits),
	KTRC_JSON_MEMBER(struct ktrc_field, width_bits),
};

static const struct ktrc_json_member value_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_enum_value, number),
};

/* An absent string stays absent. */
static void set_text(json_t *object, const char *key, const char *text)
{
	if (text)
		json_object_set_new(object, key, json_string(text));
}

static json_t *field_to_json(const struct ktrc_field *field)
{
	json_t *object = ktrc_json_pack(field_members, ARRAY_SIZE(field_members), field);
	const char *format = ktrc_format_name(field->format);

	set_text(object, "name", field->name);
	/* a format of a newer module is a number to this library */
	set_text(object, "format", format ? format : ktrc_format_name(KTRC_FMT_COUNT));
	set_text(object, "enum", field->enum_name);
	set_text(object, "doc", field->doc);
	return object;
}

static json_t *rules_to_json(u32 rules)
{
	json_t *words = json_array();

	for (u32 flag = 1; flag; flag <<= 1)
		if (rules & flag && ktrc_rule_word(flag))
			json_array_append_new(words, json_string(ktrc_rule_word(flag)));
	return words;
}

static json_t *event_to_json(const struct ktrc_event *event)
{
	json_t *object = ktrc_json_pack(event_members, ARRAY_SIZE(event_members), event);
	json_t *fields = json_array();

	set_text(object, "name", event->name);
	set_text(object, "label", event->label);
	set_text(object, "doc", event->doc);
	set_text(object, "hook", event->hook);
	set_text(object, "reason", event->reason);
	json_object_set_new(object, "rules", rules_to_json(event->rules));
	for (size_t i = 0; i < event->nr_fields; i++)
		json_array_append_new(fields, field_to_json(&event->fields[i]));
	json_object_set_new(object, "fields", fields);
	return object;
}

static json_t *enum_to_json(const struct ktrc_enum *enm)
{
	json_t *values = json_array();

	for (size_t i = 0; i < enm->nr_values; i++) {
		json_t *value = json_object();

		json_object_set_new(value, "number", json_integer(enm->values[i].number));
		set_text(value, "name", enm->values[i].name);
		set_text(value, "doc", enm->values[i].doc);
		json_array_append_new(values, value);
	}
	return values;
}

json_t *ktrc_schema_to_json(const struct ktrc_schema *schema)
{
	json_t *events = json_array(), *enums = json_object();

	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++)
		if (ktrc_schema_event(schema, id))
			json_array_append_new(events, event_to_json(&schema->events[id]));
	for (size_t i = 0; i < schema->nr_enums; i++)
		json_object_set_new(enums, schema->enums[i].name, enum_to_json(&schema->enums[i]));
	return json_pack("{s:o, s:o}", "events", events, "enums", enums);
}

static int get_text(const json_t *object, const char *key, bool must, char **ret)
{
	const char *text = ktrc_json_text(object, key);

	if (!text)
		return must ? -EPROTO : 0;
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

static int field_from_json(const json_t *object, struct ktrc_event *event)
{
	struct ktrc_field *field = ktrc_array_push(event->fields, event->nr_fields);
	const char *format_name = ktrc_json_text(object, "format");
	int format = format_name ? ktrc_format_number(format_name) : -EPROTO;

	if (!field)
		return -ENOMEM;
	if (format < 0 || !ktrc_json_fits(object, "{s?s, s?s}", "enum", "doc") ||
	    ktrc_json_unpack(object, field_members, ARRAY_SIZE(field_members), field) < 0)
		return -EPROTO;
	field->format = (u32)format;
	if (get_text(object, "name", true, &field->name) < 0 ||
	    get_text(object, "enum", false, &field->enum_name) < 0 ||
	    get_text(object, "doc", false, &field->doc) < 0)
		return -EPROTO;
	return 0;
}

/* Traces of older tools do not say. */
static u32 rules_from_json(const json_t *words)
{
	const json_t *word;
	u32 rules = 0;
	size_t i;

	json_array_foreach(words, i, word)
		if (json_is_string(word))
			rules |= ktrc_rule_flag_of(json_string_value(word));
	return rules;
}

static int event_from_json(const json_t *object, struct ktrc_schema *schema)
{
	struct ktrc_event parsed = { 0 }, *event;
	const json_t *field;
	size_t i;
	int ret;

	if (ktrc_json_unpack(object, event_members, ARRAY_SIZE(event_members), &parsed) < 0 ||
	    parsed.id >= KTRC_MAX_EVENTS || schema->events[parsed.id].name ||
	    !ktrc_json_fits(object, "{s:[], s?[], s?s, s?s, s?s}", "fields", "rules", "doc", "hook",
			    "reason"))
		return -EPROTO;
	event = &schema->events[parsed.id];
	*event = parsed;
	event->rules = rules_from_json(json_object_get(object, "rules"));
	if (get_text(object, "name", true, &event->name) < 0 ||
	    get_text(object, "label", true, &event->label) < 0 ||
	    get_text(object, "doc", false, &event->doc) < 0 ||
	    get_text(object, "hook", false, &event->hook) < 0 ||
	    get_text(object, "reason", false, &event->reason) < 0)
		return -EPROTO;
	json_array_foreach(json_object_get(object, "fields"), i, field) {
		ret = field_from_json(field, event);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int enum_from_json(const char *name, const json_t *values, struct ktrc_schema *schema)
{
	struct ktrc_enum_value parsed;
	const json_t *value;
	const char *doc;
	size_t i;
	int ret;

	if (!json_is_array(values))
		return -EPROTO;
	json_array_foreach(values, i, value) {
		if (!ktrc_json_fits(value, "{s:s, s?s}", "name", "doc") ||
		    ktrc_json_unpack(value, value_members, ARRAY_SIZE(value_members), &parsed) < 0)
			return -EPROTO;
		doc = ktrc_json_text(value, "doc");
		ret = ktrc_schema_add_value(schema, name, parsed.number,
					    ktrc_json_text(value, "name"), doc ? doc : "");
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int fill(struct ktrc_schema *schema, const json_t *object)
{
	const json_t *event;
	const char *name;
	json_t *values;
	size_t i;
	int ret = 0;

	if (!ktrc_json_fits(object, "{s:[], s:{}}", "events", "enums"))
		return -EPROTO;
	json_array_foreach(json_object_get(object, "events"), i, event) {
		ret = event_from_json(event, schema);
		if (ret < 0)
			return ret;
	}
	json_object_foreach(json_object_get(object, "enums"), name, values) {
		ret = enum_from_json(name, values, schema);
		if (ret < 0)
			return ret;
	}
	return 0;
}

struct ktrc_schema *ktrc_schema_from_json(const json_t *object, struct ktrc_error *err)
{
	__ktrc_schema struct ktrc_schema *schema = ktrc_schema_create();

	if (!schema) {
		ktrc_fail(err, ENOMEM, "schema");
		return NULL;
	}
	if (fill(schema, object) < 0) {
		ktrc_fail_as(err, EPROTO, KTRC_EXIT_FAILED,
			     KTRC_TRACE_JSON ": its schema is damaged");
		return NULL;
	}
	if (ktrc_schema_finish(schema, err) < 0)
		return NULL;
	return ktrc_steal(schema);
}
