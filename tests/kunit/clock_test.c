// SPDX-License-Identifier: GPL-2.0
/* Ticks do not run back, and mean what the header says. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/ktime.h>

#include "../../kmod/clock.h"

static void nanoseconds_are_ticks(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ktrc_clock_hz(KTRC_CLOCK_MONO), (u64)NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, ktrc_clock_from_ns(KTRC_CLOCK_MONO, 0), 0ull);
	KUNIT_EXPECT_EQ(test, ktrc_clock_from_ns(KTRC_CLOCK_MONO, 12345), 12345ull);
	KUNIT_EXPECT_EQ(test, ktrc_clock_from_ns(KTRC_CLOCK_MONO, 3600ull * NSEC_PER_SEC),
			3600ull * NSEC_PER_SEC);
}

/* without a rounding error even where hz * ns does not fit into 64 bits */
static void counter_is_converted(struct kunit *test)
{
	u64 hz = ktrc_clock_hz(KTRC_CLOCK_TSC);

	KUNIT_EXPECT_GT(test, hz, 0ull);
	KUNIT_EXPECT_EQ(test, hz, ktrc_arch_tsc_hz() / 4);
	KUNIT_EXPECT_EQ(test, ktrc_clock_from_ns(KTRC_CLOCK_TSC, NSEC_PER_SEC), hz);
	KUNIT_EXPECT_EQ(test, ktrc_clock_from_ns(KTRC_CLOCK_TSC, 3600ull * NSEC_PER_SEC),
			3600 * hz);
	KUNIT_EXPECT_EQ(test, ktrc_clock_from_ns(KTRC_CLOCK_TSC, 1000), hz / 1000000);
}

static void never_back(struct kunit *test, u32 clock)
{
	u64 last = ktrc_clock_ticks(clock), backwards = 0;
	int i;

	preempt_disable(); /* it is a promise of one CPU */
	last = ktrc_clock_ticks(clock);
	for (i = 0; i < 20000; i++) {
		u64 now = ktrc_clock_ticks(clock);

		backwards += now < last;
		last = now;
	}
	preempt_enable();
	KUNIT_EXPECT_EQ(test, backwards, 0ull);
}

static void mono_never_runs_back(struct kunit *test)
{
	never_back(test, KTRC_CLOCK_MONO);
}

static void tsc_never_runs_back(struct kunit *test)
{
	never_back(test, KTRC_CLOCK_TSC);
}

/* the kernel's clock may step back by nanoseconds: ours stands still then */
static void mono_stands_still(struct kunit *test)
{
	u64 ahead, now;

	preempt_disable();
	ahead = ktime_get_mono_fast_ns() + 50 * NSEC_PER_MSEC;
	this_cpu_write(ktrc_clock_last, ahead);
	now = ktrc_clock_mono();
	preempt_enable();
	KUNIT_EXPECT_EQ(test, now, ahead);
	msleep(100);
	KUNIT_EXPECT_GT(test, ktrc_clock_mono(), ahead);
}

static void no_duration_is_negative(struct kunit *test)
{
	u64 now = ktrc_clock_ticks(KTRC_CLOCK_MONO);

	KUNIT_EXPECT_EQ(test, ktrc_clock_since(KTRC_CLOCK_MONO, now + NSEC_PER_SEC), 0ull);
	KUNIT_EXPECT_GE(test, ktrc_clock_since(KTRC_CLOCK_MONO, now - 1000), 1000ull);
}

static void choice_is_stable(struct kunit *test)
{
	u32 clock = ktrc_clock_choose();
	int i;

	KUNIT_EXPECT_TRUE(test, clock == KTRC_CLOCK_MONO || clock == KTRC_CLOCK_TSC);
	if (!ktrc_arch_tsc_is_stable())
		KUNIT_EXPECT_EQ(test, clock, (u32)KTRC_CLOCK_MONO);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, ktrc_clock_choose(), clock);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(nanoseconds_are_ticks), KUNIT_CASE(counter_is_converted),
	KUNIT_CASE(mono_never_runs_back),  KUNIT_CASE(tsc_never_runs_back),
	KUNIT_CASE(mono_stands_still),	   KUNIT_CASE(no_duration_is_negative),
	KUNIT_CASE(choice_is_stable),	   {}
};

static struct kunit_suite suite = {
	.name = "ktrc_clock",
	.test_cases = cases,
};
kunit_test_suites(&suite);
