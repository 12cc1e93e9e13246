// SPDX-License-Identifier: GPL-2.0
/*
 * Compaction.  A stall is one call of try_to_compact_pages(), an attempt one of
 * compact_zone(), which kcompactd and who compacts by hand call too.  Which zone it is, and
 * what became of its pages, the tracepoints inside say; what they said lies in a table by task
 * until the attempt ends.  Everything above "control" runs in the kernel's compaction, or
 * where it hands out a page: it never sleeps, locks, allocates or prints.
 */
#include <linux/kprobes.h>
#include <linux/migrate_mode.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/pageblock-flags.h>
#include <linux/sched.h>
#include <trace/events/kmem.h>
#include <trace/events/migrate.h>

#include "compat/compaction.h"
#include "hook.h"
#include "probe.h"
#include "stall.h"

static struct ktrc_outlet stall_outlet, begin_outlet, zone_outlet, run_outlet, extfrag_outlet;
static u32 compaction_clock;

/*
 * What a task compacts, beside its entry in the table of stalls: @zone_start is 0 while it
 * is in no zone; @migrated_all and @failed_all are of all zones of kcompactd's run.
 */
struct work {
	u64 zone_start;
	u32 migrated;
	u32 failed;
	u32 scanned;
	u32 migrated_all;
	u32 failed_all;
	u32 nr_zones;
	u16 node;
	u8 zone;
	u8 order;
	u8 mode;
	bool has_zone;
	bool has_begun;
};

static struct ktrc_stalls stalls;
static struct work works[KTRC_NR_STALLS];
static atomic_long_t missed_zones, missed_runs;

static struct work *work_of(const struct ktrc_stall *s)
{
	return &works[s - stalls.at];
}

/* the current task's, NULL when there is no room */
static struct ktrc_stall *open_work(u32 origin, u32 order, u32 mode)
{
	struct ktrc_stall *s = ktrc_stall_get(&stalls);

	if (!s)
		return NULL;
	s->kind = origin;
	s->order = order;
	*work_of(s) = (struct work){ .mode = mode };
	return s;
}

static u64 capped_ticks(u64 ticks)
{
	return min_t(u64, ticks, (1ull << 40) - 1);
}

static u32 capped_add(u32 sum, unsigned long more)
{
	return min_t(u64, (u64)sum + more, U32_MAX);
}

/* ---- compaction, compaction.begin ---- */

/* kept from entry to exit; @s: NULL where there was no room, or inside another compaction */
struct stall_entry {
	u64 start;
	u64 cgid;
	struct ktrc_stall *s;
	u32 gfp;
	u8 order;
	u8 prio;
};

/* try_to_compact_pages(gfp_mask, order, alloc_flags, ac, prio, ...) */
static int ktrc_on_stall_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct stall_entry *e = (void *)ri->data;

	preempt_disable_notrace();
	*e = (struct stall_entry){
		.cgid = ktrc_current_cgid(),
		.gfp = regs_get_kernel_argument(regs, 0),
		.order = regs_get_kernel_argument(regs, 1),
		.prio = regs_get_kernel_argument(regs, 4),
	};
	if (!ktrc_stall_find(&stalls))
		e->s = open_work(KTRC_compaction_origin_stall, e->order,
				 ktrc_compaction_mode(e->prio));
	ktrc_emit(&begin_outlet, compaction_begin, .cgid = e->cgid, .gfp = e->gfp,
		  .order = e->order, .prio = e->prio);
	e->start =
		ktrc_clock_ticks(compaction_clock); /* last: what comes before is not the stall's */
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_stall_entry);

static int ktrc_on_stall_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct stall_entry *e = (void *)ri->data;
	const struct ktrc_facts facts = { .ticks = ktrc_clock_since(compaction_clock, e->start) };
	const int result = regs_return_value(regs);
	const struct ktrc_ev_compaction rec = {
		.cgid = e->cgid,
		.dur = capped_ticks(facts.ticks),
		.nr_zones = e->s ? min_t(u32, work_of(e->s)->nr_zones, U8_MAX) : 0,
		.order = e->order,
		.status = result,
		.prio = e->prio,
		.counted = ktrc_compaction_is_counted(result),
		.gfp = e->gfp,
	};

	preempt_disable_notrace();
	ktrc_outlet_emit(&stall_outlet, KTRC_EV_compaction, &rec, sizeof(rec), &facts);
	if (e->s)
		ktrc_stall_put(e->s);
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_stall_exit);

/* ---- compaction.zone ---- */

/*
 * Who compacts without having said so: an allocation does it with PF_MEMALLOC, which
 * neither kcompactd has nor a process that writes to vm.compact_memory.
 */
