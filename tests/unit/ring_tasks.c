// SPDX-License-Identifier: GPL-2.0
/*
 * Who a record belongs to, and when it happened.  The pattern in each record knows
 * its task, and the rig when it was written; see observer.c.
 */
#include <stdio.h>

#include "rig.h"

static struct rig rig;

static const struct rig_config flight = { KTRC_MODE_FLIGHT, KTRC_CLOCK_TSC, 12, 2 };

static void emit_as(u32 task)
{
	shim.task = &rig.task[task];
	rig_emit(&rig, KTRC_EV_fault);
	rig_observe(&rig);
}

static const char *need_names(u64 full, u64 ref)
{
	TAP_TRY(rig_audit(&rig));
	TAP_NEED(rig.seen.nr_full == full && rig.seen.nr_ref == ref,
		 "%llu full and %llu ref records, not %llu and %llu", rig.seen.nr_full,
		 rig.seen.nr_ref, full, ref);
	return NULL;
}

static const char *named_once_in_a_packet(void)
{
	u32 i;

	rig_init(&rig, &flight);
	for (i = 0; i < 5; i++)
		emit_as(0);
	TAP_TRY(need_names(1, 0));
	emit_as(1);
	TAP_TRY(need_names(2, 0));
	for (i = 0; i < 10; i++)
		emit_as(i % 2);
	TAP_TRY(need_names(2, 10));
	while (rig.seen.nr_packets == 1)
		emit_as(1);
	TAP_TRY(need_names(3, 10));
	emit_as(0);
	return need_names(4, 10);
}

static const char *slot_is_shared(void)
{
	u32 i;

	rig_init(&rig, &flight);
	for (i = 0; i < 6; i++)
		emit_as(RIG_TASKS - 2 + i % 2);
	return need_names(6, 0);
}

static const char *renamed(void)
{
	rig_init(&rig, &flight);
	emit_as(0);
	strcpy(rig.task[0].comm, "another");
	emit_as(0);
	TAP_TRY(need_names(2, 0));
	strcpy(rig.task[0].comm, "fifteen bytes 1");
	emit_as(0);
	emit_as(1);
	rig.task[0].comm[12] = 'E'; /* in the second half */
	emit_as(0);
	return rig_audit(&rig);
}

static void name_worker(u32 nr)
{
	char *comm = strcpy(rig.task[0].comm, "0-worker0");

	comm[0] += (char)(nr / 10);
	comm[8] += (char)(nr % 10);
	emit_as(0);
}

/* to a name that is like the one before, with a digit in each half */
static const char *renamed_alike(void)
{
	u32 from, to;

	rig_init(&rig, &flight);
	rig.task[0].start_boottime &= ~7ull;
	for (from = 0; from < 100; from++) {
		for (to = 0; to < 100; to++) {
			name_worker(from);
			name_worker(to);
		}
	}
	return rig_audit(&rig);
}

static const char *moved(void)
{
	rig_init(&rig, &flight);
	emit_as(0);
	rig.task[0].cgid++;
	emit_as(0);
	TAP_TRY(need_names(2, 0));
	emit_as(1);
	rig.task[0].cgid++;
	emit_as(0);
	return need_names(4, 0);
}

/* a new task may get the thread id of a dead one, and its name */
static const char *tid_reused(void)
{
	rig_init(&rig, &flight);
	emit_as(0);
	rig.task[2] = rig.task[0];
	rig.task[2].start_boottime += 12345;
	rig.task[2].tgid++;
	emit_as(2);
	TAP_TRY(need_names(2, 0));
	emit_as(1);
	rig.task[2].start_boottime += 12345;
	emit_as(2);
	return need_names(4, 0);
}

static const char *many_switches(void)
{
	u32 i, seed = 1;

	rig_init(&rig, &flight);
	for (i = 0; i < 20000; i++) {
		seed = seed * 1103515245 + 12345;
		if (seed >> 30 == 0)
			shim.task = &rig.task[(seed >> 16) % RIG_TASKS];
		if (seed >> 24 == 77)
			snprintf(shim.task->comm, sizeof(shim.task->comm), "name %u", i);
		rig_emit(&rig, seed >> 20 & 1 ? KTRC_EV_fault : KTRC_EV_fault_light);
		rig_observe(&rig);
	}
	tap_note("%llu full, %llu ref", rig.seen.nr_full, rig.seen.nr_ref);
	return rig_audit(&rig);
}

