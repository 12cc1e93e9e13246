// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies of a ring that is written and consumed meanwhile.  The writer is a page
 * fault away: whenever the reader goes to another packet, some more are written,
 * so that each copy meets the same moves of the tail.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include "../../userspace/lib/packet.h"
#include "../../userspace/views/check.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

#define NR_SLOTS 16
#define NR_FAULTS 40009
#define STEP_TICKS 199933ull

/* ---- a ring, and what will be written into it ---- */

static struct {
	struct synth_stream stream;
	struct ktrc_status status;
	u8 *data;
	u64 next; /* packet to be written */
	u64 per_touch; /* packets written when the reader touches one */
	u64 touched; /* slot that it may read */
} writer;

static u64 nr_packets(void)
{
	return writer.stream.len / SYNTH_PACKET_BYTES;
}

static u64 page_of(u64 i)
{
	return 0x7f0000000 + i;
}

static void build_stream(void)
{
	struct ktrc_ev_task task = { .tid = 42, .pid = 42, .comm = "storm" };
	struct synth_stream *s = &writer.stream;
	u64 ticks = 1ull << 40;

	for (u64 i = 0; i < NR_FAULTS; i++) {
		struct ktrc_ev_fault fault = { .page = page_of(i), .dur = 1000 };

		ticks += STEP_TICKS;
		if (!s->bytes || synth_is_full(s)) {
			if (s->bytes)
				synth_close(s);
			synth_open(s, ticks, &task);
		}
		synth_fault(s, ticks, &fault);
	}
	synth_close(s);
}

static u64 content_of(u64 k)
{
	const u8 *bytes = writer.stream.bytes + k * SYNTH_PACKET_BYTES;
	struct ktrc_packet_header header;

	memcpy(&header, bytes, sizeof(header));
	return header.content_bits / 8;
}

static void protect(u64 slot, int prot)
{
	if (mprotect(writer.data + slot * SYNTH_PACKET_BYTES, SYNTH_PACKET_BYTES, prot) < 0)
		abort();
}

static void write_packet(void)
{
	u64 k = writer.next++, slot = k % NR_SLOTS;

	if (k >= NR_SLOTS && writer.status.mode == KTRC_MODE_FLIGHT)
		writer.status.tail = (k - NR_SLOTS + 1) * SYNTH_PACKET_BYTES;
	protect(slot, PROT_READ | PROT_WRITE);
	memcpy(writer.data + slot * SYNTH_PACKET_BYTES,
	       writer.stream.bytes + k * SYNTH_PACKET_BYTES, SYNTH_PACKET_BYTES);
	if (slot != writer.touched)
		protect(slot, PROT_NONE);
	writer.status.head = k * SYNTH_PACKET_BYTES + content_of(k);
}

static void on_touch(int number, siginfo_t *info, void *context)
{
	u64 at = (u64)((u8 *)info->si_addr - writer.data);

	(void)context;
	if (at >= NR_SLOTS * SYNTH_PACKET_BYTES) {
		signal(number, SIG_DFL);
		return;
	}
	if (writer.touched < NR_SLOTS)
		protect(writer.touched, PROT_NONE);
	writer.touched = at / SYNTH_PACKET_BYTES;
	protect(writer.touched, PROT_READ | PROT_WRITE);
	for (u64 i = 0; i < writer.per_touch && writer.next < nr_packets(); i++)
		write_packet();
}

static void make_ring(u32 mode, u64 packets, u64 per_touch)
{
	writer.status = (struct ktrc_status){
		.packet_bytes = SYNTH_PACKET_BYTES,
		.nr_packets = NR_SLOTS,
		.mode = mode,
	};
	writer.next = 0;
	writer.per_touch = per_touch;
	writer.touched = NR_SLOTS;
	while (writer.next < packets)
		write_packet();
}

static struct ktrc_ring ring_of(void)
{
	return (struct ktrc_ring){ .status = &writer.status, .data = writer.data };
}

/* ---- what a copy holds ---- */

struct seen {
	u64 first, last, nr; /* faults, by number */
	u64 gaps; /* places where the number does not follow */
	bool is_balanced;
	bool is_damaged;
	u64 absent;
	u64 window_start, first_ticks;
};

