// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups that a CPU quota keeps off a CPU.  throttle_cfs_rq() and unthrottle_cfs_rq() say
 * whose quota it is, tg_throttle_down() and tg_unthrottle_up() visit that cgroup and all below
 * it.  Everything above "control" runs in the scheduler, with a run queue locked and interrupts
 * off, or in a cgroup's removal: it never sleeps, locks, allocates, prints or wakes.
 */
#include <trace/events/cgroup.h>

#include "held.h"
#include "hook.h"
#include "probe.h"
#include "throttle.h"

static struct ktrc_outlet throttle_outlet, begin_outlet;

/* its field in the records */
static_assert(CONFIG_NR_CPUS <= 1 << 13);

/* cgroups, one above the other, among which one that is kept off is looked for */
#define MAX_DEPTH 16
KTRC_BOUND(MAX_DEPTH);
#define PERIODS_MAX ((1u << 19) - 1)
#define MILLION 1000000ull

/* ---- throttle, throttle.begin: they belong to no task ---- */

static void emit_begin(const struct ktrc_held_cpu *c, const struct ktrc_held *h)
{
	const struct ktrc_ev_throttle_begin rec = {
		.cgid = h->cgid,
		.limiter_id = h->limiter,
		.cpu = c->cpu,
	};
	const struct ktrc_subject subject = { .cgroup = h->cgroup };

	ktrc_outlet_emit_of(&begin_outlet, KTRC_EV_throttle_begin, &rec, sizeof(rec),
			    &ktrc_no_facts, &subject);
}

/* part of an interval; both may be too long to be multiplied */
static u32 ppm(u64 part, u64 whole)
{
	if (part >= whole)
		return whole ? MILLION : 0;
	return whole >> 40 ? part / (whole / MILLION) : (part * MILLION + whole / 2) / whole;
}

static struct ktrc_ev_throttle end_record(struct ktrc_held_cpu *c, const struct ktrc_held *h,
					  u64 ticks, u64 now)
{
	const struct ktrc_held *limiter = ktrc_held_find(c, h->limiter_tg);
	u32 periods = limiter ? ktrc_period_run(limiter) : 0;

	return (struct ktrc_ev_throttle){
		.cgid = h->cgid,
		.limiter_id = h->limiter,
		.dur = min_t(u64, ticks, KTRC_THROTTLE_DUR_MAX),
		.nr_quotas = h->max,
		.own_ppm = ppm(ktrc_watch_read(&h->own_off, now), ticks),
		.cpu = c->cpu,
		.periods = min(periods, PERIODS_MAX),
	};
}

/* the end of an interval; nothing if somebody else has ended it */
static void release(struct ktrc_held_cpu *c, struct ktrc_held *h, u64 now)
{
	u64 start = READ_ONCE(h->start), ticks = now > start ? now - start : 0;
	const struct ktrc_ev_throttle rec = end_record(c, h, ticks, now);
	const struct ktrc_facts facts = { .ticks = ticks };
	const struct ktrc_subject subject = { .cgroup = h->cgroup };

	if (!start)
		return;
	/* before the start is gone: what has just ended is not given to another cgroup */
	WRITE_ONCE(h->end, now);
	if (cmpxchg(&h->start, start, 0) != start)
		return;
	ktrc_watch_stop(&h->off, now);
	WRITE_ONCE(c->last_end, now);
	atomic_dec(&c->nr_held);
	ktrc_outlet_emit_of(&throttle_outlet, KTRC_EV_throttle, &rec, sizeof(rec), &facts,
			    &subject);
}

static bool is_dying(const struct cgroup_subsys_state *css)
{
	return READ_ONCE(css->flags) & CSS_DYING;
}

/* from now on threads of this CPU are watched, which nobody did before: of one that is ready nothing is known */
static void arm(struct ktrc_held_cpu *c)
{
	u32 i;

	if (c->is_armed)
		return;
	ktrc_waiting_clear(c);
	memset(c->no_room, 0, sizeof(c->no_room));
	for (i = 0; i < KTRC_NR_HELD; i++) {
		WRITE_ONCE(c->at[i].off.word, 0);
		c->at[i].off_before = 0;
	}
	WRITE_ONCE(c->knows_all, READ_ONCE(ktrc_helds.sees_threads));
	WRITE_ONCE(c->is_armed, true);
	atomic_inc(&ktrc_helds.nr_armed);
}

