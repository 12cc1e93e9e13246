// SPDX-License-Identifier: GPL-2.0
/*
 * Periods in a row in which a quota is used up, on several CPUs in turn, at the same time and for several periods: whenever it
 * is filled up on one, and what was used up first is filled up first, the run is that of all CPUs together.
 */
#include <stdlib.h>

#include "../../kmod/run.h"
#include "tap.h"

enum { NR_CPUS = 5, NR_PERIODS = 211, NR_SCENES = 4001 };

/* @is_used: of each period; @queue: CPUs, that whose quota was used up first before the others */
struct scene {
	u32 first;
	u32 now;
	bool is_used[NR_PERIODS];
	u32 began[NR_CPUS];
	u32 queue[NR_CPUS];
	u32 nr_queued;
	union ktrc_run run;
};

static long nr_ends, nr_over_two;

static void use_up(struct scene *s, u32 cpu)
{
	u32 i;

	for (i = 0; i < s->nr_queued; i++)
		if (s->queue[i] == cpu)
			return;
	s->queue[s->nr_queued++] = cpu;
	s->began[cpu] = s->now;
	s->is_used[s->now] = true;
}

static void end_period(struct scene *s)
{
	if (s->nr_queued)
		s->is_used[s->now] = true;
	s->now++;
}

/* how many in a row up to that in which it is filled up on a CPU, or before that, if it was used up before */
static u32 wanted(const struct scene *s, u32 cpu)
{
	u32 end = s->began[cpu] == s->now ? s->now + 1 : s->now, i = end;

	while (i > 0 && s->is_used[i - 1])
		i--;
	return end - i;
}

static const char *fill_up(struct scene *s)
{
	u32 cpu = s->queue[0], want = wanted(s, cpu);

	s->run = ktrc_run_join(s->run, ktrc_run_until(s->first + s->began[cpu], s->first + s->now));
	TAP_NEED(s->run.end - s->run.first == want, "period %u, CPU %u: %u in a row, not %u",
		 s->now, cpu, s->run.end - s->run.first, want);
	memmove(s->queue, s->queue + 1, --s->nr_queued * sizeof(s->queue[0]));
	nr_ends++;
	nr_over_two += want > 2;
	return NULL;
}

static const char *play(u32 seed)
{
	u32 nr_cpus = 1 + seed % NR_CPUS, busy = 1 + seed % 7;
	struct scene s = { .first = seed % 2 ? 0 : -(NR_PERIODS / 2) };

	srand(seed);
	while (s.now < NR_PERIODS - 1) {
		u32 nr;

		if ((u32)rand() % 11 < busy) {
			use_up(&s, rand() % nr_cpus);
			continue;
		}
		/* else what one CPU left of it is given to others before the period ends */
		if (rand() % 8)
			end_period(&s);
		for (nr = rand() % (s.nr_queued + 1); nr; nr--)
			TAP_TRY(fill_up(&s));
	}
	return NULL;
}

static const char *runs_are_of_all_cpus(void)
{
	u32 seed;

	for (seed = 0; seed < NR_SCENES; seed++)
		TAP_TRY(play(seed));
	tap_note("%ld ends, %ld of them of a run of more than two periods", nr_ends, nr_over_two);
	TAP_NEED(nr_over_two > NR_SCENES, "only %ld longer runs", nr_over_two);
	return NULL;
}

static const struct tap_case cases[] = {
	{ "a run of periods is that of all CPUs together", runs_are_of_all_cpus },
};

int main(void)
{
	return tap_run(cases, sizeof(cases) / sizeof(cases[0]));
}
