// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptors: views of uapi/ktrc_events.def.
 */
#include <linux/kernel.h>

#include "schema.h"
#include "../uapi/ktrc.h"
#include "../uapi/ktrc_events.h"

const struct ktrc_event_desc ktrc_event_descs[] = {
#define KTRC_EVENT(i, ev, l, k, d)              \
	{ .id = (i),                            \
	  .kind = KTRC_KIND_##k,                \
	  .bytes = sizeof(struct ktrc_ev_##ev), \
	  .name = #ev,                          \
	  .label = (l),                         \
	  .doc = (d) },
#include "../uapi/ktrc_events.def"
};

const u32 ktrc_nr_event_descs = ARRAY_SIZE(ktrc_event_descs);

/* FORMAT_<format of the table>: the descriptor's part that depends on it */
#define FORMAT_COUNT .format = KTRC_FMT_COUNT
#define FORMAT_FLAG .format = KTRC_FMT_FLAG
#define FORMAT_ID .format = KTRC_FMT_ID
#define FORMAT_PAGE .format = KTRC_FMT_PAGE
#define FORMAT_TICKS .format = KTRC_FMT_TICKS
#define FORMAT_STAMP .format = KTRC_FMT_STAMP
#define FORMAT_NS .format = KTRC_FMT_NS
#define FORMAT_PAD .format = KTRC_FMT_PAD
#define FORMAT_ADDRESS .format = KTRC_FMT_ADDRESS
#define FORMAT_ENUM(e) .format = KTRC_FMT_ENUM, .enumeration = #e

const struct ktrc_field_desc ktrc_field_descs[] = {
#define KTRC_BITS(ev, type, n, w, fmt, d) \
	{ .event = KTRC_EV_##ev, .width = (w), .name = #n, .doc = (d), FORMAT_##fmt },
#define KTRC_FIELD(ev, type, n, fmt, d) \
	{ .event = KTRC_EV_##ev, .width = 8 * sizeof(type), .name = #n, .doc = (d), FORMAT_##fmt },
#define KTRC_TEXT(ev, n, len, d) \
	{ .event = KTRC_EV_##ev, \
	  .width = 8 * (len),    \
	  .name = #n,            \
	  .doc = (d),            \
	  .format = KTRC_FMT_TEXT },
#include "../uapi/ktrc_events.def"
};

const u32 ktrc_nr_field_descs = ARRAY_SIZE(ktrc_field_descs);

const struct ktrc_value_desc ktrc_value_descs[] = {
#define KTRC_VALUE(e, v, n, d) { .enumeration = #e, .number = (v), .name = #n, .doc = (d) },
#include "../uapi/ktrc_events.def"
};

const u32 ktrc_nr_value_descs = ARRAY_SIZE(ktrc_value_descs);
