// SPDX-License-Identifier: GPL-2.0
/*
 * The slow path of ktrc_emit(): first record, other task, new packet, new clock
 * epoch, nesting, recursion, loss.  Any context, preemption disabled.
 */
#include "emit.h"

/* of every CPU, the latest time the monotonic clock was read to be */
DEFINE_PER_CPU(u64, ktrc_clock_last);

/* an interrupt voids what was planned or read; so often, then the hit is given up */
#define KTRC_PLAN_TRIES 8
KTRC_BOUND(KTRC_PLAN_TRIES);
KTRC_BOUND(KTRC_NR_EVENTS);

#define KTRC_RECORDED (-1) /* not an enum ktrc_loss */

/*
 * @task: whose it is; NULL: no task's
 * @stacks: from where it is written; NULL: none
 */
struct record {
	u32 id;
	u32 bytes;
	const void *payload;
	const struct task_struct *task;
	struct ktrc_stacks *stacks;
};

/**
 * struct plan - where a record goes and what must precede it
 * @head: the reserved position it was made for; void once that moved
 * @pos: position of the first byte
 * @packet: number of the packet
 * @time: clock ticks of all its records
 * @bytes: from @pos, all records
 * @form: how the task is named
 * @form_back: how the current task is named after a record that is not its own
 * @extended: the first header must be extended
 * @opens: the packet must be opened
 * @lost: if @opens: hits lost so far
 * @who: whose the record is
 * @me: the current task
 */
struct plan {
	u64 head;
	u64 pos;
	u64 packet;
	u64 time;
	u32 bytes;
	enum ktrc_task_form form;
	enum ktrc_task_form form_back;
	bool extended;
	bool opens;
	u64 lost;
	struct ktrc_who who;
	struct ktrc_who me;
};

static u32 prologue_bytes(const struct ktrc_cpu *c)
{
	return sizeof(struct ktrc_packet_header) +
	       ktrc_record_bytes(sizeof(struct ktrc_ev_packet)) +
	       c->nr_events * ktrc_record_bytes(sizeof(struct ktrc_ev_counts));
}

static u64 read_books(struct ktrc_cpu *c, u64 *lost)
{
	u64 hits = 0;
	u32 i;

	*lost = 0;
	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		ktrc_count_read(&c->count[i], &c->books[i]);
		hits += c->books[i].hits;
		*lost += c->books[i].lost;
	}
	return hits;
}

/*
 * The books as of now, without the hit at hand (@own).  An interrupt may have hits
 * while they are read; read again until none does.
 */
static bool snapshot_books(struct ktrc_cpu *c, u32 own, u64 *lost)
{
	u64 hits = read_books(c, lost);
	u32 i;

	for (i = 0; i < KTRC_PLAN_TRIES; i++) {
		u64 again = read_books(c, lost);

		if (again == hits) {
			c->books[own].hits--;
			c->books[own].written--;
			return true;
		}
		hits = again;
	}
	return false;
}

static u32 plan_bytes(const struct plan *p, const struct record *rec)
{
	u32 stacks = rec->stacks ? ktrc_stacks_bytes(rec->stacks, p->packet) : 0;

	return ktrc_dict_bytes(p->form) + stacks + ktrc_record_bytes(rec->bytes) +
	       ktrc_dict_bytes(p->form_back);
}

static int plan_packet(struct ktrc_cpu *c, const struct record *rec, struct plan *p)
{
	struct ktrc_ring *r = &c->ring;

	p->packet = ktrc_packet_end(p->head, r->shift) >> r->shift;
	if (!ktrc_ring_make_room(r, p->packet))
		return KTRC_LOST_FULL;
	if (!snapshot_books(c, rec->id, &p->lost))
		return KTRC_LOST_NEST;
	p->opens = true;
	p->extended = false;
	p->form = KTRC_TASK_FULL;
	p->form_back = rec->task == current ? KTRC_TASK_IN_EFFECT : KTRC_TASK_FULL;
	p->pos = p->packet << r->shift;
	p->bytes = prologue_bytes(c) + plan_bytes(p, rec);
	return KTRC_RECORDED;
}

/*
 * Which task records a record takes.  One that is not the current task's stands between its
 * own and the current task's: whoever is interrupted by it, or follows it, finds the task
 * in effect that was before.
 */
static void plan_tasks(const struct ktrc_cpu *c, const struct record *rec, struct plan *p)
{
	const struct ktrc_ring *r = &c->ring;

	ktrc_who_is(&p->me, current);
	p->who = p->me;
	p->form_back = KTRC_TASK_IN_EFFECT;
	if (rec->task == current) {
		if (r->tid == p->who.tid && r->task_key == p->who.key)
			p->form = KTRC_TASK_IN_EFFECT;
		else
			p->form = ktrc_dict_form(&c->dict, &p->who, p->packet);
		return;
	}
	ktrc_who_is(&p->who, rec->task);
	p->form = ktrc_dict_form(&c->dict, &p->who, p->packet);
	p->form_back = ktrc_dict_form(&c->dict, &p->me, p->packet);
}

