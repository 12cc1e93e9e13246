// SPDX-License-Identifier: GPL-2.0
/*
 * Which hits become records, for whom, and that the books stay exact when some do not.
 */
#include "../../kmod/outlet.h"
#include "rig.h"

static const struct rig_config flight = { KTRC_MODE_FLIGHT, KTRC_CLOCK_TSC, 10, 3 };
static struct rig rig;

static const struct ktrc_facts some_fault = { .ticks = 1000, .mode = KTRC_fault_mode_kernel };

static enum ktrc_verdict judge(const struct ktrc_filter *f, const struct ktrc_facts *facts)
{
	if (!ktrc_filter_is_ours(f))
		return KTRC_REJECT;
	return ktrc_filter_judge(f, &rig.cpu.count[KTRC_EV_fault], KTRC_EV_fault, facts);
}

static const char *by_process(void)
{
	struct ktrc_filter f = { .nr_tgids = KTRC_MAX_PIDS };
	u32 i;

	rig_init(&rig, &flight);
	for (i = 0; i < KTRC_MAX_PIDS; i++)
		f.tgid[i] = 1000 + i;
	TAP_NEED(judge(&f, &some_fault) == KTRC_REJECT, "a stranger is taken");
	rig.task[0].tgid = 1000 + KTRC_MAX_PIDS - 1;
	TAP_NEED(judge(&f, &some_fault) == KTRC_TAKE, "the last in the list is rejected");
	f.nr_tgids--;
	TAP_NEED(judge(&f, &some_fault) == KTRC_REJECT, "one beyond the list is taken");
	return NULL;
}

static const char *by_cgroup(void)
{
	struct cgroup top = { .id = 5 };
	const struct ktrc_filter f = { .cgroup = &top };

	rig_init(&rig, &flight);
	TAP_NEED(judge(&f, &some_fault) == KTRC_REJECT, "another cgroup is taken");
	rig.task[0].cgid = 5;
	TAP_NEED(judge(&f, &some_fault) == KTRC_TAKE, "the cgroup is rejected");
	return NULL;
}

static const char *by_mode(void)
{
	static const enum ktrc_verdict want[][3] = {
		/* kernel, user, gup */
		{ KTRC_TAKE, KTRC_TAKE, KTRC_TAKE },
		{ KTRC_REJECT, KTRC_TAKE, KTRC_REJECT },
		{ KTRC_TAKE, KTRC_REJECT, KTRC_TAKE },
	};
	static const u32 flags[] = { 0, KTRC_RULE_USER, KTRC_RULE_KERNEL };
	u32 i, mode;

	rig_init(&rig, &flight);
	for (i = 0; i < 3; i++) {
		struct ktrc_filter f = { .rule[KTRC_EV_fault].flags = flags[i] };

		for (mode = 0; mode < 3; mode++) {
			const struct ktrc_facts facts = { .ticks = 1, .mode = mode };

			TAP_NEED(judge(&f, &facts) == want[i][mode], "flags %u, mode %u: %d",
				 flags[i], mode, judge(&f, &facts));
		}
	}
	return NULL;
}

static const char *by_what_it_cost(void)
{
	struct ktrc_filter f = { .rule[KTRC_EV_fault].min_ticks = 1000 };
	struct ktrc_facts facts = some_fault;

	rig_init(&rig, &flight);
	TAP_NEED(judge(&f, &facts) == KTRC_TAKE, "exactly the minimum is not taken");
	facts.ticks--;
	TAP_NEED(judge(&f, &facts) == KTRC_COUNT, "below the minimum");
	facts.has_waited = true;
	TAP_NEED(judge(&f, &facts) == KTRC_TAKE, "what goes on with a wait is not taken");
	facts.has_waited = false;
	f.rule[KTRC_EV_fault].flags = KTRC_RULE_MAJOR;
	TAP_NEED(judge(&f, &facts) == KTRC_REJECT, "a minor fault");
	facts = (struct ktrc_facts){ .ticks = 1000, .is_major = true };
	TAP_NEED(judge(&f, &facts) == KTRC_TAKE, "a major fault");
	f.rule[KTRC_EV_fault].flags |= KTRC_RULE_COUNT;
	TAP_NEED(judge(&f, &facts) == KTRC_COUNT, "one that is only counted");
	return NULL;
}

/* of 1000 hits that pass the rest, every 7th; whatever does not pass comes in between */
static const char *one_in_seven(void)
{
	const struct ktrc_filter f = {
		.rule[KTRC_EV_fault] = { .min_ticks = 10, .sample = 7 },
	};
	u32 i, taken = 0;

	rig_init(&rig, &flight);
	for (i = 0; i < 3000; i++) {
		const struct ktrc_facts facts = { .ticks = i % 3 ? 5 : 10 };
		enum ktrc_verdict verdict = judge(&f, &facts);

		TAP_NEED(verdict == KTRC_TAKE || verdict == KTRC_COUNT, "hit %u", i);
		taken += verdict == KTRC_TAKE;
		TAP_NEED(taken == (i / 3) / 7 + 1, "%u taken after hit %u", taken, i);
	}
	return NULL;
}

