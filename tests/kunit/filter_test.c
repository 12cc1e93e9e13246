// SPDX-License-Identifier: GPL-2.0
/* Who and what a filter lets pass. */
#include <kunit/test.h>
#include <linux/cgroup.h>

#include "../../kmod/filter.h"

#define EVENT KTRC_EV_fault

struct row {
	const char *name;
	struct ktrc_rule rule;
	struct ktrc_facts facts;
	enum ktrc_verdict verdict;
};

#define USER KTRC_fault_mode_user
#define KERNEL KTRC_fault_mode_kernel

static const struct row rows[] = {
	{ "no rule", {}, { 5, USER, false }, KTRC_TAKE },
	{ "no duration", {}, { KTRC_NO_TICKS, USER, false }, KTRC_TAKE },
	{ "long enough", { .min_ticks = 5 }, { 5, USER, false }, KTRC_TAKE },
	{ "too short", { .min_ticks = 5 }, { 4, USER, false }, KTRC_COUNT },
	{ "min without duration", { .min_ticks = 5 }, { KTRC_NO_TICKS, USER }, KTRC_COUNT },
	{ "major", { .flags = KTRC_RULE_MAJOR }, { 5, USER, true }, KTRC_TAKE },
	{ "minor", { .flags = KTRC_RULE_MAJOR }, { 5, USER, false }, KTRC_REJECT },
	{ "user", { .flags = KTRC_RULE_USER }, { 5, USER, false }, KTRC_TAKE },
	{ "not user", { .flags = KTRC_RULE_USER }, { 5, KERNEL, false }, KTRC_REJECT },
	{ "kernel", { .flags = KTRC_RULE_KERNEL }, { 5, KERNEL, false }, KTRC_TAKE },
	{ "gup is kernel", { .flags = KTRC_RULE_KERNEL }, { 5, KTRC_fault_mode_gup }, KTRC_TAKE },
	{ "not kernel", { .flags = KTRC_RULE_KERNEL }, { 5, USER, false }, KTRC_REJECT },
	{ "counted", { .flags = KTRC_RULE_COUNT }, { 5, USER, false }, KTRC_COUNT },
	{ "counted, not ours",
	  { .flags = KTRC_RULE_COUNT | KTRC_RULE_MAJOR },
	  { 5, USER, false },
	  KTRC_REJECT },
	{ "major but too short",
	  { .min_ticks = 9, .flags = KTRC_RULE_MAJOR },
	  { 5, USER, true },
	  KTRC_COUNT },
};

static void judge(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct ktrc_filter *filter = kunit_kzalloc(test, sizeof(*filter), GFP_KERNEL);
	struct ktrc_count *count = kunit_kzalloc(test, sizeof(*count), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, filter);
	KUNIT_ASSERT_NOT_NULL(test, count);
	filter->rule[EVENT] = row->rule;
	KUNIT_EXPECT_EQ(test, ktrc_filter_judge(filter, count, EVENT, &row->facts), row->verdict);
}

static void row_name(const struct row *row, char *name)
{
	strscpy(name, row->name, KUNIT_PARAM_DESC_SIZE);
}
KUNIT_ARRAY_PARAM(judge, rows, row_name);

/* every third that would pass; what does not concern the session is not counted in */
static void sample(struct kunit *test)
{
	struct ktrc_filter *filter = kunit_kzalloc(test, sizeof(*filter), GFP_KERNEL);
	struct ktrc_count *count = kunit_kzalloc(test, sizeof(*count), GFP_KERNEL);
	struct ktrc_facts major = { 5, USER, true }, minor = { 5, USER, false };
	int i, taken = 0;

	KUNIT_ASSERT_NOT_NULL(test, filter);
	KUNIT_ASSERT_NOT_NULL(test, count);
	filter->rule[EVENT] = (struct ktrc_rule){ .sample = 3, .flags = KTRC_RULE_MAJOR };
	for (i = 0; i < 1009; i++) {
		taken += ktrc_filter_judge(filter, count, EVENT, &major) == KTRC_TAKE;
		KUNIT_EXPECT_EQ(test, ktrc_filter_judge(filter, count, EVENT, &minor), KTRC_REJECT);
	}
	KUNIT_EXPECT_EQ(test, taken, 337);
}

static void processes(struct kunit *test)
{
	struct ktrc_filter *filter = kunit_kzalloc(test, sizeof(*filter), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, filter);
	KUNIT_EXPECT_TRUE(test, ktrc_filter_is_ours(filter));
	KUNIT_EXPECT_TRUE(test, ktrc_filter_is_empty(filter, EVENT));
	for (i = 0; i < KTRC_MAX_PIDS; i++)
		filter->tgid[i] = current->tgid + 1 + i;
	filter->nr_tgids = KTRC_MAX_PIDS;
	KUNIT_EXPECT_FALSE(test, ktrc_filter_is_ours(filter));
	KUNIT_EXPECT_FALSE(test, ktrc_filter_is_empty(filter, EVENT));
	filter->tgid[KTRC_MAX_PIDS - 1] = current->tgid;
	KUNIT_EXPECT_TRUE(test, ktrc_filter_is_ours(filter));
	filter->nr_tgids--; /* the last one does not count any more */
	KUNIT_EXPECT_FALSE(test, ktrc_filter_is_ours(filter));
}

/* the root holds every task */
static void cgroups(struct kunit *test)
{
	struct ktrc_filter *filter = kunit_kzalloc(test, sizeof(*filter), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, filter);
	filter->cgroup = cgroup_get_from_id(1);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(filter->cgroup));
	KUNIT_EXPECT_TRUE(test, ktrc_filter_is_ours(filter));
	filter->tgid[0] = current->tgid + 1;
	filter->nr_tgids = 1; /* both have to hold */
	KUNIT_EXPECT_FALSE(test, ktrc_filter_is_ours(filter));
	cgroup_put(filter->cgroup);
}

static struct kunit_case cases[] = { KUNIT_CASE_PARAM(judge, judge_gen_params),
				     KUNIT_CASE(sample),
				     KUNIT_CASE(processes),
				     KUNIT_CASE(cgroups),
				     {} };

static struct kunit_suite suite = {
	.name = "ktrc_filter",
	.test_cases = cases,
};
kunit_test_suites(&suite);