/* the begin of one */
static void hold(struct ktrc_held_cpu *c, struct ktrc_held *h,
		 const struct cgroup_subsys_state *css, u64 now)
{
	atomic_inc(&c->nr_held);
	arm(c);
	ktrc_watch_start(&h->off, now);
	emit_begin(c, h);
	/* pairs with the full barrier of the cmpxchg in release() */
	smp_store_release(&h->start, now);
	smp_mb(); /* pairs with the one in ktrc_on_cgroup_rmdir(): it sees the start, or we the removal */
	if (is_dying(css))
		release(c, h, now);
}

/* throttle_cfs_rq(cfs_rq): it may still find some quota, and then visits nobody */
static void throttle(const void *cfs_rq, struct ktrc_walk *w)
{
	w->quota = cfs_rq;
	w->is_first = true;
}

/* the first is the one whose quota is used up */
static void begin_walk(struct ktrc_walk *w, const void *tg, const void *rq)
{
	w->is_first = false;
	w->limiter_tg = tg;
	w->limiter = ktrc_css_cgid(tg);
	w->on = ktrc_held_cpu_of(rq);
}

/* whose quota it is that keeps a cgroup off from now on */
static void limit(struct ktrc_held *h, const void *tg, u64 cgid, u64 now)
{
	if (h->limiter != cgid)
		h->off_before = ktrc_watch_read(&h->off, now);
	h->limiter_tg = tg;
	h->limiter = cgid;
}

/* tg_throttle_down(tg, rq) */
static void throttle_down(const void *tg, const void *rq, struct ktrc_walk *w)
{
	u64 now = ktrc_clock_ticks(ktrc_helds.clock);
	struct ktrc_held *h;
	bool is_new;

	if (!w->quota)
		return;
	if (w->is_first)
		begin_walk(w, tg, rq);
	h = w->on ? ktrc_held_get(w->on, tg, now) : NULL;
	if (!h) {
		atomic_long_inc(&ktrc_helds.missed);
		return;
	}
	is_new = !READ_ONCE(h->start);
	if (is_new) {
		h->nr = 0;
		h->max = 0;
		h->own_off.word = 0;
		limit(h, w->limiter_tg, w->limiter, now);
	}
	if (!ktrc_held_add_quota(h, w->quota))
		atomic_long_inc(&ktrc_helds.missed);
	if (tg == w->limiter_tg) {
		h->own = w->quota;
		ktrc_watch_start(&h->own_off, now);
		ktrc_period_begin(h, now);
	}
	if (is_new)
		hold(w->on, h, tg, now);
}

/* the next cgroup above one that is kept off */
static const struct ktrc_held *held_above(struct ktrc_held_cpu *c,
					  const struct cgroup_subsys_state *css)
{
	const struct cgroup_subsys_state *up = css->parent;
	u32 i;

	for (i = 0; i < MAX_DEPTH && up; i++) {
		const struct ktrc_held *above = ktrc_held_find(c, up);

		if (above && READ_ONCE(above->start) && ktrc_held_is_of(above, up))
			return above;
		up = up->parent;
	}
	return NULL;
}

/**
 * ktrc_throttle_adopt() - a cgroup, of which nothing may be known, has a thread that is ready
 * @c: a CPU off which something is kept, its run queue locked
 * @css: the cgroup's task group
 * @now: ticks
 *
 * One that was made below one that is kept off is so from the first, without a word of the
 * scheduler's.
 */
void ktrc_throttle_adopt(struct ktrc_held_cpu *c, const struct cgroup_subsys_state *css, u64 now)
{
	bool is_missed = ktrc_held_lacks_room(c, css);
	struct ktrc_held *h = ktrc_held_find(c, css);
	const struct ktrc_held *above;

	if (h && ktrc_held_is_of(h, css))
		return;
	above = held_above(c, css);
	if (!above)
		return;
	h = ktrc_held_get(c, css, now);
	if (!h) {
		if (!is_missed)
			atomic_long_inc(&ktrc_helds.missed);
		return;
	}
	memcpy(h->quota, above->quota, sizeof(h->quota));
	h->nr = above->nr;
	h->max = above->nr;
	limit(h, above->limiter_tg, above->limiter, now);
	hold(c, h, css, now);
}

