// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decoder against packets whose every record is known: order, times, tasks,
 * books, folding of retries; and against packets cut or damaged anywhere, where
 * it must neither read outside (run it under ASan) nor invent records.
 * With an argument: save the known trace as that directory and stop.
 */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "../../userspace/lib/array.h"
#include "../../userspace/lib/packet.h"
#include "../../userspace/lib/trace.h"
#include "../../userspace/views/check.h"
#include "../../userspace/views/faults.h"
#include "../../userspace/lib/cleanup.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

#define NR_CPUS 2
#define NR_FAULTS 5003 /* a prime, for each CPU */
#define STEP_TICKS 100003ull

static struct ktrc_ev_task synth_task(u32 tid)
{
	struct ktrc_ev_task task = { .tid = tid, .pid = tid & ~1u, .cgid = 7, .start_ns = tid };

	snprintf(task.comm, sizeof(task.comm), "task-%u", tid);
	return task;
}

static struct ktrc_ev_fault known_fault(u32 cpu, u64 i)
{
	return (struct ktrc_ev_fault){
		.page = 0x7f0000000 + i,
		.mode = i % 3,
		.write = i & 1,
		.result = KTRC_fault_result_minor,
		.class = KTRC_fault_class_anon,
		.dur = (u32)(1000 + i + cpu),
	};
}

static u64 known_ticks(u32 cpu, u64 i)
{
	return (1ull << 40) + i * STEP_TICKS * NR_CPUS + cpu * STEP_TICKS;
}

/* Every CPU changes between two tasks; the second time a task is only referred to. */
static void build(struct synth_stream *s, u32 cpu)
{
	struct ktrc_ev_task first = synth_task(100 + 2 * cpu), second = synth_task(101 + 2 * cpu);
	struct ktrc_ev_task_ref ref = { .tid = first.tid };

	*s = (struct synth_stream){ .cpu = cpu };
	for (u64 i = 0; i < NR_FAULTS; i++) {
		struct ktrc_ev_fault fault = known_fault(cpu, i);
		u64 ticks = known_ticks(cpu, i);

		if (!s->bytes || synth_is_full(s)) {
			if (s->bytes)
				synth_close(s);
			synth_open(s, ticks, &first);
		} else if (i % 17 == 5) {
			synth_record(s, KTRC_EV_task, ticks, &second, sizeof(second));
		} else if (i % 17 == 11) {
			synth_record(s, KTRC_EV_task_ref, ticks, &ref, sizeof(ref));
		}
		synth_fault(s, ticks, &fault);
	}
	synth_close(s);
}

static struct ktrc_capture *build_capture(void)
{
	struct synth_stream streams[NR_CPUS];
	struct ktrc_error err;

	for (u32 cpu = 0; cpu < NR_CPUS; cpu++)
		build(&streams[cpu], cpu);
	struct ktrc_capture *capture = synth_capture(streams, NR_CPUS);

	if (ktrc_capture_start_reader(capture, &err) < 0)
		abort();
	return capture;
}

static bool is_known(const struct ktrc_schema *schema, const struct ktrc_record *r, u64 i)
{
	const struct ktrc_event *event = ktrc_schema_find(schema, "fault");
	struct ktrc_ev_fault fault = known_fault(r->cpu, i);

	return r->event == event && r->ticks == known_ticks(r->cpu, i) &&
	       ktrc_get(&ktrc_event_field(event, "page")->get, r->payload) == fault.page &&
	       ktrc_get(&ktrc_event_field(event, "mode")->get, r->payload) == fault.mode &&
	       ktrc_get(&ktrc_event_field(event, "write")->get, r->payload) == fault.write &&
	       ktrc_get(&ktrc_event_field(event, "dur")->get, r->payload) == fault.dur &&
	       r->task->tid / 2 == 50 + r->cpu;
}

