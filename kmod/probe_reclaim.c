// SPDX-License-Identifier: GPL-2.0
/*
 * Stalls in reclaim, from the tracepoints where they begin and end, and kswapd.  A
 * memory cgroup's tracepoints do not say which: the function around them does, at its
 * entry.  Three waits have no begin of their own: they begin with their function.
 * Everything above "control" runs in the kernel's reclaim path, in the task
 * that stalls: it never sleeps, locks, allocates or prints.
 */
#include <linux/kprobes.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/shrinker.h>
#include <trace/events/vmscan.h>

#include "compat/reclaim.h"
#include "hook.h"
#include "probe.h"
#include "stall.h"

static struct ktrc_outlet reclaim_outlet, begin_outlet, wake_outlet, sleep_outlet;
static u32 stall_clock;

/*
 * A task's stalls lie in each other: above memory.high it reclaims, and reclaim that gets
 * nowhere waits.  Each of the three has its table.
 */
static struct ktrc_stalls highs, stalls, waits;

/* ---- reclaim, reclaim.begin ---- */

static void emit_begin(const struct ktrc_stall *s)
{
	ktrc_emit(&begin_outlet, reclaim_begin, .cgid = s->cgid, .gfp = s->gfp, .kind = s->kind,
		  .order = s->order, .node = s->node, .nested = s->is_nested);
}

static void emit_end(const struct ktrc_stall *s, u32 reason)
{
	const struct ktrc_facts facts = { .ticks = ktrc_clock_since(stall_clock, s->start) };
	const struct ktrc_ev_reclaim rec = {
		.cgid = s->cgid,
		.dur = min_t(u64, facts.ticks, (1ull << 40) - 1),
		.reclaimed = min_t(u32, s->reclaimed, (1u << 24) - 1),
		.gfp = s->gfp,
		.kind = s->kind,
		.order = s->order,
		.node = s->node,
		.nested = s->is_nested,
		.reason = reason,
	};

	ktrc_outlet_emit(&reclaim_outlet, KTRC_EV_reclaim, &rec, sizeof(rec), &facts);
}

static void add_reclaimed(struct ktrc_stall *s, unsigned long nr)
{
	s->reclaimed = min_t(u64, (u64)s->reclaimed + nr, U32_MAX);
}

/* has the task slept since its stall began: of its own accord, so it waited for something */
static bool has_waited(const struct ktrc_stall *s)
{
	return current->nvcsw != s->nr_switches;
}

static void start(struct ktrc_stall *s, u32 kind, int order, gfp_t gfp)
{
	s->kind = kind;
	s->order = order;
	s->gfp = (__force u32)gfp;
	s->nr_switches = current->nvcsw;
	s->start = ktrc_clock_ticks(stall_clock);
}

/* the stall that begins with a function; NULL: there is no room, which is counted here */
static struct ktrc_stall *open(struct ktrc_stalls *t, u32 kind, int order, gfp_t gfp)
{
	struct ktrc_stall *s = ktrc_stall_get(t);

	if (s)
		start(s, kind, order, gfp);
	else
		atomic_long_inc(&t->missed);
	return s;
}

/* of a stall that was waiting to be let into reclaim: it is, or it never will */
static bool is_at_the_door(const struct ktrc_stall *s)
{
	return s->start && s->kind == KTRC_reclaim_kind_throttled_direct;
}

/* of a stall that a tracepoint begins or ends as one of @kind */
static u32 kind_of(const struct ktrc_stall *s, u32 kind)
{
	return kind == KTRC_reclaim_kind_memcg && s->is_asked ? KTRC_reclaim_kind_asked : kind;
}

static void begin(u32 kind, int node, int order, gfp_t gfp)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = ktrc_stall_get(&stalls);
	if (s) {
		if (is_at_the_door(s) && has_waited(s))
			emit_end(s, KTRC_reclaim_reason_none);
		start(s, kind_of(s, kind), order, gfp);
		s->node = node;
		s->is_nested = ktrc_stall_find(&highs);
		if (!s->cgid && kind != KTRC_reclaim_kind_memcg)
			s->cgid = ktrc_current_cgid();
		emit_begin(s);
	} else {
		atomic_long_inc(&stalls.missed);
	}
	preempt_enable_notrace();
}

/* a stall whose begin nobody saw is none: it began before there was a session */
static void end(u32 kind, unsigned long nr_reclaimed)
{
	struct ktrc_stall *s, *high;

	preempt_disable_notrace();
	s = ktrc_stall_find(&stalls);
	if (s && s->start && s->kind == kind_of(s, kind)) {
		add_reclaimed(s, nr_reclaimed);
		emit_end(s, KTRC_reclaim_reason_none);
		ktrc_stall_put(s);
		high = ktrc_stall_find(&highs);
		if (high)
			add_reclaimed(high, nr_reclaimed);
	}
	preempt_enable_notrace();
}

