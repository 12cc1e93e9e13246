// SPDX-License-Identifier: GPL-2.0
/*
 * The self-test at load.  In each mode, each CPU that is online writes into a ring of its own,
 * from a task, from an interrupt of its own and from those that another CPU sends it; all that is
 * there is read back and compared, and its clock is held against the kernel's.  What fails is said
 * in one line and the module does not load.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "emit.h"
#include "schema.h"
#include "selftest.h"

#define SHIFT 12
#define PACKETS 16
#define ROUNDS 10
#define ROUND_RECORDS 1000
/* records of the task to one of an interrupt */
#define IRQ_EVERY 10
#define IPI_EVERY 100
/* of records that an overwritten ring still has: it is full but for its open packet and the names */
#define LEAST_KEPT (((PACKETS - 2) << SHIFT) / 16)
#define RATE_US 50
#define PATIENCE (2 * HZ)

#define EVENT KTRC_EV_fault_light

/* FROM_IPI: from an interrupt that another CPU sent */
enum origin { FROM_TASK, FROM_IRQ, FROM_IPI, NR_ORIGINS };

static u32 clocks_tried; /* bit i: enum ktrc_clock i was, by a start */

/**
 * struct selftest - one CPU's
 * @cpu: what is tested
 * @memory: its ring
 * @readers: nobody
 * @work: does it, on that CPU
 * @done: it has
 * @irq: writes a record in an interrupt
 * @on: the CPU
 * @neighbour: that of another CPU, which gets interrupts from this one; NULL: there is none
 * @nr_sent: interrupts that were sent to this CPU
 * @written: by origin: records so far
 * @read: by origin: records found
 * @next: by origin: the least word that may come next
 * @pos: everything before it has been read
 * @time: of the record before it
 * @took_ns: time that writing took, and in stream mode reading
 * @is_passed_over: a real-time task has the CPU to itself
 * @wrong: what is wrong, or NULL
 */
