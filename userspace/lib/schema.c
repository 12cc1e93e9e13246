// SPDX-License-Identifier: GPL-2.0-or-later
/* The schema: building, checking and looking up. */
#include "schema.h"

#include <ctype.h>
#include <errno.h>

#include "array.h"
#include "cleanup.h"

static const char *const format_names[] = {
	[KTRC_FMT_COUNT] = "count", [KTRC_FMT_FLAG] = "flag",	    [KTRC_FMT_ID] = "id",
	[KTRC_FMT_PAGE] = "page",   [KTRC_FMT_TICKS] = "ticks",	    [KTRC_FMT_STAMP] = "stamp",
	[KTRC_FMT_NS] = "ns",	    [KTRC_FMT_ENUM] = "enum",	    [KTRC_FMT_PAD] = "pad",
	[KTRC_FMT_TEXT] = "text",   [KTRC_FMT_ADDRESS] = "address",
};

const char *ktrc_format_name(u32 format)
{
	return format < ARRAY_SIZE(format_names) ? format_names[format] : NULL;
}

int ktrc_format_number(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(format_names); i++)
		if (strcmp(format_names[i], name) == 0)
			return (int)i;
	return -EINVAL;
}

struct ktrc_schema *ktrc_schema_create(void)
{
	return calloc(1, sizeof(struct ktrc_schema));
}

static void event_release(struct ktrc_event *event)
{
	for (size_t i = 0; i < event->nr_fields; i++) {
		free(event->fields[i].name);
		free(event->fields[i].doc);
		free(event->fields[i].enum_name);
	}
	free(event->fields);
	free(event->name);
	free(event->label);
	free(event->doc);
	free(event->reason);
	free(event->hook);
}

static void enum_release(struct ktrc_enum *enm)
{
	for (size_t i = 0; i < enm->nr_values; i++) {
		free(enm->values[i].name);
		free(enm->values[i].doc);
	}
	free(enm->values);
	free(enm->name);
}

void ktrc_schema_destroy(struct ktrc_schema *schema)
{
	if (!schema)
		return;
	for (size_t i = 0; i < KTRC_MAX_EVENTS; i++)
		event_release(&schema->events[i]);
	for (size_t i = 0; i < schema->nr_enums; i++)
		enum_release(&schema->enums[i]);
	free(schema->enums);
	free(schema);
}

void ktrc_cleanup_schema(struct ktrc_schema **schema)
{
	ktrc_schema_destroy(*schema);
}

const struct ktrc_enum *ktrc_schema_find_enum(const struct ktrc_schema *schema, const char *name)
{
	for (size_t i = 0; i < schema->nr_enums; i++)
		if (strcmp(schema->enums[i].name, name) == 0)
			return &schema->enums[i];
	return NULL;
}

static struct ktrc_enum *get_enum(struct ktrc_schema *schema, const char *name)
{
	struct ktrc_enum *enm = (struct ktrc_enum *)ktrc_schema_find_enum(schema, name);
	__ktrc_free char *copy = NULL;

	if (enm)
		return enm;
	copy = strdup(name);
	if (!copy)
		return NULL;
	enm = ktrc_array_push(schema->enums, schema->nr_enums);
	if (enm)
		enm->name = ktrc_steal(copy);
	return enm;
}

int ktrc_schema_add_value(struct ktrc_schema *schema, const char *enum_name, u32 number,
			  const char *name, const char *doc)
{
	struct ktrc_enum *enm = get_enum(schema, enum_name);
	struct ktrc_enum_value *value;

	if (!enm)
		return -ENOMEM;
	if (enm->nr_values == KTRC_MAX_ENUM_VALUES || schema->nr_enums > KTRC_MAX_ENUMS)
		return -EPROTO;
	value = ktrc_array_push(enm->values, enm->nr_values);
	if (!value)
		return -ENOMEM;
	value->number = number;
	value->name = strdup(name);
	value->doc = strdup(doc);
	return value->name && value->doc ? 0 : -ENOMEM;
}

/* A 64-bit load that covers the field and nothing outside header and payload. */
static bool resolve_getter(struct ktrc_field *field, u32 payload_bytes)
{
	int byte = (int)(field->offset_bits / 8), last = (int)payload_bytes - 8;
	u32 shift;

	if (byte > last)
		byte = last;
	shift = field->offset_bits - (u32)(byte * 8);
	if (shift + field->width_bits > 64)
		return false;
	field->get.byte = byte;
	field->get.shift = shift;
	field->get.mask = field->width_bits == 64 ? ~0ull : (1ull << field->width_bits) - 1;
	return true;
}

/* Names go into every output as they are. */
static bool is_name(const char *text)
{
	const char *c = text;

	while (c && (isalnum((unsigned char)*c) || strchr("_.-", *c)) && *c)
		c++;
	return c && c > text && !*c;
}

static bool field_is_sound(struct ktrc_schema *schema, const struct ktrc_event *event,
			   struct ktrc_field *field)
{
	u64 end_bits = (u64)field->offset_bits + field->width_bits;