/* the cgroup whose quota this is says how often in a row it was used up */
static void learn_period(struct ktrc_held *h, const struct ktrc_walk *w)
{
	struct ktrc_held *limiter = ktrc_held_find(w->on, h->limiter_tg);

	if (limiter && limiter->own == w->quota && w->timer && in_hardirq())
		ktrc_period_learn(limiter, w->timer);
}

/* a thread came to it without a word: moved to this CPU, or to the cgroup, while it waited */
static void miss_adopted(struct ktrc_held_cpu *c, const struct cgroup_subsys_state *css)
{
	if (ktrc_waiting_any_of(c, css) && held_above(c, css))
		atomic_long_inc(&ktrc_helds.missed);
}

/* tg_unthrottle_up(tg, rq): what is below a cgroup comes before it */
static void unthrottle_up(const void *tg, const void *rq, struct ktrc_walk *w)
{
	u64 now = ktrc_clock_ticks(ktrc_helds.clock);
	struct ktrc_held *h;
	bool is_known;

	if (!w->quota)
		return;
	if (w->is_first)
		w->on = ktrc_held_cpu_of(rq);
	w->is_first = false;
	h = w->on ? ktrc_held_find(w->on, tg) : NULL;
	if (h && !ktrc_held_is_of(h, tg)) {
		ktrc_held_forget(w->on, h);
		h = NULL;
	}
	if (!h) {
		/* without room it is missed already */
		if (w->on && !ktrc_held_lacks_room(w->on, tg))
			miss_adopted(w->on, tg);
		return;
	}
	learn_period(h, w);
	if (READ_ONCE(h->start) && h->nr == 1 && h->quota[0] == w->quota)
		release(w->on, h, now);
	is_known = ktrc_held_drop_quota(h, w->quota);
	if (is_known && h->own == w->quota) {
		ktrc_watch_stop(&h->own_off, now);
		ktrc_period_end(h);
	}
}

/* a cgroup goes, or its task group does, the other being NULL: nobody will say that it may run again */
static void release_everywhere(const struct cgroup *cgroup, const void *tg)
{
	u64 now;
	u32 i, j;

	smp_mb(); /* pairs with the one in hold() */
	now = ktrc_clock_ticks(ktrc_helds.clock);
	for (i = 0; i < CONFIG_NR_CPUS && i < ktrc_helds.nr_cpus; i++) {
		struct ktrc_held_cpu *c = ktrc_helds.cpu[i];

		if (!c || !atomic_read(&c->nr_held))
			continue;
		for (j = 0; j < KTRC_NR_HELD; j++) {
			struct ktrc_held *h = &c->at[j];

			if (READ_ONCE(h->start) && (cgroup ? h->cgroup == cgroup : h->tg == tg))
				release(c, h, now);
		}
	}
}

static void ktrc_on_cgroup_rmdir(void *data, struct cgroup *cgroup, const char *path)
{
	preempt_disable_notrace();
	release_everywhere(cgroup, NULL);
	preempt_enable_notrace();
}

enum {
	CALL_THROTTLE,
	CALL_UNTHROTTLE,
	CALL_DOWN,
	CALL_UP,
	CALL_PERIOD,
	CALL_SLACK,
	CALL_RELEASE,
	CALL_MOVE,
	NR_CALLS
};

static const char *const call_symbols[NR_CALLS] = {
	[CALL_THROTTLE] = "throttle_cfs_rq",	  [CALL_UNTHROTTLE] = "unthrottle_cfs_rq",
	[CALL_DOWN] = "tg_throttle_down",	  [CALL_UP] = "tg_unthrottle_up",
	[CALL_PERIOD] = "sched_cfs_period_timer", [CALL_SLACK] = "sched_cfs_slack_timer",
	[CALL_RELEASE] = "sched_release_group",	  [CALL_MOVE] = "sched_move_task",
};

static void ktrc_on_bandwidth(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			      struct ftrace_regs *regs);

static struct ktrc_calls calls = {
	.symbol = call_symbols,
	.nr = NR_CALLS,
	.on_entry = ktrc_on_bandwidth,
};

