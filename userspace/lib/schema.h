/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be recorded: events, their fields and enumerations.  Filled from the
 * running module (nl.h) or from a saved trace (trace.h).  Everything that
 * decodes, prints or describes a record walks this; no event is compiled in.
 */
#ifndef KTRC_SCHEMA_H
#define KTRC_SCHEMA_H

#include <endian.h>
#include <string.h>

#include "error.h"
#include "session.h"

#define KTRC_MAX_PAYLOAD_BYTES 4096
/* More than any table of events has; every name that is printed is searched for. */
#define KTRC_MAX_ENUMS 1024
#define KTRC_MAX_ENUM_VALUES 1024
/* A PAGE field is an address without these bits. */
#define KTRC_PAGE_SHIFT 12

struct ktrc_enum_value {
	u32 number;
	char *name;
	char *doc;
};

struct ktrc_enum {
	char *name;
	struct ktrc_enum_value *values;
	size_t nr_values;
};

/**
 * struct ktrc_getter - how to take a field's bits out of a payload
 * @byte: where the 64-bit load starts; negative when the payload is one word,
 *	which is safe because a record's header stands before it
 * @shift: bits below the field
 * @mask: the field's bits, shifted down
 */
struct ktrc_getter {
	int byte;
	u32 shift;
	u64 mask;
};

/**
 * struct ktrc_field - part of an event's payload
 * @name: as in the event table
 * @doc: one sentence
 * @enum_name: enumeration, with KTRC_FMT_ENUM
 * @enm: the same, resolved
 * @offset_bits: from the start of the payload
 * @width_bits: its width
 * @format: enum ktrc_format
 * @get: how to read it as a number; text reads as 0
 */
struct ktrc_field {
	char *name;
	char *doc;
	char *enum_name;
	const struct ktrc_enum *enm;
	u32 offset_bits;
	u32 width_bits;
	u32 format;
	struct ktrc_getter get;
};

/**
 * struct ktrc_event - one kind of record
 * @id: number in record headers
 * @kind: enum ktrc_event_kind
 * @avail: enum ktrc_avail
 * @bytes: payload size, a multiple of 4
 * @rules: enum ktrc_rule_flag: what a rule can ask of it; 0 of traces that do not say
 * @name: as in C
 * @label: as users type it
 * @doc: one sentence
 * @reason: why it is degraded or unavailable, or NULL
 * @hook: what it is hooked to, or NULL
 * @fields: in the order of the payload
 * @nr_fields: their number
 */
struct ktrc_event {
	u32 id;
	u32 kind;
	u32 avail;
	u32 bytes;
	u32 rules;
	char *name;
	char *label;
	char *doc;
	char *reason;
	char *hook;
	struct ktrc_field *fields;
	size_t nr_fields;
};

/**
 * struct ktrc_schema - all events and enumerations
 * @events: by id; those without a name do not exist
 * @enums: enumerations
 * @nr_enums: their number
 */
struct ktrc_schema {
	struct ktrc_event events[KTRC_MAX_EVENTS];
	struct ktrc_enum *enums;
	size_t nr_enums;
};

struct ktrc_schema *ktrc_schema_create(void);
void ktrc_schema_destroy(struct ktrc_schema *schema);
void ktrc_cleanup_schema(struct ktrc_schema **schema);
#define __ktrc_schema KTRC_CLEANUP(ktrc_cleanup_schema)

/** ktrc_schema_add_value() - add a value, and its enumeration when it is the first; -EPROTO: too many */
int ktrc_schema_add_value(struct ktrc_schema *schema, const char *enum_name, u32 number,
			  const char *name, const char *doc);

/** ktrc_schema_find_enum() - by name; NULL if there is none */
const struct ktrc_enum *ktrc_schema_find_enum(const struct ktrc_schema *schema, const char *name);

/**
 * ktrc_schema_finish() - check every event and resolve its fields
 *
 * Must succeed before records are decoded: it is what guarantees that the fields fill their
 * payload one after the other, and so that none reaches outside.  Return: 0 or -EPROTO.
 */
int ktrc_schema_finish(struct ktrc_schema *schema, struct ktrc_error *err);

/** ktrc_event_is_data() - what a session can ask for and the books count: kinds DATA and PART */
static inline bool ktrc_event_is_data(const struct ktrc_event *event)
{
	return event->kind != KTRC_KIND_DICT;
}

/** ktrc_schema_event() - by id; NULL if there is none */
static inline const struct ktrc_event *ktrc_schema_event(const struct ktrc_schema *schema, u32 id)
{
	if (id >= KTRC_MAX_EVENTS || !schema->events[id].name)
		return NULL;
	return &schema->events[id];
}

/** ktrc_schema_find() - by name or label; NULL if there is none */
const struct ktrc_event *ktrc_schema_find(const struct ktrc_schema *schema, const char *name);

/** ktrc_event_is_part_of() - does it come with @whole: its label extends that one's */
bool ktrc_event_is_part_of(const struct ktrc_event *part, const struct ktrc_event *whole);

/** ktrc_event_field() - by name; NULL if there is none */
const struct ktrc_field *ktrc_event_field(const struct ktrc_event *event, const char *name);

/** ktrc_event_getter() - how to read a field, by its name; NULL if there is none */
const struct ktrc_getter *ktrc_event_getter(const struct ktrc_event *event, const char *name);

/** ktrc_enum_name() - a value's name; NULL if it has none, or without @enm */
const char *ktrc_enum_name(const struct ktrc_enum *enm, u64 number);

/* More than any number that a value has. */
#define KTRC_NO_VALUE (~0ull)

/** ktrc_enum_value() - a value's number, by its name; KTRC_NO_VALUE if there is none, or no @enm */
u64 ktrc_enum_value(const struct ktrc_enum *enm, const char *name);

/** ktrc_format_name() - enum ktrc_format as a word; NULL if unknown */
const char *ktrc_format_name(u32 format);

/** ktrc_format_number() - the reverse; -EINVAL if unknown */
int ktrc_format_number(const char *name);

/** ktrc_get() - a field's value */
static inline u64 ktrc_get(const struct ktrc_getter *get, const void *payload)
{
	u64 word;

	memcpy(&word, (const char *)payload + get->byte, sizeof(word));
	return le64toh(word) >> get->shift & get->mask;
}

/** ktrc_get_or_0() - a field's value; 0 without a getter */
static inline u64 ktrc_get_or_0(const struct ktrc_getter *get, const void *payload)
{
	return get ? ktrc_get(get, payload) : 0;
}

/** ktrc_get_text() - a text field with a NUL behind it; @text must hold width / 8 + 1 bytes */
void ktrc_get_text(const struct ktrc_field *field, const void *payload, char *text);

#endif
