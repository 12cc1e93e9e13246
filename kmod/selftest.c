// SPDX-License-Identifier: GPL-2.0
/*
 * The self-test at load.  Each CPU that is online writes into a ring of its own, from a
 * task and from an interrupt, reads it back and compares; its clock is held against the
 * kernel's.  What fails is said in one line and the module does not load.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "emit.h"
#include "schema.h"
#include "selftest.h"

#define SHIFT 12
#define PACKETS 16
#define ROUNDS 10
#define ROUND_RECORDS 1000
#define IRQ_EVERY 10 /* records of the task to one of the interrupt */
#define RATE_TRIES 3
#define RATE_US 50

#define EVENT KTRC_EV_fault_light

enum origin { FROM_TASK, FROM_IRQ, NR_ORIGINS };

/**
 * struct trial - one CPU's
 * @cpu: what is tested
 * @memory: its ring
 * @readers: nobody
 * @work: does it, on that CPU
 * @irq: writes a record in an interrupt
 * @written: by origin: records so far
 * @read: by origin: records found
 * @next: by origin: the least word that may come next
 * @pos: everything before it has been read
 * @time: of the record before it
 * @took_ns: time it took
 * @wrong: what is, or NULL
 */
struct trial {
	struct ktrc_cpu cpu;
	void *memory;
	wait_queue_head_t readers;
	struct work_struct work;
	struct irq_work irq;
	u64 written[NR_ORIGINS];
	u64 read[NR_ORIGINS];
	u64 next[NR_ORIGINS];
	u64 pos;
	u64 time;
	u64 took_ns;
	const char *wrong;
};

static u64 word_of(enum origin origin, u64 number)
{
	return (u64)(origin + 1) << 48 | number;
}

static void write(struct trial *t, enum origin origin)
{
	u64 word = word_of(origin, t->written[origin]++);

	preempt_disable();
	ktrc_emit_payload(&t->cpu, t->cpu.ring.clock, EVENT, &word, sizeof(word), KTRC_NO_TICKS);
	preempt_enable();
}

static void from_irq(struct irq_work *work)
{
	write(container_of(work, struct trial, irq), FROM_IRQ);
}

/* ---- reading back ---- */

static u32 payload_bytes(u32 id)
{
	u32 i;

	for (i = 0; i < ktrc_nr_event_descs; i++) {
		if (ktrc_event_descs[i].id == id)
			return ktrc_event_descs[i].bytes;
	}
	return 0;
}

static const char *check_word(struct trial *t, const u32 *payload)
{
	enum origin origin;
	u64 word;

	memcpy(&word, payload, sizeof(word));
	origin = (word >> 48) - 1;
	if (origin >= NR_ORIGINS)
		return "a record is not what was written";
	if (word < t->next[origin] || word >= word_of(origin, t->written[origin]))
		return "a record stands twice, or was never written";
	/* who interrupts at a packet's end may find no room: its number is left out */
	t->next[origin] = word + 1;
	t->read[origin]++;
	return NULL;
}

/* One record at @w; @left: bytes to the content's end.  Moves on, or says what is wrong. */
static const char *read_record(struct trial *t, const u32 *w, u64 left)
{
	u32 id = *w & KTRC_ID_EXTENDED, header = KTRC_COMPACT_BYTES, bytes;
	u64 time = (t->time >> KTRC_TIME_BITS << KTRC_TIME_BITS) | *w >> KTRC_ID_BITS;

	if (id == KTRC_ID_EXTENDED && left >= KTRC_EXTENDED_BYTES) {
		id = w[1];
		time = w[2] | (u64)w[3] << 32;
		header = KTRC_EXTENDED_BYTES;
	}
	bytes = payload_bytes(id);
	if (!bytes || header + bytes > left)
		return "a record is cut";
	if (time < t->time)
		return "the clock runs back";
	t->time = time;
	t->pos += header + bytes;
	return id == EVENT ? check_word(t, w + header / sizeof(*w)) : NULL;
}

static const char *read_packet(struct trial *t, u64 k, u64 head)
{
	const u8 *packet = t->cpu.ring.data + (k % PACKETS << SHIFT);
	const struct ktrc_packet_header *h = (const void *)packet;
	u64 start = k << SHIFT, end = start + (1 << SHIFT);
	const char *wrong = NULL;

	if (h->magic != KTRC_PACKET_MAGIC || h->seq != k)
		return "a packet has a wrong header";
	if (t->pos == start) {
		t->pos += sizeof(*h);
		t->time = h->begin;
	}
	if (head > end)
		end = start + h->content_bits / 8;
	else
		end = head;
	while (!wrong && t->pos < end)
		wrong = read_record(t, (const u32 *)(packet + (t->pos - start)), end - t->pos);
	if (!wrong && head > end)
		t->pos = start + (1 << SHIFT);
	return wrong;
}