static void test_records(struct ktrc_capture *capture, const char *what)
{
	u64 seen[NR_CPUS] = { 0 }, last = 0, bad = 0;
	const struct ktrc_record *r;

	while ((r = ktrc_reader_next(capture->reader)) != NULL) {
		if (r->event->kind != KTRC_KIND_DATA)
			continue;
		bad += r->ticks < last || !is_known(capture->schema, r, seen[r->cpu]++);
		last = r->ticks;
	}
	ok(bad == 0 && seen[0] == NR_FAULTS && seen[1] == NR_FAULTS, what);
}

static struct ktrc_faults *all_faults(struct ktrc_capture *capture)
{
	const struct ktrc_record *r;
	struct ktrc_faults *faults;
	struct ktrc_error err;

	ktrc_capture_start_reader(capture, &err);
	faults = ktrc_faults_create(capture);
	while ((r = ktrc_reader_next(capture->reader)) != NULL)
		ktrc_faults_add(faults, r);
	return faults;
}

static void test_books(struct ktrc_capture *capture)
{
	struct ktrc_faults *faults = all_faults(capture);
	struct ktrc_check *check;

	check = ktrc_check_create(capture, faults);
	ok(check->is_balanced && check->total.read == 2 * NR_FAULTS, "books balance");
	ok(faults->all->faults == 2 * NR_FAULTS && faults->processes.nr == 2, "faults by process");
	ktrc_check_destroy(check);
	ktrc_faults_destroy(faults);
}

/* Without its first packets a CPU's older records are absent, and exactly that many. */
static void test_overwritten(void)
{
	struct ktrc_capture *capture = build_capture();
	struct ktrc_stream *stream = &capture->streams[0];
	size_t cut = 3 * SYNTH_PACKET_BYTES;
	const struct ktrc_books *books;
	struct ktrc_error err;

	memmove(stream->bytes, stream->bytes + cut, stream->len - cut);
	stream->len -= cut;
	ktrc_capture_start_reader(capture, &err);
	while (ktrc_reader_next(capture->reader))
		;
	books = ktrc_reader_books(capture->reader, 0);
	ok(books->absent[KTRC_EV_fault] > 0 &&
		   books->read[KTRC_EV_fault] + books->absent[KTRC_EV_fault] == NR_FAULTS &&
		   books->counted[KTRC_EV_fault].is_known,
	   "overwritten records are counted");
	ok(ktrc_capture_window_start(capture) > capture->start_ticks,
	   "the window starts where no CPU's records are missing");
	ktrc_capture_destroy(capture);
}

static u64 count_records(struct ktrc_capture *capture, size_t len)
{
	struct ktrc_error err;
	u64 nr = 0;

	capture->streams[0].len = len;
	ktrc_capture_start_reader(capture, &err);
	while (ktrc_reader_next(capture->reader))
		nr++;
	return nr;
}

static void test_truncation(void)
{
	struct ktrc_capture *capture = build_capture();
	size_t whole = capture->streams[0].len;
	u64 all = count_records(capture, whole), last = all, bad = 0, nr;

	for (size_t cut = 1; cut < 3 * SYNTH_PACKET_BYTES; cut += 7) {
		u8 *full = capture->streams[0].bytes;
		u8 *exact = malloc(whole - cut);

		/* of exactly that size, so that a sanitizer sees a step beyond */
		memcpy(exact, full, whole - cut);
		capture->streams[0].bytes = exact;
		nr = count_records(capture, whole - cut);
		bad += nr > last;
		last = nr;
		ktrc_reader_destroy(ktrc_steal(capture->reader));
		capture->streams[0].bytes = full;
		free(exact);
	}
	ok(bad == 0 && last < all, "a cut stream yields its whole packets");
	capture->streams[0].len = whole;
	ktrc_capture_destroy(capture);
}

