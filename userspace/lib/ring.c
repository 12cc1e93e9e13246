// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copying out of a ring that is being written: the protocol that uapi/ktrc.h
 * describes.  Nothing is decoded in place, so a packet overwritten meanwhile is
 * noticed after the copy and never looked into.
 */
#include <stdatomic.h>

#include "device.h"
#include "packet.h"

u64 ktrc_ring_head(const struct ktrc_ring *ring)
{
	/* pairs with the writer's release when it publishes */
	return __atomic_load_n(&ring->status->head, __ATOMIC_ACQUIRE);
}

u64 ktrc_ring_oldest(const struct ktrc_ring *ring)
{
	const struct ktrc_status *status = ring->status;
	bool is_flight = status->mode == KTRC_MODE_FLIGHT;

	return __atomic_load_n(is_flight ? &status->tail : &status->cons, __ATOMIC_RELAXED);
}

u64 ktrc_ring_lost(const struct ktrc_ring *ring)
{
	return __atomic_load_n(&ring->status->lost, __ATOMIC_RELAXED);
}

static const u8 *packet_at(const struct ktrc_ring *ring, u64 k)
{
	return ring->data + k % ring->status->nr_packets * ring->status->packet_bytes;
}

/* Whether packet @k's copy is good: the writer had not come round to it. */
static bool still_valid(const struct ktrc_ring *ring, u64 k)
{
	/* orders the copy before the load; pairs with the writer's barrier after moving the tail */
	atomic_thread_fence(memory_order_acquire);
	/* a packet is given up as a whole */
	return ktrc_ring_oldest(ring) / ring->status->packet_bytes <= k;
}

bool ktrc_ring_oldest_begin(const struct ktrc_ring *ring, u64 *ticks)
{
	u32 packet_bytes = ring->status->packet_bytes;
	struct ktrc_packet_header header;
	u64 k, oldest;

	do {
		oldest = ktrc_ring_oldest(ring);
		if (ktrc_ring_head(ring) <= oldest)
			return false;
		k = oldest / packet_bytes;
		memcpy(&header, packet_at(ring, k), sizeof(header));
	} while (!still_valid(ring, k));
	*ticks = le64toh(header.begin);
	return true;
}

/* Copies packet @k up to position @to; returns its size, 0 if it was overwritten. */
static size_t copy_packet(const struct ktrc_ring *ring, u64 k, u64 to,
			  const struct ktrc_schema *schema, u8 *bytes)
{
	u32 packet_bytes = ring->status->packet_bytes;
	u64 start = k * packet_bytes;
	/* also when the writer has closed it since the caller looked at the head */
	bool is_open = to < start + packet_bytes || ktrc_ring_head(ring) <= start + packet_bytes;
	size_t content = is_open ? to - start : packet_bytes;

	memcpy(bytes, packet_at(ring, k), content);
	if (!still_valid(ring, k))
		return 0;
	if (!is_open)
		return content;
	if (content <= KTRC_PACKET_HEADER_BYTES)
		return 0;
	ktrc_packet_close(bytes, (u32)content, ktrc_ring_lost(ring), schema);
	return content;
}

/*
 * The newest packet first: what the writer takes meanwhile is the oldest, so it
 * and the copy approach each other, and nothing is missing in between.
 */
size_t ktrc_ring_copy(const struct ktrc_ring *ring, const struct ktrc_span *span,
		      const struct ktrc_schema *schema, u8 *bytes)
{
	u32 packet_bytes = ring->status->packet_bytes;
	u64 first = span->from / packet_bytes;
	u64 k = (span->to + packet_bytes - 1) / packet_bytes;
	size_t len = 0, copied, whole, kept;
	u8 *at;

	/* no module that is sane publishes more than a ring holds */
	if (k - first > ring->status->nr_packets)
		return 0;
	at = bytes + (k - first) * packet_bytes;
	while (k > first) {
		copied = copy_packet(ring, k - 1, span->to, schema, at - packet_bytes);
		if (!copied)
			break;
		at -= packet_bytes;
		len += copied;
		k--;
	}
	if (!len)
		return 0;
	whole = kept = len < packet_bytes ? len : packet_bytes;
	if (span->skip / packet_bytes == k)
		kept = ktrc_packet_trim(at, (u32)whole, (u32)(span->skip % packet_bytes), schema);
	memmove(bytes, at, kept);
	memmove(bytes + kept, at + whole, len - whole);
	return len - whole + kept;
}

/* Each try fails only if the writer goes round the whole ring while one packet is copied. */
#define SNAPSHOT_TRIES 16

size_t ktrc_ring_snapshot(const struct ktrc_ring *ring, const struct ktrc_schema *schema, u8 *bytes)
{
	size_t len = 0;

	for (int i = 0; i < SNAPSHOT_TRIES && !len; i++) {
		/* in this order: the oldest position is then not further away than the ring is long */
		u64 to = ktrc_ring_head(ring), from = ktrc_ring_oldest(ring);

		if (to == from)
			break;
		if (to > from)
			len = ktrc_ring_copy(ring, &(struct ktrc_span){ from, to, from }, schema,
					     bytes);
	}
	return len;
}
