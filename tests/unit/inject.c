// SPDX-License-Identifier: GPL-2.0
#include "inject.h"

struct inject_stats inject_stats;

struct state {
	struct rig *rig;
	const struct injection *plan;
	u32 depth;
};

static void write_inside(struct state *s, const struct injection *in)
{
	u32 i, outer;

	rig_enter(in->level, &outer);
	s->depth++;
	inject_stats.by_depth[s->depth]++;
	if (s->depth > inject_stats.depth)
		inject_stats.depth = s->depth;
	shim.tsc += in->cycles;
	for (i = 0; i < in->nr_hits; i++)
		rig_emit(s->rig, i % 2 ? KTRC_EV_fault_light : KTRC_EV_fault);
	s->depth--;
	rig_leave(outer);
}

static void happen(struct state *s, const struct injection *in)
{
	const struct ktrc_ring *r = &s->rig->cpu.ring;

	if (in->kind == INJECT_WRITER && in->level > rig_level())
		write_inside(s, in);
	else if (in->kind == INJECT_FAULT && r->active == rig_context())
		rig_emit(s->rig, KTRC_EV_fault);
	else if (in->kind == INJECT_OFF)
		s->rig->cpu.ring.off = 1;
	else if (in->kind == INJECT_CONSUME)
		rig_consume(s->rig);
	else
		return;
	inject_stats.fired++;
}

static bool is_due(const struct injection *in, u64 step)
{
	if (in->kind == INJECT_NONE || step < in->step)
		return false;
	if (!in->every)
		return step == in->step;
	return (step - in->step) % in->every == 0 && (step - in->step) / in->every < INJECT_TIMES;
}

static void on_step(void *context)
{
	struct state *s = context;
	u64 step = shim.nr_steps;
	u32 i;

	rig_observe(s->rig);
	for (i = 0; i < INJECT_MAX; i++)
		if (is_due(&s->plan[i], step))
			happen(s, &s->plan[i]);
}

void inject_run(struct rig *rig, void (*act)(struct rig *rig), const struct injection *plan)
{
	struct state s = { .rig = rig, .plan = plan };

	shim.nr_steps = 0;
	shim.context = &s;
	shim.on_step = on_step;
	act(rig);
	shim.on_step = NULL;
	inject_stats.runs++;
	inject_stats.steps = shim.nr_steps;
}