/* of 7000 hits that come in pairs, others between them */
static const char *pairs(void)
{
	const struct ktrc_filter f = { .rule[KTRC_EV_fault] = { .sample = 7 } };
	u64 i;

	rig_init(&rig, &flight);
	for (i = 1; i <= 7000; i++) {
		const struct ktrc_facts facts = { .shared_by = i };
		bool is_first_taken = judge(&f, &facts) == KTRC_TAKE;

		TAP_NEED((judge(&f, &some_fault) == KTRC_TAKE) == (i % 7 == 1), "other hit %llu",
			 i);
		TAP_NEED((judge(&f, &facts) == KTRC_TAKE) == is_first_taken, "half of pair %llu",
			 i);
		TAP_NEED(is_first_taken == (i % 7 == 0), "pair %llu", i);
	}
	return NULL;
}

static void hit_nothing(u32 event)
{
	rig.hits[event]++;
	rig.nested[event] += rig.cpu.ring.active != KTRC_IDLE;
	ktrc_emit_nothing(&rig.cpu, event);
}

static void hit(u32 n)
{
	if (n % 3)
		rig_emit(&rig, n % 2 ? KTRC_EV_fault_light : KTRC_EV_fault);
	else
		hit_nothing(n % 2 ? KTRC_EV_fault_light : KTRC_EV_fault);
}

struct disturbance {
	u64 step;
	u32 nr_hits;
};

static void disturb(void *context)
{
	struct disturbance *d = context;
	u32 i, outer;

	if (shim.nr_steps != d->step)
		return;
	rig_enter(RIG_IRQ, &outer);
	for (i = 0; i < d->nr_hits; i++)
		hit(i);
	rig_leave(outer);
}

/* an interrupt that records and filters, at each step of a task that does the same */
static const char *filtered_at_each_step(void)
{
	struct disturbance d = { .step = 1 };
	u64 steps;
	u32 i;

	do {
		for (d.nr_hits = 1; d.nr_hits < 12; d.nr_hits += 5) {
			rig_init(&rig, &flight);
			shim.context = &d;
			shim.on_step = disturb;
			for (i = 0; i < 130; i++)
				hit(i);
			steps = shim.nr_steps;
			TAP_TRY(rig_audit(&rig));
			TAP_NEED(rig.cpu.count[KTRC_EV_fault].filtered.value > 10, "none filtered");
		}
		d.step +=
			1 + d.step / 500; /* the first packet at each, later ones here and there */
	} while (d.step < steps);
	tap_note("%llu steps", steps);
	return NULL;
}

/* of an event that is only counted the books need one counter, whatever interrupts whom */
static const char *only_counted(void)
{
	struct ktrc_count *n = &rig.cpu.count[KTRC_EV_fault_light];
	struct ktrc_books b;
	u32 i;

	rig_init(&rig, &flight);
	n->is_only_counted = true;
	for (i = 0; i < 500; i++) {
		ktrc_count_only(n, i);
		rig.hits[KTRC_EV_fault_light]++;
		rig_emit(&rig, KTRC_EV_fault);
		rig_observe(&rig);
	}
	hit_nothing(KTRC_EV_fault_light);
	ktrc_count_read(n, &b);
	TAP_NEED(b.hits == 501 && b.filtered == 501 && !b.written && n->sum.value == 499 * 250,
		 "%llu hits, %llu filtered, %ld ticks", b.hits, b.filtered, n->sum.value);
	return rig_audit(&rig);
}

/* two sessions on one hook, each with its own wishes; then one leaves */
static const char *two_listeners(void)
{
	static struct rig other;
	static struct ktrc_filter long_ones = { .rule[KTRC_EV_fault].min_ticks = 50 };
	struct ktrc_listeners all = {
		.nr = 2,
		.at = { { .cpus = &rig.cpu }, { .cpus = &other.cpu, .filter = &long_ones } },
	};
	const struct ktrc_outlet outlet = { .all = &all };
	u32 i;

	rig_init(&other, &flight);
	rig_init(&rig, &flight);
	for (i = 0; i < 100; i++) {
		const struct ktrc_facts facts = { .ticks = i };
		struct ktrc_ev_fault rec = { .dur = i };

		if (i == 90)
			all.nr = 1;
		if (i == 95)
			rig.cpu.ring.off = 1;
		ktrc_outlet_emit(&outlet, KTRC_EV_fault, &rec, sizeof(rec), &facts);
	}
	TAP_NEED(rig.cpu.count[KTRC_EV_fault].hits.value == 95 &&
			 rig.cpu.count[KTRC_EV_fault].filtered.value == 0,
		 "the first: %ld hits", rig.cpu.count[KTRC_EV_fault].hits.value);
	TAP_NEED(other.cpu.count[KTRC_EV_fault].hits.value == 90 &&
			 other.cpu.count[KTRC_EV_fault].filtered.value == 50,
		 "the second: %ld hits, %ld filtered", other.cpu.count[KTRC_EV_fault].hits.value,
		 other.cpu.count[KTRC_EV_fault].filtered.value);
	TAP_NEED(other.cpu.count[KTRC_EV_fault].sum.value == 89 * 45, "durations: %ld",
		 other.cpu.count[KTRC_EV_fault].sum.value);
	return NULL;
}

static const struct tap_case cases[] = {
	{ "by_process", by_process },
	{ "by_cgroup", by_cgroup },
	{ "by_mode", by_mode },
	{ "by_what_it_cost", by_what_it_cost },
	{ "one_in_seven", one_in_seven },
	{ "pairs", pairs },
	{ "filtered_at_each_step", filtered_at_each_step },
	{ "only_counted", only_counted },
	{ "two_listeners", two_listeners },
};

int main(void)
{
	return tap_run(cases, sizeof(cases) / sizeof(cases[0]));
}