static int plan_record(struct ktrc_cpu *c, const struct record *rec, bool is_nested, struct plan *p)
{
	struct ktrc_ring *r = &c->ring;
	u64 end;

	p->head = READ_ONCE(r->head);
	barrier();
	p->time = ktrc_clock_ticks(r->clock);
	end = ktrc_packet_end(p->head, r->shift);
	p->packet = (end >> r->shift) - 1;
	plan_tasks(c, rec, p);
	p->extended = ktrc_epoch(p->time) != r->epoch;
	p->opens = false;
	p->pos = p->head;
	p->bytes =
		(p->extended ? KTRC_EXTENDED_BYTES - KTRC_COMPACT_BYTES : 0) + plan_bytes(p, rec);
	if (p->pos + p->bytes + (is_nested ? 0 : KTRC_SLACK_BYTES) <= end)
		return KTRC_RECORDED;
	return is_nested ? KTRC_LOST_NEST : plan_packet(c, rec, p);
}

static void write_calibration(struct ktrc_cpu *c, struct ktrc_pen *pen)
{
	struct ktrc_ev_packet rec = {
		.mono_ns = ktime_get_mono_fast_ns(),
		.ticks = ktrc_clock_ticks(c->ring.clock),
		.real_ns = ktime_get_real_fast_ns(),
	};
	u32 i;

	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		const struct ktrc_books *b = &c->books[i];

		rec.hits += b->hits;
		rec.written += b->written;
		rec.filtered += b->filtered;
		rec.lost_full += b->lost_by[KTRC_LOST_FULL];
		rec.lost_nest += b->lost_by[KTRC_LOST_NEST];
		rec.lost_recursion += b->lost_by[KTRC_LOST_RECURSION];
		rec.lost_noring += b->lost_by[KTRC_LOST_NORING];
	}
	ktrc_record_put(pen, KTRC_EV_packet, &rec, sizeof(rec));
}

static void write_books(struct ktrc_cpu *c, struct ktrc_pen *pen)
{
	u32 i;

	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		const struct ktrc_books *b = &c->books[i];
		struct ktrc_ev_counts rec = {
			.event_id = i,
			.hits = b->hits,
			.written = b->written,
			.filtered = b->filtered,
			.lost = b->lost,
		};

		if (c->events & BIT_ULL(i))
			ktrc_record_put(pen, KTRC_EV_counts, &rec, sizeof(rec));
	}
}

static void fill(struct ktrc_cpu *c, const struct record *rec, const struct plan *p)
{
	struct ktrc_ring *r = &c->ring;
	struct ktrc_pen pen = {
		.w = (u32 *)ktrc_ring_at(r, p->packet, p->pos),
		.time = p->time,
		.extended = p->extended,
	};

	if (p->opens) {
		ktrc_ring_open(r, p->head, p->packet, p->time, p->lost);
		pen.w += sizeof(struct ktrc_packet_header) / sizeof(*pen.w);
		write_calibration(c, &pen);
		write_books(c, &pen);
	}
	ktrc_dict_write(&c->dict, &p->who, rec->task, p->form, p->packet, &pen);
	if (rec->stacks)
		ktrc_stacks_write(rec->stacks, p->packet, &pen);
	ktrc_record_put(&pen, rec->id, rec->payload, rec->bytes);
	ktrc_dict_write(&c->dict, &p->me, current, p->form_back, p->packet, &pen);
	r->epoch = ktrc_epoch(p->time);
	r->tid = p->me.tid;
	r->task_key = p->me.key;
}

static __always_inline int write(struct ktrc_cpu *c, const struct record *rec, bool is_nested,
				 bool *opened)
{
	struct ktrc_ring *r = &c->ring;
	struct plan p;
	int i, loss;

	if (!r->status)
		return KTRC_LOST_NORING;
	if (unlikely(!is_nested && !ktrc_ring_is_sane(r))) {
		WRITE_ONCE(r->off, KTRC_BROKEN);
		ktrc_wake(&c->wake);
		return KTRC_LOST_NORING;
	}
	for (i = 0; i < KTRC_PLAN_TRIES; i++) {
		loss = plan_record(c, rec, is_nested, &p);
		if (loss != KTRC_RECORDED)
			return loss;
		if (cmpxchg_local(&r->head, p.head, p.pos + p.bytes) == p.head) {
			fill(c, rec, &p);
			*opened = p.opens;
			return KTRC_RECORDED;
		}
	}
	return KTRC_LOST_NEST;
}

