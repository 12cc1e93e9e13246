// SPDX-License-Identifier: GPL-2.0
/* The life of a session, by the verbs that netlink and the device call. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/smp.h>

#include "../../kmod/attach.h"

#define FAULT KTRC_EV_fault
#define PATIENCE_MS 20000

static int refs_before;

static int suite_init(struct kunit_suite *suite)
{
	ktrc_sessions_allow();
	return ktrc_memory_init();
}

static void suite_exit(struct kunit_suite *suite)
{
	ktrc_memory_exit();
}

static int test_init(struct kunit *test)
{
	refs_before = module_refcount(THIS_MODULE);
	mutex_lock(&ktrc_control);
	return 0;
}

static struct ktrc_session *any_session(void)
{
	return list_first_entry_or_null(&ktrc_sessions, struct ktrc_session, node);
}

/* Take a session out; the lock is released in between, as burying wants it. */
static void drop(struct ktrc_session *s)
{
	ktrc_session_delete(s);
	mutex_unlock(&ktrc_control);
	ktrc_session_bury(s);
	mutex_lock(&ktrc_control);
}

/* Whatever a case has done, nothing is left. */
static void test_exit(struct kunit *test)
{
	while (any_session())
		drop(any_session());
	mutex_unlock(&ktrc_control);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs_before);
}

static struct ktrc_config config_of(const char *name)
{
	struct ktrc_config config = {
		.mode = KTRC_MODE_FLIGHT,
		.events = BIT_ULL(FAULT),
		.memory = 1 << 20,
		.packet_bytes = 8192,
	};

	strscpy(config.name, name, sizeof(config.name));
	return config;
}

static int make(const struct ktrc_config *config, struct ktrc_making *how, struct ktrc_why *why)
{
	static const struct ktrc_wish wish;
	struct ktrc_session *s;

	return ktrc_session_create(config, &wish, how, &s, why);
}

/* Make a session that has to be possible. */
static struct ktrc_session *made(struct kunit *test, const char *name, bool running)
{
	struct ktrc_config config = config_of(name);
	struct ktrc_making how = { .running = running };
	struct ktrc_why why = {};

	KUNIT_ASSERT_EQ_MSG(test, make(&config, &how, &why), 0, "%s", why.text ?: "");
	return ktrc_session_find(name);
}

static u32 nr_listeners(u32 event)
{
	const struct ktrc_listeners *all = ktrc_outlet_all(ktrc_attach_probe(event)->outlet);

	return all ? all->nr : 0;
}

static void new_to_deleted(struct kunit *test)
{
	struct ktrc_session *s = made(test, "one", false);
	struct ktrc_why why = {};

	KUNIT_EXPECT_EQ(test, s->state, (u32)KTRC_STATE_NEW);
	KUNIT_EXPECT_EQ(test, nr_listeners(FAULT), 0u);
	KUNIT_EXPECT_EQ(test, ktrc_session_start(s, &why), 0);
	KUNIT_EXPECT_EQ(test, s->state, (u32)KTRC_STATE_RUNNING);
	KUNIT_EXPECT_EQ(test, nr_listeners(FAULT), 1u);
	KUNIT_EXPECT_EQ(test, ktrc_session_start(s, &why), -EALREADY);
	KUNIT_EXPECT_NOT_NULL(test, why.text);
	ktrc_session_stop(s, KTRC_STOP_ASKED);
	KUNIT_EXPECT_EQ(test, s->state, (u32)KTRC_STATE_STOPPED);
	KUNIT_EXPECT_EQ(test, s->stop_reason, (u32)KTRC_STOP_ASKED);
	KUNIT_EXPECT_EQ(test, nr_listeners(FAULT), 0u);
	KUNIT_EXPECT_GE(test, s->stop_ticks, s->start_ticks);
	KUNIT_EXPECT_EQ(test, ktrc_session_start(s, &why), 0);
	KUNIT_EXPECT_EQ(test, s->stop_ticks, 0ull);
	drop(s);
	KUNIT_EXPECT_NULL(test, ktrc_session_find("one"));
	KUNIT_EXPECT_EQ(test, nr_listeners(FAULT), 0u);
}

/* whoever still reads a deleted session keeps its memory, and cannot start it again */
static void outlives_its_name(struct kunit *test)
{
	struct ktrc_session *s = made(test, "one", true);
	struct ktrc_why why = {};

	kref_get(&s->ref);
	drop(s);
	KUNIT_EXPECT_EQ(test, s->state, (u32)KTRC_STATE_STOPPED);
	KUNIT_EXPECT_EQ(test, s->stop_reason, (u32)KTRC_STOP_DELETED);
	KUNIT_EXPECT_EQ(test, ktrc_session_start(s, &why), -ENOENT);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs_before + 1);
	KUNIT_EXPECT_NOT_NULL(test, per_cpu_ptr(s->cpus, 0)->ring.status);
	ktrc_session_put(s);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs_before);
}

