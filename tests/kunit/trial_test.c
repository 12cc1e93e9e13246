// SPDX-License-Identifier: GPL-2.0
/* A hook that does not fire is found out before a session relies on it. */
#include <kunit/test.h>

#include "../../kmod/trial.h"

#define EVENT KTRC_EV_fault_light

static struct ktrc_outlet outlet;

static bool fire(void)
{
	preempt_disable();
	ktrc_emit(&outlet, fault_light, .page = 1);
	preempt_enable();
	return true;
}

static bool do_nothing(void)
{
	return true;
}

static bool cannot(void)
{
	return false;
}

static void is_found_out(struct kunit *test)
{
	struct ktrc_trial *silent = ktrc_trial_create(), *fires = ktrc_trial_create();

	KUNIT_ASSERT_NOT_NULL(test, silent);
	KUNIT_ASSERT_NOT_NULL(test, fires);
	KUNIT_EXPECT_EQ(test, ktrc_trial_run(silent, &outlet, EVENT, do_nothing), -EIO);
	KUNIT_EXPECT_EQ(test, ktrc_trial_run(silent, &outlet, EVENT, cannot), 0);
	KUNIT_EXPECT_EQ(test, ktrc_trial_run(fires, &outlet, EVENT, fire), 0);
	KUNIT_EXPECT_NULL(test, outlet.all); /* nobody listens any more */
	fire();
	synchronize_rcu();
	ktrc_trial_destroy(silent);
	ktrc_trial_destroy(fires);
}

static struct kunit_case cases[] = { KUNIT_CASE(is_found_out), {} };

static struct kunit_suite suite = {
	.name = "ktrc_trial",
	.test_cases = cases,
};
kunit_test_suites(&suite);
