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
	u64 cons;

	if (status->mode == KTRC_MODE_FLIGHT)
		return __atomic_load_n(&status->tail, __ATOMIC_RELAXED);
	/* a packet is given up as a whole */
	cons = __atomic_load_n(&status->cons, __ATOMIC_RELAXED);
	return cons - cons % status->packet_bytes;
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
	return ktrc_ring_oldest(ring) <= k * ring->status->packet_bytes;
}

bool ktrc_ring_oldest_begin(const struct ktrc_ring *ring, u64 *ticks)
{
	u32 packet_bytes = ring->status->packet_bytes;
	struct ktrc_packet_header header;
	u64 k;

	do {
		k = ktrc_ring_oldest(ring) / packet_bytes;
		if (ktrc_ring_head(ring) <= k * packet_bytes)
			return false;
		memcpy(&header, packet_at(ring, k), sizeof(header));
	} while (!still_valid(ring, k));
	*ticks = le64toh(header.begin);
	return true;
}

/* Copies packet @k up to position @to; false if it was overwritten. */
static bool copy_packet(const struct ktrc_ring *ring, u64 k, u64 to,
			const struct ktrc_schema *schema, u8 *bytes, size_t *len)
{
	u32 packet_bytes = ring->status->packet_bytes;
	u64 start = k * packet_bytes;
	bool is_open = ktrc_ring_head(ring) <= start + packet_bytes;
	size_t content = is_open ? to - start : packet_bytes;

	memcpy(bytes, packet_at(ring, k), content);
	if (!still_valid(ring, k))
		return false;
	if (is_open && content > KTRC_PACKET_HEADER_BYTES) {
		ktrc_packet_close(bytes, (u32)content, ktrc_ring_lost(ring), schema);
		*len = content;
	} else {
		*len = is_open ? 0 : content;
	}
	return true;
}

void ktrc_ring_copy(const struct ktrc_ring *ring, u64 from, u64 to,
		    const struct ktrc_schema *schema, u8 *bytes, size_t *len)
{
	u32 packet_bytes = ring->status->packet_bytes;
	size_t copied;
	u64 k, oldest;

	*len = 0;
	for (k = from / packet_bytes; k * packet_bytes < to; k++) {
		oldest = ktrc_ring_oldest(ring) / packet_bytes;
		if (k < oldest)
			k = oldest;
		if (k * packet_bytes < to &&
		    copy_packet(ring, k, to, schema, bytes + *len, &copied))
			*len += copied;
	}
}