static void ktrc_on_direct_reclaim_begin(void *data, int order, gfp_t gfp)
{
	begin(KTRC_reclaim_kind_direct, 0, order, gfp);
}

static void ktrc_on_direct_reclaim_end(void *data, unsigned long nr_reclaimed)
{
	end(KTRC_reclaim_kind_direct, nr_reclaimed);
}

static void ktrc_on_memcg_reclaim_begin(void *data, int order, gfp_t gfp)
{
	begin(KTRC_reclaim_kind_memcg, 0, order, gfp);
}

static void ktrc_on_memcg_reclaim_end(void *data, unsigned long nr_reclaimed)
{
	end(KTRC_reclaim_kind_memcg, nr_reclaimed);
}

static void ktrc_on_node_reclaim_begin(void *data, int nid, int order, gfp_t gfp)
{
	begin(KTRC_reclaim_kind_node, nid, order, gfp);
}

static void ktrc_on_node_reclaim_end(void *data, unsigned long nr_reclaimed)
{
	end(KTRC_reclaim_kind_node, nr_reclaimed);
}

/* 0: of cgroup v1 */
static u64 memcg_cgid(const struct mem_cgroup *memcg)
{
	return memcg ? ktrc_css_cgid(&memcg->css) : 0;
}

/* the first cgroup that is reclaimed above memory.high is the one that is short */
static void name_high(u64 cgid)
{
	struct ktrc_stall *high = ktrc_stall_find(&highs);

	if (high && !high->cgid) {
		high->cgid = cgid;
		emit_begin(high);
	}
}

/* try_to_free_mem_cgroup_pages(memcg, ...): the begin tracepoint follows */
static int ktrc_on_memcg_entry(struct kprobe *kp, struct pt_regs *regs)
{
	const struct mem_cgroup *memcg = (void *)regs_get_kernel_argument(regs, 0);
	struct ktrc_stall *s;

	preempt_disable_notrace();
	name_high(memcg_cgid(memcg));
	s = ktrc_stall_get(&stalls);
	if (s) {
		s->cgid = memcg_cgid(memcg);
		s->is_asked = ktrc_reclaim_is_asked(regs_get_kernel_argument(regs, 3));
	}
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_memcg_entry);

/* ---- above memory.high ---- */

/* mem_cgroup_handle_over_high(gfp_mask); not zero: nothing is to be done */
static int ktrc_on_high_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ktrc_stall *s;

	if (!current->memcg_nr_pages_over_high)
		return 1;
	preempt_disable_notrace();
	s = open(&highs, KTRC_reclaim_kind_high, 0,
		 (__force gfp_t)regs_get_kernel_argument(regs, 0));
	preempt_enable_notrace();
	return !s;
}
NOKPROBE_SYMBOL(ktrc_on_high_entry);

/* a task that neither reclaimed nor waited was not held up */
static int ktrc_on_high_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = ktrc_stall_find(&highs);
	if (s && (s->cgid || has_waited(s))) {
		if (!s->cgid)
			s->cgid = ktrc_current_cgid();
		emit_end(s, KTRC_reclaim_reason_none);
	}
	if (s)
		ktrc_stall_put(s);
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_high_exit);

/* ---- waiting to be let into direct reclaim ---- */

/* try_to_free_pages(zonelist, order, gfp_mask, ...): it may wait first */
static int ktrc_on_door_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = open(&stalls, KTRC_reclaim_kind_throttled_direct, regs_get_kernel_argument(regs, 1),
		 (__force gfp_t)regs_get_kernel_argument(regs, 2));
	if (s) {
		s->cgid = ktrc_current_cgid();
		emit_begin(s);
	}
	preempt_enable_notrace();
	return !s;
}
NOKPROBE_SYMBOL(ktrc_on_door_entry);

/* killed while it waited, it is not let in at all */
static int ktrc_on_door_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = ktrc_stall_find(&stalls);
	if (s && is_at_the_door(s)) {
		emit_end(s, KTRC_reclaim_reason_none);
		ktrc_stall_put(s);
	}
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_door_exit);

/* ---- waiting inside reclaim ---- */