static void test_damage(void)
{
	struct ktrc_capture *capture = build_capture();
	size_t len = capture->streams[0].len;
	u8 *bytes = capture->streams[0].bytes;
	unsigned int seed = 1;

	for (int round = 0; round < 400; round++) {
		size_t at = (size_t)rand_r(&seed) % len;
		u8 kept = bytes[at];

		bytes[at] ^= (u8)(1 + rand_r(&seed) % 255);
		if (round % 3 == 0)
			at = at / SYNTH_PACKET_BYTES * SYNTH_PACKET_BYTES;
		count_records(capture, len);
		if (round % 2)
			bytes[at] = kept;
	}
	ok(true, "damage anywhere is survived");
	ktrc_capture_destroy(capture);
}

static void set_seq(u8 *packet, u64 seq)
{
	memcpy(packet + offsetof(struct ktrc_packet_header, seq), &seq, sizeof(seq));
}

/* A packet's number tells what is missing, not what is in it. */
static void test_damaged_number(void)
{
	struct ktrc_capture *capture = build_capture();
	struct ktrc_stream *stream = &capture->streams[0];
	u64 all = count_records(capture, stream->len), bad = 0;

	for (u64 k = 1; k < stream->len / SYNTH_PACKET_BYTES; k++) {
		/* that of the packet before */
		set_seq(stream->bytes + k * SYNTH_PACKET_BYTES, k - 1);
		bad += count_records(capture, stream->len) != all;
		set_seq(stream->bytes + k * SYNTH_PACKET_BYTES, k);
	}
	ok(bad == 0, "packets with a wrong number are read like any other");
	ktrc_capture_destroy(capture);
}

/* Nothing says where the packet behind it begins. */
static void test_damaged_header(void)
{
	struct ktrc_capture *capture = build_capture();
	struct ktrc_stream *stream = &capture->streams[0];
	u64 whole = count_records(capture, 2 * SYNTH_PACKET_BYTES), damaged;
	const struct ktrc_damage *damage;

	stream->bytes[2 * SYNTH_PACKET_BYTES] ^= 1;
	damaged = count_records(capture, stream->saved_len);
	damage = ktrc_reader_damage(capture->reader);
	ok(damaged == whole && damage->bad_packets == 1 &&
		   damage->cut_bytes == stream->len - 2 * SYNTH_PACKET_BYTES,
	   "what lies behind a damaged header is told");
	ktrc_capture_destroy(capture);
}

static void add_attempt_of(struct synth_stream *s, u64 ticks, u32 class, u64 page, u32 result,
			   u32 tried, u32 dur)
{
	struct ktrc_ev_fault fault = {
		.page = page,
		.mode = KTRC_fault_mode_user,
		.class = class,
		.result = result,
		.tried = tried,
		.dur = dur,
	};

	synth_fault(s, ticks, &fault);
}

static void add_attempt(struct synth_stream *s, u64 ticks, u64 page, u32 result, u32 tried, u32 dur)
{
	add_attempt_of(s, ticks, KTRC_fault_class_anon, page, result, tried, dur);
}

static const struct ktrc_fault_row *class_row(const struct ktrc_faults *faults, u32 class)
{
	return faults->classes.at[ktrc_index_find(&faults->classes.places, class, 0)];
}