/* a record of nobody stands between nobody's name and the current task's */
static const char *of_nobody(void)
{
	rig_init(&rig, &flight);
	emit_as(0);
	rig_emit_of(&rig, KTRC_EV_fault, NULL);
	rig_observe(&rig);
	TAP_TRY(need_names(2, 1));
	emit_as(0);
	TAP_TRY(need_names(2, 1));
	rig_emit_of(&rig, KTRC_EV_fault, &rig.task[1]);
	rig_observe(&rig);
	TAP_TRY(need_names(3, 2));
	rig_emit_of(&rig, KTRC_EV_fault, NULL);
	rig_observe(&rig);
	TAP_TRY(need_names(3, 4));
	/* a task in nobody's slot of the dictionary */
	rig.task[2].pid = KTRC_DICT_TASKS - 1;
	emit_as(2);
	rig_emit_of(&rig, KTRC_EV_fault, NULL);
	rig_observe(&rig);
	emit_as(2);
	return need_names(5, 5);
}

static void interrupt_of(void *context)
{
	u32 outer, *seed = context;

	*seed = *seed * 1103515245 + 12345;
	if (*seed >> 27 || rig_level() != RIG_TASK)
		return;
	rig_enter(RIG_IRQ, &outer);
	rig_emit_of(&rig, KTRC_EV_fault,
		    *seed & 1 << 20 ? NULL : &rig.task[(*seed >> 21) % RIG_TASKS]);
	rig_leave(outer);
}

/* whoever is interrupted by a record that is not the current task's keeps its own name */
static const char *of_others_in_between(void)
{
	u32 i, seed = 1;

	rig_init(&rig, &flight);
	rig.task[5].pid = KTRC_DICT_TASKS - 1;
	shim.context = &seed;
	for (i = 0; i < 20000; i++) {
		shim.task = &rig.task[i / 7 % RIG_TASKS];
		shim.on_step = interrupt_of;
		rig_emit_of(&rig, KTRC_EV_fault, i % 3 ? shim.task : NULL);
		shim.on_step = NULL;
		rig_observe(&rig);
	}
	TAP_TRY(rig_audit(&rig));
	TAP_NEED(rig.seen.records[KTRC_EV_fault] > 21000, "only %llu records",
		 rig.seen.records[KTRC_EV_fault]);
	return NULL;
}

/* one extended header for each record whose epoch is not that of the one before */
static const char *epochs(u32 clock)
{
	const u64 gaps[] = { 1ull << 26, 1ull << 27, (1ull << 27) - 1, 1ull << 31, 1ull << 32,
			     1ull << 40, 3,	     1ull << 27 };
	u64 before, extended = 0, packets;
	u32 i;

	rig_init(&rig, &(struct rig_config){ KTRC_MODE_FLIGHT, clock, 12, 2 });
	emit_as(0);
	for (i = 0; i < 4000; i++) {
		before = rig.seen.time >> KTRC_TIME_BITS;
		packets = rig.seen.nr_packets;
		if (i % 5 == 0)
			shim.tsc += gaps[i / 5 % 8] << 2;
		rig_emit(&rig, KTRC_EV_fault_light);
		rig_observe(&rig);
		if (packets == rig.seen.nr_packets)
			extended += before != rig.seen.time >> KTRC_TIME_BITS;
	}
	TAP_TRY(rig_audit(&rig));
	TAP_NEED(rig.seen.nr_extended == extended && extended > 500,
		 "%llu extended headers, %llu needed", rig.seen.nr_extended, extended);
	return NULL;
}

static const char *epochs_tsc(void)
{
	return epochs(KTRC_CLOCK_TSC);
}

static const char *epochs_mono(void)
{
	return epochs(KTRC_CLOCK_MONO);
}