/* reclaim_throttle(pgdat, reason): the tracepoint follows, if it does wait */
static int ktrc_on_wait_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = open(&waits, KTRC_reclaim_kind_vmscan_throttled, 0, 0);
	preempt_enable_notrace();
	return !s;
}
NOKPROBE_SYMBOL(ktrc_on_wait_entry);

static int ktrc_on_wait_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = ktrc_stall_find(&waits);
	if (s)
		ktrc_stall_put(s);
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_wait_exit);

/* what a wait has of the stall that it is part of; kswapd has none, compaction its own */
static void take_after(struct ktrc_stall *s, const struct ktrc_stall *outer)
{
	s->is_nested = outer || current->flags & PF_KSWAPD;
	s->cgid = outer ? outer->cgid : ktrc_current_cgid();
	s->gfp = outer ? outer->gfp : 0;
	s->order = outer ? outer->order : 0;
}

static void ktrc_on_throttled(void *data, int nid, int usec_timeout, int usec_delayed, int reason)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = ktrc_stall_find(&waits);
	if (s && s->start) {
		take_after(s, ktrc_stall_find(&stalls));
		s->node = nid;
		emit_end(s, ktrc_reclaim_reason(reason));
		ktrc_stall_put(s);
	}
	preempt_enable_notrace();
}

/* ---- reclaim.wake, reclaim.sleep ---- */

static void ktrc_on_kswapd_wake(void *data, int nid, int zid, int order)
{
	preempt_disable_notrace();
	ktrc_emit(&wake_outlet, reclaim_wake, .node = nid, .highest_zone = zid, .order = order);
	preempt_enable_notrace();
}

static void ktrc_on_kswapd_sleep(void *data, int nid)
{
	preempt_disable_notrace();
	ktrc_emit(&sleep_outlet, reclaim_sleep, .node = nid);
	preempt_enable_notrace();
}

/* ---- control ---- */

/* ends first, and detached last: no begin is seen whose end would not be */
static struct ktrc_point stall_points[] = {
	KTRC_POINT(mm_vmscan_direct_reclaim_end, ktrc_on_direct_reclaim_end),
	KTRC_POINT(mm_vmscan_memcg_reclaim_end, ktrc_on_memcg_reclaim_end),
	KTRC_POINT(mm_vmscan_node_reclaim_end, ktrc_on_node_reclaim_end),
	KTRC_POINT(mm_vmscan_throttled, ktrc_on_throttled),
	KTRC_POINT(mm_vmscan_direct_reclaim_begin, ktrc_on_direct_reclaim_begin),
	KTRC_POINT(mm_vmscan_memcg_reclaim_begin, ktrc_on_memcg_reclaim_begin),
	KTRC_POINT(mm_vmscan_node_reclaim_begin, ktrc_on_node_reclaim_begin),
};

static struct ktrc_tracepoint wake_hook = { .name = "mm_vmscan_kswapd_wake" };
static struct ktrc_tracepoint sleep_hook = { .name = "mm_vmscan_kswapd_sleep" };

static struct ktrc_entry memcg_entry = {
	.symbol = "try_to_free_mem_cgroup_pages",
	.on_entry = ktrc_on_memcg_entry,
};

static struct ktrc_function high_hook = {
	.symbol = "mem_cgroup_handle_over_high",
	.on_entry = ktrc_on_high_entry,
	.on_exit = ktrc_on_high_exit,
};

static struct ktrc_function door_hook = {
	.symbol = "try_to_free_pages",
	.on_entry = ktrc_on_door_entry,
	.on_exit = ktrc_on_door_exit,
};

static struct ktrc_function wait_hook = {
	.symbol = "reclaim_throttle",
	.on_entry = ktrc_on_wait_entry,
	.on_exit = ktrc_on_wait_exit,
};

static void check_callbacks(void)
{
	check_trace_callback_type_mm_vmscan_direct_reclaim_begin(ktrc_on_direct_reclaim_begin);
	check_trace_callback_type_mm_vmscan_direct_reclaim_end(ktrc_on_direct_reclaim_end);
	check_trace_callback_type_mm_vmscan_memcg_reclaim_begin(ktrc_on_memcg_reclaim_begin);
	check_trace_callback_type_mm_vmscan_memcg_reclaim_end(ktrc_on_memcg_reclaim_end);
	check_trace_callback_type_mm_vmscan_node_reclaim_begin(ktrc_on_node_reclaim_begin);
	check_trace_callback_type_mm_vmscan_node_reclaim_end(ktrc_on_node_reclaim_end);
	check_trace_callback_type_mm_vmscan_throttled(ktrc_on_throttled);
}

/* reclaim and reclaim.begin share their hooks */
static u32 nr_stall_users;

