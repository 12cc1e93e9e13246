// SPDX-License-Identifier: GPL-2.0
/*
 * Shrinkers: what the kernel asks to free some of its own objects, in reclaim or by hand.
 * A shrinker has no name here, but a function: it gets a number, by which names.c knows it.
 * Everything above "control" runs in the kernel's reclaim path: it never sleeps, locks,
 * allocates or prints.
 */
#include <linux/memcontrol.h>
#include <linux/shrinker.h>
#include <trace/events/vmscan.h>

#include "hook.h"
#include "names.h"
#include "probe.h"
#include "stall.h"

#define KTRC_SHRINKER_REACH 32
KTRC_BOUND(KTRC_SHRINKER_REACH);

static struct ktrc_outlet slab_outlet;
static struct ktrc_stalls shrinks;
static u32 slab_clock;

/* by number - 1: open addressing, as long as the module is loaded */
static void *functions[KTRC_NR_SHRINKERS];

/* 0: there is no room */
static u32 number_of(void *function)
{
	u32 first = (u64)(unsigned long)function * 0x9e3779b97f4a7c15ull >> 32, i;

	for (i = 0; i < KTRC_SHRINKER_REACH; i++) {
		u32 at = (first + i) & (KTRC_NR_SHRINKERS - 1);
		void *found = READ_ONCE(functions[at]);

		if (!found)
			found = cmpxchg(&functions[at], NULL, function) ?: function;
		if (found == function)
			return at + 1;
	}
	return 0;
}

/* one that is called inside another one's work is lost, but not taken for the other */
static void ktrc_on_shrink_start(void *data, struct shrinker *shr, struct shrink_control *sc,
				 long nr_objects_to_shrink, unsigned long cache_items,
				 unsigned long long delta, unsigned long total_scan, int priority)
{
	struct ktrc_stall *s, *outer;

	preempt_disable_notrace();
	outer = ktrc_stall_find(&shrinks);
	s = outer ? NULL : ktrc_stall_get(&shrinks);
	if (outer)
		outer->depth++;
	if (s) {
		s->cgid = sc->memcg ? ktrc_css_cgid(&sc->memcg->css) : 0;
		s->start = ktrc_clock_ticks(slab_clock);
	} else {
		atomic_long_inc(&shrinks.missed);
	}
	preempt_enable_notrace();
}

static void emit_slab(const struct ktrc_stall *s, const struct shrinker *shr, int nid, int freed)
{
	const struct ktrc_facts facts = { .ticks = ktrc_clock_since(slab_clock, s->start) };
	const struct ktrc_ev_reclaim_slab rec = {
		.cgid = s->cgid,
		.dur = min_t(u64, facts.ticks, (1ull << 40) - 1),
		.node = nid,
		.shrinker_id = number_of(shr->scan_objects),
		.freed = max(freed, 0),
	};

	ktrc_outlet_emit(&slab_outlet, KTRC_EV_reclaim_slab, &rec, sizeof(rec), &facts);
}

static void ktrc_on_shrink_end(void *data, struct shrinker *shr, int nid, int shrinker_retval,
			       long unused_scan_cnt, long new_scan_cnt, long total_scan)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = ktrc_stall_find(&shrinks);
	if (s && s->depth) {
		s->depth--;
	} else if (s) {
		emit_slab(s, shr, nid, shrinker_retval);
		ktrc_stall_put(s);
	}
	preempt_enable_notrace();
}

/* ---- control ---- */

/**
 * ktrc_shrinker_function() - what a shrinker's number stands for
 * @number: 1 to KTRC_NR_SHRINKERS
 *
 * Return: the function that frees its objects, also when its module is gone; NULL: none has
 * this number.
 */
const void *ktrc_shrinker_function(u32 number)
{
	return READ_ONCE(functions[number - 1]);
}

/* the end first, and detached last: no start is seen whose end would not be */
static struct ktrc_point slab_points[] = {
	KTRC_POINT(mm_shrink_slab_end, ktrc_on_shrink_end),
	KTRC_POINT(mm_shrink_slab_start, ktrc_on_shrink_start),
};

static int slab_check(void)
{
	return ktrc_points_check(slab_points, ARRAY_SIZE(slab_points));
}

static int slab_attach(u32 clock)
{
	slab_clock = clock;
	ktrc_stalls_clear(&shrinks);
	check_trace_callback_type_mm_shrink_slab_start(ktrc_on_shrink_start);
	check_trace_callback_type_mm_shrink_slab_end(ktrc_on_shrink_end);
	return ktrc_points_attach(slab_points, ARRAY_SIZE(slab_points));
}

static void slab_detach(void)
{
	ktrc_points_detach(slab_points, ARRAY_SIZE(slab_points));
}

static u64 slab_missed(void)
{
	return atomic_long_read(&shrinks.missed);
}

const struct ktrc_probe ktrc_probe_reclaim_slab = {
	.hook = "tracepoints mm_shrink_slab_start and _end",
	.outlet = &slab_outlet,
	.rules = KTRC_RULE_MIN,
	.check = slab_check,
	.attach = slab_attach,
	.detach = slab_detach,
	.missed = slab_missed,
};
