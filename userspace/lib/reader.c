// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The merge keeps each CPU's next record decoded.  The stream in hand is read on
 * until its time passes that of the runner-up, so the other CPUs are looked at
 * only when the turn changes.
 */
#include "reader.h"

#include <stdint.h>
#include <stdlib.h>

#include "array.h"
#include "copy.h"
#include "file.h"
#include "packet.h"

struct stream {
	u32 cpu;
	bool has_record; /* @record is decoded and not handed out */
	bool has_seq;
	bool has_gap; /* packets before the current one are missing */
	const u8 *bytes; /* what was fed; NULL: a file */
	int fd;
	u8 *read; /* the file's current packet */
	size_t len;
	size_t next; /* offset of the packet after the current one */
	u64 seq; /* the current packet's number */
	u32 offset; /* where in the current packet decoding has arrived */
	const u8 *packet;
	struct ktrc_cursor cursor;
	struct ktrc_record record;
	struct ktrc_known_tasks known;
	struct ktrc_stack_slots *slots; /* NULL: no stack came yet */
	struct ktrc_copy_slots *copies; /* NULL: no copy came yet */
	struct ktrc_stack_pair next_stacks; /* of the record that follows directly */
	struct ktrc_books books;
	u64 reach; /* since when its records are all there */
};

struct ktrc_reader {
	const struct ktrc_schema *schema;
	u32 packet_id, task_id, task_ref_id, counts_id;
	const struct ktrc_event *stack, *stack_copy, *stack_ref; /* older traces have none */
	const struct ktrc_getter *ref_tid, *written_before, *counts_event, *hits, *written,
		*filtered, *lost;
	struct ktrc_tasks *tasks;
	struct ktrc_stacks *stacks;
	struct stream **streams;
	size_t nr_streams;
	struct stream *current;
	u64 turn_ends; /* time of the runner-up's record */
	u64 hold;
	struct ktrc_damage damage;
};

/* What a reader needs; NULL: there is none, or its records are not the ring's. */
static const struct ktrc_event *find_dict(const struct ktrc_schema *schema, const char *name)
{
	const struct ktrc_event *event = ktrc_schema_find(schema, name);

	return event && event->kind == KTRC_KIND_DICT ? event : NULL;
}

static bool find_fields(struct ktrc_reader *reader)
{
	const struct ktrc_event *packet = find_dict(reader->schema, "packet");
	const struct ktrc_event *task = find_dict(reader->schema, "task");
	const struct ktrc_event *ref = find_dict(reader->schema, "task_ref");
	const struct ktrc_event *counts = find_dict(reader->schema, "counts");

	if (!packet || !task || !ref || !counts)
		return false;
	reader->packet_id = packet->id;
	reader->task_id = task->id;
	reader->task_ref_id = ref->id;
	reader->counts_id = counts->id;
	reader->stack = ktrc_schema_find(reader->schema, "stack");
	reader->stack_copy = ktrc_schema_find(reader->schema, "stack_copy");
	reader->stack_ref = ktrc_schema_find(reader->schema, "stack_ref");
	reader->written_before = ktrc_event_getter(packet, "written");
	reader->ref_tid = ktrc_event_getter(ref, "tid");
	reader->counts_event = ktrc_event_getter(counts, "event_id");
	reader->hits = ktrc_event_getter(counts, "hits");
	reader->written = ktrc_event_getter(counts, "written");
	reader->filtered = ktrc_event_getter(counts, "filtered");
	reader->lost = ktrc_event_getter(counts, "lost");
	return reader->written_before && reader->ref_tid && reader->counts_event && reader->hits &&
	       reader->written && reader->filtered && reader->lost;
}

struct ktrc_reader *ktrc_reader_create(const struct ktrc_schema *schema)
{
	struct ktrc_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->schema = schema;
	reader->hold = UINT64_MAX;
	reader->tasks = ktrc_tasks_create(schema);
	reader->stacks = ktrc_stacks_create(schema);
	if (reader->tasks && reader->stacks && find_fields(reader))
		return reader;
	ktrc_reader_destroy(reader);
	return NULL;
}