static void name_is_taken(struct kunit *test)
{
	struct ktrc_session *s = made(test, "one", true), *next;
	struct ktrc_config config = config_of("one");
	struct ktrc_making how = {}, replacing = { .replace = true };
	struct ktrc_why why = {};

	KUNIT_EXPECT_EQ(test, make(&config, &how, &why), -EEXIST);
	KUNIT_EXPECT_EQ(test, make(&config, &replacing, &why), -EEXIST); /* it runs */
	ktrc_session_stop(s, KTRC_STOP_ASKED);
	KUNIT_EXPECT_EQ(test, make(&config, &how, &why), -EEXIST);
	KUNIT_EXPECT_PTR_EQ(test, ktrc_session_find("one"), s);
	KUNIT_EXPECT_EQ(test, make(&config, &replacing, &why), 0);
	next = ktrc_session_find("one");
	KUNIT_EXPECT_PTR_EQ(test, replacing.old, s);
	KUNIT_EXPECT_PTR_NE(test, next, s);
	mutex_unlock(&ktrc_control);
	ktrc_session_bury(replacing.old);
	mutex_lock(&ktrc_control);
}

struct bad {
	const char *name;
	struct ktrc_config config;
	int err;
};

static const struct bad bads[] = {
	{ "no name", { "", 0, BIT_ULL(FAULT) }, -EINVAL },
	{ "a slash", { "a/b", 0, BIT_ULL(FAULT) }, -EINVAL },
	{ "no event", { "x", 0, 0 }, -EINVAL },
	{ "no such event", { "x", 0, BIT_ULL(63) }, -EINVAL },
	{ "a dictionary", { "x", 0, BIT_ULL(KTRC_EV_task) }, -EINVAL },
	{ "too long", { "x", 0, BIT_ULL(FAULT), .max_seconds = KTRC_MAX_SECONDS + 1 }, -ERANGE },
};

/* of what is refused nothing is there */
static void refused(struct kunit *test)
{
	const struct bad *bad = test->param_value;
	struct ktrc_making how = { .running = true };
	struct ktrc_why why = {};

	KUNIT_EXPECT_EQ(test, make(&bad->config, &how, &why), bad->err);
	KUNIT_EXPECT_NOT_NULL(test, why.text);
	KUNIT_EXPECT_NULL(test, any_session());
	KUNIT_EXPECT_EQ(test, nr_listeners(FAULT), 0u);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs_before);
}

static void bad_name(const struct bad *bad, char *name)
{
	strscpy(name, bad->name, KUNIT_PARAM_DESC_SIZE);
}
KUNIT_ARRAY_PARAM(refused, bads, bad_name);

static void as_many_as_are_possible(struct kunit *test)
{
	struct ktrc_config config = config_of("more");
	struct ktrc_making how = {};
	struct ktrc_why why = {};
	char name[8];
	int i;

	for (i = 0; i < KTRC_MAX_SESSIONS; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		made(test, name, true);
		KUNIT_EXPECT_EQ(test, nr_listeners(FAULT), i + 1u);
	}
	KUNIT_EXPECT_EQ(test, make(&config, &how, &why), -ENOSPC);
	KUNIT_EXPECT_EQ(test, nr_listeners(FAULT), (u32)KTRC_MAX_SESSIONS);
}

static void wait_for_stop(const struct ktrc_session *s)
{
	int ms;

	mutex_unlock(&ktrc_control);
	for (ms = 0; ms < PATIENCE_MS && READ_ONCE(s->state) == KTRC_STATE_RUNNING; ms += 100)
		msleep(100);
	mutex_lock(&ktrc_control);
}

static void ends_by_itself(struct kunit *test)
{
	struct ktrc_config config = config_of("short");
	struct ktrc_making how = { .running = true };
	struct ktrc_why why = {};
	struct ktrc_session *s;

	config.max_seconds = 1;
	KUNIT_ASSERT_EQ(test, make(&config, &how, &why), 0);
	s = ktrc_session_find("short");
	wait_for_stop(s);
	KUNIT_EXPECT_EQ(test, s->state, (u32)KTRC_STATE_STOPPED);
	KUNIT_EXPECT_EQ(test, s->stop_reason, (u32)KTRC_STOP_MAX_TIME);
}

/* Hits by the ways that probes have, of which a filter for user mode takes some. */
static void hit(void *session)
{
	static const struct ktrc_facts facts[] = { { 5, KTRC_fault_mode_user },
						   { 5, KTRC_fault_mode_kernel } };
	const struct ktrc_outlet *outlet = ktrc_attach_probe(FAULT)->outlet;
	const struct ktrc_subject subject = { .task = current };
	const struct ktrc_ev_fault rec = { .page = 1 };
	struct ktrc_session *s = session;
	int i;

	preempt_disable();
	for (i = 0; i < ARRAY_SIZE(facts); i++) {
		ktrc_outlet_emit(outlet, FAULT, &rec, sizeof(rec), &facts[i]);
		ktrc_outlet_emit_of(outlet, FAULT, &rec, sizeof(rec), &facts[i], &subject);
	}
	ktrc_emit_timed(this_cpu_ptr(s->cpus), s->clock, fault, &rec, 5);
	preempt_enable();
}

