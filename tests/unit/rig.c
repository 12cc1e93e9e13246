// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "rig.h"
#include "stacked.h"

/* The memory compared at each step is the rig's own: not worth a check of each byte. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "intercept_memcmp=0";
}

static const u32 count_bits[RIG_NR_LEVELS] = {
	[RIG_SOFTIRQ] = SOFTIRQ_OFFSET,
	[RIG_IRQ] = HARDIRQ_OFFSET,
	[RIG_NMI] = NMI_OFFSET + HARDIRQ_OFFSET,
};

static void make_tasks(struct rig *rig)
{
	u32 i;

	for (i = 0; i < RIG_TASKS; i++) {
		struct task_struct *t = &rig->task[i];

		/* the last two meet in one slot of the dictionary */
		t->pid = i < RIG_TASKS - 1 ? 100 + i : rig->task[i - 1].pid + KTRC_DICT_TASKS;
		t->tgid = 100;
		t->start_boottime = 1000 + i;
		t->cgid = 7 * i;
		snprintf(t->comm, sizeof(t->comm), "task %u", i);
	}
}

/**
 * rig_init() - a new session on a CPU that runs the first task
 * @rig: any content
 * @config: the ring
 */
void rig_init(struct rig *rig, const struct rig_config *config)
{
	struct ktrc_ring *r = &rig->cpu.ring;

	memset(rig, 0, sizeof(*rig));
	r->mode = config->mode;
	r->clock = config->clock;
	r->shift = config->shift;
	r->nr_packets = config->nr_packets;
	r->cpu = 3;
	r->uuid[0] = 0xa5;
	r->uuid[15] = 0x5a;
	rig->cpu.events = BIT_ULL(KTRC_EV_fault) | BIT_ULL(KTRC_EV_fault_light);
	rig->cpu.nr_events = 2;
	rig->cpu.stacks = &rig->stacks;
	ktrc_ring_init(r, rig->memory);
	make_tasks(rig);
	rig->seen.nr_events = 2;
	rig->seen.spans = rig->spans;
	shim = (struct shim){ .task = rig->task, .tsc = 1ull << 40, .tsc_step = 12 };
}

/**
 * rig_restore() - back to a saved state
 * @rig: where the state was saved from: addresses in it stay valid
 * @saved: a copy of it, with its @shim set
 */
void rig_restore(struct rig *rig, const struct rig *saved)
{
	memcpy(rig, saved, sizeof(*rig));
	shim = rig->shim;
}

enum rig_level rig_level(void)
{
	if (shim.preempt_count & NMI_MASK)
		return RIG_NMI;
	if (shim.preempt_count & HARDIRQ_MASK)
		return RIG_IRQ;
	return shim.preempt_count & SOFTIRQ_OFFSET ? RIG_SOFTIRQ : RIG_TASK;
}

u32 rig_context(void)
{
	return (shim.preempt_count & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)) | 2;
}

void rig_enter(enum rig_level level, u32 *outer)
{
	*outer = shim.preempt_count;
	shim.preempt_count += count_bits[level];
}

void rig_leave(u32 outer)
{
	shim.preempt_count = outer;
}

static struct payload next_payload(struct rig *rig, u32 level, u32 event,
				   const struct task_struct *of)
{
	struct ktrc_ev_task task = { .tid = KTRC_TID_NOBODY, .pid = KTRC_TID_NOBODY };

	if (of) {
		task.tid = of->pid;
		task.pid = of->tgid;
		task.cgid = of->cgid;
		task.start_ns = of->start_boottime;
		strcpy(task.comm, of->comm);
	}
	return payload_make(level, rig->emitted[level]++, event, &task);
}

static void walk(struct ktrc_frames *f, u32 seed, u32 nr)
{
	u32 i;

	f->nr = seed ? observer_nr_frames(seed) : 0;
	f->nr = f->nr < nr ? f->nr : nr;
	f->hash = 0;
	f->end = KTRC_stack_end_whole;
	for (i = 0; i < f->nr; i++) {
		f->frame[i] = observer_frame(seed, i);
		f->hash = ktrc_frame_hash(f->hash, f->frame[i]);
		shim_step();
	}
	if (shim.on_walk)
		shim.on_walk(shim.context);
}

void ktrc_walk_user(struct ktrc_frames *f, u32 nr)
{
	walk(f, shim.user_stack, nr);
}

void ktrc_walk_kernel(struct ktrc_frames *f, u32 nr)
{
	walk(f, shim.kernel_stack, nr);
}

void ktrc_copy_user(struct ktrc_copy *copy, u32 bytes)
{
	u32 i;

	(void)bytes;
	copy->regs = 17;
	copy->nr = shim.copied ? observer_nr_words(shim.copied) : 0;
	copy->hash = 0;
	for (i = 0; i < copy->nr; i++) {
		copy->word[i] = observer_frame(shim.copied, i);
		copy->hash = ktrc_frame_hash(copy->hash, copy->word[i]);
		shim_step();
	}
	if (shim.on_walk)
		shim.on_walk(shim.context);
}

static void write_payload(struct rig *rig, u32 event, const struct payload *p)
{
	u32 clock = rig->cpu.ring.clock;
	struct ktrc_ev_fault_light light;
	struct ktrc_ev_fault fault;

	if (ktrc_rule_has_stacks(&rig->rule)) {
		emit_stacked(&rig->cpu, event, p, &rig->rule);
	} else if (event == KTRC_EV_fault) {
		memcpy(&fault, p, sizeof(fault));
		writer_fault(&rig->cpu, clock, &fault);
	} else {
		memcpy(&light, p, sizeof(light));
		writer_fault_light(&rig->cpu, clock, &light);
	}
}