void ktrc_reader_destroy(struct ktrc_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->nr_streams; i++) {
		free(reader->streams[i]->known.slots);
		ktrc_slots_destroy(reader->streams[i]->slots);
		ktrc_copies_destroy(reader->streams[i]->copies);
		free(reader->streams[i]->read);
		free(reader->streams[i]);
	}
	free(reader->streams);
	ktrc_tasks_destroy(reader->tasks);
	ktrc_stacks_destroy(reader->stacks);
	free(reader);
}

static struct stream *find_stream(const struct ktrc_reader *reader, u32 cpu)
{
	for (size_t i = 0; i < reader->nr_streams; i++)
		if (reader->streams[i]->cpu == cpu)
			return reader->streams[i];
	return NULL;
}

/* Books of a packet's `counts` record: what was written where a packet is missing is absent. */
static void take_counts(struct ktrc_reader *reader, struct stream *s, const u8 *payload)
{
	u64 id = ktrc_get(reader->counts_event, payload), since;
	struct ktrc_counted now = {
		.is_known = true,
		.hits = ktrc_get(reader->hits, payload),
		.written = ktrc_get(reader->written, payload),
		.filtered = ktrc_get(reader->filtered, payload),
		.lost = ktrc_get(reader->lost, payload),
	};

	if (id >= KTRC_MAX_EVENTS)
		return;
	now.read = s->books.read[id];
	since = now.written - s->books.counted[id].written - (now.read - s->books.counted[id].read);
	if (s->has_gap && (s64)since > 0)
		s->books.absent[id] += since;
	s->books.counted[id] = now;
}

/* Without memory records have no stacks. */
static void take_stack(struct ktrc_reader *reader, struct stream *s, const u8 *payload)
{
	if (!s->slots)
		s->slots = ktrc_slots_create();
	if (s->slots)
		ktrc_slots_take(s->slots, reader->stacks, payload);
}

static void take_copy(struct ktrc_reader *reader, struct stream *s, const u8 *payload)
{
	if (!s->copies)
		s->copies = ktrc_copies_create(reader->schema);
	if (s->copies)
		ktrc_copies_take(s->copies, payload);
}

static void take_ref(struct ktrc_reader *reader, struct stream *s, const u8 *payload)
{
	if (s->slots)
		s->next_stacks = ktrc_slots_find(s->slots, reader->stacks, payload);
	if (s->copies)
		s->next_stacks.copy = ktrc_copies_find(s->copies, payload);
}

/* Without memory for a task its records belong to the unknown one. */
static void take_dictionary(struct ktrc_reader *reader, struct stream *s, u32 id, const u8 *payload)
{
	const struct ktrc_event *event = &reader->schema->events[id];
	const struct ktrc_task *task;

	if (id == reader->counts_id) {
		take_counts(reader, s, payload);
		return;
	}
	if (id == reader->task_id) {
		task = ktrc_tasks_intern(reader->tasks, payload);
		if (task && ktrc_known_add(&s->known, task) < 0)
			task = NULL;
	} else if (event == reader->stack) {
		take_stack(reader, s, payload);
		return;
	} else if (event == reader->stack_copy) {
		take_copy(reader, s, payload);
		return;
	} else if (event == reader->stack_ref) {
		take_ref(reader, s, payload);
		return;
	} else if (id == reader->task_ref_id) {
		task = ktrc_known_find(&s->known, (u32)ktrc_get(reader->ref_tid, payload));
	} else {
		return;
	}
	s->record.task = task ? task : ktrc_tasks_unknown(reader->tasks);
}

/* Whether records are missing before packet @p: its first one tells how many were written. */
static bool is_cut_off(const struct ktrc_reader *reader, const struct ktrc_packet *p)
{
	struct ktrc_cursor cursor = ktrc_packet_begin(p);
	const u8 *payload = NULL;

	if (ktrc_cursor_next(&cursor, reader->schema, &payload) != (int)reader->packet_id)
		return p->seq > 0;
	return ktrc_get(reader->written_before, payload) > 0;
}

/* As a whole, before anything in it is looked at: a file may be cut at any time. */
static int read_packet(struct stream *s, struct ktrc_packet *p)
{
	int ret = ktrc_packet_parse_at(p, s->fd, s->next, s->len - s->next);

	if (ret < 0)
		return ret;
	free(s->read);
	s->read = malloc(p->size);
	ret = s->read ? ktrc_read_at(s->fd, s->read, p->size, s->next) : -ENOMEM;
	return ret < 0 ? ret : ktrc_packet_parse(p, s->read, p->size);
}