static void lose(struct ktrc_cpu *c, u32 id, int reason)
{
	struct ktrc_status *st = c->ring.status;
	long lost = local_add_return(1, &c->lost);
	int i;

	local_inc(&c->count[id].lost[reason]);
	for (i = 0; st && i < KTRC_PLAN_TRIES; i++) {
		WRITE_ONCE(st->lost, lost);
		barrier();
		if (lost == local_read(&c->lost))
			break;
		/* an interrupt lost one more and showed it in between */
		lost = local_read(&c->lost);
	}
}

/* Return: whether a packet was opened. */
static bool hit(struct ktrc_cpu *c, const struct record *rec, u32 outer, u32 me)
{
	bool opened = false;
	int loss;

	local_inc(&c->count[rec->id].hits);
	if (outer == me) {
		lose(c, rec->id, KTRC_LOST_RECURSION);
		return false;
	}
	if (outer != KTRC_IDLE)
		local_inc(&c->count[rec->id].nested);
	loss = write(c, rec, outer != KTRC_IDLE, &opened);
	if (loss != KTRC_RECORDED)
		lose(c, rec->id, loss);
	return opened;
}

/**
 * ktrc_emit_catch_up() - publish what inner writers left unpublished
 * @r: this CPU's ring, idle
 */
void ktrc_emit_catch_up(struct ktrc_ring *r)
{
	WRITE_ONCE(r->active, KTRC_LEAF);
	barrier();
	ktrc_ring_leave(r, KTRC_IDLE);
}

/* books change only while @active is set; what is done in between is a leaf */
static u32 books_open(struct ktrc_ring *r)
{
	u32 outer = r->active;

	if (outer == KTRC_IDLE)
		WRITE_ONCE(r->active, KTRC_LEAF);
	barrier();
	return outer;
}

static void books_close(struct ktrc_ring *r, u32 outer)
{
	barrier();
	if (outer != KTRC_IDLE)
		return;
	WRITE_ONCE(r->active, KTRC_IDLE);
	barrier();
	if (unlikely(READ_ONCE(r->head) != r->published))
		ktrc_emit_catch_up(r);
}

/* the outermost writer drops a hit on a full stream */
static void drop(struct ktrc_cpu *c, u32 id)
{
	u32 outer = books_open(&c->ring);

	local_inc(&c->count[id].hits);
	lose(c, id, KTRC_LOST_FULL);
	books_close(&c->ring, outer);
}

/**
 * ktrc_emit_nothing_slow() - ktrc_emit_nothing() over another writer, or in a session that is off
 * @c: this CPU's
 * @id: event id
 *
 * Context: any; preemption disabled.
 */
noinline void ktrc_emit_nothing_slow(struct ktrc_cpu *c, u32 id)
{
	u32 outer = books_open(&c->ring);

	if (outer != KTRC_IDLE)
		local_inc(&c->count[id].nested);
	ktrc_emit_count_nothing(&c->count[id]);
	books_close(&c->ring, outer);
}

/**
 * ktrc_emit_of() - write a record of any size of any task, or count why not
 * @c: this CPU's
 * @id: event id
 * @payload: its struct ktrc_ev_*
 * @bytes: its size
 * @task: whose it is; NULL: no task's
 *
 * Context: any; preemption disabled.
 */
noinline void ktrc_emit_of(struct ktrc_cpu *c, u32 id, const void *payload, u32 bytes,
			   const struct task_struct *task)
{
	struct ktrc_ring *r = &c->ring;
	u32 outer = r->active, me = ktrc_ring_context();
	struct record rec = { .id = id, .bytes = bytes, .payload = payload, .task = task };
	bool opened = false;

	WRITE_ONCE(r->active, me);
	barrier();
	/* even if off since the caller looked: its duration is accounted */
	opened = hit(c, &rec, outer, me);
	ktrc_ring_leave(r, outer);
	if (opened)
		ktrc_wake_readers(&c->wake, c->readers);
}

/*
 * A short record whose stacks the open packet knows, of the task in effect: nothing else has
 * to be written.  Return: false when there is more to it; nothing has happened then.
 */
static __always_inline bool write_known(struct ktrc_cpu *c, const struct ktrc_stacks *stacks,
					u32 id, const void *payload, u32 bytes)
{
	struct ktrc_ring *r = &c->ring;
	u64 head = READ_ONCE(r->head);
	u64 next = head + ktrc_record_bytes(sizeof(u32)) + ktrc_record_bytes(bytes);
	u32 ref = ktrc_stacks_ref(stacks, r->end >> r->shift);
	u64 time;
	u32 *w;

	barrier();
	time = ktrc_clock_ticks(r->clock);
	if (!ref || bytes > KTRC_EMIT_BYTES || ktrc_epoch(time) != r->epoch || next > r->end ||
	    !ktrc_emit_is_in_effect(r) || cmpxchg_local(&r->head, head, next) != head)
		return false;
	w = (u32 *)(r->base + head);
	*w++ = ktrc_compact_header(KTRC_EV_stack_ref, time);
	*w++ = ref;
	*w++ = ktrc_compact_header(id, time);
	memcpy(w, payload, sizeof(u64));
	if (bytes > sizeof(u64))
		memcpy(w + 2, payload + sizeof(u64), sizeof(u32));
	return true;
}

