/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The event table as data, to hand out to user space.
 */
#ifndef KTRC_SCHEMA_H
#define KTRC_SCHEMA_H

#include <linux/types.h>

/**
 * struct ktrc_event_desc - an event
 * @id: event id
 * @kind: enum ktrc_event_kind
 * @bytes: size of the payload
 * @name: as in C
 * @label: as users type it
 * @doc: what it means
 */
struct ktrc_event_desc {
	u32 id;
	u32 kind;
	u32 bytes;
	const char *name;
	const char *label;
	const char *doc;
};

/**
 * struct ktrc_field_desc - a field; an event's fields are neighbours, in order
 * @event: event id
 * @width: bits; a field begins where the one before it ends
 * @format: enum ktrc_format
 * @enumeration: with KTRC_FMT_ENUM: its name
 * @name: as in C
 * @doc: what it means
 */
struct ktrc_field_desc {
	u32 event;
	u32 width;
	u32 format;
	const char *enumeration;
	const char *name;
	const char *doc;
};

/**
 * struct ktrc_value_desc - a value of an enumeration
 * @enumeration: its name
 * @number: the value
 * @name: the value's name
 * @doc: what it means
 */
struct ktrc_value_desc {
	const char *enumeration;
	u32 number;
	const char *name;
	const char *doc;
};

extern const struct ktrc_event_desc ktrc_event_descs[];
extern const struct ktrc_field_desc ktrc_field_descs[];
extern const struct ktrc_value_desc ktrc_value_descs[];
extern const u32 ktrc_nr_event_descs, ktrc_nr_field_descs, ktrc_nr_value_descs;

#endif /* KTRC_SCHEMA_H */