	if (!is_name(field->name) || !field->width_bits || end_bits > 8ull * event->bytes)
		return false;
	if (field->format == KTRC_FMT_TEXT) {
		/* who takes it for a number reads zero, and no byte outside */
		field->get.byte = event->bytes < 8 ? (int)event->bytes - 8 : 0;
		return field->offset_bits % 8 == 0 && field->width_bits % 8 == 0;
	}
	if (field->format == KTRC_FMT_ENUM && field->enum_name)
		field->enm = ktrc_schema_find_enum(schema, field->enum_name);
	return resolve_getter(field, event->bytes);
}

/* They stand one after the other and fill the payload. */
static bool fields_are_sound(struct ktrc_schema *schema, struct ktrc_event *event, size_t *bad)
{
	u64 next_bits = 0;

	for (*bad = 0; *bad < event->nr_fields; (*bad)++) {
		struct ktrc_field *field = &event->fields[*bad];

		if (field->offset_bits != next_bits || !field_is_sound(schema, event, field))
			return false;
		next_bits += field->width_bits;
	}
	return next_bits == 8ull * event->bytes;
}

static bool enums_are_sound(const struct ktrc_schema *schema)
{
	for (size_t i = 0; i < schema->nr_enums; i++)
		for (size_t j = 0; j < schema->enums[i].nr_values; j++)
			if (!is_name(schema->enums[i].values[j].name))
				return false;
	return true;
}

static bool is_called(const struct ktrc_event *event, const char *name)
{
	return strcmp(event->name, name) == 0 || strcmp(event->label, name) == 0;
}

/* Users and traces name events by label or name, so that either must do. */
static bool is_told_apart(const struct ktrc_schema *schema, const struct ktrc_event *event)
{
	for (const struct ktrc_event *other = schema->events; other < event; other++)
		if (other->name &&
		    (is_called(other, event->name) || is_called(other, event->label)))
			return false;
	return true;
}

int ktrc_schema_finish(struct ktrc_schema *schema, struct ktrc_error *err)
{
	size_t bad;

	if (!enums_are_sound(schema))
		return ktrc_fail_as(err, EPROTO, KTRC_EXIT_FAILED,
				    "schema: an enumeration has a value without a name");
	for (size_t id = 0; id < KTRC_MAX_EVENTS; id++) {
		struct ktrc_event *event = &schema->events[id];

		if (!event->name)
			continue;
		if (!is_name(event->name) || !is_name(event->label) || !event->bytes ||
		    event->bytes % 4 || event->bytes > KTRC_MAX_PAYLOAD_BYTES)
			return ktrc_fail_as(err, EPROTO, KTRC_EXIT_FAILED,
					    "schema: event %s: %u bytes is not a valid payload",
					    event->name, event->bytes);
		if (!is_told_apart(schema, event))
			return ktrc_fail_as(err, EPROTO, KTRC_EXIT_FAILED,
					    "schema: event %s: another one is called the same",
					    event->name);
		if (!fields_are_sound(schema, event, &bad))
			return ktrc_fail_as(err, EPROTO, KTRC_EXIT_FAILED,
					    "schema: event %s: field %zu is not in its place",
					    event->name, bad);
	}
	return 0;
}

const struct ktrc_event *ktrc_schema_find(const struct ktrc_schema *schema, const char *name)
{
	for (size_t i = 0; i < KTRC_MAX_EVENTS; i++) {
		const struct ktrc_event *event = &schema->events[i];

		if (event->name && is_called(event, name))
			return event;
	}
	return NULL;
}

bool ktrc_event_is_part_of(const struct ktrc_event *part, const struct ktrc_event *whole)
{
	size_t len = strlen(whole->label);

	return part->kind == KTRC_KIND_PART && strncmp(part->label, whole->label, len) == 0 &&
	       part->label[len] == '.';
}

const struct ktrc_field *ktrc_event_field(const struct ktrc_event *event, const char *name)
{
	for (size_t i = 0; event && i < event->nr_fields; i++)
		if (strcmp(event->fields[i].name, name) == 0)
			return &event->fields[i];
	return NULL;
}

const struct ktrc_getter *ktrc_event_getter(const struct ktrc_event *event, const char *name)
{
	const struct ktrc_field *field = ktrc_event_field(event, name);

	return field ? &field->get : NULL;
}

const char *ktrc_enum_name(const struct ktrc_enum *enm, u64 number)
{
	for (size_t i = 0; enm && i < enm->nr_values; i++)
		if (enm->values[i].number == number)
			return enm->values[i].name;
	return NULL;
}

u64 ktrc_enum_value(const struct ktrc_enum *enm, const char *name)
{
	for (size_t i = 0; enm && i < enm->nr_values; i++)
		if (strcmp(enm->values[i].name, name) == 0)
			return enm->values[i].number;
	return KTRC_NO_VALUE;
}

void ktrc_get_text(const struct ktrc_field *field, const void *payload, char *text)
{
	size_t bytes = field->width_bits / 8;

	memcpy(text, (const char *)payload + field->offset_bits / 8, bytes);
	text[bytes] = '\0';
}
