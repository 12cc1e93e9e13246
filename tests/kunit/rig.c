// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../unit/stacked.h"
#include "../unit/tap.h"
#include "rig.h"

const char *tap_why(const char *format, ...)
{
	static char why[200];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof(why), format, ap);
	va_end(ap);
	return why;
}

/**
 * rig_create() - a ring with two events
 * @mode: enum ktrc_mode
 * @clock: enum ktrc_clock
 * @with_stacks: of both kinds
 *
 * Return: NULL without memory
 */
struct rig *rig_create(u32 mode, u32 clock, bool with_stacks)
{
	struct rig *rig = vzalloc(sizeof(*rig));
	struct ktrc_ring *r;

	if (!rig)
		return NULL;
	rig->memory = vzalloc(PAGE_SIZE + (RIG_PACKETS << RIG_SHIFT));
	if (with_stacks)
		rig->cpu.stacks = vzalloc(sizeof(*rig->cpu.stacks));
	if (!rig->memory || (with_stacks && !rig->cpu.stacks)) {
		rig_destroy(rig);
		return NULL;
	}
	if (with_stacks)
		rig->rule = (struct ktrc_rule){ .user_frames = 8, .kernel_frames = 8 };
	rig->seen.has_real_stacks = with_stacks;
	r = &rig->cpu.ring;
	r->mode = mode;
	r->clock = clock;
	r->shift = RIG_SHIFT;
	r->nr_packets = RIG_PACKETS;
	r->uuid[0] = 0xa5; /* as the observer knows it */
	r->uuid[15] = 0x5a;
	rig->cpu.events = BIT_ULL(KTRC_EV_fault) | BIT_ULL(KTRC_EV_fault_light);
	rig->cpu.nr_events = 2;
	rig->seen.nr_events = 2;
	init_waitqueue_head(&rig->readers);
	rig->cpu.readers = &rig->readers;
	ktrc_ring_init(r, rig->memory);
	return rig;
}

/**
 * rig_destroy() - free it; nothing if there is none
 * @rig: nobody writes into it
 */
void rig_destroy(struct rig *rig)
{
	if (!rig)
		return;
	vfree(rig->cpu.stacks);
	vfree(rig->memory);
	vfree(rig);
}

/* The current task as its record describes it. */
static struct ktrc_ev_task this_task(void)
{
	struct ktrc_ev_task task = {
		.tid = current->pid,
		.pid = current->tgid,
		.cgid = ktrc_current_cgid(),
		.start_ns = current->start_boottime,
	};

	strscpy_pad(task.comm, current->comm, sizeof(task.comm));
	return task;
}

/*
 * With stacks if a task has them; else half of them the slow way in any case: the fast one is over
 * too soon to be interrupted often.
 */
static void emit(struct rig *rig, u32 seq, u32 event, const struct payload *p)
{
	if (rig->cpu.stacks)
		emit_stacked(&rig->cpu, event, p, &rig->rule);
	else if (seq & 2)
		ktrc_emit_long(&rig->cpu, event, p, payload_bytes(event));
	else
		ktrc_emit_payload(&rig->cpu, rig->cpu.ring.clock, event, p, payload_bytes(event),
				  KTRC_NO_TICKS);
}

/* Return: whether nothing was lost meanwhile: then the hit is written, and what interrupted it. */
static bool write_one(struct rig *rig, enum rig_level level, const struct ktrc_ev_task *task)
{
	long lost = local_read(&rig->cpu.lost);
	enum rig_level outer = rig->level;
	u32 seq = rig->seq[level]++;
	u32 event = seq & 1 ? KTRC_EV_fault : KTRC_EV_fault_light;
	struct payload p = payload_make(level, seq, event, task);
	u32 found = READ_ONCE(rig->cpu.ring.active);

	rig->nr_nested += found != KTRC_IDLE;
	WRITE_ONCE(rig->found[level], found);
	WRITE_ONCE(rig->level, level);
	emit(rig, seq, event, &p);
	WRITE_ONCE(rig->level, outer);
	return local_read(&rig->cpu.lost) == lost;
}

/**
 * rig_writer() - the context that is in the middle of a write
 * @rig: of any CPU
 *
 * Return: RIG_NOBODY if there is none.
 */
enum rig_level rig_writer(const struct rig *rig)
{
	enum rig_level level = READ_ONCE(rig->level);

