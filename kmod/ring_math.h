/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Offset arithmetic of a ring: positions, packets, record headers.
 * Pure functions of their arguments; also compiled by tests/unit.
 *
 * A position is a count of bytes since the session began.  Packet k spans
 * [k << shift, (k + 1) << shift) and lies in slot k % nr_packets.
 */
#ifndef KTRC_RING_MATH_H
#define KTRC_RING_MATH_H

#include "../uapi/ktrc.h"

/*
 * A writer that interrupted no other leaves the last bytes of a packet to those
 * that interrupt it, because they cannot open a packet.  Room for some ten records:
 * they are the same task's, which is named already.
 */
#define KTRC_SLACK_BYTES 128

#define KTRC_COMPACT_BYTES 4
#define KTRC_EXTENDED_BYTES 16

/**
 * ktrc_packet_end() - end of the packet that holds the byte before @head
 * @head: reserved position
 * @shift: log2 of the packet size
 *
 * Return: @head itself when no packet is open: nothing is written yet, or the
 * last packet is filled exactly.
 */
static inline u64 ktrc_packet_end(u64 head, u32 shift)
{
	u64 mask = (1ull << shift) - 1;

	return (head + mask) & ~mask;
}

/**
 * ktrc_epoch() - upper bits of a time; a compact header needs them unchanged
 * @time: clock ticks
 */
static inline u32 ktrc_epoch(u64 time)
{
	return (u32)(time >> KTRC_TIME_BITS);
}

/**
 * ktrc_compact_header() - header word of a record
 * @id: event id, at most 30
 * @time: clock ticks
 */
static inline u32 ktrc_compact_header(u32 id, u64 time)
{
	return (u32)time << KTRC_ID_BITS | id;
}

/**
 * ktrc_stream_has_room() - may packet @k be opened in stream mode
 * @k: number of the packet
 * @cons: position before which everything is consumed
 * @nr_packets: packets in the ring
 * @shift: log2 of the packet size
 *
 * Packet k reuses the slot of packet k - nr_packets, which must be consumed.
 */
static inline bool ktrc_stream_has_room(u64 k, u64 cons, u32 nr_packets, u32 shift)
{
	return k < nr_packets || cons >= (k - nr_packets + 1) << shift;
}

/**
 * ktrc_flight_tail() - position before which data is lost once packet @k is open
 * @k: number of the packet
 * @nr_packets: packets in the ring
 * @shift: log2 of the packet size
 */
static inline u64 ktrc_flight_tail(u64 k, u32 nr_packets, u32 shift)
{
	return k < nr_packets ? 0 : (k - nr_packets + 1) << shift;
}

#endif /* KTRC_RING_MATH_H */
