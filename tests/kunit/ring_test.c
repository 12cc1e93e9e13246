// SPDX-License-Identifier: GPL-2.0
/*
 * The ring under writers in every context that the kernel has: what can be read is
 * whole, with the stacks of the task alone where there are any, and the books balance.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/timekeeping.h>

#include "../unit/tap.h"
#include "contexts.h"

#define WANTED 1000u /* times each context shall interrupt each lower one that writes */
#define BATCH 50
#define PATIENCE_S 240

static const char *const levels[RIG_NR_LEVELS] = { "task", "softirq", "irq", "nmi" };

static bool has_enough(const struct rig *rig)
{
	int outer, inner;

	for (outer = RIG_TASK; outer < RIG_NR_LEVELS; outer++) {
		for (inner = outer + 1; inner < RIG_NR_LEVELS; inner++) {
			if (READ_ONCE(rig->interrupted[outer][inner]) < WANTED)
				return false;
		}
	}
	return true;
}

static const char *write_until_nested(struct rig *rig)
{
	time64_t end = ktime_get_seconds() + PATIENCE_S;
	const char *why = NULL;

	while (!why && !has_enough(rig) && ktime_get_seconds() < end) {
		preempt_disable();
		rig_write(rig, RIG_TASK, BATCH);
		preempt_enable();
		if (rig->cpu.ring.mode == KTRC_MODE_STREAM)
			why = rig_consume(rig);
		cond_resched();
	}
	return why;
}

/* Who interrupts a write writes two hits or more, until what is left of the packet is full. */
static const char *audit_nested(const struct rig *rig)
{
	int outer, inner;

	for (outer = RIG_TASK; outer < RIG_NR_LEVELS; outer++) {
		for (inner = outer + 1; inner < RIG_NR_LEVELS; inner++) {
			u32 nr = rig->interrupted[outer][inner];
			u32 written = rig->written[outer][inner];

			TAP_NEED(nr >= WANTED && written >= WANTED / 2,
				 "%s over %s: %u, %u hits written", levels[inner], levels[outer],
				 nr, written);
		}
	}
	return NULL;
}

static void show_nested(struct kunit *test, const struct rig *rig)
{
	int outer, inner;

	for (outer = RIG_TASK; outer < RIG_NR_LEVELS; outer++)
		for (inner = outer + 1; inner < RIG_NR_LEVELS; inner++)
			kunit_info(test, "%s over %s: %u, %u hits written", levels[inner],
				   levels[outer], rig->interrupted[outer][inner],
				   rig->written[outer][inner]);
}

static void run(struct kunit *test, u32 mode, u32 clock, bool with_stacks)
{
	struct rig *rig = rig_create(mode, clock, with_stacks);
	const char *why;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	KUNIT_ASSERT_EQ(test, contexts_start(rig), 0);
	why = write_until_nested(rig);
	contexts_stop();
	if (!why)
		why = rig_audit(rig);
	if (!why)
		why = audit_nested(rig);
	KUNIT_EXPECT_STREQ(test, why ?: "", "");
	if (why) /* a case's log has room for one of both */
		kunit_info(test, "%s", why);
	else
		show_nested(test, rig);
	rig_destroy(rig);
}

static void stream_nested(struct kunit *test)
{
	run(test, KTRC_MODE_STREAM, KTRC_CLOCK_MONO, false);
}

static void flight_nested(struct kunit *test)
{
	run(test, KTRC_MODE_FLIGHT, KTRC_CLOCK_MONO, false);
}

static void flight_nested_tsc(struct kunit *test)
{
	run(test, KTRC_MODE_FLIGHT, KTRC_CLOCK_TSC, false);
}

static void stream_nested_stacks(struct kunit *test)
{
	run(test, KTRC_MODE_STREAM, KTRC_CLOCK_MONO, true);
}

static void flight_nested_stacks(struct kunit *test)
{
	run(test, KTRC_MODE_FLIGHT, KTRC_CLOCK_MONO, true);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(stream_nested),	  KUNIT_CASE(flight_nested),
	KUNIT_CASE(flight_nested_tsc),	  KUNIT_CASE(stream_nested_stacks),
	KUNIT_CASE(flight_nested_stacks), {}
};

static struct kunit_suite suite = {
	.name = "ktrc_ring",
	.test_cases = cases,
};
kunit_test_suites(&suite);