static u32 origin_of_current(void)
{
	if (current->flags & PF_MEMALLOC)
		return KTRC_compaction_origin_stall;
	return current->flags & PF_KTHREAD ? KTRC_compaction_origin_kcompactd :
					     KTRC_compaction_origin_manual;
}

static u32 mode_of_origin(u32 origin)
{
	switch (origin) {
	case KTRC_compaction_origin_kcompactd:
		return KTRC_compaction_mode_sync_light;
	case KTRC_compaction_origin_manual:
		return KTRC_compaction_mode_sync;
	default: /* a stall that began before the session */
		return KTRC_compaction_mode_unseen;
	}
}

/* a task that compacts has its entry; what has none began before the hooks, or by itself */
static struct ktrc_stall *get_work(void)
{
	struct ktrc_stall *s = ktrc_stall_find(&stalls);
	u32 origin;

	if (s)
		return s;
	origin = origin_of_current();
	return open_work(origin, 0, mode_of_origin(origin));
}

/* an entry that begins and ends with its zone */
static bool is_of_zone_only(const struct ktrc_stall *s)
{
	return s->kind == KTRC_compaction_origin_manual ||
	       (s->kind == KTRC_compaction_origin_stall &&
		work_of(s)->mode == KTRC_compaction_mode_unseen);
}

static void end_zone(struct ktrc_stall *s, u32 status, u64 ticks)
{
	struct work *w = work_of(s);
	const struct ktrc_facts facts = { .ticks = ticks };
	const struct ktrc_ev_compaction_zone rec = {
		.dur = capped_ticks(ticks),
		.node = w->node,
		.zone = w->zone,
		.status = status,
		.compaction_mode = w->mode,
		.origin = s->kind,
		.begun = w->has_begun,
		.migrated = w->migrated,
		.failed_pages = w->failed,
		.nth = min_t(u32, w->nr_zones, U8_MAX),
		.order = w->order,
		.scanned = w->scanned,
	};

	ktrc_outlet_emit(&zone_outlet, KTRC_EV_compaction_zone, &rec, sizeof(rec), &facts);
	w->migrated_all = capped_add(w->migrated_all, w->migrated);
	w->failed_all = capped_add(w->failed_all, w->failed);
	w->nr_zones++;
	w->zone_start = 0;
	w->migrated = w->failed = w->scanned = 0;
	w->has_zone = w->has_begun = false;
	if (is_of_zone_only(s))
		ktrc_stall_put(s);
}

static void set_zone(struct ktrc_stall *s, struct zone *zone, int order)
{
	struct work *w = work_of(s);

	w->node = zone_to_nid(zone);
	w->zone = ktrc_mem_zone(zone_idx(zone));
	w->order = max(order, 0);
	w->has_zone = true;
}

/* compact_zone(cc, capc); not zero: it is inside another one, or there is no room */
static int ktrc_on_zone_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ktrc_stall *s;
	bool is_new;

	preempt_disable_notrace();
	s = get_work();
	is_new = s && !work_of(s)->zone_start;
	if (is_new)
		work_of(s)->zone_start = ktrc_clock_ticks(compaction_clock);
	else
		atomic_long_inc(&missed_zones);
	preempt_enable_notrace();
	return !is_new;
}
NOKPROBE_SYMBOL(ktrc_on_zone_entry);

static int ktrc_on_zone_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = ktrc_stall_find(&stalls);
	if (s && work_of(s)->zone_start)
		end_zone(s, regs_return_value(regs),
			 ktrc_clock_since(compaction_clock, work_of(s)->zone_start));
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_zone_exit);

/* the current task's, if it is in a zone; interrupts of it are not what it does */
static struct ktrc_stall *work_in_zone(void)
{
	struct ktrc_stall *s = in_task() ? ktrc_stall_find(&stalls) : NULL;

	return s && work_of(s)->zone_start ? s : NULL;
}

/* The first one inside a zone is about that zone; others come when kcompactd might be woken. */
static void ktrc_on_suitable(void *data, struct zone *zone, int order, int ret)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = work_in_zone();
	if (s && !work_of(s)->has_zone) {
		set_zone(s, zone, order);
		work_of(s)->has_begun = ret == COMPACT_CONTINUE;
		if (s->kind == KTRC_compaction_origin_kcompactd && order < 0) {
			s->kind = KTRC_compaction_origin_proactive;
			s->start = work_of(s)->zone_start;
		}
	}
	preempt_enable_notrace();
}

