// SPDX-License-Identifier: GPL-2.0
/*
 * From where a record was written.  The rig knows which stacks each must have; see observer.c.
 */
#include <stdio.h>

#include "rig.h"

static struct rig rig;

static const struct rig_config flight = { KTRC_MODE_FLIGHT, KTRC_CLOCK_TSC, 12, 2 };

static void begin(u32 user_frames, u32 kernel_frames)
{
	rig_init(&rig, &flight);
	rig.rule = (struct ktrc_rule){ .user_frames = user_frames, .kernel_frames = kernel_frames };
}

static void emit_from(u32 user, u32 kernel)
{
	shim.user_stack = user;
	shim.kernel_stack = kernel;
	rig_emit(&rig, KTRC_EV_fault);
	rig_observe(&rig);
}

static const char *need_stacks(u64 whole, u64 refs)
{
	TAP_TRY(rig_audit(&rig));
	TAP_NEED(rig.seen.nr_stacks == whole && rig.seen.nr_stack_refs == refs,
		 "%llu stacks and %llu references, not %llu and %llu", rig.seen.nr_stacks,
		 rig.seen.nr_stack_refs, whole, refs);
	return NULL;
}

static const char *written_once_in_a_packet(void)
{
	u32 i;

	begin(11, 11);
	for (i = 0; i < 5; i++)
		emit_from(10, 5);
	TAP_TRY(need_stacks(2, 5));
	emit_from(11, 5);
	TAP_TRY(need_stacks(3, 6));
	emit_from(11, 0);
	emit_from(0, 5);
	TAP_TRY(need_stacks(3, 8));
	emit_from(0, 0);
	TAP_TRY(need_stacks(3, 8));
	while (rig.seen.nr_packets == 1)
		emit_from(10, 5);
	TAP_NEED(rig.seen.nr_stacks == 5, "%llu stacks in two packets", rig.seen.nr_stacks);
	return rig_audit(&rig);
}

static void emit_copied(u32 user, u32 copied)
{
	shim.copied = copied;
	emit_from(user, 0);
}

/* copies too; what has one is followed by what has none */
static const char *copies_once_in_a_packet(void)
{
	u32 i;

	begin(1, 0);
	rig.rule.user_bytes = 2048;
	for (i = 0; i < 5; i++)
		emit_copied(11, 30);
	TAP_TRY(need_stacks(1, 5));
	TAP_NEED(rig.seen.nr_copies == 1, "%llu copies", rig.seen.nr_copies);
	emit_copied(11, 31);
	rig.rule.user_bytes = 0;
	emit_copied(11, 31);
	rig.rule = (struct ktrc_rule){ .user_bytes = 2048 };
	emit_copied(11, 31);
	emit_copied(11, 0);
	TAP_TRY(need_stacks(1, 8));
	TAP_NEED(rig.seen.nr_copies == 2, "%llu copies", rig.seen.nr_copies);
	while (rig.seen.nr_packets == 1)
		emit_copied(11, 30);
	TAP_NEED(rig.seen.nr_copies == 3, "%llu copies in two packets", rig.seen.nr_copies);
	return rig_audit(&rig);
}

/* more of them than slots, of every length, with the other stacks */
static const char *copies_share_slots(void)
{
	u32 i;

	begin(11, 11);
	rig.rule.user_bytes = 2048;
	for (i = 0; i < 20000; i++) {
		shim.copied = 1 + i * 5 % 1009;
		emit_from(1 + i * 7 % 301, i % 3 ? 1 + i % 97 : 0);
		if (rig.wrong[0])
			break;
	}
	TAP_TRY(rig_audit(&rig));
	TAP_NEED(rig.seen.nr_copies > 10000, "only %llu copies", rig.seen.nr_copies);
	return NULL;
}

/* the largest, in the smallest packets that may hold them */
static const char *largest_copies(void)
{
	static const struct rig_config large = { KTRC_MODE_FLIGHT, KTRC_CLOCK_TSC, 13, 2 };
	u32 i;

	rig_init(&rig, &large);
	rig.rule = (struct ktrc_rule){ .user_frames = 11, .kernel_frames = 11, .user_bytes = 2048 };
	for (i = 0; i < 1000; i++) {
		shim.copied = i % 3 ? OBSERVER_LARGE + i : 1 + i;
		emit_from(1 + i, 1 + i);
	}
	TAP_TRY(rig_audit(&rig));
	TAP_NEED(rig.seen.nr_copies > 900, "only %llu copies", rig.seen.nr_copies);
	TAP_NEED(!rig_lost(&rig, KTRC_LOST_NEST), "%llu lost", rig_lost(&rig, KTRC_LOST_NEST));
	return NULL;
}