/* the same with all that may have to be written before it */
static noinline void write_with_stacks(struct ktrc_cpu *c, u32 id, const void *payload, u32 bytes)
{
	struct record rec = { .id = id, .bytes = bytes, .payload = payload, .task = current };
	bool opened = false;
	int loss;

	rec.stacks = c->stacks;
	loss = write(c, &rec, false, &opened);
	if (loss != KTRC_RECORDED)
		lose(c, id, loss);
	ktrc_ring_leave(&c->ring, KTRC_IDLE);
	if (opened)
		ktrc_wake_readers(&c->wake, c->readers);
}

static __always_inline void emit_with_stacks(struct ktrc_cpu *c, u32 id, const void *payload,
					     u32 bytes, const struct ktrc_rule *rule)
{
	struct ktrc_stacks *stacks = c->stacks;
	struct ktrc_ring *r = &c->ring;

	if (unlikely(ktrc_ring_is_full(r) && !READ_ONCE(r->busy))) {
		drop(c, id);
		return;
	}
	if (unlikely(r->active != KTRC_IDLE || ktrc_ring_context() != KTRC_TASK || !stacks)) {
		ktrc_emit_long(c, id, payload, bytes);
		return;
	}
	/* before the walk: what a read of user memory raises finds its own context here */
	WRITE_ONCE(r->active, KTRC_TASK);
	barrier();
	local_inc(&c->count[id].hits);
	ktrc_stacks_take(stacks, rule);
	if (unlikely(!write_known(c, stacks, id, payload, bytes))) {
		write_with_stacks(c, id, payload, bytes);
		return;
	}
	ktrc_ring_publish(r, READ_ONCE(r->head));
	barrier();
	WRITE_ONCE(r->active, KTRC_IDLE);
	barrier();
	if (unlikely(READ_ONCE(r->head) != r->published))
		ktrc_emit_catch_up(r);
}

/**
 * ktrc_emit_with_stacks() - write a record of the current task and its stacks, or count why not
 * @c: this CPU's
 * @id: event id
 * @payload: its struct ktrc_ev_*
 * @bytes: its size, 8 or more
 * @rule: how many frames of which stacks
 *
 * The stacks at hand belong to the outermost writer of a task alone: what interrupts another
 * writer, or a task, has none.
 * Context: any; preemption disabled.
 */
void ktrc_emit_with_stacks(struct ktrc_cpu *c, u32 id, const void *payload, u32 bytes,
			   const struct ktrc_rule *rule)
{
	emit_with_stacks(c, id, payload, bytes, rule);
}

/**
 * ktrc_emit_word_with_stacks() - the same with a payload of 8 bytes; some instructions less
 * @c: this CPU's
 * @id: event id
 * @payload: its struct ktrc_ev_*
 * @rule: how many frames of which stacks
 *
 * Context: any; preemption disabled.
 */
void ktrc_emit_word_with_stacks(struct ktrc_cpu *c, u32 id, u64 payload,
				const struct ktrc_rule *rule)
{
	emit_with_stacks(c, id, &payload, sizeof(payload), rule);
}

/**
 * ktrc_emit_long() - write a record of any size of the current task, or count why not
 * @c: this CPU's
 * @id: event id
 * @payload: its struct ktrc_ev_*
 * @bytes: its size
 *
 * Context: any; preemption disabled.
 */
void ktrc_emit_long(struct ktrc_cpu *c, u32 id, const void *payload, u32 bytes)
{
	ktrc_emit_of(c, id, payload, bytes, current);
}

/**
 * ktrc_emit_slow() - write a record the long way, or count why not
 * @c: this CPU's
 * @id: event id
 * @bytes: size of the payload, 8 or 12
 * @low: its first 8 bytes
 * @high: the other 4
 *
 * Context: any; preemption disabled.
 */
void ktrc_emit_slow(struct ktrc_cpu *c, u32 id, u32 bytes, u64 low, u32 high)
{
	u32 payload[KTRC_EMIT_BYTES / sizeof(u32)];

	if (ktrc_ring_is_full(&c->ring) && !READ_ONCE(c->ring.busy)) {
		drop(c, id);
		return;
	}
	memcpy(payload, &low, sizeof(low));
	memcpy(payload + 2, &high, sizeof(high));
	ktrc_emit_long(c, id, payload, bytes);
}
