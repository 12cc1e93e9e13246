// SPDX-License-Identifier: GPL-2.0
#include "scenarios.h"

#define TIMED_BYTES (4 + sizeof(struct ktrc_ev_fault))
#define FLIGHT                                          \
	{                                               \
		KTRC_MODE_FLIGHT, KTRC_CLOCK_TSC, 11, 3 \
	}
#define FLIGHT_SMALL                                    \
	{                                               \
		KTRC_MODE_FLIGHT, KTRC_CLOCK_TSC, 10, 2 \
	}
#define FLIGHT_MONO                                      \
	{                                                \
		KTRC_MODE_FLIGHT, KTRC_CLOCK_MONO, 11, 3 \
	}
#define STREAM                                          \
	{                                               \
		KTRC_MODE_STREAM, KTRC_CLOCK_TSC, 10, 2 \
	}

static void nothing(struct rig *rig)
{
	(void)rig;
}

static void emit(struct rig *rig)
{
	rig_emit(rig, KTRC_EV_fault);
}

static void emit_two(struct rig *rig)
{
	rig_emit(rig, KTRC_EV_fault_light);
	rig_emit(rig, KTRC_EV_fault);
}

static void fill_packets(struct rig *rig, u32 nr)
{
	u64 packet = rig->seen.packet + nr;

	while (rig->seen.packet < packet && !rig->wrong[0]) {
		emit(rig);
		rig_observe(rig);
	}
}

static void room_for_one(struct rig *rig)
{
	emit(rig);
	rig_fill(rig, TIMED_BYTES);
}

static void full_packet(struct rig *rig)
{
	emit(rig);
	rig_fill(rig, 0);
}

static void full_lap(struct rig *rig)
{
	emit(rig);
	fill_packets(rig, 5);
	rig_fill(rig, 0);
}

/* An interrupt, which finds the task at work at the very end, fills the slack. */
static void filled_exactly(struct rig *rig)
{
	struct ktrc_ring *r = &rig->cpu.ring;
	u32 outer;

	full_lap(rig);
	r->active = KTRC_LEAF;
	rig_enter(RIG_IRQ, &outer);
	while (r->head < ktrc_packet_end(r->head, r->shift))
		rig_emit(rig, KTRC_EV_fault);
	rig_leave(outer);
	ktrc_ring_leave(r, KTRC_IDLE);
}

static void other_task(struct rig *rig)
{
	emit(rig);
	shim.task = &rig->task[1];
}

static void known_task(struct rig *rig)
{
	emit(rig);
	shim.task = &rig->task[1];
	emit(rig);
	shim.task = &rig->task[0];
}

/* the two tasks that share a slot of the dictionary */
static void displaced_task(struct rig *rig)
{
	shim.task = &rig->task[RIG_TASKS - 2];
	emit(rig);
	shim.task = &rig->task[RIG_TASKS - 1];
}

static void next_epoch(struct rig *rig)
{
	emit(rig);
	shim.tsc = (((shim.tsc >> 29) + 1) << 29) - 2 * shim.tsc_step;
}

static void other_task_at_end(struct rig *rig)
{
	other_task(rig);
	rig_fill(rig, 100);
	shim.task = &rig->task[2];
	shim.tsc += 1ull << 29;
}

static void full_stream(struct rig *rig)
{
	emit(rig);
	fill_packets(rig, 1);
	rig_fill(rig, 0);
}

static void consumed_stream(struct rig *rig)
{
	full_stream(rig);
	emit(rig);
	rig_consume(rig);
}

static void with_stacks(struct rig *rig)
{
	rig->rule = (struct ktrc_rule){ .user_frames = 11, .kernel_frames = 11 };
	shim.user_stack = 7;
	shim.kernel_stack = 3;
}

static void first_stacks(struct rig *rig)
{
	emit(rig);
	with_stacks(rig);
}

static void known_stacks(struct rig *rig)
{
	first_stacks(rig);
	emit(rig);
}

/* one known, one in a slot of another */
static void other_stacks(struct rig *rig)
{
	known_stacks(rig);
	shim.user_stack = 9;
	emit(rig);
	shim.kernel_stack = 0;
}

static void stacks_at_end(struct rig *rig)
{
	known_stacks(rig);
	rig->rule = (struct ktrc_rule){ 0 };
	rig_fill(rig, 100);
	with_stacks(rig);
	shim.user_stack = 21; /* eleven frames: they do not fit any more */
}

static void known_stacks_in_next_packet(struct rig *rig)
{
	known_stacks(rig);
	rig->rule = (struct ktrc_rule){ 0 };
	rig_fill(rig, 0);
	with_stacks(rig);
}

static void stacks_of_known_task(struct rig *rig)
{
	known_stacks(rig);
	shim.task = &rig->task[1];
	emit(rig);
	shim.task = &rig->task[0];
}

static void stacks_in_next_epoch(struct rig *rig)
{
	known_stacks(rig);
	shim.tsc = (((shim.tsc >> 29) + 1) << 29) - 2 * shim.tsc_step;
}

const struct scenario scenarios[] = {
	{ "the first record", FLIGHT, nothing, emit },
	{ "a usual record", FLIGHT, emit, emit },
	{ "a usual record, other clock", FLIGHT_MONO, emit, emit },
	{ "two records", FLIGHT, emit, emit_two },
	{ "the last that fits", FLIGHT, room_for_one, emit_two },
	{ "a packet is opened", FLIGHT, full_packet, emit },
	{ "a packet is overwritten", FLIGHT, full_lap, emit },
	{ "a small packet is overwritten", FLIGHT_SMALL, full_lap, emit_two },
	{ "a packet was filled to its end", FLIGHT, filled_exactly, emit_two },
	{ "another task", FLIGHT, other_task, emit },
	{ "a task the packet knows", FLIGHT, known_task, emit },
	{ "a task displaced another", FLIGHT, displaced_task, emit_two },
	{ "the clock's epoch ends", FLIGHT, next_epoch, emit_two },
	{ "task and epoch change at the end", FLIGHT, other_task_at_end, emit },
	{ "the stream is full", STREAM, full_stream, emit },
	{ "the stream was consumed", STREAM, consumed_stream, emit_two },
	{ "new stacks", FLIGHT, first_stacks, emit_two },
	{ "stacks that the packet knows", FLIGHT, known_stacks, emit_two },
	{ "one stack of two", FLIGHT, other_stacks, emit_two },
	{ "stacks that do not fit", FLIGHT, stacks_at_end, emit },
	{ "stacks that the packet before knew", FLIGHT, known_stacks_in_next_packet, emit },
	{ "stacks of a task the packet knows", FLIGHT, stacks_of_known_task, emit },
	{ "stacks as the clock's epoch ends", FLIGHT, stacks_in_next_epoch, emit_two },
};

const u32 nr_scenarios = sizeof(scenarios) / sizeof(scenarios[0]);