/* A fault counts in the class of the attempt that waited, and so does its time. */
static void test_classes(void)
{
	const u32 anon = KTRC_fault_class_anon, swap = KTRC_fault_class_swap;
	struct ktrc_ev_task task = synth_task(42), other = synth_task(43);
	const struct ktrc_fault_row *row;
	struct synth_stream s = { .cpu = 0 };
	u64 t = (1ull << 40) + 1;
	struct ktrc_capture *capture;
	struct ktrc_faults *faults;

	other.cgid = task.cgid + 1;
	synth_open(&s, t, &task);
	add_attempt_of(&s, ++t, anon, 1, KTRC_fault_result_minor, 0, 10);
	add_attempt_of(&s, ++t, swap, 2, KTRC_fault_result_retry, 0, 100);
	add_attempt_of(&s, ++t, anon, 2, KTRC_fault_result_minor, 1, 20);
	synth_record(&s, KTRC_EV_task, ++t, &other, sizeof(other));
	add_attempt_of(&s, ++t, swap, 3, KTRC_fault_result_major, 0, 30);
	synth_close(&s);
	capture = synth_capture(&s, 1);
	faults = all_faults(capture);
	ktrc_faults_sort(faults);
	row = class_row(faults, swap);
	ok(row->faults == 2 && row->attempts == 3 && row->total_ticks == 150 && !row->unfinished &&
		   row->majors == 2 && row->max_ticks == 120,
	   "a fault that waited is of the class for which it did, and so is its time");
	row = class_row(faults, anon);
	ok(row->faults == 1 && row->majors == 0 && row->total_ticks == 10 &&
		   !strcmp(row->class, "anon"),
	   "a class has the faults of its own alone");
	ok(faults->cgroups.nr == 2 &&
		   faults->cgroups.at[0]->faults + faults->cgroups.at[1]->faults == 3,
	   "faults by cgroup");
	ktrc_faults_destroy(faults);
	ktrc_capture_destroy(capture);
}

/* The faults of one task's attempts in a packet, of a session with this minimum; to be given to release_faults(). */
static struct ktrc_faults *faults_of(struct synth_stream *s, u64 min_ns)
{
	struct ktrc_capture *capture;

	synth_close(s);
	capture = synth_capture(s, 1);
	capture->session.rules[KTRC_EV_fault].min_ns = min_ns;
	return all_faults(capture);
}

static void release_faults(struct ktrc_faults *faults)
{
	struct ktrc_capture *capture = (struct ktrc_capture *)faults->capture;

	ktrc_faults_destroy(faults);
	ktrc_capture_destroy(capture);
}

static void test_retries(void)
{
	struct ktrc_ev_task task = synth_task(42);
	struct synth_stream s = { .cpu = 0 };
	u64 t = (1ull << 40) + 1;
	struct ktrc_faults *faults;

	synth_open(&s, t, &task);
	add_attempt(&s, ++t, 1, KTRC_fault_result_minor, 0, 10);
	add_attempt(&s, ++t, 2, KTRC_fault_result_retry, 0, 100);
	add_attempt(&s, ++t, 2, KTRC_fault_result_minor, 1, 20);
	add_attempt(&s, ++t, 3, KTRC_fault_result_retry, 0, 100);
	add_attempt(&s, ++t, 3, KTRC_fault_result_retry, 1, 200);
	add_attempt(&s, ++t, 3, KTRC_fault_result_minor, 1, 30);
	add_attempt(&s, ++t, 4, KTRC_fault_result_retry, 0, 100); /* given up */
	add_attempt(&s, ++t, 5, KTRC_fault_result_minor, 0, 10);
	add_attempt(&s, ++t, 6, KTRC_fault_result_sigsegv, 0, 10);
	add_attempt(&s, ++t, 8, KTRC_fault_result_retry_io, 0, 100);
	add_attempt(&s, ++t, 8, KTRC_fault_result_minor, 1, 20);
	add_attempt(&s, ++t, 9, KTRC_fault_result_major, 0, 20);
	add_attempt(&s, ++t, 10, KTRC_fault_result_retry_io, 0, 100);
	add_attempt(&s, ++t, 10, KTRC_fault_result_major, 1, 20); /* the page was gone again */
	add_attempt(&s, ++t, 11, KTRC_fault_result_retry, 0, 100);
	add_attempt(&s, ++t, 11, KTRC_fault_result_sigbus, 1, 20);
	add_attempt(&s, ++t, 7, KTRC_fault_result_retry, 0, 100); /* the window ends */
	faults = faults_of(&s, 0);
	ok(faults->all->faults == 9 && faults->all->attempts == 17, "attempts fold into faults");
	ok(faults->io_begun == 4, "each attempt that began I/O, whoever waited for it");
	ok(faults->all->majors == 5 && faults->all->max_ticks == 330,
	   "a retried fault that is served is major, its time the sum");
	ok(faults->all->unfinished == 2 && faults->all->failed == 2,
	   "unfinished and failed faults are told apart");
	ok(!faults->saturated, "each is as long as it says");
	ok(faults->all->ended_ticks == 860 && faults->all->total_ticks == 1060,
	   "what has not ended is no part of the mean");
	release_faults(faults);
}

