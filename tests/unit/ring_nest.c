// SPDX-License-Identifier: GPL-2.0
/*
 * Writers interrupted at every step, in every state of the ring.
 */
#include <stdio.h>

#include "inject.h"
#include "scenarios.h"

/* of the pairs of steps in one scenario at most so many are tried, evenly spread */
#ifdef __clang__
#define PAIRS_MAX 750
#else
#define PAIRS_MAX 3000
#endif

/* an interrupt may come so late inside another one */
#define STEPS_INSIDE 40

/* an interrupt that takes so many cycles makes the clock's epoch end */
#define EPOCH_CYCLES (4ull << KTRC_TIME_BITS)

static struct rig rig, saved;

static void prepare(const struct scenario *s)
{
	rig_init(&rig, &s->config);
	s->prepare(&rig);
	rig_observe(&rig);
	rig.shim = shim;
	saved = rig;
}

static const char *run(const struct scenario *s, const struct injection *plan)
{
	const char *wrong;

	rig_restore(&rig, &saved);
	inject_run(&rig, s->act, plan);
	/* a storm may outlast the writer's bounded tries: then the stop publishes */
	if (plan[0].every || plan[1].every)
		ktrc_ring_settle(&rig.cpu.ring, local_read(&rig.cpu.lost));
	wrong = rig_audit(&rig);
	if (!wrong)
		return NULL;
	return tap_why("%s: %s; at steps %llu:%d %llu:%d %llu:%d of %llu", s->name, wrong,
		       plan[0].step, plan[0].level, plan[1].step, plan[1].level, plan[2].step,
		       plan[2].level, inject_stats.steps);
}

/* one thing at each step */
static const char *each_step(const struct scenario *s, struct injection what)
{
	struct injection plan[INJECT_MAX] = { what };

	prepare(s);
	do {
		plan[0].step++;
		TAP_TRY(run(s, plan));
	} while (plan[0].step <= inject_stats.steps);
	return NULL;
}

static const char *undisturbed(void)
{
	const struct injection plan[INJECT_MAX] = { 0 };
	u32 i;

	for (i = 0; i < nr_scenarios; i++) {
		prepare(&scenarios[i]);
		TAP_TRY(run(&scenarios[i], plan));
	}
	return NULL;
}

static const char *once(struct injection what)
{
	u32 i;

	inject_stats = (struct inject_stats){ 0 };
	for (i = 0; i < nr_scenarios; i++)
		TAP_TRY(each_step(&scenarios[i], what));
	tap_note("%llu runs, %llu disturbed", inject_stats.runs, inject_stats.fired);
	TAP_NEED(inject_stats.fired > 500, "only %llu were disturbed", inject_stats.fired);
	return NULL;
}

static const char *by_softirq(void)
{
	return once(
		(struct injection){ INJECT_WRITER, .step = 0, .level = RIG_SOFTIRQ, .nr_hits = 1 });
}

static const char *by_irq(void)
{
	return once((struct injection){ INJECT_WRITER, .step = 0, .level = RIG_IRQ, .nr_hits = 2 });
}

static const char *by_nmi(void)
{
	return once((struct injection){ INJECT_WRITER, .step = 0, .level = RIG_NMI, .nr_hits = 1 });
}

static const char *by_storm(void)
{
	return once(
		(struct injection){ INJECT_WRITER, .step = 0, .level = RIG_IRQ, .nr_hits = 45 });
}

static const char *by_long_irq(void)
{
	return once((struct injection){ INJECT_WRITER, .step = 0, .level = RIG_IRQ, .nr_hits = 2,
					.cycles = EPOCH_CYCLES });
}

static const char *by_own_fault(void)
{
	return once((struct injection){ INJECT_FAULT, .step = 0 });
}