/* Of the packet that was the last of the feed before; in one feed a packet comes once. */
static bool is_longer_copy(const struct stream *s, const struct ktrc_packet *p)
{
	return !s->packet && s->has_seq && s->seq == p->seq && s->offset <= p->content;
}

/* From here on there is no whole packet: it is none (-EILSEQ), is not there (-ENODATA), or cannot be read. */
static void give_up(struct ktrc_damage *damage, struct stream *s, int why)
{
	size_t bytes = s->len - s->next;

	damage->bad_packets += why == -EILSEQ;
	damage->cut_bytes += bytes;
	s->next = s->len;
	if (why == -EILSEQ || why == -ENODATA)
		return;
	damage->unread_bytes += bytes;
	if (damage->error)
		return;
	damage->error = why;
	damage->error_cpu = s->cpu;
}

/* Opens the next packet, or goes on in a longer copy of the current one. */
static bool open_packet(struct ktrc_reader *reader, struct stream *s)
{
	struct ktrc_packet p;
	int ret;

	if (s->next >= s->len)
		return false;
	if (s->bytes)
		ret = ktrc_packet_parse(&p, s->bytes + s->next, s->len - s->next);
	else
		ret = read_packet(s, &p);
	if (ret < 0) {
		give_up(&reader->damage, s, ret);
		return false;
	}
	if (!is_longer_copy(s, &p)) {
		s->has_gap = !s->has_seq || p.seq != s->seq + 1;
		ktrc_known_reset(&s->known);
		ktrc_slots_reset(s->slots);
		ktrc_copies_reset(s->copies);
		s->next_stacks = (struct ktrc_stack_pair){ 0 };
		s->record.task = ktrc_tasks_unknown(reader->tasks);
		s->cursor.ticks = p.begin;
		s->offset = KTRC_PACKET_HEADER_BYTES;
		s->seq = p.seq;
		s->has_seq = true;
	}
	s->packet = p.bytes;
	s->cursor.pos = p.bytes + s->offset;
	s->cursor.end = p.bytes + p.content;
	if (s->next == 0)
		s->reach = is_cut_off(reader, &p) ? p.begin : 0;
	s->next += p.size;
	return true;
}

/* Decodes the stream's next record into @s->record. */
static bool advance(struct ktrc_reader *reader, struct stream *s)
{
	const u8 *payload;
	int id;

	for (;;) {
		id = ktrc_cursor_next(&s->cursor, reader->schema, &payload);
		if (id >= 0)
			break;
		if (id == -EILSEQ) {
			reader->damage.bad_packets++;
			s->cursor.pos = s->cursor.end;
		}
		if (s->packet)
			s->offset = (u32)(s->cursor.pos - s->packet);
		if (!open_packet(reader, s)) {
			s->has_record = false;
			return false;
		}
	}
	s->record.event = &reader->schema->events[id];
	s->record.ticks = s->cursor.ticks;
	s->record.payload = payload;
	s->record.stacks = s->next_stacks;
	s->next_stacks = (struct ktrc_stack_pair){ 0 };
	if (ktrc_event_is_data(s->record.event))
		s->books.read[id]++;
	else
		take_dictionary(reader, s, (u32)id, payload);
	s->has_record = true;
	return true;
}

static struct stream *add_stream(struct ktrc_reader *reader, u32 cpu)
{
	struct stream *s = calloc(1, sizeof(*s));
	struct stream **slot = s ? ktrc_array_push(reader->streams, reader->nr_streams) : NULL;

	if (!slot) {
		free(s);
		return NULL;
	}
	*slot = s;
	s->cpu = cpu;
	s->record.cpu = cpu;
	s->record.task = ktrc_tasks_unknown(reader->tasks);
	return s;
}

int ktrc_reader_feed(struct ktrc_reader *reader, u32 cpu, const u8 *bytes, size_t len)
{
	struct stream *s = find_stream(reader, cpu) ?: add_stream(reader, cpu);
	size_t payload = 0;
	u64 seq;

	if (!s)
		return -ENOMEM;
	seq = s->seq;
	if (s->has_record) {
		payload = (size_t)(s->record.payload - s->packet);
		s->offset = (u32)(s->cursor.pos - s->packet);
	}
	s->bytes = bytes;
	s->len = len;
	s->next = 0;
	s->reach = 0;
	s->packet = NULL;
	s->cursor.pos = s->cursor.end = NULL;
	reader->current = NULL;
	if (s->has_record && open_packet(reader, s) && s->seq == seq)
		s->record.payload = s->packet + payload;
	else
		advance(reader, s);
	return 0;
}