static void ktrc_on_isolate_migratepages(void *data, unsigned long start_pfn, unsigned long end_pfn,
					 unsigned long nr_scanned, unsigned long nr_taken)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = work_in_zone();
	if (s)
		work_of(s)->scanned = capped_add(work_of(s)->scanned, nr_scanned);
	preempt_enable_notrace();
}

static void ktrc_on_migrate_pages(void *data, unsigned long succeeded, unsigned long failed,
				  unsigned long thp_succeeded, unsigned long thp_failed,
				  unsigned long thp_split, enum migrate_mode mode, int reason)
{
	struct ktrc_stall *s;

	if (reason != MR_COMPACTION)
		return;
	preempt_disable_notrace();
	s = work_in_zone();
	if (s) {
		work_of(s)->migrated = capped_add(work_of(s)->migrated, succeeded);
		work_of(s)->failed = capped_add(work_of(s)->failed, failed);
	}
	preempt_enable_notrace();
}

static void ktrc_on_deferred(void *data, struct zone *zone, int order)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = get_work();
	if (s && !work_of(s)->zone_start) {
		set_zone(s, zone, order);
		end_zone(s, COMPACT_DEFERRED, 0);
	} else {
		atomic_long_inc(&missed_zones);
	}
	preempt_enable_notrace();
}

/* ---- compaction.kcompactd ---- */

static void ktrc_on_kcompactd_wake(void *data, int nid, int order, enum zone_type highest_zone)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = open_work(KTRC_compaction_origin_kcompactd, order, KTRC_compaction_mode_sync_light);
	if (s)
		s->start = ktrc_clock_ticks(compaction_clock);
	else
		atomic_long_inc(&missed_runs);
	preempt_enable_notrace();
}

static void end_run(struct ktrc_stall *s, u64 start, int nid)
{
	const struct work *w = work_of(s);
	const struct ktrc_facts facts = { .ticks = ktrc_clock_since(compaction_clock, start) };
	const struct ktrc_ev_compaction_kcompactd rec = {
		.dur = capped_ticks(facts.ticks),
		.node = nid,
		.nr_zones = min_t(u32, w->nr_zones, U8_MAX),
		.order = s->order,
		.origin = s->kind,
		.migrated = w->migrated_all,
		.failed_pages = w->failed_all,
	};

	ktrc_outlet_emit(&run_outlet, KTRC_EV_compaction_kcompactd, &rec, sizeof(rec), &facts);
}

/* It sleeps between runs, and after a look at whether there is anything to do. */
static void ktrc_on_kcompactd_sleep(void *data, int nid)
{
	struct ktrc_stall *s;

	preempt_disable_notrace();
	s = ktrc_stall_find(&stalls);
	if (s) {
		/* a run whose start nobody saw is none */
		if (s->start)
			end_run(s, s->start, nid);
		ktrc_stall_put(s);
	}
	preempt_enable_notrace();
}

/* ---- compaction.extfrag ---- */

static void ktrc_on_extfrag(void *data, struct page *page, int alloc_order, int fallback_order,
			    int alloc_migratetype, int fallback_migratetype)
{
	preempt_disable_notrace();
	ktrc_emit(&extfrag_outlet, compaction_extfrag, .node = page_to_nid(page),
		  .zone = ktrc_mem_zone(page_zonenum(page)), .order = alloc_order,
		  .block_order = fallback_order, .mem_kind = ktrc_mem_kind(alloc_migratetype),
		  .block_kind = ktrc_mem_kind(fallback_migratetype),
		  .mixed = fallback_order < pageblock_order);
	preempt_enable_notrace();
}

/* ---- control ---- */

static struct ktrc_point points[] = {
	KTRC_POINT(mm_compaction_suitable, ktrc_on_suitable),
	KTRC_POINT(mm_compaction_isolate_migratepages, ktrc_on_isolate_migratepages),
	KTRC_POINT(mm_migrate_pages, ktrc_on_migrate_pages),
	KTRC_POINT(mm_compaction_deferred, ktrc_on_deferred),
	KTRC_POINT(mm_compaction_kcompactd_sleep, ktrc_on_kcompactd_sleep),
	KTRC_POINT(mm_compaction_kcompactd_wake, ktrc_on_kcompactd_wake),
};

static struct ktrc_function zone_hook = {
	.symbol = "compact_zone",
	.on_entry = ktrc_on_zone_entry,
	.on_exit = ktrc_on_zone_exit,
};

static struct ktrc_function stall_hook = {
	.symbol = "try_to_compact_pages",
	.on_entry = ktrc_on_stall_entry,
	.on_exit = ktrc_on_stall_exit,
	.entry_bytes = sizeof(struct stall_entry),
};

static struct ktrc_tracepoint extfrag_hook = { .name = "mm_page_alloc_extfrag" };