/* Of a fault that waited, what is at least 100 ns, which are 75 ticks, is recorded, and its last attempt. */
static void test_minimum(void)
{
	struct ktrc_ev_task task = synth_task(42);
	struct synth_stream s = { .cpu = 0 };
	u64 t = (1ull << 40) + 1;
	struct ktrc_faults *faults;

	synth_open(&s, t, &task);
	add_attempt(&s, ++t, 2, KTRC_fault_result_retry, 0, 100);
	add_attempt(&s, ++t, 2, KTRC_fault_result_minor, 1, 20);
	add_attempt(&s, ++t, 3, KTRC_fault_result_minor, 1, 20);
	add_attempt(&s, ++t, 4, KTRC_fault_result_minor, 1, 80);
	add_attempt(&s, ++t, 5, KTRC_fault_result_retry, 1, 20);
	add_attempt(&s, ++t, 5, KTRC_fault_result_minor, 1, 20);
	faults = faults_of(&s, 100);
	ok(faults->all->faults == 2 && faults->all->majors == 2 && faults->all->max_ticks == 120 &&
		   faults->all->attempts == 3 && faults->all->unfinished == 0 &&
		   faults->nr_short == 2,
	   "a fault is as long as its wait, and not there where that was too short");
	release_faults(faults);
}

static void test_saturated(void)
{
	struct ktrc_ev_task task = synth_task(42);
	struct synth_stream s = { .cpu = 0 };
	u64 t = (1ull << 40) + 1;
	struct ktrc_faults *faults;

	synth_open(&s, t, &task);
	add_attempt(&s, ++t, 2, KTRC_fault_result_retry, 0, UINT32_MAX);
	add_attempt(&s, ++t, 2, KTRC_fault_result_minor, 1, UINT32_MAX - 1);
	faults = faults_of(&s, 0);
	ok(faults->saturated == 1, "an attempt that may have been longer than a record says");
	release_faults(faults);
}

static void test_saved(struct ktrc_capture *capture)
{
	char path[] = "/tmp/decoder_test.XXXXXX", dir[64], command[96];
	struct ktrc_capture *saved = NULL;
	struct ktrc_error err;

	if (!mkdtemp(path))
		abort();
	snprintf(dir, sizeof(dir), "%s/trace", path);
	ok(ktrc_trace_save(dir, capture, NULL, &err) == 0, "a capture is saved");
	ok(ktrc_trace_save(dir, capture, NULL, &err) < 0 && err.code == KTRC_EXIT_FAILED,
	   "a trace is never written over");
	ok(ktrc_trace_open(dir, &saved, &err) == 0, "and opened");
	if (saved)
		test_records(saved, "the saved records are the same");
	ktrc_capture_destroy(saved);
	snprintf(command, sizeof(command), "rm -r %s", path);
	if (system(command) != 0)
		abort();
}

/* A module, or a trace, may call text what a view takes for a number. */
static void test_text_as_number(void)
{
	struct ktrc_schema *schema = ktrc_schema_create();
	struct ktrc_event *event = &schema->events[KTRC_EV_task_ref];
	struct ktrc_field *field = ktrc_array_push(event->fields, event->nr_fields);
	char *record = malloc(2 * sizeof(u32)); /* header and payload, and nothing behind */
	struct ktrc_error err;

	if (!field || !record)
		abort();
	memset(record, 'a', 2 * sizeof(u32));
	event->id = KTRC_EV_task_ref;
	event->bytes = sizeof(u32);
	event->name = strdup("task_ref");
	event->label = strdup("task_ref");
	event->doc = strdup("");
	field->name = strdup("tid");
	field->doc = strdup("");
	field->width_bits = 32;
	field->format = KTRC_FMT_TEXT;
	ok(ktrc_schema_finish(schema, &err) == 0 &&
		   ktrc_get(ktrc_event_getter(event, "tid"), record + sizeof(u32)) == 0,
	   "text that is taken for a number is zero");
	free(record);
	ktrc_schema_destroy(schema);
}