static int stall_check(void)
{
	int err = ktrc_points_check(stall_points, ARRAY_SIZE(stall_points));

	err = err ?: ktrc_function_check(&wait_hook);
	err = err ?: ktrc_function_check(&door_hook);
	err = err ?: ktrc_entry_check(&memcg_entry);
	return err ?: ktrc_function_check(&high_hook);
}

static void hooks_detach(void)
{
	ktrc_function_detach(&high_hook);
	ktrc_entry_detach(&memcg_entry);
	ktrc_function_detach(&door_hook);
	ktrc_function_detach(&wait_hook);
	ktrc_points_detach(stall_points, ARRAY_SIZE(stall_points));
}

/* from the inside out: what an entry announces must find its begin and its end attached */
static int hooks_attach(void)
{
	int err = ktrc_points_attach(stall_points, ARRAY_SIZE(stall_points));

	err = err ?: ktrc_function_attach(&wait_hook);
	err = err ?: ktrc_function_attach(&door_hook);
	err = err ?: ktrc_entry_attach(&memcg_entry);
	err = err ?: ktrc_function_attach(&high_hook);
	if (err)
		hooks_detach();
	return err;
}

static int stall_attach(u32 clock)
{
	int err;

	if (nr_stall_users && stall_clock != clock)
		return -EBUSY;
	if (nr_stall_users++)
		return 0;
	stall_clock = clock;
	ktrc_stalls_clear(&highs);
	ktrc_stalls_clear(&stalls);
	ktrc_stalls_clear(&waits);
	check_callbacks();
	err = hooks_attach();
	if (err)
		nr_stall_users--;
	return err;
}

static void stall_detach(void)
{
	if (!--nr_stall_users)
		hooks_detach();
}

static u64 begin_missed(void)
{
	return atomic_long_read(&stalls.missed) + atomic_long_read(&highs.missed) +
	       ktrc_function_missed(&door_hook) + ktrc_function_missed(&high_hook);
}

static u64 stall_missed(void)
{
	return begin_missed() + atomic_long_read(&waits.missed) + ktrc_function_missed(&wait_hook);
}

const struct ktrc_probe ktrc_probe_reclaim = {
	.hook = "tracepoints mm_vmscan_*_reclaim_begin and _end, mm_vmscan_throttled, kprobe try_to_free_mem_cgroup_pages, kretprobes mem_cgroup_handle_over_high, try_to_free_pages, reclaim_throttle",
	.outlet = &reclaim_outlet,
	.rules = KTRC_RULE_MIN | KTRC_RULE_STACK | KTRC_RULE_COPY,
	.check = stall_check,
	.attach = stall_attach,
	.detach = stall_detach,
	.missed = stall_missed,
};

const struct ktrc_probe ktrc_probe_reclaim_begin = {
	.hook = "tracepoints mm_vmscan_*_reclaim_begin, kprobe try_to_free_mem_cgroup_pages, kretprobes mem_cgroup_handle_over_high, try_to_free_pages",
	.outlet = &begin_outlet,
	.check = stall_check,
	.attach = stall_attach,
	.detach = stall_detach,
	.missed = begin_missed,
};

static int wake_check(void)
{
	return ktrc_tracepoint_check(wake_hook.name);
}

static int wake_attach(u32 clock)
{
	check_trace_callback_type_mm_vmscan_kswapd_wake(ktrc_on_kswapd_wake);
	return ktrc_tracepoint_attach(&wake_hook, ktrc_on_kswapd_wake);
}

static void wake_detach(void)
{
	ktrc_tracepoint_detach(&wake_hook);
}

const struct ktrc_probe ktrc_probe_reclaim_wake = {
	.hook = "tracepoint mm_vmscan_kswapd_wake",
	.outlet = &wake_outlet,
	.check = wake_check,
	.attach = wake_attach,
	.detach = wake_detach,
};

static int sleep_check(void)
{
	return ktrc_tracepoint_check(sleep_hook.name);
}

static int sleep_attach(u32 clock)
{
	check_trace_callback_type_mm_vmscan_kswapd_sleep(ktrc_on_kswapd_sleep);
	return ktrc_tracepoint_attach(&sleep_hook, ktrc_on_kswapd_sleep);
}

static void sleep_detach(void)
{
	ktrc_tracepoint_detach(&sleep_hook);
}

const struct ktrc_probe ktrc_probe_reclaim_sleep = {
	.hook = "tracepoint mm_vmscan_kswapd_sleep",
	.outlet = &sleep_outlet,
	.check = sleep_check,
	.attach = sleep_attach,
	.detach = sleep_detach,
};