static void bandwidth(unsigned long ip, const void *first, const void *second)
{
	struct ktrc_held_cpu *here = ktrc_held_here();

	if (!here)
		return;
	if (ip == calls.ip[CALL_THROTTLE] || ip == calls.ip[CALL_UNTHROTTLE]) {
		throttle(first, &here->walk);
	} else if (ip == calls.ip[CALL_DOWN]) {
		throttle_down(first, second, &here->walk);
	} else if (ip == calls.ip[CALL_UP]) {
		unthrottle_up(first, second, &here->walk);
	} else if (ip == calls.ip[CALL_PERIOD]) {
		ktrc_period_tick(first, ktrc_clock_ticks(ktrc_helds.clock));
		here->walk.timer = first;
	} else if (ip == calls.ip[CALL_SLACK]) {
		/* what a group leaves of its quota before the period ends */
		here->walk.timer = NULL;
	} else if (ip == calls.ip[CALL_RELEASE]) {
		release_everywhere(NULL, first);
		ktrc_period_forget(first);
	} else {
		/* with no lock: it may begin or cease to wait just now */
		ktrc_waiting_move(first, ktrc_clock_ticks(ktrc_helds.clock));
	}
}

static void ktrc_on_bandwidth(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			      struct ftrace_regs *regs)
{
	preempt_disable_notrace();
	bandwidth(ip, (void *)ktrc_traced_argument(regs, 0), (void *)ktrc_traced_argument(regs, 1));
	preempt_enable_notrace();
}

/* ---- control ---- */

static struct ktrc_tracepoint rmdir_hook = { .name = "cgroup_rmdir" };
static u32 nr_users;

/**
 * ktrc_throttle_check() - can the kernel say when a quota is used up
 *
 * Return: 0 or a negative errno.
 */
int ktrc_throttle_check(void)
{
	return ktrc_tracepoint_check(rmdir_hook.name) ?: ktrc_calls_check(&calls);
}

static void hooks_detach(void)
{
	/* first: what is detached bit by bit says half of it */
	WRITE_ONCE(ktrc_helds.is_open, false);
	ktrc_calls_detach(&calls);
	ktrc_tracepoint_detach(&rmdir_hook);
}

static int hooks_attach(void)
{
	int err;

	check_trace_callback_type_cgroup_rmdir(ktrc_on_cgroup_rmdir);
	err = ktrc_tracepoint_attach(&rmdir_hook, ktrc_on_cgroup_rmdir);
	if (!err)
		err = ktrc_calls_attach(&calls);
	if (err)
		hooks_detach();
	else
		WRITE_ONCE(ktrc_helds.is_open, true);
	return err;
}

/**
 * ktrc_throttle_attach() - see quotas used up and filled up, for one more event
 * @clock: enum ktrc_clock of its ticks
 *
 * Return: 0; -EBUSY while another clock is read, or why the kernel refuses.
 */
int ktrc_throttle_attach(u32 clock)
{
	int err;

	if (nr_users && ktrc_helds.clock != clock)
		return -EBUSY;
	if (nr_users++)
		return 0;
	/* no probe that was detached runs any more: its caller waited */
	err = ktrc_helds_open(clock) ?: hooks_attach();
	if (err)
		nr_users--;
	return err;
}

/** ktrc_throttle_detach() - for one event less */
void ktrc_throttle_detach(void)
{
	if (!--nr_users)
		hooks_detach();
}

static u64 throttle_missed(void)
{
	return atomic_long_read(&ktrc_helds.missed);
}

#define HOOKS                                                                                          \
	"function entries of throttle_cfs_rq, unthrottle_cfs_rq, tg_throttle_down, tg_unthrottle_up, " \
	"sched_cfs_period_timer, sched_cfs_slack_timer, sched_release_group, sched_move_task; tracepoint cgroup_rmdir"

const struct ktrc_probe ktrc_probe_throttle = {
	.hook = HOOKS,
	.outlet = &throttle_outlet,
	.rules = KTRC_RULE_MIN,
	.check = ktrc_throttle_check,
	.attach = ktrc_throttle_attach,
	.detach = ktrc_throttle_detach,
	.missed = throttle_missed,
};

const struct ktrc_probe ktrc_probe_throttle_begin = {
	.hook = HOOKS,
	.outlet = &begin_outlet,
	.check = ktrc_throttle_check,
	.attach = ktrc_throttle_attach,
	.detach = ktrc_throttle_detach,
	.missed = throttle_missed,
};
