// SPDX-License-Identifier: GPL-2.0-or-later
/* Who follows for ever gives back the tasks and stacks that are not named any more, and keeps those that are. */
#include <stdio.h>

#include "decoder_synth.h"
#include "decoder_tap.h"

#define START_TICKS (1ull << 40)
#define NR_TASKS 20011
#define EVERY 500 /* of them */

static struct ktrc_reader *reader;
static size_t most_kept;

static void put_stack(struct synth_stream *s, u64 ticks, u32 address)
{
	const struct ktrc_ev_stack stack = { .slot = 1, .nr_frames = 1, .frame0 = address };

	synth_record(s, KTRC_EV_stack, ticks, &stack, sizeof(stack));
}

/* A fault of the task in effect, from the stack in the packet's slot. */
static void put_fault(struct synth_stream *s, u64 ticks)
{
	const struct ktrc_ev_stack_ref ref = { .user_slot = 1 };
	const struct ktrc_ev_fault fault = { .page = 1 };

	synth_record(s, KTRC_EV_stack_ref, ticks, &ref, sizeof(ref));
	synth_fault(s, ticks, &fault);
}

/* All that can be read now is of task @tid, from @tid; returns how many faults that are. */
static u64 read_all(u32 tid)
{
	const struct ktrc_record *r;
	u64 nr = 0;

	while ((r = ktrc_reader_next(reader)) != NULL) {
		if (r->event->id != KTRC_EV_fault)
			continue;
		nr += r->task->tid == tid && r->stacks.user && r->stacks.user->frames[0] == tid;
	}
	return nr;
}

/* A packet of a task that never comes again. */
static u64 read_other(u32 tid)
{
	const struct ktrc_ev_task task = {
		.tid = tid, .pid = tid, .start_ns = tid, .comm = "other"
	};
	struct synth_stream s = { .cpu = 1, .seq = tid };
	u64 nr, ticks = START_TICKS + 10ull * tid;

	synth_open(&s, ticks, &task);
	put_stack(&s, ticks, tid);
	put_fault(&s, ticks + 1);
	synth_close(&s);
	if (ktrc_reader_feed(reader, 1, s.bytes, s.len) < 0)
		abort();
	nr = read_all(tid);
	free(s.bytes);
	return nr;
}

static void test_others(void)
{
	u64 nr = 0;

	for (u32 tid = 1000; tid < 1000 + NR_TASKS; tid++) {
		nr += read_other(tid);
		if (tid % EVERY == 0 && ktrc_reader_forget(reader) < 0)
			abort();
		if (ktrc_reader_kept(reader) > most_kept)
			most_kept = ktrc_reader_kept(reader);
	}
	ok(nr == NR_TASKS, "each record is of its task, from its stack");
	ok(most_kept > EVERY && most_kept < 3 * EVERY, "no more are kept than came since");
}

int main(void)
{
	const struct ktrc_ev_task task = { .tid = 7, .pid = 7, .start_ns = 1, .comm = "first" };
	const struct ktrc_ev_task last = { .tid = 8, .pid = 8, .start_ns = 2, .comm = "last" };
	const struct ktrc_ev_task_ref ref = { .tid = 7 };
	struct ktrc_schema *schema = synth_schema();
	struct synth_stream s = { 0 };

	reader = ktrc_reader_create(schema);
	/* a packet of CPU 0, as far as it is written, the last task is another one */
	synth_open(&s, START_TICKS, &task);
	put_stack(&s, START_TICKS, 7);
	put_fault(&s, START_TICKS + 1);
	synth_record(&s, KTRC_EV_task, START_TICKS + 1, &last, sizeof(last));
	synth_close(&s);
	s.len = s.packet + SYNTH_PACKET_BYTES;
	if (ktrc_reader_feed(reader, 0, s.bytes, s.len) < 0)
		abort();
	ok(read_all(7) == 1, "the first fault");
	test_others();
	/* the same packet, longer */
	s.len = s.packet + ((struct ktrc_packet_header *)(s.bytes + s.packet))->content_bits / 8;
	synth_record(&s, KTRC_EV_task_ref, START_TICKS + 2, &ref, sizeof(ref));
	put_fault(&s, START_TICKS + 3);
	synth_close(&s);
	if (ktrc_reader_feed(reader, 0, s.bytes, s.len) < 0)
		abort();
	ok(read_all(7) == 1, "what a packet named at its beginning is known at its end");
	ktrc_reader_destroy(reader);
	ktrc_schema_destroy(schema);
	free(s.bytes);
	return end_of_tests();
}