static void check_callbacks(void)
{
	check_trace_callback_type_mm_compaction_suitable(ktrc_on_suitable);
	check_trace_callback_type_mm_compaction_isolate_migratepages(ktrc_on_isolate_migratepages);
	check_trace_callback_type_mm_migrate_pages(ktrc_on_migrate_pages);
	check_trace_callback_type_mm_compaction_deferred(ktrc_on_deferred);
	check_trace_callback_type_mm_compaction_kcompactd_sleep(ktrc_on_kcompactd_sleep);
	check_trace_callback_type_mm_compaction_kcompactd_wake(ktrc_on_kcompactd_wake);
}

static int compaction_check(void)
{
	int err = ktrc_points_check(points, ARRAY_SIZE(points));

	return err ?: ktrc_function_check(&zone_hook) ?: ktrc_function_check(&stall_hook);
}

/* all but compaction.extfrag share their hooks */
static u32 nr_users;

/* from the inside out: nothing is seen whose inside would not be */
static int hooks_attach(void)
{
	int err = ktrc_points_attach(points, ARRAY_SIZE(points));

	if (err)
		return err;
	err = ktrc_function_attach(&zone_hook);
	if (!err)
		err = ktrc_function_attach(&stall_hook);
	if (err) {
		ktrc_function_detach(&zone_hook);
		ktrc_points_detach(points, ARRAY_SIZE(points));
	}
	return err;
}

static int compaction_attach(u32 clock)
{
	int err;

	if (nr_users && compaction_clock != clock)
		return -EBUSY;
	if (nr_users++)
		return 0;
	compaction_clock = clock;
	ktrc_stalls_clear(&stalls);
	atomic_long_set(&missed_zones, 0);
	atomic_long_set(&missed_runs, 0);
	check_callbacks();
	err = hooks_attach();
	if (err)
		nr_users--;
	return err;
}

static void compaction_detach(void)
{
	if (--nr_users)
		return;
	ktrc_function_detach(&stall_hook);
	ktrc_function_detach(&zone_hook);
	ktrc_points_detach(points, ARRAY_SIZE(points));
}

static u64 stall_missed(void)
{
	return ktrc_function_missed(&stall_hook);
}

static u64 zone_missed(void)
{
	return ktrc_function_missed(&zone_hook) + atomic_long_read(&missed_zones);
}

static u64 run_missed(void)
{
	return atomic_long_read(&missed_runs);
}

const struct ktrc_probe ktrc_probe_compaction = {
	.hook = "kretprobes try_to_compact_pages, compact_zone",
	.outlet = &stall_outlet,
	.rules = KTRC_RULE_MIN | KTRC_RULE_STACK | KTRC_RULE_COPY,
	.check = compaction_check,
	.attach = compaction_attach,
	.detach = compaction_detach,
	.missed = stall_missed,
};

const struct ktrc_probe ktrc_probe_compaction_zone = {
	.hook = "kretprobe compact_zone, tracepoints mm_compaction_*, mm_migrate_pages",
	.outlet = &zone_outlet,
	.rules = KTRC_RULE_MIN,
	.check = compaction_check,
	.attach = compaction_attach,
	.detach = compaction_detach,
	.missed = zone_missed,
};

const struct ktrc_probe ktrc_probe_compaction_begin = {
	.hook = "kretprobe try_to_compact_pages",
	.outlet = &begin_outlet,
	.check = compaction_check,
	.attach = compaction_attach,
	.detach = compaction_detach,
	.missed = stall_missed,
};

const struct ktrc_probe ktrc_probe_compaction_kcompactd = {
	.hook = "tracepoints mm_compaction_kcompactd_wake and _sleep",
	.outlet = &run_outlet,
	.rules = KTRC_RULE_MIN,
	.check = compaction_check,
	.attach = compaction_attach,
	.detach = compaction_detach,
	.missed = run_missed,
};

static int extfrag_check(void)
{
	return ktrc_tracepoint_check(extfrag_hook.name);
}

static int extfrag_attach(u32 clock)
{
	check_trace_callback_type_mm_page_alloc_extfrag(ktrc_on_extfrag);
	return ktrc_tracepoint_attach(&extfrag_hook, ktrc_on_extfrag);
}

static void extfrag_detach(void)
{
	ktrc_tracepoint_detach(&extfrag_hook);
}

const struct ktrc_probe ktrc_probe_compaction_extfrag = {
	.hook = "tracepoint mm_page_alloc_extfrag",
	.outlet = &extfrag_outlet,
	.check = extfrag_check,
	.attach = extfrag_attach,
	.detach = extfrag_detach,
};
