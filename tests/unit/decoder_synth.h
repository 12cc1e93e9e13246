/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets made by hand, for tests of the decoder: the schema comes from the event table itself. */
#ifndef DECODER_SYNTH_H
#define DECODER_SYNTH_H

#include <ctype.h>
#include <stdlib.h>

#include "../../uapi/ktrc_events.h"
#include "../../userspace/lib/array.h"
#include "../../userspace/lib/capture.h"
#include "../../userspace/lib/schema.h"

#define SYNTH_PACKET_BYTES 4096
#define SYNTH_HZ 750000000ull

/* ---- schema ---- */

/* "ENUM(fault_mode)" is a format and the name of an enumeration. */
static inline void synth_set_format(struct ktrc_field *field, const char *text)
{
	char word[16] = "";

	for (size_t i = 0; i < sizeof(word) - 1 && isalpha((unsigned char)text[i]); i++)
		word[i] = (char)tolower(text[i]);
	field->format = (u32)ktrc_format_number(word);
	if (field->format == KTRC_FMT_ENUM)
		field->enum_name = strndup(text + 5, strlen(text) - 6);
}

static inline void synth_field(struct ktrc_schema *schema, u32 id, const char *name, u32 width,
			       const char *format, const char *doc)
{
	struct ktrc_event *event = &schema->events[id];
	struct ktrc_field *field = ktrc_array_push(event->fields, event->nr_fields);

	field->name = strdup(name);
	field->doc = strdup(doc);
	field->offset_bits = event->bytes; /* bits, until the event is complete */
	field->width_bits = width;
	synth_set_format(field, format);
	event->bytes += width;
}

static inline void synth_event(struct ktrc_schema *schema, u32 id, const char *name,
			       const char *label, const char *kind, const char *doc)
{
	struct ktrc_event *event = &schema->events[id];

	event->id = id;
	event->name = strdup(name);
	event->label = strdup(label);
	event->doc = strdup(doc);
	event->kind = KTRC_KIND_DICT;
	if (strcmp(kind, "DATA") == 0)
		event->kind = KTRC_KIND_DATA;
	else if (strcmp(kind, "PART") == 0)
		event->kind = KTRC_KIND_PART;
}