static void look_at(struct ktrc_capture *capture, struct seen *seen)
{
	const struct ktrc_event *event = ktrc_schema_find(capture->schema, "fault");
	const struct ktrc_getter *page = &ktrc_event_field(event, "page")->get;
	struct ktrc_faults *faults = ktrc_faults_create(capture);
	const struct ktrc_record *r;
	struct ktrc_check *check;
	u64 i;

	while ((r = ktrc_reader_next(capture->reader)) != NULL) {
		ktrc_faults_add(faults, r);
		if (r->event != event)
			continue;
		i = ktrc_get(page, r->payload) - page_of(0);
		if (seen->nr == 0) {
			seen->first = i;
			seen->first_ticks = r->ticks;
		} else if (i != seen->last + 1) {
			seen->gaps++;
		}
		seen->is_damaged |= r->task->tid != 42 ||
				    r->ticks != (1ull << 40) + (i + 1) * STEP_TICKS;
		seen->last = i;
		seen->nr++;
	}
	check = ktrc_check_create(capture, faults);
	seen->is_balanced = check->is_balanced;
	seen->is_damaged |= check->damage.bad_packets || check->damage.cut_bytes;
	seen->absent = ktrc_reader_books(capture->reader, 0)->absent[KTRC_EV_fault];
	seen->window_start = ktrc_capture_window_start(capture);
	ktrc_check_destroy(check);
	ktrc_faults_destroy(faults);
}

/* A capture of one CPU around @len @bytes, which it takes over; @written: counters afterwards. */
static struct ktrc_capture *capture_of(u8 *bytes, size_t len, u32 state, u64 written)
{
	struct synth_stream s = { .bytes = bytes, .len = len, .written = written };
	struct ktrc_capture *capture = synth_capture(&s, 1);

	capture->session.state = state;
	capture->session.mode = writer.status.mode;
	return capture;
}

static struct seen see(u8 *bytes, size_t len, u32 state, u64 written)
{
	struct ktrc_capture *capture = capture_of(bytes, len, state, written);
	struct seen seen = { 0 };
	struct ktrc_error err;

	if (ktrc_capture_start_reader(capture, &err) < 0)
		abort();
	look_at(capture, &seen);
	ktrc_capture_destroy(capture);
	return seen;
}

/* The end of the last record that ends at or before @position; @nr: faults up to there. */
static u64 boundary(u64 position, u64 *nr)
{
	struct ktrc_schema *schema = synth_schema();
	struct ktrc_cursor cursor;
	struct ktrc_packet p;
	const u8 *payload;
	u64 end = 0, at;
	int id;

	*nr = 0;
	for (u64 start = 0; start < position; start += SYNTH_PACKET_BYTES) {
		ktrc_packet_parse(&p, writer.stream.bytes + start, SYNTH_PACKET_BYTES);
		cursor = ktrc_packet_begin(&p);
		while ((id = ktrc_cursor_next(&cursor, schema, &payload)) >= 0) {
			at = start + (u64)(cursor.pos - p.bytes);
			if (at > position)
				break;
			*nr += id == KTRC_EV_fault;
			end = at;
		}
	}
	ktrc_schema_destroy(schema);
	return end;
}

static u64 written_at(u64 position)
{
	u64 nr;

	boundary(position, &nr);
	return nr;
}

static u8 *room(void)
{
	return malloc(NR_SLOTS * SYNTH_PACKET_BYTES);
}

/* ---- tests ---- */

/* However fast the writer is, a copy ends at a newest record, has no gap and balances. */
static void test_overwritten(void)
{
	struct ktrc_schema *schema = synth_schema();
	struct ktrc_ring ring = ring_of();
	u64 bad = 0, empty = 0, short_runs = 0;

	for (u64 per_touch = 0; per_touch < 16; per_touch++) {
		u8 *bytes = room();
		struct seen seen;
		u64 head, now;
		size_t len;

		make_ring(KTRC_MODE_FLIGHT, 3 * NR_SLOTS + 5, per_touch);
		head = writer.status.head;
		len = ktrc_ring_snapshot(&ring, schema, bytes);
		now = written_at(writer.status.head);
		seen = see(bytes, len, KTRC_STATE_RUNNING, now);
		/* a writer that came to its end gave the copy the time it needed */
		empty += seen.nr == 0 || writer.next == nr_packets();
		short_runs += len / SYNTH_PACKET_BYTES < NR_SLOTS / (per_touch + 1) / 2;
		bad += seen.gaps || seen.is_damaged || !seen.is_balanced ||
		       seen.last + 1 < written_at(head) || seen.absent != seen.first;
	}
	ok(empty == 0, "something is left of a ring that is overwritten while it is copied");
	ok(short_runs == 0, "and as much as the writer leaves time for");
	ok(bad == 0, "it ends with the newest, has no gap, and its books balance");
	ktrc_schema_destroy(schema);
}

