/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CPU's ring of one session: reserve, publish, consume.  Knows no event.
 * The essay on how it works is in ring.c; the reader's side is in uapi/ktrc.h.
 */
#ifndef KTRC_RING_H
#define KTRC_RING_H

#include "env.h"
#include "ring_math.h"

/* values of ktrc_ring.active; anything else is ktrc_ring_context() of a writer */
#define KTRC_IDLE 0
#define KTRC_LEAF 1 /* in the fast path, which cannot recurse */
#define KTRC_TASK 2 /* what ktrc_ring_context() is in a task */

/* values of ktrc_ring.off */
#define KTRC_ON 0
#define KTRC_OFF 1
#define KTRC_BROKEN 2 /* this CPU's writer found it so; nothing takes it back */

/**
 * struct ktrc_ring - private state; never mapped, never read back from a mapped page
 * @busy: both of the following, to test them at once
 * @active: which context writes; changed by this CPU only
 * @off: KTRC_ON: record; changed by the control path, and to KTRC_BROKEN by the writer
 * @head: position reserved so far; cmpxchg by this CPU only
 * @end: where the fast path must stop in the open packet
 * @base: address of position 0, were the open packet's slot continued backwards
 * @status: the mapped status page, written only; NULL: this CPU has no buffer
 * @task_key: start, name and cgroups of the task in effect at @head, see ktrc_task_key()
 * @tid: thread id of the task in effect at @head
 * @epoch: upper bits of the last record's time
 * @published: what @status->head says, which is not read back
 * @cons: stream mode: consumed position; release by the consume ioctl
 * @full_at: stream mode: 1 + @cons when no packet could be opened; 0: one could
 * @data: first packet
 * @shift: log2 of the packet size
 * @nr_packets: packets in the ring
 * @mode: enum ktrc_mode
 * @clock: enum ktrc_clock
 * @cpu: this CPU
 * @uuid: the session's
 */
struct ktrc_ring {
	union {
		u64 busy;
		struct {
			u32 active;
			u32 off;
		};
	};
	u64 head;
	u64 end;
	u8 *base;
	struct ktrc_status *status;
	u64 task_key;
	u32 tid;
	u32 epoch;
	u64 published;

	u64 cons;
	u64 full_at;
	u8 *data;
	u32 shift;
	u32 nr_packets;
	u32 mode;
	u32 clock;
	u32 cpu;
	u8 uuid[16];
};

void ktrc_ring_init(struct ktrc_ring *r, void *memory);
bool ktrc_ring_is_sane(const struct ktrc_ring *r);
bool ktrc_ring_make_room(struct ktrc_ring *r, u64 k);
void ktrc_ring_open(struct ktrc_ring *r, u64 head, u64 k, u64 time, u64 lost);
void ktrc_ring_leave(struct ktrc_ring *r, u32 outer);
void ktrc_ring_settle(struct ktrc_ring *r, u64 lost);
int ktrc_ring_consume(struct ktrc_ring *r, u64 position);

/**
 * ktrc_ring_context() - a number for the context that writes
 *
 * Return: never KTRC_IDLE or KTRC_LEAF; equal for two writers on a CPU only if
 * one was called by the other.
 */
static __always_inline u32 ktrc_ring_context(void)
{
	return (preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)) | KTRC_TASK;
}

/**
 * ktrc_ring_at() - address of a position in the open packet @k
 * @r: the ring
 * @k: number of the packet
 * @position: a position in it
 */
static inline u8 *ktrc_ring_at(struct ktrc_ring *r, u64 k, u64 position)
{
	u64 slot = k % r->nr_packets;

	return r->data + ((slot - k) << r->shift) + position;
}

/**
 * ktrc_ring_publish() - readers may read everything before @head
 * @r: the ring
 * @head: a position
 */
static __always_inline void ktrc_ring_publish(struct ktrc_ring *r, u64 head)
{
	WRITE_ONCE(r->published, head);
	/* pairs with the reader's acquire of head; who consumes it finds @published there */
	smp_store_release(&r->status->head, head);
}

/**
 * ktrc_ring_is_full() - was the stream full, and nothing consumed since
 * @r: the ring
 */
static inline bool ktrc_ring_is_full(const struct ktrc_ring *r)
{
	return r->full_at && r->full_at == READ_ONCE(r->cons) + 1;
}

#endif /* KTRC_RING_H */
