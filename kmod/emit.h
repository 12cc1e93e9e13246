/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing a record; probes come here through outlet.h.
 *
 * The fast path is a leaf that tests everything unusual first and leaves all of
 * it to one slow function in emit.c.  ring.c explains why it needs no other guard.
 */
#ifndef KTRC_EMIT_H
#define KTRC_EMIT_H

#include "clock.h"
#include "count.h"
#include "dict.h"
#include "ring.h"
#include "stack.h"
#include "../uapi/ktrc_events.h"

/* largest payload of the fast path: two registers; the smallest is one, see ktrc_events.h */
#define KTRC_EMIT_BYTES 12

/**
 * struct ktrc_cpu - what a session keeps for one CPU
 * @ring: its ring; first, the fast path lives in its first cache line
 * @count: its books, by event id
 * @dict: its dictionary
 * @stacks: its stacks; NULL: no event of the session has any, or there was no memory
 * @lost: hits lost on this CPU, all events and reasons
 * @events: bit i: the session records the event with id i
 * @nr_events: bits set in @events
 * @books: scratch of the outermost writer while it opens a packet
 * @wake: tells the session, out of the probe's context: of a full packet, or of a ring that is broken
 * @readers: who waits
 */
struct ktrc_cpu {
	struct ktrc_ring ring;
	struct ktrc_count count[KTRC_NR_EVENTS];
	struct ktrc_dict dict;
	struct ktrc_stacks *stacks;
	local_t lost;
	u64 events;
	u32 nr_events;
	struct ktrc_books books[KTRC_NR_EVENTS];
	struct irq_work wake;
	wait_queue_head_t *readers;
} ____cacheline_aligned;

void ktrc_emit_slow(struct ktrc_cpu *c, u32 id, u32 bytes, u64 low, u32 high);
void ktrc_emit_of(struct ktrc_cpu *c, u32 id, const void *payload, u32 bytes,
		  const struct task_struct *task);
void ktrc_emit_long(struct ktrc_cpu *c, u32 id, const void *payload, u32 bytes);
void ktrc_emit_with_stacks(struct ktrc_cpu *c, u32 id, const void *payload, u32 bytes,
			   const struct ktrc_rule *rule);
void ktrc_emit_word_with_stacks(struct ktrc_cpu *c, u32 id, u64 payload,
				const struct ktrc_rule *rule);
void ktrc_emit_nothing_slow(struct ktrc_cpu *c, u32 id);
void ktrc_emit_catch_up(struct ktrc_ring *r);

/* Does the last task record name the current task as it is. */
static __always_inline bool ktrc_emit_is_in_effect(const struct ktrc_ring *r)
{
	return r->tid == current->pid && r->task_key == ktrc_task_key(current);
}

/*
 * Is everything as it was for the last record: nobody writes, the session
 * records, the same task under the same name.
 */
static __always_inline bool ktrc_emit_is_usual(const struct ktrc_ring *r)
{
	return !READ_ONCE(r->busy) && ktrc_emit_is_in_effect(r);
}

/*
 * Reserve, fill, publish.  Return: false when the slow path must do it; nothing
 * has happened then.
 */
static __always_inline bool ktrc_emit_fast(struct ktrc_cpu *c, u32 clock, u32 id, u32 bytes,
					   u64 low, u32 high)
{
	struct ktrc_ring *r = &c->ring;
	u64 head = READ_ONCE(r->head);
	u64 next = head + KTRC_COMPACT_BYTES + bytes;
	u64 time;
	u8 *p;

	barrier();
	time = ktrc_clock_ticks(clock);
	if (unlikely(ktrc_epoch(time) != r->epoch || next > r->end))
		return false;
	p = r->base + head;
	WRITE_ONCE(r->active, KTRC_LEAF);
	barrier();
	if (unlikely(cmpxchg_local(&r->head, head, next) != head)) {
		WRITE_ONCE(r->active, KTRC_IDLE);
		return false;
	}
	*(u32 *)p = ktrc_compact_header(id, time);
	memcpy(p + KTRC_COMPACT_BYTES, &low, sizeof(low));
	if (bytes > sizeof(low))
		memcpy(p + KTRC_COMPACT_BYTES + sizeof(low), &high, sizeof(high));
	local_inc(&c->count[id].hits);
	ktrc_ring_publish(r, next);
	barrier();
	WRITE_ONCE(r->active, KTRC_IDLE);
	barrier();
	if (unlikely(READ_ONCE(r->head) != next))
		ktrc_emit_catch_up(r);
	return true;
}

