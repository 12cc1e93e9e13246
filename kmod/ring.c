// SPDX-License-Identifier: GPL-2.0
/*
 * The ring.  Called by emit.c on the ring's own CPU with preemption disabled,
 * from any context including NMI, and by device.c for ktrc_ring_consume().
 *
 * Layout
 * ------
 *            tail                                    head
 *             v                                       v
 *   | pkt 4 | pkt 5 | pkt 6 | pkt 7 ... | pkt k-1 | pkt k ....|   positions
 *     slot 0  slot 1  slot 2                         slot k % nr_packets
 *
 * Positions only grow.  The last reserved byte, at head - 1, tells the open
 * packet; nothing else does, so that there is one truth to change and one
 * cmpxchg to change it.  @end and @base repeat it for the fast path alone.
 *
 * Nesting
 * -------
 * Writers on a CPU nest like its contexts: task < softirq < hardirq < NMI.  An
 * inner writer runs from its first to its last instruction between two
 * instructions of the outer one.  Of three rules the rest follows:
 *
 * 1. Only the outermost writer opens packets.  It is the one that found
 *    @active idle.  An inner writer that finds no room in the open packet is
 *    lost and counted; to make that rare, an outermost writer leaves the last
 *    KTRC_SLACK_BYTES of a packet to inner ones.
 * 2. A writer reserves with one cmpxchg of @head from the value it planned
 *    with.  If an inner writer reserved in between, the plan is void and made
 *    again.  The time is read after @head: records lie in order of time.
 * 3. Only the outermost writer publishes.  When it stores @active = idle, all
 *    inner writers that began before have ended, so that every byte before
 *    @head is written.  One that ran between publishing and idle would stay
 *    unpublished, therefore @head is looked at once more after idle.  One that
 *    runs after idle is outermost itself.
 *
 * From 1: an inner writer never laps an outer one; a packet's number stays valid
 * while a nested writer looks at it; and a packet's first records can hold exact
 * books.  For these a hit is counted only while @active is set, else a packet that
 * an interrupt opens just then would take the hit for a record; and the counters
 * are read until no inner hit came in between.
 *
 * The fast path (emit.h) is a leaf: it calls nothing and reads no user memory,
 * so it cannot meet itself and needs no guard but @active = KTRC_LEAF.  The
 * slow path stores its context there.  Finding one's own context in @active
 * means recursion: the writer's own fault or probe.
 *
 * Readers
 * -------
 * Flight mode moves tail over a slot's old packet before the reservation of the
 * new one, and a reader looks at tail after it copied:
 *
 *   writer: tail = T;  smp_wmb();  write data;  head = H (release)
 *   reader: head (acquire);  copy data;  smp_rmb();  tail > packet ? discard
 *
 * Stream mode opens a packet only in a slot that is consumed:
 *
 *   reader: read data;  CONSUME -> cons = C (release)
 *   writer: cons (acquire);  write data
 *
 * The status page is a mirror: it is written, never read.
 */
#include "ring.h"

/*
 * Each further round takes an interrupt that writes in just these lines.  What is
 * unpublished after the last one is published with the next record, or by
 * ktrc_ring_settle().
 */
#define KTRC_PUBLISH_TRIES 8
KTRC_BOUND(KTRC_PUBLISH_TRIES);

/**
 * ktrc_ring_init() - give a ring its memory
 * @r: ring with @shift, @nr_packets, @mode, @clock, @cpu and @uuid set
 * @memory: a zeroed status page, then the packets
 *
 * Context: before the session starts, or before its CPU comes up.
 */
void ktrc_ring_init(struct ktrc_ring *r, void *memory)
{
	struct ktrc_status *st = memory;

	st->magic = KTRC_STATUS_MAGIC;
	st->abi = KTRC_ABI;
	st->length = sizeof(*st);
	st->cpu = r->cpu;
	st->status_bytes = PAGE_SIZE;
	st->packet_bytes = 1u << r->shift;
	st->nr_packets = r->nr_packets;
	st->mode = r->mode;
	r->data = (u8 *)memory + PAGE_SIZE;
	r->status = st;
}

/**
 * ktrc_ring_is_sane() - does what it knows about itself fit together
 * @r: a ring with a buffer
 *
 * What is found wrong here no input can cause: it is a bug, or foreign writes.
 * Context: the outermost writer, before it reserves.
 */
bool ktrc_ring_is_sane(const struct ktrc_ring *r)
{
	u64 head = READ_ONCE(r->head), k = (head - 1) >> r->shift;
	u64 unpublished = head - r->published;

	if (!head)
		return !r->published && !r->end;
	return unpublished <= 1ull << r->shift && r->cons <= r->published &&
	       r->base == r->data + ((k % r->nr_packets - k) << r->shift) &&
	       r->end == (k << r->shift) + (1u << r->shift) - KTRC_SLACK_BYTES;
}

