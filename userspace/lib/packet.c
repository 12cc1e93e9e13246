// SPDX-License-Identifier: GPL-2.0-or-later
/* Packet headers. */
#include "packet.h"

#include <stddef.h>

#include "file.h"

int ktrc_packet_parse(struct ktrc_packet *packet, const u8 *bytes, size_t available)
{
	struct ktrc_packet_header header;
	u64 size, content;

	if (available < sizeof(header))
		return -ENODATA;
	memcpy(&header, bytes, sizeof(header));
	size = le64toh(header.packet_bits) / 8;
	content = le64toh(header.content_bits) / 8;
	if (le32toh(header.magic) != KTRC_PACKET_MAGIC || size < sizeof(header) ||
	    size > KTRC_MAX_PACKET_BYTES || content < sizeof(header) || content > size)
		return -EILSEQ;
	if (size > available)
		return -ENODATA;
	*packet = (struct ktrc_packet){
		.bytes = bytes,
		.size = (u32)size,
		.content = (u32)content,
		.begin = le64toh(header.begin),
		.end = le64toh(header.end),
		.seq = le64toh(header.seq),
		.cpu = le32toh(header.cpu),
	};
	return 0;
}

int ktrc_packet_parse_at(struct ktrc_packet *packet, int fd, size_t at, size_t available)
{
	u8 header[KTRC_PACKET_HEADER_BYTES];
	int ret = ktrc_read_at(fd, header, sizeof(header), at);

	if (ret == 0)
		ret = ktrc_packet_parse(packet, header, available);
	packet->bytes = NULL;
	return ret;
}

void ktrc_packet_close(u8 *bytes, u32 content, u64 discarded, const struct ktrc_schema *schema)
{
	struct ktrc_packet_header header;
	struct ktrc_cursor cursor;
	const u8 *payload;

	memcpy(&header, bytes, sizeof(header));
	cursor = (struct ktrc_cursor){
		.pos = bytes + sizeof(header),
		.end = bytes + content,
		.ticks = le64toh(header.begin),
	};
	while (ktrc_cursor_next(&cursor, schema, &payload) >= 0)
		;
	header.end = htole64(cursor.ticks);
	header.content_bits = htole64(8ull * content);
	header.packet_bits = header.content_bits;
	header.discarded = htole64(discarded);
	memcpy(bytes, &header, sizeof(header));
}

/* What stands in the front of a packet. */
struct front {
	struct ktrc_cursor end; /* behind its last record */
	u64 records[KTRC_MAX_EVENTS]; /* of DATA, by event */
	u64 total;
};

static struct front measure(const struct ktrc_packet *packet, u32 offset,
			    const struct ktrc_schema *schema)
{
	struct ktrc_cursor cursor = ktrc_packet_begin(packet);
	struct front front = { .end = cursor };
	const u8 *payload;
	int id;

	while ((id = ktrc_cursor_next(&cursor, schema, &payload)) >= 0 &&
	       cursor.pos <= packet->bytes + offset) {
		front.end = cursor;
		if (!ktrc_event_is_data(&schema->events[id]))
			continue;
		front.records[id]++;
		front.total++;
	}
	return front;
}

static void add_to_field(u8 *payload, const struct ktrc_event *event, const char *name, u64 number)
{
	const struct ktrc_field *field = ktrc_event_field(event, name);

	if (!field || field->width_bits != 64 || field->offset_bits % 8)
		return;
	number = htole64(ktrc_load_u64(payload + field->offset_bits / 8) + number);
	memcpy(payload + field->offset_bits / 8, &number, sizeof(number));
}

/* Books of a dictionary record: what is taken out was written before. */
static void correct_books(u8 *payload, const struct ktrc_event *event, const struct front *front)
{
	const struct ktrc_field *of = ktrc_event_field(event, "event_id");
	u64 number = front->total;

	if (strcmp(event->name, "counts") == 0 && of)
		number = front->records[ktrc_get(&of->get, payload) % KTRC_MAX_EVENTS];
	else if (strcmp(event->name, "packet") != 0)
		return;
	add_to_field(payload, event, "hits", number);
	add_to_field(payload, event, "written", number);
}

/* Moves a record down to @to and gives it the time @ticks, that of its packet's begin. */
static u8 *put_record(u8 *to, const struct ktrc_event *event, u64 ticks, const u8 *payload)
{
	u32 word = htole32((u32)ticks << KTRC_ID_BITS |
			   (event->id < KTRC_ID_EXTENDED ? event->id : KTRC_ID_EXTENDED));
	u32 id = htole32(event->id);

	memcpy(to, &word, sizeof(word));
	to += sizeof(word);
	if (event->id >= KTRC_ID_EXTENDED) {
		memcpy(to, &id, sizeof(id));
		ticks = htole64(ticks);
		memcpy(to + sizeof(id), &ticks, sizeof(ticks));
		to += sizeof(id) + sizeof(ticks);
	}
	memmove(to, payload, event->bytes);
	return to + event->bytes;
}

/* The stacks of a record that is taken out, which would be those of the next one. */
static bool is_left_behind(const struct ktrc_event *event, const struct ktrc_cursor *cursor,
			   const struct front *front)
{
	return strcmp(event->name, "stack_ref") == 0 && cursor->pos < front->end.pos;
}

u32 ktrc_packet_trim(u8 *bytes, u32 size, u32 offset, const struct ktrc_schema *schema)
{
	struct ktrc_packet_header header;
	const struct ktrc_event *event;
	struct ktrc_packet packet;
	struct ktrc_cursor cursor;
	struct front front;
	const u8 *payload = NULL;
	u8 *to;

	if (ktrc_packet_parse(&packet, bytes, size) < 0)
		return size;
	front = measure(&packet, offset, schema);
	if (!front.total)
		return size;
	cursor = ktrc_packet_begin(&packet);
	to = bytes + sizeof(header);
	while (cursor.pos < front.end.pos) {
		event = &schema->events[ktrc_cursor_next(&cursor, schema, &payload)];
		if (ktrc_event_is_data(event) || is_left_behind(event, &cursor, &front))
			continue;
		to = put_record(to, event, front.end.ticks, payload);
		correct_books(to - event->bytes, event, &front);
	}
	memmove(to, front.end.pos, (size_t)(front.end.end - front.end.pos));
	to += front.end.end - front.end.pos;
	memcpy(&header, bytes, sizeof(header));
	header.begin = htole64(front.end.ticks);
	header.content_bits = htole64(8ull * (u64)(to - bytes));
	header.packet_bits = header.content_bits;
	memcpy(bytes, &header, sizeof(header));
	return (u32)(to - bytes);
}
