// SPDX-License-Identifier: GPL-2.0
/* A hook that does not fire is found out before a session relies on it. */
#include <kunit/test.h>

#include "../../kmod/trial.h"

#define EVENT KTRC_EV_fault_light

static struct ktrc_outlet outlet;

static u32 fire(void)
{
	preempt_disable();
	ktrc_emit(&outlet, fault_light, .page = 1);
	preempt_enable();
	return 1;
}

/* half of what it says */
static u32 fire_half(void)
{
	return 2 * fire();
}

static u32 do_nothing(void)
{
	return 1;
}

static u32 cannot(void)
{
	return 0;
}

static void is_found_out(struct kunit *test)
{
	struct ktrc_trial *silent = ktrc_trial_create(), *fires = ktrc_trial_create();
	struct ktrc_trial *once = ktrc_trial_create(), *others = ktrc_trial_create();

	KUNIT_ASSERT_NOT_NULL(test, silent);
	KUNIT_ASSERT_NOT_NULL(test, fires);
	KUNIT_ASSERT_NOT_NULL(test, once);
	KUNIT_ASSERT_NOT_NULL(test, others);
	others->filter.tgid[0]++;
	KUNIT_EXPECT_EQ(test, ktrc_trial_run(silent, &outlet, EVENT, do_nothing), -EIO);
	KUNIT_EXPECT_EQ(test, ktrc_trial_run(silent, &outlet, EVENT, cannot), 0);
	KUNIT_EXPECT_EQ(test, ktrc_trial_run(fires, &outlet, EVENT, fire), 0);
	KUNIT_EXPECT_EQ(test, ktrc_trial_run(once, &outlet, EVENT, fire_half), -EIO);
	KUNIT_EXPECT_EQ(test, ktrc_trial_run(others, &outlet, EVENT, fire), -EIO);
	KUNIT_EXPECT_NULL(test, outlet.all); /* nobody listens any more */
	fire();
	synchronize_rcu();
	ktrc_trial_destroy(silent);
	ktrc_trial_destroy(fires);
	ktrc_trial_destroy(once);
	ktrc_trial_destroy(others);
}

static struct kunit_case cases[] = { KUNIT_CASE(is_found_out), {} };

static struct kunit_suite suite = {
	.name = "ktrc_trial",
	.test_cases = cases,
};
kunit_test_suites(&suite);