static const char *read_back(struct trial *t)
{
	u64 head = READ_ONCE(t->cpu.ring.published);
	const char *wrong = NULL;

	while (!wrong && t->pos < head)
		wrong = read_packet(t, t->pos >> SHIFT, head);
	if (!wrong && ktrc_ring_consume(&t->cpu.ring, head))
		wrong = "what was read cannot be consumed";
	return wrong;
}

/* ---- one CPU ---- */

static const char *check_books(const struct trial *t)
{
	u64 written = t->written[FROM_TASK] + t->written[FROM_IRQ];
	struct ktrc_books b;

	ktrc_count_read(&t->cpu.count[EVENT], &b);
	if (b.hits != written || b.hits != b.written + b.lost)
		return "the books do not balance";
	if (b.written != t->read[FROM_TASK] + t->read[FROM_IRQ])
		return "what was written cannot be read";
	if (b.lost != b.lost_by[KTRC_LOST_NEST] || b.lost > t->written[FROM_IRQ])
		return "records were lost";
	return t->read[FROM_TASK] == t->written[FROM_TASK] ? NULL : "records were lost";
}

static const char *run_rounds(struct trial *t)
{
	const char *wrong = NULL;
	int i, round;

	for (round = 0; !wrong && round < ROUNDS; round++) {
		for (i = 0; i < ROUND_RECORDS; i++) {
			if (i % IRQ_EVERY == 0)
				irq_work_queue(&t->irq);
			write(t, FROM_TASK);
		}
		irq_work_sync(&t->irq);
		wrong = read_back(t);
	}
	return wrong ?: check_books(t);
}

/* Ticks as nanoseconds are within a tenth of the kernel's clock; a stall is tried again. */
static const char *check_rate(u32 clock)
{
	int i;

	for (i = 0; i < RATE_TRIES; i++) {
		u64 ns = ktime_get_mono_fast_ns(), ticks = ktrc_clock_ticks(clock), expected;

		udelay(RATE_US);
		ticks = ktrc_clock_ticks(clock) - ticks;
		expected = ktrc_clock_from_ns(clock, ktime_get_mono_fast_ns() - ns);
		if (ticks > expected - expected / 10 && ticks < expected + expected / 10)
			return NULL;
	}
	return "the clock does not run at its rate";
}

static void init_trial(struct trial *t, u32 clock)
{
	struct ktrc_ring *r = &t->cpu.ring;

	r->mode = KTRC_MODE_STREAM;
	r->clock = clock;
	r->shift = SHIFT;
	r->nr_packets = PACKETS;
	t->cpu.events = BIT_ULL(EVENT);
	t->cpu.nr_events = 1;
	init_waitqueue_head(&t->readers);
	t->cpu.readers = &t->readers;
	init_irq_work(&t->irq, from_irq);
	ktrc_ring_init(r, t->memory);
}

static void try_cpu(struct work_struct *work)
{
	struct trial *t = container_of(work, struct trial, work);
	u64 began = ktime_get_mono_fast_ns();
	int depth = preempt_count();

	t->memory = vzalloc(PAGE_SIZE + (PACKETS << SHIFT));
	if (!t->memory) {
		t->wrong = "no memory";
		return;
	}
	init_trial(t, ktrc_clock_choose());
	t->wrong = run_rounds(t) ?: check_rate(t->cpu.ring.clock);
	if (!t->wrong && preempt_count() != depth)
		t->wrong = "a writer leaves preemption in another state";
	vfree(t->memory);
	t->took_ns = ktime_get_mono_fast_ns() - began;
}

/* all CPUs at once */
static void try_cpus(struct trial __percpu *trials)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct trial *t = per_cpu_ptr(trials, cpu);

		INIT_WORK(&t->work, try_cpu);
		queue_work_on(cpu, system_wq, &t->work);
	}
	for_each_online_cpu(cpu)
		flush_work(&per_cpu_ptr(trials, cpu)->work);
	cpus_read_unlock();
}

/**
 * ktrc_selftest() - does the ring and the clock of every CPU do what they promise
 *
 * @longest_us: receives the time that the slowest CPU took
 *
 * Context: process; takes milliseconds.
 * Return: 0, -ENOMEM, or -EIO with one line in the kernel's log.
 */
int ktrc_selftest(u32 *longest_us)
{
	struct trial __percpu *trials = alloc_percpu(struct trial);
	u64 longest_ns = 0;
	int cpu, err = 0;

	if (!trials)
		return -ENOMEM;
	try_cpus(trials);
	for_each_possible_cpu(cpu) {
		const struct trial *t = per_cpu_ptr(trials, cpu);

		longest_ns = max(longest_ns, t->took_ns);
		if (!t->wrong || err)
			continue;
		pr_err("self-test: CPU %d: %s; not loaded\n", cpu, t->wrong);
		err = -EIO;
	}
	*longest_us = div_u64(longest_ns, NSEC_PER_USEC);
	free_percpu(trials);
	return err;
}