void rig_emit_of(struct rig *rig, u32 event, const struct task_struct *task)
{
	u32 level = rig_level();
	struct payload p = next_payload(rig, level, event, task);
	struct span *hit = &rig->spans[level][(rig->emitted[level] - 1) % OBSERVER_SPANS];

	*hit = (struct span){ .begin = shim.tsc >> 2, .end = ~0ull };
	if (task == shim.task && level == RIG_TASK && rig->cpu.ring.active == KTRC_IDLE) {
		hit->user_stack = rig->rule.user_frames ? shim.user_stack : 0;
		hit->kernel_stack = rig->rule.kernel_frames ? shim.kernel_stack : 0;
		hit->copied = rig->rule.user_bytes ? shim.copied : 0;
	}
	rig->hits[event]++;
	if (rig->cpu.ring.active == rig_context())
		rig->recursions[event]++;
	else if (rig->cpu.ring.active != KTRC_IDLE)
		rig->nested[event]++;
	if (task == shim.task)
		write_payload(rig, event, &p);
	else
		ktrc_emit_of(&rig->cpu, event, &p,
			     event == KTRC_EV_fault ? sizeof(struct ktrc_ev_fault) :
						      sizeof(struct ktrc_ev_fault_light),
			     task);
	hit->end = shim.tsc >> 2;
	if (rig->cpu.ring.off) { /* whether it was a hit is the tested code's choice */
		rig->hits[event] = (u64)rig->cpu.count[event].hits.value;
		rig->nested[event] = (u64)rig->cpu.count[event].nested.value;
	}
}

void rig_emit(struct rig *rig, u32 event)
{
	rig_emit_of(rig, event, shim.task);
}

u64 rig_room(const struct rig *rig)
{
	const struct ktrc_ring *r = &rig->cpu.ring;
	u64 limit = ktrc_packet_end(r->head, r->shift) - KTRC_SLACK_BYTES;

	return limit > r->head ? limit - r->head : 0;
}

void rig_fill(struct rig *rig, u64 bytes)
{
	const u64 timed = 4 + sizeof(struct ktrc_ev_fault);

	while (rig_room(rig) > bytes && (rig_room(rig) - bytes) % timed)
		rig_emit(rig, KTRC_EV_fault_light);
	while (rig_room(rig) > bytes)
		rig_emit(rig, KTRC_EV_fault);
}

static const u8 *packet_at(const u8 *data, const struct ktrc_ring *r, u64 packet)
{
	return data + (packet % r->nr_packets << r->shift);
}

/* What a packet held when it was read still stands there, but for what closing it adds. */
static bool is_unchanged(const struct rig *rig, u64 packet)
{
	const struct ktrc_ring *r = &rig->cpu.ring;
	const u8 *was = packet_at(rig->shadow, r, packet), *is = packet_at(r->data, r, packet);
	u64 bytes = rig->seen.pos - (packet << r->shift);

	if (rig->seen.packet < packet || rig->seen.pos == packet << r->shift)
		return true;
	if (rig->seen.packet > packet)
		bytes = 1ull << r->shift;
	return !memcmp(was, is, offsetof(struct ktrc_packet_header, end)) &&
	       !memcmp(was + offsetof(struct ktrc_packet_header, packet_bits),
		       is + offsetof(struct ktrc_packet_header, packet_bits),
		       offsetof(struct ktrc_packet_header, discarded) -
			       offsetof(struct ktrc_packet_header, packet_bits)) &&
	       !memcmp(was + offsetof(struct ktrc_packet_header, cpu),
		       is + offsetof(struct ktrc_packet_header, cpu),
		       bytes - offsetof(struct ktrc_packet_header, cpu));
}

/* the oldest packet that must still be whole */
static u64 oldest_packet(struct rig *rig)
{
	const struct ktrc_ring *r = &rig->cpu.ring;
	u64 newest = rig->seen.packet;

	if (r->mode == KTRC_MODE_FLIGHT)
		return rig_status(rig)->tail >> r->shift;
	if (r->cons >> r->shift)
		return r->cons >> r->shift;
	return newest < r->nr_packets ? 0 : newest - r->nr_packets + 1;
}

static const char *observe(struct rig *rig)
{
	const struct ktrc_ring *r = &rig->cpu.ring;
	struct ktrc_status *st = rig_status(rig);
	u64 head = __atomic_load_n(&st->head, __ATOMIC_ACQUIRE);

	TAP_NEED(st->tail >= rig->tail, "tail runs back");
	rig->tail = st->tail;
	TAP_NEED(head >= rig->seen.pos, "head runs back");
	TAP_NEED(head <= r->head, "head is beyond what is reserved");
	TAP_NEED(is_unchanged(rig, oldest_packet(rig)), "packet %llu changed", oldest_packet(rig));
	while (rig->seen.pos < head) {
		u64 packet = rig->seen.packet, from = rig->seen.pos - (packet << r->shift);
		const u8 *bytes = packet_at(r->data, r, packet);

		TAP_TRY(observer_read(&rig->seen, bytes, r->shift, head));
		memcpy((u8 *)packet_at(rig->shadow, r, packet) + from, bytes + from,
		       rig->seen.pos - (packet << r->shift) - from);
	}
	return NULL;
}

void rig_observe(struct rig *rig)
{
	const char *wrong = rig->wrong[0] ? NULL : observe(rig);

	if (wrong)
		snprintf(rig->wrong, sizeof(rig->wrong), "%s", wrong);
}

void rig_consume(struct rig *rig)
{
	void (*on_step)(void *context) = shim.on_step;

	shim.on_step = NULL; /* on another CPU */
	rig_observe(rig);
	if (ktrc_ring_consume(&rig->cpu.ring, rig->seen.pos))
		snprintf(rig->wrong, sizeof(rig->wrong), "consume refused");
	shim.on_step = on_step;
}