#define STACKED 0x1000 /* page of a fault that has a stack */

/* A packet of faults with a stack and without. */
static void build_stacked(struct synth_stream *s)
{
	struct ktrc_ev_stack stack = { .slot = 5, .nr_frames = 1, .frame0 = 0xabcdef };
	const struct ktrc_ev_task task = { .tid = 100, .pid = 100, .comm = "stacked" };
	struct ktrc_ev_stack_ref ref = { .user_slot = 5 };
	u64 ticks = 1ull << 40;

	*s = (struct synth_stream){ 0 };
	synth_open(s, ticks, &task);
	synth_record(s, KTRC_EV_stack, ticks, &stack, sizeof(stack));
	for (u32 i = 0; i < 9; i++) {
		struct ktrc_ev_fault fault = { .page = i % 3 ? i : STACKED + i };

		if (i % 3 == 0)
			synth_record(s, KTRC_EV_stack_ref, ++ticks, &ref, sizeof(ref));
		synth_fault(s, ++ticks, &fault);
	}
	synth_close(s);
}

/* Faults of a stream; @wrong: those without their stack, or with another's. */
static u32 count_stacked(const struct ktrc_schema *schema, const struct synth_stream *s, u32 *wrong)
{
	const struct ktrc_field *page = ktrc_event_field(ktrc_schema_find(schema, "fault"), "page");
	struct ktrc_reader *reader = ktrc_reader_create(schema);
	const struct ktrc_record *r;
	u32 nr = 0;

	if (!reader || ktrc_reader_feed(reader, 0, s->bytes, s->len) < 0)
		abort();
	while ((r = ktrc_reader_next(reader)) != NULL) {
		const struct ktrc_stack *stack = r->stacks.user;

		if (strcmp(r->event->name, "fault") != 0)
			continue;
		nr++;
		*wrong += ktrc_get(&page->get, r->payload) < STACKED ?
				  stack != NULL :
				  !stack || stack->nr != 1 || stack->frames[0] != 0xabcdef;
	}
	ktrc_reader_destroy(reader);
	return nr;
}

/* Whatever of a packet was taken before, the records that are left keep their stacks. */
static void test_stacks_trimmed(void)
{
	struct ktrc_schema *schema = synth_schema();
	u32 wrong = 0, left = 9, fewest = 9;
	struct synth_stream s;

	for (u32 taken = 0; taken < SYNTH_PACKET_BYTES && left; taken += 4) {
		build_stacked(&s);
		s.len = ktrc_packet_trim(s.bytes, (u32)s.len, taken, schema);
		left = count_stacked(schema, &s, &wrong);
		wrong += left > fewest;
		fewest = left;
		free(s.bytes);
	}
	ok(!wrong && !left, "stacks of what a consumer left in a packet");
	ktrc_schema_destroy(schema);
}

int main(int argc, char **argv)
{
	struct ktrc_capture *capture = build_capture();
	struct ktrc_error err;

	if (argc > 1) {
		int ret = ktrc_trace_save(argv[1], capture, NULL, &err);

		if (ret < 0)
			fprintf(stderr, "%s\n", err.text);
		ktrc_capture_destroy(capture);
		return ret < 0;
	}
	test_records(capture, "every record, in order of time, with its task");
	test_books(capture);
	test_saved(capture);
	ktrc_capture_destroy(capture);
	test_overwritten();
	test_truncation();
	test_damage();
	test_damaged_number();
	test_damaged_header();
	test_classes();
	test_retries();
	test_minimum();
	test_saturated();
	test_text_as_number();
	test_stacks_trimmed();
	return end_of_tests();
}
