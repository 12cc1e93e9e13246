// SPDX-License-Identifier: GPL-2.0
/*
 * Periods in a row in which a quota was used up are counted over all CPUs; what begins before all that is known does not
 * count as known, nor does a quota for which there is no room; a cgroup at the address of one that is gone begins anew.
 */
#include <kunit/test.h>

#include "../../kmod/held.h"

#define NR_CPUS_OF_IT 3
#define TIMER_AT 512

/* what lies there is never read */
static char group[8192], other_timers[KTRC_NR_PERIODS];

/* a quota, on each CPU of one cgroup, and what time it is */
static struct ktrc_held limiter[NR_CPUS_OF_IT];
static const void *const timer = group + TIMER_AT;
static u64 now;

static void new_cgroup(void)
{
	u32 cpu;

	for (cpu = 0; cpu < NR_CPUS_OF_IT; cpu++)
		limiter[cpu] = (struct ktrc_held){ .tg = group, .own = group + cpu + 1 };
}

static void use_up(u32 cpu)
{
	limiter[cpu].quota[0] = limiter[cpu].own;
	limiter[cpu].nr = 1;
	ktrc_period_begin(&limiter[cpu], ++now);
}

static void fire(void)
{
	ktrc_period_tick(timer, ++now);
}

/* by the timer, which has just fired; how many periods in a row that is */
static u32 fill_up(u32 cpu)
{
	u32 run;

	ktrc_period_learn(&limiter[cpu], timer);
	run = ktrc_period_run(&limiter[cpu]);
	ktrc_period_end(&limiter[cpu]);
	limiter[cpu].nr = 0;
	return run;
}

static u32 one_period(u32 cpu)
{
	use_up(cpu);
	fire();
	return fill_up(cpu);
}

/* nothing is known; a place that is taken is free a tick after it was used last */
static int begin(struct kunit *test)
{
	memset(ktrc_helds.period, 0, sizeof(ktrc_helds.period));
	ktrc_helds.timer_at = 0;
	ktrc_helds.linger = 0;
	now = 1000;
	new_cgroup();
	return 0;
}

static void end(struct kunit *test)
{
	begin(test);
}

static void each_cpu_adds_to_it(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= 10; i++)
		KUNIT_EXPECT_EQ(test, one_period(i % NR_CPUS_OF_IT), i);
	/* all of them in one period */
	for (i = 0; i < NR_CPUS_OF_IT; i++)
		use_up(i);
	fire();
	for (i = 0; i < NR_CPUS_OF_IT; i++)
		KUNIT_EXPECT_EQ(test, fill_up(i), 11u);
	/* a period in which it was not used up on any */
	fire();
	KUNIT_EXPECT_EQ(test, one_period(0), 1u);
}

static void before_it_was_known(struct kunit *test)
{
	use_up(0);
	fire();
	fire();
	/* its first interval: nobody saw in how many periods */
	KUNIT_EXPECT_EQ(test, fill_up(0), 0u);
	KUNIT_EXPECT_EQ(test, one_period(0), 0u);
	fire();
	KUNIT_EXPECT_EQ(test, one_period(0), 1u);
}

static void address_used_again(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= 5; i++)
		KUNIT_EXPECT_EQ(test, one_period(0), i);
	ktrc_period_forget(group);
	KUNIT_EXPECT_EQ(test, ktrc_period_run(&limiter[0]), 0u);
	new_cgroup();
	for (i = 1; i <= 5; i++)
		KUNIT_EXPECT_EQ(test, one_period(1), i);
}

static void no_room(struct kunit *test)
{
	const void *last = NULL;
	u32 i;

	ktrc_helds.linger = 1000000;
	for (i = 0; i < sizeof(other_timers); i++)
		ktrc_period_tick(other_timers + i, ++now);
	for (i = 0; i < KTRC_NR_PERIODS; i++)
		last = ktrc_helds.period[i].timer ?: last;
	KUNIT_EXPECT_NOT_NULL(test, last);
	for (i = 0; i < KTRC_NR_PERIODS; i++) {
		ktrc_helds.period[i].timer = ktrc_helds.period[i].timer ?: last;
		ktrc_helds.period[i].last = now;
	}
	KUNIT_EXPECT_EQ(test, one_period(0), 0u);
	KUNIT_EXPECT_EQ(test, one_period(0), 0u);
	/* those have stopped */
	now += 2 * ktrc_helds.linger;
	one_period(0);
	KUNIT_EXPECT_EQ(test, one_period(0), 2u);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(each_cpu_adds_to_it),
	KUNIT_CASE(before_it_was_known),
	KUNIT_CASE(address_used_again),
	KUNIT_CASE(no_room),
	{},
};

static struct kunit_suite suite = {
	.name = "ktrc_period",
	.init = begin,
	.exit = end,
	.test_cases = cases,
};
kunit_test_suites(&suite);