/* equal seeds: a user stack is none of the kernel's */
static const char *two_kinds_apart(void)
{
	begin(11, 11);
	emit_from(10, 10);
	emit_from(0, 10);
	emit_from(10, 0);
	return need_stacks(2, 3);
}

/* every seed has its own stack, and there are more of them than slots */
static const char *slots_are_shared(void)
{
	u32 i;

	begin(11, 11);
	for (i = 0; i < 30000; i++) {
		emit_from(1 + i * 7 % 3001, i % 3 ? 1 + i % 997 : 0);
		if (rig.wrong[0])
			break;
	}
	TAP_TRY(rig_audit(&rig));
	TAP_NEED(rig.seen.nr_stacks > 10000, "only %llu stacks", rig.seen.nr_stacks);
	return NULL;
}

/* each number of frames, in room for any number of records */
static const char *each_remainder(void)
{
	u32 user, bytes;

	for (user = 1; user <= 11; user++) {
		for (bytes = 0; bytes <= 300; bytes += 4) {
			begin(0, 0);
			emit_from(0, 0);
			rig_fill(&rig, bytes);
			rig.rule.user_frames = 11;
			rig.rule.user_bytes = user % 2 ? 2048 : 0;
			shim.copied = user * 4;
			emit_from(user, 0);
			emit_from(user, 0);
			TAP_TRY(rig_audit(&rig));
		}
	}
	return NULL;
}

/* what a walk itself raises is counted, and writes nothing */
static void raise_fault(void *context)
{
	(void)context;
	rig_emit(&rig, KTRC_EV_fault_light);
}

static const char *walk_raises_faults(void)
{
	u32 i;

	begin(11, 11);
	shim.on_walk = raise_fault;
	for (i = 0; i < 100; i++)
		emit_from(1 + i % 3, 1);
	TAP_TRY(need_stacks(4, 100));
	TAP_NEED(rig_lost(&rig, KTRC_LOST_RECURSION) == 200, "%llu lost",
		 rig_lost(&rig, KTRC_LOST_RECURSION));
	return NULL;
}

static void interrupt(void *context)
{
	u32 outer, *seed = context;

	*seed = *seed * 1103515245 + 12345;
	if (*seed >> 27 || rig_level() != RIG_TASK)
		return;
	rig_enter(RIG_IRQ, &outer);
	rig_emit(&rig, KTRC_EV_fault_light);
	rig_leave(outer);
}

/* an interrupt's record has no stacks, and takes none from the one that it interrupts */
static const char *interrupts_have_none(void)
{
	u32 i, seed = 1;

	begin(11, 11);
	shim.context = &seed;
	for (i = 0; i < 20000; i++) {
		shim.task = &rig.task[i / 7 % RIG_TASKS];
		shim.on_step = interrupt;
		rig.rule.user_bytes = i % 4 ? 0 : 2048;
		shim.copied = 1 + i / 9 % 50;
		emit_from(1 + i / 5 % 40, 1 + i / 3 % 30);
		shim.on_step = NULL;
	}
	TAP_TRY(rig_audit(&rig));
	TAP_NEED(rig.seen.records[KTRC_EV_fault_light] > 1000, "only %llu interrupts",
		 rig.seen.records[KTRC_EV_fault_light]);
	return NULL;
}

/* a CPU that came up when there was no memory for them */
static const char *no_room_for_stacks(void)
{
	begin(0, 0);
	rig.cpu.stacks = NULL;
	emit_from(0, 0);
	ktrc_emit_with_stacks(&rig.cpu, KTRC_EV_fault, &(struct ktrc_ev_fault){ 0 },
			      sizeof(struct ktrc_ev_fault),
			      &(struct ktrc_rule){ .user_frames = 3 });
	TAP_NEED(rig.cpu.count[KTRC_EV_fault].hits.value == 2 && !rig.cpu.lost.value,
		 "it is not written without them");
	return NULL;
}

static const struct tap_case cases[] = {
	{ "written_once_in_a_packet", written_once_in_a_packet },
	{ "copies_once_in_a_packet", copies_once_in_a_packet },
	{ "copies_share_slots", copies_share_slots },
	{ "largest_copies", largest_copies },
	{ "two_kinds_apart", two_kinds_apart },
	{ "slots_are_shared", slots_are_shared },
	{ "each_remainder", each_remainder },
	{ "walk_raises_faults", walk_raises_faults },
	{ "interrupts_have_none", interrupts_have_none },
	{ "no_room_for_stacks", no_room_for_stacks },
};

int main(void)
{
	return tap_run(cases, sizeof(cases) / sizeof(cases[0]));
}