struct selftest {
	struct ktrc_cpu cpu;
	void *memory;
	wait_queue_head_t readers;
	struct work_struct work;
	struct completion done;
	struct irq_work irq;
	int on;
	struct selftest *neighbour;
	atomic_t nr_sent;
	u64 written[NR_ORIGINS];
	u64 read[NR_ORIGINS];
	u64 next[NR_ORIGINS];
	u64 pos;
	u64 time;
	u64 took_ns;
	bool is_passed_over;
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

/* a ring is broken: what is missing in it tells, too */
static void told(struct irq_work *unused)
{
}

static void from_irq(struct irq_work *work)
{
	write(container_of(work, struct selftest, irq), FROM_IRQ);
}

static void from_ipi(void *test)
{
	write(test, FROM_IPI);
}

/* one at a time: it is over when this returns */
static void send_ipi(struct selftest *to)
{
	if (!smp_call_function_single(to->on, from_ipi, to, true))
		atomic_inc(&to->nr_sent);
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
	/* who interrupts at a packet's end may find no room: its number is left out, but no task's */
	if (origin == FROM_TASK && t->read[origin] && word != t->next[origin])
		return "a record is missing";
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

/* nobody writes meanwhile, or nothing is overwritten */
static const char *read_back(struct selftest *t)
{
	u64 head = READ_ONCE(t->cpu.ring.published);
	const char *wrong = NULL;

	t->pos = max(t->pos, READ_ONCE(t->cpu.ring.status->tail));
	while (!wrong && t->pos < head)
		wrong = read_packet(t, t->pos >> SHIFT, head);
	return wrong;
}

static const char *consume(struct selftest *t)
{
	const char *wrong = read_back(t);

	if (!wrong && ktrc_ring_consume(&t->cpu.ring, t->pos))
		wrong = "what was read cannot be consumed";
	return wrong;
}

/* ---- one CPU ---- */

static u64 sum(const u64 by_origin[NR_ORIGINS])
{
	return by_origin[FROM_TASK] + by_origin[FROM_IRQ] + by_origin[FROM_IPI];
}

/* What interrupts finds no room now and then; what the task wrote is there to the last. */
static bool is_complete(const struct selftest *t)
{
	int origin;

	for (origin = 0; origin < NR_ORIGINS; origin++) {
		if (t->cpu.ring.mode == KTRC_MODE_STREAM &&
		    t->read[origin] < t->written[origin] / 2)
			return false;
	}
	return t->next[FROM_TASK] == word_of(FROM_TASK, t->written[FROM_TASK]);
}

/* a flight recorder keeps the last ones */
static bool is_kept(const struct selftest *t, u64 written)
{
	if (t->cpu.ring.mode == KTRC_MODE_STREAM)
		return sum(t->read) == written;
	return sum(t->read) < written && sum(t->read) >= LEAST_KEPT;
}

static const char *check_books(const struct selftest *t)
{
	struct ktrc_books b;

	ktrc_count_read(&t->cpu.count[EVENT], &b);
	if (b.hits != sum(t->written) || b.filtered)
		return "the books do not balance";
	if (!is_kept(t, b.written))
		return "what was written cannot be read";
	if (b.lost != b.lost_by[KTRC_LOST_NEST] || !is_complete(t))
		return "records were lost";
	if (t->written[FROM_IPI] != (u64)atomic_read(&t->nr_sent))
		return "an interrupt of another CPU did not come";
	return NULL;
}

/* Return: whether preemption is as it was. */
static bool write_round(struct selftest *t)
{
	int i, depth = preempt_count();

	for (i = 0; i < ROUND_RECORDS; i++) {
		if (i % IRQ_EVERY == 0)
			irq_work_queue(&t->irq);
		if (i % IPI_EVERY == 0 && t->neighbour)
			send_ipi(t->neighbour);
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
		if (t->cpu.ring.mode == KTRC_MODE_STREAM)
			wrong = consume(t);
	}
	return wrong;
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

static int prepare(struct selftest *t, int cpu, u32 mode, u32 clock)
{
	struct ktrc_ring *r = &t->cpu.ring;

	t->memory =
		__vmalloc(PAGE_SIZE + (PACKETS << SHIFT), GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO);
	if (!t->memory)
		return -ENOMEM;
	t->on = cpu;
	r->mode = mode;
	r->clock = clock;
	r->shift = SHIFT;
	r->nr_packets = PACKETS;
	t->cpu.events = BIT_ULL(EVENT);
	t->cpu.nr_events = 1;
	init_waitqueue_head(&t->readers);
	t->cpu.readers = &t->readers;
	init_irq_work(&t->irq, from_irq);
	init_irq_work(&t->cpu.wake, told);
	ktrc_ring_init(r, t->memory);
	return 0;
}

/* each CPU's neighbour is the one before it, the first one's the last */
static int prepare_all(struct selftest __percpu *tests, u32 mode)
{
	u32 clock = ktrc_clock_choose();
	struct selftest *first = NULL, *last = NULL;
	int cpu, err;

	for_each_online_cpu(cpu) {
		struct selftest *t = per_cpu_ptr(tests, cpu);

		err = prepare(t, cpu, mode, clock);
		if (err)
			return err;
		t->neighbour = last;
		first = first ?: t;
		last = t;
	}
	if (first != last)
		first->neighbour = last;
	return 0;
}

static void try_cpu(struct work_struct *work)
{
	struct selftest *t = container_of(work, struct selftest, work);
	u64 began = ktime_get_mono_fast_ns();

	t->wrong = run_rounds(t) ?: check_rate(t->cpu.ring.clock);
	irq_work_sync(&t->irq);
	t->took_ns = ktime_get_mono_fast_ns() - began;
	complete(&t->done);
}

/* All CPUs at once.  One that a real-time task keeps to itself does not come to it. */
static void try_all(struct selftest __percpu *tests)
{
	unsigned long end = jiffies + PATIENCE;
	int cpu;

	for_each_online_cpu(cpu) {
		struct selftest *t = per_cpu_ptr(tests, cpu);

		init_completion(&t->done);
		INIT_WORK(&t->work, try_cpu);
		queue_work_on(cpu, system_wq, &t->work);
	}
	for_each_online_cpu(cpu) {
		struct selftest *t = per_cpu_ptr(tests, cpu);

		wait_for_completion_timeout(&t->done, max(1l, (long)(end - jiffies)));
		t->is_passed_over = cancel_work_sync(&t->work);
		if (t->is_passed_over)
			pr_info("self-test: CPU %d is too busy for it\n", cpu);
	}
	for_each_online_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(tests, cpu)->cpu.wake);
}

/* Nobody writes any more; reading back counts, too.  Return: 0, or -EIO when something is wrong, which was said. */
static int judge_all(struct selftest __percpu *tests, u64 *longest_ns)
{
	int cpu;

	for_each_online_cpu(cpu) {
		struct selftest *t = per_cpu_ptr(tests, cpu);
		u64 began = ktime_get_mono_fast_ns();
		const char *wrong;

		if (t->is_passed_over)
			continue;
		wrong = t->wrong ?: read_back(t) ?: check_books(t);
		*longest_ns = max(*longest_ns, t->took_ns + ktime_get_mono_fast_ns() - began);
		if (!wrong)
			continue;
		pr_err("self-test: CPU %d: %s; not loaded\n", cpu, wrong);
		return -EIO;
	}
	return 0;
}

static void free_all(struct selftest __percpu *tests)
{
	int cpu;

	for_each_possible_cpu(cpu)
		vfree(per_cpu_ptr(tests, cpu)->memory);
	free_percpu(tests);
}

/* Return: 0, -ENOMEM, or -EIO, which was said */
static int try_mode(u32 mode, u64 *longest_ns)
{
	struct selftest __percpu *tests =
		alloc_percpu_gfp(struct selftest, GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO);
	int err;

	if (!tests)
		return -ENOMEM;
	cpus_read_lock();
	err = prepare_all(tests, mode);
	if (!err) {
		try_all(tests);
		err = judge_all(tests, longest_ns);
	}
	cpus_read_unlock();
	free_all(tests);
	return err;
}

/**
 * ktrc_selftest() - does the ring and the clock of every CPU do what they promise
 *
 * @longest_us: receives the time that the slowest CPU took, at most
 *
 * Context: process; takes milliseconds.
 * Return: 0, -ENOMEM, or -EIO; what fails is one line in the kernel's log.
 */
int ktrc_selftest(u32 *longest_us)
{
	u64 stream_ns = 0, flight_ns = 0;
	int err;

	err = try_mode(KTRC_MODE_STREAM, &stream_ns) ?: try_mode(KTRC_MODE_FLIGHT, &flight_ns);
	if (err == -ENOMEM)
		pr_err("self-test: no memory for it; not loaded\n");
	*longest_us = div_u64(stream_ns + flight_ns, NSEC_PER_USEC);
	return err;
}

/**
 * ktrc_selftest_clock() - does a clock run at its rate, if no start has tried it before
 * @clock: enum ktrc_clock; the kernel's may be another one by now than at load
 *
 * Context: process, under ktrc_control.
 * Return: NULL, or what is wrong.
 */
const char *ktrc_selftest_clock(u32 clock)
{
	const char *wrong = clocks_tried & BIT(clock) ? NULL : check_rate(clock);

	if (!wrong)
		clocks_tried |= BIT(clock);
	return wrong;
}
