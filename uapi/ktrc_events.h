/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Views of the event table: ids, wire structs, enumerations and layout checks.
 * A wire struct is the payload of a record, as it lies in the ring and in a
 * saved trace: packed 32-bit words, little endian, without holes.
 */
#ifndef _UAPI_KTRC_EVENTS_H
#define _UAPI_KTRC_EVENTS_H

#include <linux/types.h>

/* KTRC_EV_<event>: the event's id */
enum ktrc_event_id {
#define KTRC_EVENT(id, ev, label, kind, doc) KTRC_EV_##ev = (id),
#include "ktrc_events.def"
};

/* one more than the highest id; the table is in ascending order of ids */
enum {
#define KTRC_EVENT(id, ev, label, kind, doc) KTRC_EV_UP_TO_##ev = (id),
#include "ktrc_events.def"
	KTRC_NR_EVENTS
};

/* Version of the event table: grows by one with each event, field and value. */
enum {
	KTRC_SCHEMA = 0
#define KTRC_VALUE(enm, value, name, doc) +1
#define KTRC_EVENT(id, ev, label, kind, doc) +1
#define KTRC_BITS(ev, type, name, width, fmt, doc) +1
#define KTRC_FIELD(ev, type, name, fmt, doc) +1
#define KTRC_TEXT(ev, name, len, doc) +1
#include "ktrc_events.def"
};

/* KTRC_<enumeration>_<name>: a value of an enumerated field */
enum ktrc_value {
#define KTRC_VALUE(enm, value, name, doc) KTRC_##enm##_##name = (value),
#include "ktrc_events.def"
};

/* struct ktrc_ev_<event>: the payload */
#define KTRC_EVENT(id, ev, label, kind, doc) struct ktrc_ev_##ev {
#define KTRC_BITS(ev, type, name, width, fmt, doc) __##type name : width;
#define KTRC_FIELD(ev, type, name, fmt, doc) __##type name;
#define KTRC_TEXT(ev, name, len, doc) char name[len];
#define KTRC_EVENT_END(ev) } __attribute__((packed, aligned(4)));
#include "ktrc_events.def"

/*
 * Layout checks: the declared widths fill each struct exactly (no hole, no
 * overlap) and the size is a multiple of four.  The event's name is in the
 * name of the failing check.
 */
#define KTRC_EVENT(id, ev, label, kind, doc) enum { KTRC_WIDTH_##ev = 0
#define KTRC_BITS(ev, type, name, width, fmt, doc) + (width)
#define KTRC_FIELD(ev, type, name, fmt, doc) + 8 * (int)sizeof(__##type)
#define KTRC_TEXT(ev, name, len, doc) + 8 * (len)
#define KTRC_EVENT_END(ev) };
#include "ktrc_events.def"

/* what is written fast is at least a register, in bytes */
#define KTRC_LEAST_DATA 8
#define KTRC_LEAST_PART 8
#define KTRC_LEAST_DICT 4
#define KTRC_EVENT(id, ev, label, kind, doc) \
	typedef char ktrc_no_hole_in_##ev[ \
		8 * sizeof(struct ktrc_ev_##ev) == KTRC_WIDTH_##ev ? 1 : -1]; \
	typedef char ktrc_whole_words_in_##ev[ \
		sizeof(struct ktrc_ev_##ev) % 4 == 0 ? 1 : -1]; \
	typedef char ktrc_a_register_in_##ev[ \
		sizeof(struct ktrc_ev_##ev) >= KTRC_LEAST_##kind ? 1 : -1];
#include "ktrc_events.def"
#undef KTRC_LEAST_DATA
#undef KTRC_LEAST_PART
#undef KTRC_LEAST_DICT

#endif /* _UAPI_KTRC_EVENTS_H */
