/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One packet: checking its header, walking its records, closing a copy of the
 * packet that the writer has open.  Trusts nothing it reads.
 */
#ifndef KTRC_PACKET_H
#define KTRC_PACKET_H

#include <errno.h>

#include "schema.h"

#define KTRC_PACKET_HEADER_BYTES sizeof(struct ktrc_packet_header)

/**
 * struct ktrc_packet - a closed packet whose header has been checked
 * @bytes: its first byte
 * @size: bytes to the next packet
 * @content: bytes of header and records
 * @begin: ticks when it was opened
 * @end: ticks when it was closed
 * @seq: its number on this CPU
 * @cpu: the CPU
 */
struct ktrc_packet {
	const u8 *bytes;
	u32 size;
	u32 content;
	u64 begin;
	u64 end;
	u64 seq;
	u32 cpu;
};

/**
 * ktrc_packet_parse() - check a packet's header
 * @packet: filled in
 * @bytes: where it should start
 * @available: bytes that may be read there
 *
 * Return: 0, -ENODATA when it is cut short, -EILSEQ when it is not a packet.
 */
int ktrc_packet_parse(struct ktrc_packet *packet, const u8 *bytes, size_t available);

/** ktrc_packet_parse_at() - the same of a place in a file; its bytes are not read: @packet has none */
int ktrc_packet_parse_at(struct ktrc_packet *packet, int fd, size_t at, size_t available);

/**
 * struct ktrc_cursor - a place between two records of a packet
 * @pos: the next record
 * @end: end of the content
 * @ticks: time of the record before, or of the packet's begin
 */
struct ktrc_cursor {
	const u8 *pos;
	const u8 *end;
	u64 ticks;
};

/** ktrc_packet_begin() - the place before its first record */
static inline struct ktrc_cursor ktrc_packet_begin(const struct ktrc_packet *packet)
{
	return (struct ktrc_cursor){
		.pos = packet->bytes + KTRC_PACKET_HEADER_BYTES,
		.end = packet->bytes + packet->content,
		.ticks = packet->begin,
	};
}

static inline u32 ktrc_load_u32(const u8 *p)
{
	u32 word;

	memcpy(&word, p, sizeof(word));
	return le32toh(word);
}

static inline u64 ktrc_load_u64(const u8 *p)
{
	u64 word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word);
}

/**
 * ktrc_cursor_next() - read one record's header and step over the record
 * @cursor: moved; its @ticks become the record's time
 * @schema: tells the payload's size
 * @payload: set to the payload
 *
 * Return: the event's id, -ENODATA at the end, -EILSEQ when what stands there is no record.
 */
static inline int ktrc_cursor_next(struct ktrc_cursor *cursor, const struct ktrc_schema *schema,
				   const u8 **payload)
{
	const u32 id_mask = (1u << KTRC_ID_BITS) - 1;
	const u64 time_mask = (1ull << KTRC_TIME_BITS) - 1;
	size_t left = (size_t)(cursor->end - cursor->pos);
	const struct ktrc_event *event;
	u32 word, id, header = 4;

	if (left == 0)
		return -ENODATA;
	if (left < 4)
		return -EILSEQ;
	word = ktrc_load_u32(cursor->pos);
	id = word & id_mask;
	if (id == KTRC_ID_EXTENDED) {
		header = 16;
		if (left < header)
			return -EILSEQ;
		id = ktrc_load_u32(cursor->pos + 4);
	}
	event = ktrc_schema_event(schema, id);
	if (!event || left < header + event->bytes)
		return -EILSEQ;
	if (header == 4)
		cursor->ticks = (cursor->ticks & ~time_mask) | word >> KTRC_ID_BITS;
	else
		cursor->ticks = ktrc_load_u64(cursor->pos + 8);
	*payload = cursor->pos + header;
	cursor->pos += header + event->bytes;
	return (int)id;
}

/**
 * ktrc_packet_close() - make a whole packet of a copy of the open one
 * @bytes: the copy, writable
 * @content: bytes published
 * @discarded: hits lost on this CPU so far
 * @schema: to find the last record's time
 *
 * The packet's size becomes its content's.
 */
void ktrc_packet_close(u8 *bytes, u32 content, u64 discarded, const struct ktrc_schema *schema);

/**
 * ktrc_packet_trim() - take the DATA records out of the front of a closed packet
 * @bytes: the packet, writable
 * @size: its size
 * @offset: those that end at or before this byte
 * @schema: of the records
 *
 * The packet then begins where they ended: its dictionary stays and gets that time,
 * its books count them as written before.  Its size becomes its content's.
 * Return: its size now; @size if there was nothing to take out.
 */
u32 ktrc_packet_trim(u8 *bytes, u32 size, u32 offset, const struct ktrc_schema *schema);

#endif