struct account {
	u64 hits, written, filtered, lost, ticks, published;
};

static struct account account_of(const struct ktrc_session *s, const struct cpumask *cpus)
{
	struct account sum = {};
	int cpu;

	for_each_cpu(cpu, cpus) {
		const struct ktrc_cpu *c = per_cpu_ptr(s->cpus, cpu);
		struct ktrc_books books;

		ktrc_count_read(&c->count[FAULT], &books);
		sum.hits += books.hits;
		sum.written += books.written;
		sum.filtered += books.filtered;
		sum.lost += books.lost;
		sum.ticks += local_read(&c->count[FAULT].sum);
		sum.published += c->ring.published;
	}
	return sum;
}

static void expect_frozen(struct kunit *test, const struct account *before,
			  const struct account *after)
{
	KUNIT_EXPECT_EQ(test, after->hits, before->hits);
	KUNIT_EXPECT_EQ(test, after->written, before->written);
	KUNIT_EXPECT_EQ(test, after->filtered, before->filtered);
	KUNIT_EXPECT_EQ(test, after->lost, before->lost);
	KUNIT_EXPECT_EQ(test, after->ticks, before->ticks);
	KUNIT_EXPECT_EQ(test, after->published, before->published);
}

/* The ring of CPU 0 loses its end; the next hit that looks finds it out, and is lost. */
static void break_ring(struct kunit *test, struct ktrc_session *s)
{
	struct ktrc_ring *r = &per_cpu_ptr(s->cpus, 0)->ring;
	struct account before, after;

	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	hit(s);
	r->end = 0;
	hit(s);
	KUNIT_EXPECT_EQ(test, READ_ONCE(r->off), (u32)KTRC_BROKEN);
	before = account_of(s, cpumask_of(0));
	KUNIT_EXPECT_GE(test, before.written, 3ull);
	KUNIT_EXPECT_GE(test, before.filtered, 2ull);
	KUNIT_EXPECT_EQ(test, before.lost, 1ull);
	hit(s);
	after = account_of(s, cpumask_of(0));
	expect_frozen(test, &before, &after);
}

/*
 * Nothing is written or counted on any CPU from then on, and the session is stopped for good.
 * tests/kunit/guest looks for the line in the log.
 */
static void broken_is_stopped(struct kunit *test)
{
	static const struct ktrc_wish users = { .rule[FAULT].flags = KTRC_RULE_USER };
	struct ktrc_config config = config_of("one");
	struct ktrc_making how = { .running = true };
	struct account before, after;
	struct ktrc_why why = {};
	struct ktrc_session *s;

	KUNIT_ASSERT_EQ(test, ktrc_session_create(&config, &users, &how, &s, &why), 0);
	break_ring(test, s);
	irq_work_sync(&per_cpu_ptr(s->cpus, 0)->wake);
	/* to stop it takes ktrc_control */
	KUNIT_EXPECT_EQ(test, s->state, (u32)KTRC_STATE_RUNNING);
	before = account_of(s, cpu_possible_mask);
	on_each_cpu(hit, s, true);
	after = account_of(s, cpu_possible_mask);
	expect_frozen(test, &before, &after);
	wait_for_stop(s);
	KUNIT_EXPECT_EQ(test, s->state, (u32)KTRC_STATE_STOPPED);
	KUNIT_EXPECT_EQ(test, s->stop_reason, (u32)KTRC_STOP_BROKEN);
	KUNIT_EXPECT_EQ(test, nr_listeners(FAULT), 0u);
	before = account_of(s, cpu_possible_mask);
	on_each_cpu(hit, s, true);
	KUNIT_EXPECT_EQ(test, ktrc_session_start(s, &why), -EIO);
	KUNIT_EXPECT_NOT_NULL(test, why.text);
	on_each_cpu(hit, s, true);
	after = account_of(s, cpu_possible_mask);
	expect_frozen(test, &before, &after);
	KUNIT_EXPECT_EQ(test, s->state, (u32)KTRC_STATE_STOPPED);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(new_to_deleted),	     KUNIT_CASE(outlives_its_name),
	KUNIT_CASE(name_is_taken),	     KUNIT_CASE_PARAM(refused, refused_gen_params),
	KUNIT_CASE(as_many_as_are_possible), KUNIT_CASE(ends_by_itself),
	KUNIT_CASE(broken_is_stopped),	     {}
};

static struct kunit_suite suite = {
	.name = "ktrc_session",
	.suite_init = suite_init,
	.suite_exit = suite_exit,
	.init = test_init,
	.exit = test_exit,
	.test_cases = cases,
};
kunit_test_suites(&suite);