/* A record that is missing inside a packet shows, whatever the session's state. */
static void test_missing(void)
{
	struct ktrc_schema *schema = synth_schema();
	struct ktrc_ring ring = ring_of();
	struct seen seen[2];

	make_ring(KTRC_MODE_FLIGHT, 7, 0);
	for (int i = 0; i < 2; i++) {
		u8 *bytes = room();
		size_t len = ktrc_ring_snapshot(&ring, schema, bytes);
		struct ktrc_packet_header header;

		memcpy(&header, bytes + SYNTH_PACKET_BYTES, sizeof(header));
		header.content_bits -= 8 * (4 + sizeof(struct ktrc_ev_fault));
		memcpy(bytes + SYNTH_PACKET_BYTES, &header, sizeof(header));
		seen[i] = see(bytes, len, i ? KTRC_STATE_STOPPED : KTRC_STATE_RUNNING,
			      written_at(writer.status.head));
	}
	ok(!seen[0].is_balanced && !seen[1].is_balanced && seen[0].gaps == 1,
	   "a record that is missing inside a packet is noticed");
	ktrc_schema_destroy(schema);
}

/* At any place that a consumer may have read to, the rest begins, and is whole. */
static void test_consumed(void)
{
	struct ktrc_schema *schema = synth_schema();
	struct ktrc_ring ring = ring_of();
	u64 bad = 0, nr = 0, late = 0;

	make_ring(KTRC_MODE_STREAM, 5, 0);
	for (u64 cons = 0; cons < writer.status.head; cons += cons < 600 ? 1 : 61) {
		u8 *bytes = room();
		struct seen seen;
		size_t len;

		writer.status.cons = cons;
		len = ktrc_ring_snapshot(&ring, schema, bytes);
		seen = see(bytes, len, KTRC_STATE_STOPPED, written_at(writer.status.head));
		bad += seen.first != written_at(cons) || seen.gaps || seen.is_damaged ||
		       !seen.is_balanced || seen.last + 1 != written_at(writer.status.head) ||
		       seen.absent != seen.first;
		late += seen.absent && (seen.window_start > seen.first_ticks ||
					seen.window_start + STEP_TICKS < seen.first_ticks);
		nr++;
	}
	ok(bad == 0 && nr > 700, "what is consumed is left out and counted, all else is there");
	ok(late == 0, "the window begins where the rest begins");
	ktrc_schema_destroy(schema);
}

/* A reader that goes on from where the one before stopped, in steps of any size. */
static void test_followed(bool is_closed_since, const char *name)
{
	struct ktrc_schema *schema = synth_schema();
	struct ktrc_ring ring = ring_of();
	u64 bad = 0, expected = 0, nr;

	make_ring(KTRC_MODE_STREAM, 0, 0);
	while (writer.next < 60) {
		struct ktrc_span span = { .from = writer.status.cons, .skip = writer.status.cons };
		struct ktrc_capture *capture = NULL;
		struct seen seen = { 0 };
		struct ktrc_error err;
		u8 *bytes = room();

		for (int round = 0; round < 3; round++) {
			write_packet();
			span.to = writer.status.head;
			/* part of what is there, as if it had been read before all was written */
			if (round == 2)
				span.to = boundary(span.to - 2560, &nr);
			if (is_closed_since)
				write_packet();
			size_t len = ktrc_ring_copy(&ring, &span, schema, bytes);

			if (!capture) {
				capture = capture_of(bytes, len, KTRC_STATE_RUNNING, 0);
				ktrc_capture_start_reader(capture, &err);
			} else {
				ktrc_reader_feed(capture->reader, 0, bytes, len);
			}
			look_at(capture, &seen);
			span.from = span.to;
		}
		bad += seen.first != expected || seen.gaps || seen.is_damaged || !seen.is_balanced;
		expected = seen.last + 1;
		writer.status.cons = span.to;
		ktrc_capture_destroy(capture);
	}
	ok(bad == 0 && expected == written_at(writer.status.cons), name);
	ktrc_schema_destroy(schema);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_touch, .sa_flags = SA_SIGINFO };

	build_stream();
	writer.data = mmap(NULL, NR_SLOTS * SYNTH_PACKET_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (writer.data == MAP_FAILED || sigaction(SIGSEGV, &action, NULL) < 0)
		abort();
	test_overwritten();
	test_missing();
	test_consumed();
	test_followed(false, "readers in sequence see every record once");
	test_followed(true, "also of a packet that is closed before it is copied");
	free(writer.stream.bytes);
	return end_of_tests();
}