	if (READ_ONCE(rig->cpu.ring.active) == READ_ONCE(rig->found[level]))
		return RIG_NOBODY;
	return level;
}

static u32 nr_interruptions(const struct rig *rig, enum rig_level outer)
{
	u32 nr = 0;
	int inner;

	for (inner = outer + 1; inner < RIG_NR_LEVELS; inner++)
		nr += READ_ONCE(rig->interrupted[outer][inner]);
	return nr;
}

/**
 * rig_write() - a context comes, counts whom it interrupts in the middle of a write, and writes
 * @rig: of this CPU
 * @level: the context; a context interrupts only lower ones
 * @most: hits, if it is not interrupted before as often as there are higher contexts
 */
void rig_write(struct rig *rig, enum rig_level level, int most)
{
	u32 enough = nr_interruptions(rig, level) + RIG_NMI - level;
	enum rig_level outer = rig_writer(rig);
	struct ktrc_ev_task task = this_task();
	int i;

	if (outer != RIG_NOBODY)
		rig->interrupted[outer][level]++;
	for (i = 0; i < most; i++) {
		if (i >= RIG_LEAST && nr_interruptions(rig, level) >= enough)
			break;
		rig->written[outer][level] += write_one(rig, level, &task);
	}
}

static const u8 *packet_at(const struct rig *rig, u64 packet)
{
	return rig->cpu.ring.data + (packet % RIG_PACKETS << RIG_SHIFT);
}

static const char *read_to(struct rig *rig, struct observer *o, u64 head)
{
	while (o->pos < head)
		TAP_TRY(observer_read(o, packet_at(rig, o->packet), RIG_SHIFT, head));
	return NULL;
}

/**
 * rig_consume() - stream mode: read what is published, and give its place back
 * @rig: writers may be at work
 *
 * Return: NULL, or what is wrong.
 */
const char *rig_consume(struct rig *rig)
{
	struct ktrc_status *status = rig->memory;
	u64 head = smp_load_acquire(&status->head);

	TAP_TRY(read_to(rig, &rig->seen, head));
	TAP_NEED(!ktrc_ring_consume(&rig->cpu.ring, head), "position %llu cannot be consumed",
		 head);
	return NULL;
}

/* Of a flight recording only the last packets are left; their books say what was before. */
static const char *read_oldest(struct rig *rig)
{
	struct ktrc_status *status = rig->memory;
	u64 oldest = status->tail >> RIG_SHIFT;

	observer_start(&rig->seen, packet_at(rig, oldest), oldest, RIG_SHIFT);
	return read_to(rig, &rig->seen, status->head);
}

static const char *audit_books(const struct rig *rig)
{
	u64 hits = 0, counted = 0, found_nested = 0;
	int i;

	for (i = 0; i < RIG_NR_LEVELS; i++)
		hits += rig->seq[i];
	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		const struct ktrc_count *n = &rig->cpu.count[i];
		struct ktrc_books b;

		ktrc_count_read(n, &b);
		TAP_NEED(b.hits == b.written + b.lost, "event %d: no balance", i);
		TAP_NEED(b.written == rig->seen.records[i], "event %d: %llu written, %llu read", i,
			 b.written, rig->seen.records[i]);
		TAP_NEED(!b.lost_by[KTRC_LOST_RECURSION], "event %d: a recursion", i);
		counted += b.hits;
		found_nested += local_read(&n->nested);
	}
	TAP_NEED(counted == hits, "%llu hits, %llu counted", hits, counted);
	TAP_NEED(found_nested == rig->nr_nested, "%llu hits nested, %llu counted", rig->nr_nested,
		 found_nested);
	return NULL;
}

/**
 * rig_audit() - all promises
 * @rig: nobody writes any more
 *
 * Return: NULL, or what is wrong.
 */
const char *rig_audit(struct rig *rig)
{
	const struct ktrc_ring *r = &rig->cpu.ring;
	struct ktrc_status *status = rig->memory;

	TAP_NEED(r->active == KTRC_IDLE, "ring left active: %u", r->active);
	TAP_NEED(r->head == status->head, "reserved to %llu, published to %llu", r->head,
		 status->head);
	TAP_TRY(r->mode == KTRC_MODE_STREAM ? rig_consume(rig) : read_oldest(rig));
	return audit_books(rig);
}

MODULE_LICENSE("GPL"); /* all suites link this file */
