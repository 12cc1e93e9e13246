// SPDX-License-Identifier: GPL-2.0
/*
 * Stalls in reclaim, from the tracepoints where they begin and end, and kswapd.  A
 * memory cgroup's tracepoints do not say which: the function around them does, at its
 * entry.  Everything above "control" runs in the kernel's reclaim path, in the task
 * that stalls: it never sleeps, locks, allocates or prints.
 */
#include <linux/kprobes.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/shrinker.h>
#include <trace/events/vmscan.h>

#include "hook.h"
#include "probe.h"
#include "stall.h"

static struct ktrc_outlet reclaim_outlet, begin_outlet, wake_outlet, sleep_outlet;
static struct ktrc_stalls stalls;
static u32 stall_clock;

/* ---- reclaim, reclaim.begin ---- */

static void emit_begin(const struct ktrc_stall *s)
{
	ktrc_emit(&begin_outlet, reclaim_begin, .cgid = s->cgid, .gfp = s->gfp, .kind = s->kind,
		  .order = s->order, .node = s->node);
}

static void emit_end(const struct ktrc_stall *s, u64 ticks, unsigned long nr_reclaimed)
{
	const struct ktrc_ev_reclaim rec = {
		.cgid = s->cgid,
		.dur = min_t(u64, ticks, (1ull << 40) - 1),
		.reclaimed = min_t(u64, nr_reclaimed, (1u << 24) - 1),
		.gfp = s->gfp,
		.kind = s->kind,
		.order = s->order,
		.node = s->node,
	};
	const struct ktrc_facts facts = { .ticks = ticks };

	ktrc_outlet_emit(&reclaim_outlet, KTRC_EV_reclaim, &rec, sizeof(rec), &facts);
}

static void begin(u32 kind, int node, int order, gfp_t gfp)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = ktrc_stall_get(&stalls);
	if (s) {
		s->kind = kind;
		s->order = order;
		s->gfp = (__force u32)gfp;
		s->node = node;
		if (!s->cgid && kind != KTRC_reclaim_kind_memcg)
			s->cgid = ktrc_current_cgid();
		s->start = ktrc_clock_ticks(stall_clock);
		emit_begin(s);
	} else {
		atomic_long_inc(&stalls.missed); /* here only: its entry finds no room either */
	}
	preempt_enable_notrace();
}

/* a stall whose begin nobody saw is none: it began before there was a session */
static void end(u32 kind, unsigned long nr_reclaimed)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = ktrc_stall_find(&stalls);
	if (s && s->start && s->kind == kind) {
		emit_end(s, ktrc_clock_since(stall_clock, s->start), nr_reclaimed);
		ktrc_stall_put(s);
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

/* try_to_free_mem_cgroup_pages(memcg, ...): the begin tracepoint follows */
static int ktrc_on_memcg_entry(struct kprobe *kp, struct pt_regs *regs)
{
	const struct mem_cgroup *memcg = (void *)regs_get_kernel_argument(regs, 0);
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = ktrc_stall_get(&stalls);
	if (s)
		s->cgid = memcg_cgid(memcg);
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_memcg_entry);

/* ---- reclaim.wake, reclaim.sleep ---- */

static void ktrc_on_kswapd_wake(void *data, int nid, int zid, int order)
{
	preempt_disable_notrace();
	ktrc_emit(&wake_outlet, reclaim_wake, .node = nid, .zone = zid, .order = order);
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

static void check_callbacks(void)
{
	check_trace_callback_type_mm_vmscan_direct_reclaim_begin(ktrc_on_direct_reclaim_begin);
	check_trace_callback_type_mm_vmscan_direct_reclaim_end(ktrc_on_direct_reclaim_end);
	check_trace_callback_type_mm_vmscan_memcg_reclaim_begin(ktrc_on_memcg_reclaim_begin);
	check_trace_callback_type_mm_vmscan_memcg_reclaim_end(ktrc_on_memcg_reclaim_end);
	check_trace_callback_type_mm_vmscan_node_reclaim_begin(ktrc_on_node_reclaim_begin);
	check_trace_callback_type_mm_vmscan_node_reclaim_end(ktrc_on_node_reclaim_end);
}

/* reclaim and reclaim.begin share their hooks */
static u32 nr_stall_users;

static int stall_check(void)
{
	return ktrc_points_check(stall_points, ARRAY_SIZE(stall_points)) ?:
		       ktrc_entry_check(&memcg_entry);
}

static int stall_attach(u32 clock)
{
	int err;

	if (nr_stall_users && stall_clock != clock)
		return -EBUSY;
	if (nr_stall_users++)
		return 0;
	stall_clock = clock;
	ktrc_stalls_clear(&stalls);
	check_callbacks();
	err = ktrc_points_attach(stall_points, ARRAY_SIZE(stall_points));
	if (!err) {
		/* last: what it announces must find its begin attached */
		err = ktrc_entry_attach(&memcg_entry);
		if (err)
			ktrc_points_detach(stall_points, ARRAY_SIZE(stall_points));
	}
	if (err)
		nr_stall_users--;
	return err;
}

static void stall_detach(void)
{
	if (--nr_stall_users)
		return;
	ktrc_points_detach(stall_points, ARRAY_SIZE(stall_points));
	ktrc_entry_detach(&memcg_entry);
}

static u64 stall_missed(void)
{
	return atomic_long_read(&stalls.missed);
}

const struct ktrc_probe ktrc_probe_reclaim = {
	.hook = "tracepoints mm_vmscan_*_reclaim_begin and _end, kprobe try_to_free_mem_cgroup_pages",
	.outlet = &reclaim_outlet,
	.rules = KTRC_RULE_MIN,
	.check = stall_check,
	.attach = stall_attach,
	.detach = stall_detach,
	.missed = stall_missed,
};

const struct ktrc_probe ktrc_probe_reclaim_begin = {
	.hook = "tracepoints mm_vmscan_*_reclaim_begin, kprobe try_to_free_mem_cgroup_pages",
	.outlet = &begin_outlet,
	.check = stall_check,
	.attach = stall_attach,
	.detach = stall_detach,
	.missed = stall_missed,
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