/* a hit that becomes no record, in the books */
static __always_inline void ktrc_emit_count_nothing(struct ktrc_count *n)
{
	local_inc(&n->hits);
	if (!n->is_only_counted)
		local_inc(&n->filtered);
}

/**
 * ktrc_emit_nothing() - count a hit that a filter keeps from becoming a record
 * @c: this CPU's
 * @id: event id
 *
 * Context: any; preemption disabled.
 */
static __always_inline void ktrc_emit_nothing(struct ktrc_cpu *c, u32 id)
{
	struct ktrc_ring *r = &c->ring;

	if (unlikely(READ_ONCE(r->busy))) {
		ktrc_emit_nothing_slow(c, id);
		return;
	}
	/* books change only while @active is set; what is done in between is a leaf */
	WRITE_ONCE(r->active, KTRC_LEAF);
	barrier();
	ktrc_emit_count_nothing(&c->count[id]);
	barrier();
	WRITE_ONCE(r->active, KTRC_IDLE);
	barrier();
	if (unlikely(READ_ONCE(r->head) != r->published))
		ktrc_emit_catch_up(r);
}

/* @is_timed: a constant where speed matters; account @ticks as its duration */
static __always_inline void ktrc_emit_words(struct ktrc_cpu *c, u32 clock, u32 id, const void *rec,
					    u32 bytes, bool is_timed, u64 ticks)
{
	u64 low;
	u32 high = 0;

	memcpy(&low, rec, sizeof(low));
	if (bytes > sizeof(low))
		memcpy(&high, rec + sizeof(low), sizeof(high));
	if (likely(ktrc_emit_is_usual(&c->ring))) {
		if (is_timed)
			ktrc_count_duration(&c->count[id], ticks);
		if (likely(ktrc_emit_fast(c, clock, id, bytes, low, high)))
			return;
	} else if (READ_ONCE(c->ring.off)) {
		return;
	} else if (is_timed) {
		ktrc_count_duration(&c->count[id], ticks);
	}
	ktrc_emit_slow(c, id, bytes, low, high);
}

/**
 * ktrc_emit_payload() - ktrc_emit_record() for an event known at run time
 * @c: struct ktrc_cpu of this CPU
 * @clock: the session's clock
 * @id: event id
 * @rec: payload
 * @bytes: its size, 8 or more
 * @ticks: its duration, which is accounted unless the session is off, or KTRC_NO_TICKS
 */
static __always_inline void ktrc_emit_payload(struct ktrc_cpu *c, u32 clock, u32 id,
					      const void *rec, u32 bytes, u64 ticks)
{
	bool is_timed = ticks != KTRC_NO_TICKS;

	if (bytes <= KTRC_EMIT_BYTES) {
		ktrc_emit_words(c, clock, id, rec, bytes, is_timed, ticks);
		return;
	}
	if (is_timed)
		ktrc_count_duration(&c->count[id], ticks);
	ktrc_emit_long(c, id, rec, bytes);
}

/**
 * ktrc_emit_record() - write a record, or count why not
 * @c: struct ktrc_cpu of this CPU
 * @clock: the session's clock, a constant where speed matters
 * @ev: the event's name in ktrc_events.def; 8 or 12 bytes of payload
 * @rec: its struct ktrc_ev_<ev>
 *
 * Context: any; the caller disabled preemption.  Counts the hit in every case.
 */
#define ktrc_emit_record(c, clock, ev, rec) ktrc_emit_checked(c, clock, ev, rec, false, 0)

/**
 * ktrc_emit_timed() - ktrc_emit_record() of something that took time
 * @c: as there
 * @clock: as there
 * @ev: as there
 * @rec: as there
 * @ticks: its duration, which is accounted unless the session is off
 */
#define ktrc_emit_timed(c, clock, ev, rec, ticks) ktrc_emit_checked(c, clock, ev, rec, true, ticks)

#define ktrc_emit_checked(c, clock, ev, rec, is_timed, ticks)                              \
	do {                                                                               \
		const struct ktrc_ev_##ev *rec_ = (rec);                                   \
		BUILD_BUG_ON(sizeof(*rec_) != 8 && sizeof(*rec_) != KTRC_EMIT_BYTES);      \
		ktrc_emit_words((c), (clock), KTRC_EV_##ev, rec_, sizeof(*rec_), is_timed, \
				(ticks));                                                  \
	} while (0)

#endif /* KTRC_EMIT_H */