/**
 * ktrc_ring_make_room() - may packet @k be opened; retire what is in its slot
 * @r: the ring
 * @k: number of the next packet
 *
 * Context: the outermost writer.
 * Return: false in stream mode when the slot is not consumed yet.
 */
bool ktrc_ring_make_room(struct ktrc_ring *r, u64 k)
{
	if (r->mode == KTRC_MODE_STREAM) {
		/* pairs with the release in ktrc_ring_consume() */
		u64 cons = smp_load_acquire(&r->cons);
		bool has_room = ktrc_stream_has_room(k, cons, r->nr_packets, r->shift);

		r->full_at = has_room ? 0 : cons + 1;
		return has_room;
	}
	WRITE_ONCE(r->status->tail, ktrc_flight_tail(k, r->nr_packets, r->shift));
	/* pairs with the reader's read barrier between its copy and its look at tail */
	smp_wmb();
	return true;
}

static void close_packet(struct ktrc_ring *r, u64 head, u64 time, u64 lost)
{
	u64 k = (head - 1) >> r->shift;
	u64 start = k << r->shift;
	struct ktrc_packet_header *h = (void *)ktrc_ring_at(r, k, start);

	h->end = time;
	h->content_bits = (head - start) * 8;
	h->discarded = lost;
}

/**
 * ktrc_ring_open() - close the open packet and write the header of packet @k
 * @r: the ring
 * @head: reserved position before packet @k was reserved
 * @k: number of the packet, reserved by the caller
 * @time: clock ticks of its first record
 * @lost: hits lost on this CPU so far
 *
 * Context: the outermost writer, after ktrc_ring_make_room() and the reservation.
 */
void ktrc_ring_open(struct ktrc_ring *r, u64 head, u64 k, u64 time, u64 lost)
{
	u64 start = k << r->shift;
	struct ktrc_packet_header *h = (void *)ktrc_ring_at(r, k, start);

	if (head)
		close_packet(r, head, time, lost);
	*h = (struct ktrc_packet_header){
		.magic = KTRC_PACKET_MAGIC,
		.begin = time,
		.packet_bits = 8ull << r->shift,
		.seq = k,
		.cpu = r->cpu,
	};
	memcpy(h->uuid, r->uuid, sizeof(h->uuid));
	r->base = ktrc_ring_at(r, k, 0);
	r->end = start + (1u << r->shift) - KTRC_SLACK_BYTES;
}

/**
 * ktrc_ring_leave() - stop writing; the outermost writer publishes
 * @r: the ring
 * @outer: what @active was when this writer began
 */
void ktrc_ring_leave(struct ktrc_ring *r, u32 outer)
{
	u32 me = r->active;
	u64 head;
	int i;

	/* of a ring that contradicts itself nothing more is shown */
	if (outer != KTRC_IDLE || !r->status || READ_ONCE(r->off) == KTRC_BROKEN) {
		barrier();
		WRITE_ONCE(r->active, outer);
		return;
	}
	for (i = 0; i < KTRC_PUBLISH_TRIES; i++) {
		WRITE_ONCE(r->active, me);
		barrier();
		head = READ_ONCE(r->head);
		ktrc_ring_publish(r, head);
		barrier();
		WRITE_ONCE(r->active, KTRC_IDLE);
		barrier();
		if (READ_ONCE(r->head) == head)
			break;
	}
}

/**
 * ktrc_ring_settle() - make the mirror right once no writer runs any more
 * @r: the ring of a stopped session
 * @lost: hits lost on its CPU
 */
void ktrc_ring_settle(struct ktrc_ring *r, u64 lost)
{
	if (!r->status)
		return;
	WRITE_ONCE(r->status->lost, lost);
	if (READ_ONCE(r->off) != KTRC_BROKEN)
		ktrc_ring_publish(r, r->head);
}

/**
 * ktrc_ring_consume() - stream mode: the reader is done with everything before @position
 * @r: the ring
 * @position: not before the last one, not beyond what is published
 *
 * Context: process; one caller at a time.
 * Return: 0, or -EINVAL when @position runs back or too far.
 */
int ktrc_ring_consume(struct ktrc_ring *r, u64 position)
{
	if (!r->status || position < r->cons || position > READ_ONCE(r->published))
		return -EINVAL;
	/* first the mirror: who reads without consuming must know before it is overwritten */
	WRITE_ONCE(r->status->cons, position);
	/* pairs with the acquire in ktrc_ring_make_room() */
	smp_store_release(&r->cons, position);
	return 0;
}
