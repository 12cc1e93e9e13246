// SPDX-License-Identifier: GPL-2.0-or-later
/* Packet headers. */
#include "packet.h"

#include <stddef.h>

/* Larger than any ring's packet; keeps sizes within 32 bits. */
#define MAX_PACKET_BYTES (64u << 20)

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
	    size > MAX_PACKET_BYTES || content < sizeof(header) || content > size)
		return -EILSEQ;
	if (size > available)
		return -ENODATA;
	*packet = (struct ktrc_packet){
		.bytes = bytes,
		.size = (u32)size,
		.content = (u32)content,
		.begin = le64toh(header.begin),
		.seq = le64toh(header.seq),
		.cpu = le32toh(header.cpu),
	};
	return 0;
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
