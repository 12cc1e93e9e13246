// SPDX-License-Identifier: GPL-2.0
/*
 * The self-test at load.  Each CPU that is online writes into a ring of its own, from a
 * task and from an interrupt, reads it back and compares; its clock is held against the
 * kernel's.  What fails is said in one line and the module does not load.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
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
#define RATE_US 50
#define PATIENCE (2 * HZ)

#define EVENT KTRC_EV_fault_light

enum origin { FROM_TASK, FROM_IRQ, NR_ORIGINS };

/**
 * struct selftest - one CPU's
 * @cpu: what is tested
 * @memory: its ring
 * @readers: nobody
 * @work: does it, on that CPU
 * @done: it has
 * @irq: writes a record in an interrupt
 * @written: by origin: records so far
 * @read: by origin: records found
 * @next: by origin: the least word that may come next
 * @pos: everything before it has been read
 * @time: of the record before it
 * @took_ns: time it took
 * @err: 0, -EIO when something is wrong, -ENOMEM
 * @wrong: what is
 */
struct selftest {
	struct ktrc_cpu cpu;
	void *memory;
	wait_queue_head_t readers;
	struct work_struct work;
	struct completion done;
	struct irq_work irq;
	u64 written[NR_ORIGINS];
	u64 read[NR_ORIGINS];
	u64 next[NR_ORIGINS];
	u64 pos;
	u64 time;
	u64 took_ns;
	int err;
	const char *wrong;
};

static u64 word_of(enum origin origin, u64 number)
{
	return (u64)(origin + 1) << 48 | number;
}

static void write(struct selftest *t, enum origin origin)
{
	u64 word = word_of(origin, t->written[origin]++);

	preempt_disable();
	ktrc_emit_payload(&t->cpu, t->cpu.ring.clock, EVENT, &word, sizeof(word), KTRC_NO_TICKS);
	preempt_enable();
}

static void from_irq(struct irq_work *work)
{
	write(container_of(work, struct selftest, irq), FROM_IRQ);
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

static const char *check_word(struct selftest *t, const u32 *payload)
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
static const char *read_record(struct selftest *t, const u32 *w, u64 left)
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

static const char *read_packet(struct selftest *t, u64 k, u64 head)
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

static const char *read_back(struct selftest *t)
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

static const char *check_books(const struct selftest *t)
{
	u64 written = t->written[FROM_TASK] + t->written[FROM_IRQ];
	struct ktrc_books b;

	ktrc_count_read(&t->cpu.count[EVENT], &b);
	if (b.hits != written || b.filtered)
		return "the books do not balance";
	if (b.written != t->read[FROM_TASK] + t->read[FROM_IRQ])
		return "what was written cannot be read";
	if (b.lost != b.lost_by[KTRC_LOST_NEST] || b.lost > t->written[FROM_IRQ])
		return "records were lost";
	return t->read[FROM_TASK] == t->written[FROM_TASK] ? NULL : "records were lost";
}

/* Return: whether preemption is as it was. */
static bool write_round(struct selftest *t)
{
	int i, depth = preempt_count();

	for (i = 0; i < ROUND_RECORDS; i++) {
		if (i % IRQ_EVERY == 0)
			irq_work_queue(&t->irq);
		write(t, FROM_TASK);
	}
	if (preempt_count() == depth)
		return true;
	preempt_count_set(depth);
	return false;
}

static const char *run_rounds(struct selftest *t)
{
	const char *wrong = NULL;
	int round;

	for (round = 0; !wrong && round < ROUNDS; round++) {
		if (!write_round(t))
			return "a writer leaves preemption in another state";
		irq_work_sync(&t->irq);
		wrong = read_back(t);
	}
	return wrong ?: check_books(t);
}

/*
 * Ticks as nanoseconds are within a tenth of the kernel's clock, which is read before and
 * after each reading: the time between the two is known to lie between the inner and the
 * outer pair, however long the CPU is away.
 */
static const char *check_rate(u32 clock)
{
	u64 ns[4], ticks[2], least, most, passed;

	ns[0] = ktime_get_mono_fast_ns();
	ticks[0] = ktrc_clock_ticks(clock);
	ns[1] = ktime_get_mono_fast_ns();
	udelay(RATE_US);
	ns[2] = ktime_get_mono_fast_ns();
	ticks[1] = ktrc_clock_ticks(clock);
	ns[3] = ktime_get_mono_fast_ns();
	least = ktrc_clock_from_ns(clock, ns[2] - ns[1]);
	most = ktrc_clock_from_ns(clock, ns[3] - ns[0]);
	passed = ticks[1] - ticks[0];
	if (passed >= least - least / 10 && passed <= most + most / 10)
		return NULL;
	return "the clock does not run at its rate";
}

static void prepare(struct selftest *t, u32 clock)
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

static void try_ring(struct selftest *t)
{
	u64 began = ktime_get_mono_fast_ns();

	t->memory =
		__vmalloc(PAGE_SIZE + (PACKETS << SHIFT), GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO);
	if (!t->memory) {
		t->err = -ENOMEM;
		return;
	}
	prepare(t, ktrc_clock_choose());
	t->wrong = run_rounds(t) ?: check_rate(t->cpu.ring.clock);
	if (t->wrong)
		t->err = -EIO;
	irq_work_sync(&t->irq);
	vfree(t->memory);
	t->took_ns = ktime_get_mono_fast_ns() - began;
}

static void try_cpu(struct work_struct *work)
{
	struct selftest *t = container_of(work, struct selftest, work);

	try_ring(t);
	complete(&t->done);
}

/* All CPUs at once.  One that a real-time task keeps to itself does not come to it. */
static void try_cpus(struct selftest __percpu *tests)
{
	unsigned long end = jiffies + PATIENCE;
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct selftest *t = per_cpu_ptr(tests, cpu);

		init_completion(&t->done);
		INIT_WORK(&t->work, try_cpu);
		queue_work_on(cpu, system_wq, &t->work);
	}
	for_each_online_cpu(cpu) {
		struct selftest *t = per_cpu_ptr(tests, cpu);

		wait_for_completion_timeout(&t->done, max(1l, (long)(end - jiffies)));
		if (cancel_work_sync(&t->work))
			pr_info("self-test: CPU %d is too busy for it\n", cpu);
	}
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
	struct selftest __percpu *tests =
		alloc_percpu_gfp(struct selftest, GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO);
	u64 longest_ns = 0;
	int cpu, err = 0;

	if (!tests)
		return -ENOMEM;
	try_cpus(tests);
	for_each_possible_cpu(cpu) {
		const struct selftest *t = per_cpu_ptr(tests, cpu);

		longest_ns = max(longest_ns, t->took_ns);
		if (!t->err || err)
			continue;
		err = t->err;
		if (t->wrong)
			pr_err("self-test: CPU %d: %s; not loaded\n", cpu, t->wrong);
	}
	*longest_us = div_u64(longest_ns, NSEC_PER_USEC);
	free_percpu(tests);
	return err;
}