/* a clock that stands still is no clock that runs back */
static const char *clock_stands_still(void)
{
	u32 i;

	rig_init(&rig, &flight);
	shim.tsc_step = 0;
	for (i = 0; i < 1000; i++)
		emit_as(i / 10 % 2);
	return rig_audit(&rig);
}

static void step_back(void *context)
{
	u32 outer, *seed = context;

	*seed = *seed * 1103515245 + 12345;
	if (*seed >> 28 == 0)
		shim.tsc -= 64;
	if (*seed >> 26 || rig_level() != RIG_TASK)
		return;
	rig_enter(RIG_IRQ, &outer);
	rig_emit(&rig, KTRC_EV_fault_light);
	rig_leave(outer);
}

/* the monotonic clock may step back by nanoseconds, the records' time may not */
static const char *clock_steps_back(void)
{
	static const struct rig_config mono = { KTRC_MODE_FLIGHT, KTRC_CLOCK_MONO, 11, 4 };
	u32 i, seed = 1;

	rig_init(&rig, &mono);
	rig.seen.spans = NULL; /* the clock at hand is not the records' */
	shim.context = &seed;
	shim.on_step = step_back;
	for (i = 0; i < 5000; i++) {
		emit_as(i / 10 % 2);
		shim.on_step = NULL;
		rig_observe(&rig);
		shim.on_step = step_back;
	}
	shim.on_step = NULL;
	TAP_NEED(rig.seen.nr_extended <= 1, "%llu extended headers", rig.seen.nr_extended);
	return rig_audit(&rig);
}

static u64 next_ticks;

static void account(void)
{
	writer_duration(&rig.cpu.count[KTRC_EV_fault], next_ticks++);
}

static void account_inside(void *context)
{
	u64 at = *(u64 *)context;

	if (shim.nr_steps == at)
		account();
}

/* sum, longest and histogram are exact although interrupts account in between */
static const char *durations(void)
{
	struct ktrc_count *n = &rig.cpu.count[KTRC_EV_fault];
	u64 at, i, nr, hits = 0, hist[KTRC_HIST_BUCKETS];

	for (at = 1; at < 40; at++) {
		rig_init(&rig, &flight);
		next_ticks = 0;
		shim.context = &at;
		for (i = 0; i < 1000; i++) {
			shim.on_step = account_inside;
			shim.nr_steps = 0;
			account();
			shim.on_step = NULL;
		}
		nr = next_ticks;
		hits += nr - 1000;
		TAP_NEED((u64)n->sum.value == nr * (nr - 1) / 2, "sum %ld", n->sum.value);
		TAP_NEED(n->longest == nr - 1, "longest %llu, not %llu", n->longest, nr - 1);
		TAP_NEED(n->hist[0].value == 1 && n->hist[1].value == 1 && n->hist[2].value == 2 &&
				 n->hist[9].value == 256,
			 "histogram is wrong");
	}
	TAP_NEED(hits > 1000, "only %llu interrupts", hits);
	writer_duration(n, ~0ull >> 1);
	writer_duration(n, 1ull << (KTRC_HIST_BUCKETS - 2));
	ktrc_count_hist(n, hist);
	TAP_NEED(hist[KTRC_HIST_BUCKETS - 1] == 2 && hist[9] == 256, "last bucket");
	return NULL;
}

static const struct tap_case cases[] = {
	{ "named_once_in_a_packet", named_once_in_a_packet },
	{ "slot_is_shared", slot_is_shared },
	{ "renamed", renamed },
	{ "renamed_alike", renamed_alike },
	{ "moved", moved },
	{ "tid_reused", tid_reused },
	{ "many_switches", many_switches },
	{ "of_nobody", of_nobody },
	{ "of_others_in_between", of_others_in_between },
	{ "epochs_tsc", epochs_tsc },
	{ "epochs_mono", epochs_mono },
	{ "clock_stands_still", clock_stands_still },
	{ "clock_steps_back", clock_steps_back },
	{ "durations", durations },
};

int main(void)
{
	return tap_run(cases, sizeof(cases) / sizeof(cases[0]));
}