static const char *pairs(const struct scenario *s, struct injection first, struct injection second)
{
	struct injection plan[INJECT_MAX] = { first, second };
	u64 steps, nr, i;

	prepare(s);
	TAP_TRY(run(s, plan));
	steps = inject_stats.steps + STEPS_INSIDE;
	nr = steps * steps / 2 < PAIRS_MAX ? steps * steps / 2 : PAIRS_MAX;
	for (i = 0; i < nr; i++) {
		u64 pair = i * (steps * steps) / nr;

		plan[0].step = pair / steps;
		plan[1].step = plan[0].step + pair % steps;
		TAP_TRY(run(s, plan));
	}
	return NULL;
}

static const char *twice(struct injection first, struct injection second)
{
	u32 i;

	inject_stats = (struct inject_stats){ 0 };
	for (i = 0; i < nr_scenarios; i++)
		TAP_TRY(pairs(&scenarios[i], first, second));
	tap_note("%llu runs, %llu disturbed, %llu interrupts in interrupts", inject_stats.runs,
		 inject_stats.fired, inject_stats.by_depth[2]);
	return NULL;
}

static const struct injection softirq = { INJECT_WRITER, .level = RIG_SOFTIRQ, .nr_hits = 1 };
static const struct injection irq = { INJECT_WRITER, .level = RIG_IRQ, .nr_hits = 1 };
static const struct injection nmi = { INJECT_WRITER, .level = RIG_NMI, .nr_hits = 1 };

static const char *by_two(void)
{
	TAP_TRY(twice(softirq, irq));
	TAP_TRY(twice(irq, nmi));
	TAP_NEED(inject_stats.by_depth[2] > 1000, "too few interrupts in interrupts");
	return NULL;
}

/* The end of recording is seen at each step; what inner writers wrote gets published. */
static const char *by_off(void)
{
	return twice(irq, (struct injection){ INJECT_OFF, .step = 0 });
}

static const char *by_consumer(void)
{
	return twice(irq, (struct injection){ INJECT_CONSUME, .step = 0 });
}

/* again and again, in and after each other */
static const char *by_many(void)
{
	struct injection plan[INJECT_MAX] = { softirq, irq, nmi };
	u32 i;

	inject_stats = (struct inject_stats){ 0 };
	for (i = 0; i < 3000; i++) {
		if (i % 200 == 0)
			prepare(&scenarios[i / 200 % nr_scenarios]);
		plan[0].every = i % 23;
		plan[1].every = i % 5 + 7;
		plan[2].every = i % 17 + 11;
		plan[1].step = i % 7;
		TAP_TRY(run(&scenarios[i / 200 % nr_scenarios], plan));
	}
	tap_note("%llu runs, %llu interrupts, %llu of them three deep", inject_stats.runs,
		 inject_stats.fired, inject_stats.by_depth[3]);
	TAP_NEED(inject_stats.by_depth[3] > 1000, "too few interrupts three deep");
	return NULL;
}

/* An interrupt after each few steps voids plans and publications for as long as there is room. */
static const char *by_endless_storm(void)
{
	struct injection plan[INJECT_MAX] = { irq };
	u32 i, step;

	inject_stats = (struct inject_stats){ 0 };
	for (i = 0; i < nr_scenarios; i++) {
		prepare(&scenarios[i]);
		for (plan[0].every = 1; plan[0].every < 40; plan[0].every++)
			for (step = 0; step < plan[0].every; step += 2) {
				plan[0].step = step;
				TAP_TRY(run(&scenarios[i], plan));
			}
	}
	tap_note("%llu runs, %llu interrupts", inject_stats.runs, inject_stats.fired);
	return NULL;
}

static const struct tap_case cases[] = {
	{ "undisturbed", undisturbed },
	{ "softirq_at_each_step", by_softirq },
	{ "irq_at_each_step", by_irq },
	{ "nmi_at_each_step", by_nmi },
	{ "storm_at_each_step", by_storm },
	{ "long_irq_at_each_step", by_long_irq },
	{ "own_fault_at_each_step", by_own_fault },
	{ "two_interrupts", by_two },
	{ "interrupt_and_off", by_off },
	{ "interrupt_and_consumer", by_consumer },
	{ "interrupts_three_deep", by_many },
	{ "endless_storm", by_endless_storm },
};

int main(void)
{
	return tap_run(cases, sizeof(cases) / sizeof(cases[0]));
}