int ktrc_reader_feed_file(struct ktrc_reader *reader, u32 cpu, int fd, size_t len)
{
	struct stream *s = add_stream(reader, cpu);

	if (!s)
		return -ENOMEM;
	s->fd = fd;
	s->len = len;
	advance(reader, s);
	return 0;
}

bool ktrc_reader_is_drained(const struct ktrc_reader *reader, u32 cpu)
{
	const struct stream *s = find_stream(reader, cpu);

	return !s || !s->has_record;
}

u64 ktrc_reader_packet(const struct ktrc_reader *reader, u32 cpu)
{
	return find_stream(reader, cpu)->seq;
}

void ktrc_reader_hold(struct ktrc_reader *reader, u64 until_ticks)
{
	reader->hold = until_ticks;
}

u64 ktrc_reader_held(const struct ktrc_reader *reader)
{
	return reader->hold;
}

/* Picks the stream with the earliest record, and until when its turn lasts. */
static struct stream *pick(struct ktrc_reader *reader)
{
	struct stream *first = NULL;

	reader->turn_ends = UINT64_MAX;
	for (size_t i = 0; i < reader->nr_streams; i++) {
		struct stream *s = reader->streams[i];

		if (!s->has_record)
			continue;
		if (!first || s->record.ticks < first->record.ticks) {
			if (first)
				reader->turn_ends = first->record.ticks;
			first = s;
		} else if (s->record.ticks < reader->turn_ends) {
			reader->turn_ends = s->record.ticks;
		}
	}
	return first;
}

const struct ktrc_record *ktrc_reader_next(struct ktrc_reader *reader)
{
	struct stream *s = reader->current;

	if (s)
		advance(reader, s);
	if (!s || !s->has_record || s->record.ticks > reader->turn_ends)
		s = pick(reader);
	reader->current = NULL;
	if (!s || s->record.ticks > reader->hold)
		return NULL;
	reader->current = s;
	return &s->record;
}

size_t ktrc_reader_kept(const struct ktrc_reader *reader)
{
	return ktrc_tasks_nr(reader->tasks) + ktrc_stacks_nr(reader->stacks);
}

static int use_pair(const struct ktrc_stack_pair *pair, struct ktrc_index *used)
{
	int ret = ktrc_index_add(used, pair->user);

	return ret ? ret : ktrc_index_add(used, pair->kernel);
}

static int use_stream(const struct stream *s, struct ktrc_index *used)
{
	int ret = ktrc_index_add(used, s->record.task);

	if (ret == 0)
		ret = ktrc_known_use(&s->known, used);
	if (ret == 0)
		ret = ktrc_slots_use(s->slots, used);
	if (ret == 0)
		ret = use_pair(&s->record.stacks, used);
	return ret ? ret : use_pair(&s->next_stacks, used);
}

int ktrc_reader_forget(struct ktrc_reader *reader)
{
	struct ktrc_index used = { 0 };
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < reader->nr_streams; i++)
		ret = use_stream(reader->streams[i], &used);
	if (ret == 0)
		ret = ktrc_tasks_drop(reader->tasks, &used);
	if (ret == 0)
		ret = ktrc_stacks_drop(reader->stacks, &used);
	ktrc_index_release(&used);
	return ret;
}

const struct ktrc_books *ktrc_reader_books(const struct ktrc_reader *reader, u32 cpu)
{
	const struct stream *s = find_stream(reader, cpu);

	return s ? &s->books : NULL;
}

u64 ktrc_reader_reach(const struct ktrc_reader *reader)
{
	u64 reach = 0;

	for (size_t i = 0; i < reader->nr_streams; i++)
		if (reader->streams[i]->reach > reach)
			reach = reader->streams[i]->reach;
	return reach;
}

const struct ktrc_damage *ktrc_reader_damage(const struct ktrc_reader *reader)
{
	return &reader->damage;
}