static inline struct ktrc_schema *synth_schema(void)
{
	struct ktrc_schema *schema = ktrc_schema_create();
	struct ktrc_error err;
	u32 id = 0;

#define KTRC_VALUE(enm, value, name, doc) ktrc_schema_add_value(schema, #enm, value, #name, doc);
#define KTRC_EVENT(number, ev, label, kind, doc) \
	id = number;                             \
	synth_event(schema, id, #ev, label, #kind, doc);
#define KTRC_BITS(ev, type, name, width, fmt, doc) synth_field(schema, id, #name, width, #fmt, doc);
#define KTRC_FIELD(ev, type, name, fmt, doc) \
	synth_field(schema, id, #name, 8 * sizeof(__##type), #fmt, doc);
#define KTRC_TEXT(ev, name, len, doc) synth_field(schema, id, #name, 8 * (len), "TEXT", doc);
#define KTRC_EVENT_END(ev) schema->events[id].bytes /= 8;
#include "../../uapi/ktrc_events.def"

	if (ktrc_schema_finish(schema, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	return schema;
}

#define SYNTH_EV_wide 40 /* needs an extended header */

/* An event that no module has yet: its id is high, its fields lie at odd places. */
static inline void synth_add_wide(struct ktrc_schema *schema)
{
	const u32 id = SYNTH_EV_wide;
	struct ktrc_error err;

	synth_event(schema, id, "test_wide", "test.wide", "DATA", "fields at odd places");
	synth_field(schema, id, "flag", 1, "FLAG", "the lowest bit");
	synth_field(schema, id, "count", 63, "COUNT", "the rest of a word");
	synth_field(schema, id, "stamp", 64, "STAMP", "a whole word");
	synth_field(schema, id, "node", 7, "ID", "less than a byte");
	synth_field(schema, id, "across", 50, "COUNT", "over eight bytes");
	synth_field(schema, id, "pad", 7, "PAD", "not zero here");
	synth_field(schema, id, "text", 40, "TEXT", "any bytes");
	synth_field(schema, id, "mode", 24, "ENUM(fault_mode)", "up to the last bit");
	schema->events[id].bytes /= 8;
	if (ktrc_schema_finish(schema, &err) < 0)
		abort();
}

/* ---- packets ---- */

/* A CPU's stream under construction. */
struct synth_stream {
	u32 cpu;
	u8 *bytes;
	size_t len;
	size_t packet; /* offset of the open packet */
	u64 seq;
	u64 last_ticks;
	u64 written;
};

static inline void synth_record(struct synth_stream *s, u32 id, u64 ticks, const void *payload,
				size_t bytes)
{
	const u32 time_mask = (1u << KTRC_TIME_BITS) - 1;
	u32 word;

	if (ticks >> KTRC_TIME_BITS != s->last_ticks >> KTRC_TIME_BITS || id >= KTRC_ID_EXTENDED) {
		word = KTRC_ID_EXTENDED | (u32)(ticks & time_mask) << KTRC_ID_BITS;
		memcpy(s->bytes + s->len, &word, 4);
		memcpy(s->bytes + s->len + 4, &id, 4);
		memcpy(s->bytes + s->len + 8, &ticks, 8);
		s->len += 16;
	} else {
		word = id | (u32)(ticks & time_mask) << KTRC_ID_BITS;
		memcpy(s->bytes + s->len, &word, 4);
		s->len += 4;
	}
	memcpy(s->bytes + s->len, payload, bytes);
	s->len += bytes;
	s->last_ticks = ticks;
}

static inline void synth_open(struct synth_stream *s, u64 ticks, const struct ktrc_ev_task *task)
{
	struct ktrc_packet_header header = {
		.magic = KTRC_PACKET_MAGIC,
		.uuid = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
		.begin = ticks,
		.packet_bits = 8 * SYNTH_PACKET_BYTES,
		.seq = s->seq++,
		.cpu = s->cpu,
	};
	struct ktrc_ev_packet packet = {
		.ticks = ticks,
		.hits = s->written,
		.written = s->written,
	};
	struct ktrc_ev_counts counts = {
		.event_id = KTRC_EV_fault,
		.hits = s->written,
		.written = s->written,
	};

	s->packet = s->len;
	s->bytes = realloc(s->bytes, s->len + SYNTH_PACKET_BYTES);
	memset(s->bytes + s->packet, 0, SYNTH_PACKET_BYTES);
	memcpy(s->bytes + s->len, &header, sizeof(header));
	s->len += sizeof(header);
	s->last_ticks = ticks;
	synth_record(s, KTRC_EV_packet, ticks, &packet, sizeof(packet));
	synth_record(s, KTRC_EV_counts, ticks, &counts, sizeof(counts));
	synth_record(s, KTRC_EV_task, ticks, task, sizeof(*task));
}

static inline void synth_close(struct synth_stream *s)
{
	struct ktrc_packet_header header;

	memcpy(&header, s->bytes + s->packet, sizeof(header));
	header.end = s->last_ticks;
	header.content_bits = 8 * (s->len - s->packet);
	memcpy(s->bytes + s->packet, &header, sizeof(header));
	s->len = s->packet + SYNTH_PACKET_BYTES;
}

static inline bool synth_is_full(const struct synth_stream *s)
{
	return s->len - s->packet > SYNTH_PACKET_BYTES - 64;
}

static inline void synth_fault(struct synth_stream *s, u64 ticks, const struct ktrc_ev_fault *fault)
{
	synth_record(s, KTRC_EV_fault, ticks, fault, sizeof(*fault));
	s->written++;
}

/* ---- a capture around two streams ---- */

static inline struct ktrc_capture *synth_capture(struct synth_stream *streams, size_t nr)
{
	struct ktrc_capture *capture = ktrc_capture_create();
	struct ktrc_counters *row;

	capture->schema = synth_schema();
	capture->session = (struct ktrc_session){
		.name = "default",
		.mode = KTRC_MODE_FLIGHT,
		.state = KTRC_STATE_STOPPED,
		.stop_reason = KTRC_STOP_ASKED,
		.packet_bytes = SYNTH_PACKET_BYTES,
		.events = 1ull << KTRC_EV_fault,
		.memory_bytes = 1 << 20,
	};
	capture->clock = (struct ktrc_timebase){
		.kind = KTRC_CLOCK_TSC,
		.hz = SYNTH_HZ,
		.ticks = 1ull << 40,
		.mono_ns = 1000 * NSEC_PER_SEC,
		.real_ns = 1700000000 * NSEC_PER_SEC,
	};
	capture->start_ticks = 1ull << 40;
	strcpy(capture->host, "testhost");
	strcpy(capture->kernel, "6.1.0-test");
	capture->schema_version = KTRC_SCHEMA;
	capture->nr_cpus = (u32)nr;
	capture->nr_online = (u32)nr;
	memcpy(capture->uuid, streams[0].bytes + 4, 16);
	for (size_t i = 0; i < nr; i++) {
		struct ktrc_stream *stream = ktrc_array_push(capture->streams, capture->nr_streams);

		stream->cpu = streams[i].cpu;
		stream->bytes = streams[i].bytes;
		stream->len = stream->saved_len = streams[i].len;
		if (streams[i].last_ticks > capture->end_ticks)
			capture->end_ticks = streams[i].last_ticks;
		row = ktrc_array_push(capture->before.rows, capture->before.nr);
		row->event = KTRC_EV_fault;
		row->cpu = streams[i].cpu;
		row->hits = row->written = streams[i].written;
		row = ktrc_array_push(capture->after.rows, capture->after.nr);
		*row = capture->before.rows[capture->before.nr - 1];
	}
	return capture;
}

#endif
