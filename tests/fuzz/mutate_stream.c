// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets changed so that most still are packets. */
#include <endian.h>
#include <stddef.h>
#include <stdlib.h>

#include "../../userspace/lib/packet.h"
#include "fuzz.h"

#define MAX_PACKETS 64

/* Where packets are in a stream. */
struct packets {
	struct ktrc_packet at[MAX_PACKETS];
	u32 nr;
};

static struct packets find_packets(const u8 *data, size_t size)
{
	struct packets found = { .nr = 0 };
	size_t at = 0;

	while (found.nr < MAX_PACKETS && at < size &&
	       ktrc_packet_parse(&found.at[found.nr], data + at, size - at) == 0)
		at += found.at[found.nr++].size;
	return found;
}

/* One member of the header gets a value that is not as the others. */
static size_t change_header(u8 *packet, size_t size, unsigned int *seed)
{
	static const size_t members[] = {
		offsetof(struct ktrc_packet_header, begin),
		offsetof(struct ktrc_packet_header, end),
		offsetof(struct ktrc_packet_header, content_bits),
		offsetof(struct ktrc_packet_header, packet_bits),
		offsetof(struct ktrc_packet_header, seq),
		offsetof(struct ktrc_packet_header, discarded),
	};
	u8 *member = packet + members[(u32)rand_r(seed) % ARRAY_SIZE(members)];
	u64 near = ktrc_load_u64(member) + (u64)(rand_r(seed) % 65) - 32;
	u64 values[] = { 0, near, near, 1ull << (rand_r(seed) % 64), ~0ull, 8 * size };
	u64 value = htole64(values[(u32)rand_r(seed) % ARRAY_SIZE(values)]);

	memcpy(member, &value, sizeof(value));
	return size;
}

/* The records change, and the packet's size with them; @after: bytes behind the packet. */
static size_t change_records(u8 *packet, size_t size, size_t after, size_t room)
{
	size_t records = size - KTRC_PACKET_HEADER_BYTES, changed;
	u8 *behind = malloc(after + 1);
	u64 bits;

	if (!behind)
		return size;
	memcpy(behind, packet + size, after);
	changed = LLVMFuzzerMutate(packet + KTRC_PACKET_HEADER_BYTES, records, records + room);
	changed += KTRC_PACKET_HEADER_BYTES;
	memcpy(packet + changed, behind, after);
	free(behind);
	bits = htole64(8 * changed);
	memcpy(packet + offsetof(struct ktrc_packet_header, packet_bits), &bits, sizeof(bits));
	memcpy(packet + offsetof(struct ktrc_packet_header, content_bits), &bits, sizeof(bits));
	return changed;
}

/* There twice, or not at all. */
static size_t change_number(u8 *packet, size_t size, size_t after, size_t room, bool doubled)
{
	if (!doubled) {
		memmove(packet, packet + size, after);
		return 0;
	}
	if (size > room)
		return size;
	memmove(packet + size, packet, size + after);
	return 2 * size;
}

size_t fuzz_mutate_stream(u8 *data, size_t size, size_t max, unsigned int seed)
{
	struct packets packets = find_packets(data, size);
	const struct ktrc_packet *chosen;
	u32 what = (u32)rand_r(&seed) % 16;
	size_t at, after, room = max - size, now;

	if (!packets.nr || what == 0)
		return LLVMFuzzerMutate(data, size, max);
	chosen = &packets.at[(u32)rand_r(&seed) % packets.nr];
	at = (size_t)(chosen->bytes - data);
	after = size - at - chosen->size;
	if (what < 4)
		now = change_header(data + at, chosen->size, &seed);
	else if (what < 6)
		now = change_number(data + at, chosen->size, after, room, what == 4);
	else
		now = change_records(data + at, chosen->size, after, room);
	return at + now + after;
}
