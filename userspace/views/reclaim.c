// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting stalls. */
#include "reclaim.h"

#include <errno.h>
#include <stdlib.h>

#include "../lib/array.h"
#include "../lib/cleanup.h"

struct stall_getters {
	const struct ktrc_getter *cgid, *dur, *reclaimed, *gfp, *kind, *order, *node, *nested,
		*reason;
};

struct ktrc_reclaim_private {
	const struct ktrc_event *begin, *wake, *sleep, *slab;
	const struct ktrc_enum *kinds, *reasons;
	struct stall_getters end_get, begin_get;
	const struct ktrc_getter *wake_node, *wake_order, *sleep_node;
	const struct ktrc_getter *slab_cgid, *slab_dur, *slab_shrinker, *slab_freed;
	u64 direct, throttled; /* of enumeration reclaim_kind */
	u32 weight, wake_weight, sleep_weight, slab_weight;
	struct ktrc_index nodes; /* places of kswapd */
};

static struct stall_getters stall_getters(const struct ktrc_event *event)
{
	return (struct stall_getters){
		.cgid = ktrc_event_getter(event, "cgid"),
		.dur = ktrc_event_getter(event, "dur"),
		.reclaimed = ktrc_event_getter(event, "reclaimed"),
		.gfp = ktrc_event_getter(event, "gfp"),
		.kind = ktrc_event_getter(event, "kind"),
		.order = ktrc_event_getter(event, "order"),
		.node = ktrc_event_getter(event, "node"),
		.nested = ktrc_event_getter(event, "nested"),
		.reason = ktrc_event_getter(event, "reason"),
	};
}

static const struct ktrc_enum *enum_of(const struct ktrc_event *event, const char *name)
{
	const struct ktrc_field *field = ktrc_event_field(event, name);

	return field ? field->enm : NULL;
}

static const char *const needs[] = { "reclaim.begin", "reclaim.wake", "reclaim.sleep",
				     "reclaim.slab", NULL };

static void resolve(struct ktrc_reclaim *view)
{
	const struct ktrc_capture *capture = view->capture;
	struct ktrc_reclaim_private *priv = view->priv;

	view->needs = needs;
	view->event = ktrc_capture_event(capture, "reclaim");
	priv->begin = ktrc_capture_event(capture, "reclaim.begin");
	priv->wake = ktrc_capture_event(capture, "reclaim.wake");
	priv->sleep = ktrc_capture_event(capture, "reclaim.sleep");
	priv->slab = ktrc_capture_event(capture, "reclaim.slab");
	view->has_wakes = priv->wake;
	view->has_sleeps = priv->sleep;
	priv->end_get = stall_getters(view->event);
	priv->begin_get = stall_getters(priv->begin);
	if (!priv->end_get.dur || !priv->end_get.kind)
		view->event = NULL;
	priv->kinds = enum_of(view->event, "kind");
	priv->reasons = enum_of(view->event, "reason");
	priv->direct = ktrc_enum_value(priv->kinds, "direct");
	priv->throttled = ktrc_enum_value(priv->kinds, "vmscan_throttled");
	priv->wake_node = ktrc_event_getter(priv->wake, "node");
	priv->wake_order = ktrc_event_getter(priv->wake, "order");
	priv->sleep_node = ktrc_event_getter(priv->sleep, "node");
	priv->slab_cgid = ktrc_event_getter(priv->slab, "cgid");
	priv->slab_dur = ktrc_event_getter(priv->slab, "dur");
	priv->slab_shrinker = ktrc_event_getter(priv->slab, "shrinker_id");
	priv->slab_freed = ktrc_event_getter(priv->slab, "freed");
	priv->weight = ktrc_capture_weight(capture, view->event);
	priv->wake_weight = ktrc_capture_weight(capture, priv->wake);
	priv->sleep_weight = ktrc_capture_weight(capture, priv->sleep);
	priv->slab_weight = ktrc_capture_weight(capture, priv->slab);
	view->under_way =
		ktrc_under_way_begin(capture, view->event, priv->begin, KTRC_UNDER_WAY_RECLAIM);
}

static void destroy(struct ktrc_reclaim **view)
{
	ktrc_reclaim_destroy(*view);
}

struct ktrc_reclaim *ktrc_reclaim_create(const struct ktrc_capture *capture)
{
	KTRC_CLEANUP(destroy) struct ktrc_reclaim *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	view->capture = capture;
	view->priv = calloc(1, sizeof(*view->priv));
	view->all = calloc(1, sizeof(*view->all));
	if (!view->priv || !view->all)
		return NULL;
	view->start_ticks = ktrc_capture_window_start(capture);
	resolve(view);
	return ktrc_steal(view);
}

void ktrc_reclaim_destroy(struct ktrc_reclaim *view)
{
	if (!view)
		return;
	ktrc_stalls_release(&view->kinds);
	ktrc_stalls_release(&view->parts);
	ktrc_stalls_release(&view->reasons);
	ktrc_stalls_release(&view->requests);
	ktrc_stalls_release(&view->cgroups);
	ktrc_stalls_release(&view->processes);
	ktrc_stalls_release(&view->shrinkers);
	if (view->priv)
		ktrc_index_release(&view->priv->nodes);
	free(view->priv);
	ktrc_under_way_release(&view->under_way);
	free(view->direct);
	free(view->kswapd);
	ktrc_stall_destroy(view->all);
	free(view);
}

/* What is part of a stall under way does not take its place. */
static int add_begin(struct ktrc_reclaim *view, const struct ktrc_record *record)
{
	const struct stall_getters *g = &view->priv->begin_get;
	struct ktrc_stall_now *now;

	if (ktrc_get_or_0(g->nested, record->payload) &&
	    ktrc_under_way_find(&view->under_way, record->task->tid, 0))
		return 0;
	now = ktrc_under_way_open_task(&view->under_way, record, view->start_ticks);
	if (!now)
		return -ENOMEM;
	now->cgid = ktrc_get_or_0(g->cgid, record->payload);
	now->kind = (u32)ktrc_get_or_0(g->kind, record->payload);
	now->order = (u32)ktrc_get_or_0(g->order, record->payload);
	now->gfp = (u32)ktrc_get_or_0(g->gfp, record->payload);
	now->node = (u32)ktrc_get_or_0(g->node, record->payload);
	return 0;
}

/* The end of a part ends what it is part of only if that is the part itself. */
static void close_now(struct ktrc_reclaim *view, const struct ktrc_record *record)
{
	const struct stall_getters *g = &view->priv->end_get;
	const struct ktrc_stall_now *now =
		ktrc_under_way_find(&view->under_way, record->task->tid, 0);

	if (now && (!ktrc_get_or_0(g->nested, record->payload) ||
		    now->kind == ktrc_get(g->kind, record->payload)))
		ktrc_under_way_close(&view->under_way, record->task->tid, 0);
}

/* A stall, or a part of one, in each of @rows; 0 or -ENOMEM. */
static int add_to(struct ktrc_reclaim *view, struct ktrc_stall_row *const *rows, size_t nr,
		  const u8 *payload)
{
	const struct stall_getters *g = &view->priv->end_get;
	u64 ticks = ktrc_get(g->dur, payload), pages = ktrc_get_or_0(g->reclaimed, payload);

	for (size_t i = 0; i < nr; i++)
		if (!rows[i] || ktrc_stall_add(rows[i], ticks, pages, view->priv->weight) < 0)
			return -ENOMEM;
	return 0;
}

static int add_reason(struct ktrc_reclaim *view, const u8 *payload)
{
	const struct stall_getters *g = &view->priv->end_get;
	u64 reason = ktrc_get_or_0(g->reason, payload);
	struct ktrc_stall_row *row;

	if (!reason)
		return 0;
	row = ktrc_stalls_get(&view->reasons, reason, ktrc_get_or_0(g->node, payload));
	return add_to(view, &row, 1, payload);
}

static int keep_direct(struct ktrc_reclaim *view, const struct ktrc_record *record)
{
	const struct stall_getters *g = &view->priv->end_get;
	struct ktrc_direct *direct;

	if (!view->keeps_direct || ktrc_get(g->kind, record->payload) != view->priv->direct)
		return 0;
	direct = ktrc_array_push(view->direct, view->nr_direct);
	if (!direct)
		return -ENOMEM;
	*direct = (struct ktrc_direct){
		.pid = record->task->tgid,
		.end_ticks = record->ticks,
		.ticks = ktrc_get(g->dur, record->payload),
		.pages = ktrc_get_or_0(g->reclaimed, record->payload),
	};
	ktrc_comm_copy(direct->comm, record->task->comm);
	return 0;
}

/* The time of a part is in its stall's already: it is counted among the parts only. */
static int add_end(struct ktrc_reclaim *view, const struct ktrc_record *record)
{
	const struct stall_getters *g = &view->priv->end_get;
	const u8 *payload = record->payload;
	u64 cgid = ktrc_get_or_0(g->cgid, payload), kind = ktrc_get(g->kind, payload);
	struct ktrc_stall_row *part, *rows[5];

	if (add_reason(view, payload) < 0 || keep_direct(view, record) < 0)
		return -ENOMEM;
	if (ktrc_get_or_0(g->nested, payload)) {
		part = ktrc_stalls_get(&view->parts, kind, 0);
		return add_to(view, &part, 1, payload);
	}
	rows[0] = view->all;
	rows[1] = ktrc_stalls_get(&view->kinds, kind, 0);
	rows[2] = ktrc_stalls_get(&view->cgroups, cgid, kind);
	rows[3] = ktrc_stalls_get_process(&view->processes, record->task, 0);
	/* a wait in no stall asked for nothing */
	if (kind == view->priv->throttled)
		return add_to(view, rows, ARRAY_SIZE(rows) - 1, payload);
	rows[4] = ktrc_stalls_get(&view->requests, ktrc_get_or_0(g->order, payload),
				  ktrc_get_or_0(g->gfp, payload));
	return add_to(view, rows, ARRAY_SIZE(rows), payload);
}

static struct ktrc_kswapd *get_kswapd(struct ktrc_reclaim *view, u32 node)
{
	u32 *at = ktrc_index_get(&view->priv->nodes, node, 0);
	struct ktrc_kswapd *kswapd;

	if (at && *at != KTRC_INDEX_NONE)
		return &view->kswapd[*at];
	kswapd = at ? ktrc_array_push(view->kswapd, view->nr_kswapd) : NULL;
	if (!kswapd)
		return NULL;
	kswapd->node = node;
	*at = (u32)view->nr_kswapd - 1;
	return kswapd;
}

static void forget_kswapd(struct ktrc_reclaim *view, u32 node)
{
	struct ktrc_index *nodes = &view->priv->nodes;
	u32 at = ktrc_index_find(nodes, node, 0);

	if (at == KTRC_INDEX_NONE)
		return;
	view->kswapd[at] = view->kswapd[--view->nr_kswapd];
	*ktrc_index_get(nodes, view->kswapd[at].node, 0) = at;
	*ktrc_index_get(nodes, node, 0) = KTRC_INDEX_NONE;
}

/* What was before the window tells who is awake when it begins; who sleeps then has no row yet. */
static int add_before(struct ktrc_reclaim *view, const struct ktrc_record *record)
{
	const struct ktrc_reclaim_private *priv = view->priv;
	struct ktrc_kswapd *kswapd;

	view->left_out += record->event == view->event;
	if (record->event == priv->sleep)
		forget_kswapd(view, (u32)ktrc_get_or_0(priv->sleep_node, record->payload));
	if (record->event != priv->wake || !ktrc_capture_has_all(view->capture, priv->sleep))
		return 0;
	kswapd = get_kswapd(view, (u32)ktrc_get_or_0(priv->wake_node, record->payload));
	if (!kswapd)
		return -ENOMEM;
	kswapd->since_ticks = view->start_ticks;
	return 0;
}

static int add_wake(struct ktrc_reclaim *view, const struct ktrc_record *record)
{
	const struct ktrc_reclaim_private *priv = view->priv;
	struct ktrc_kswapd *kswapd =
		get_kswapd(view, (u32)ktrc_get_or_0(priv->wake_node, record->payload));
	u32 order = (u32)ktrc_get_or_0(priv->wake_order, record->payload);

	if (!kswapd)
		return -ENOMEM;
	kswapd->wakes += priv->wake_weight;
	if (order > kswapd->max_order)
		kswapd->max_order = order;
	if (!kswapd->since_ticks)
		kswapd->since_ticks = record->ticks;
	return 0;
}

/*
 * Who goes to sleep was awake: since the window began, if that has neither a wake of it nor a sleep.
 * After a sleep nothing is sure: a suspended machine interrupts it, and it goes on without a wake.
 */
static bool was_always_awake(const struct ktrc_reclaim *view, const struct ktrc_kswapd *kswapd)
{
	return !kswapd->wakes && !kswapd->sleeps &&
	       ktrc_capture_has_all(view->capture, view->priv->wake);
}

static int add_sleep(struct ktrc_reclaim *view, const struct ktrc_record *record)
{
	const struct ktrc_reclaim_private *priv = view->priv;
	struct ktrc_kswapd *kswapd =
		get_kswapd(view, (u32)ktrc_get_or_0(priv->sleep_node, record->payload));

	if (!kswapd)
		return -ENOMEM;
	if (was_always_awake(view, kswapd))
		kswapd->since_ticks = view->start_ticks;
	kswapd->sleeps += priv->sleep_weight;
	if (kswapd->since_ticks)
		kswapd->awake_ticks += record->ticks - kswapd->since_ticks;
	kswapd->since_ticks = 0;
	return 0;
}

static int add_slab(struct ktrc_reclaim *view, const struct ktrc_record *record)
{
	const struct ktrc_reclaim_private *priv = view->priv;
	const u8 *payload = record->payload;
	struct ktrc_stall_row *row = ktrc_stalls_get(&view->shrinkers,
						     ktrc_get_or_0(priv->slab_shrinker, payload),
						     ktrc_get_or_0(priv->slab_cgid, payload));

	return row ? ktrc_stall_add(row, ktrc_get_or_0(priv->slab_dur, payload),
				    ktrc_get_or_0(priv->slab_freed, payload), priv->slab_weight) :
		     -ENOMEM;
}

int ktrc_reclaim_add(struct ktrc_reclaim *view, const struct ktrc_record *record)
{
	const struct ktrc_reclaim_private *priv = view->priv;

	if (!view->event)
		return 0;
	/* what began before the window may be under way in it */
	if (record->event == priv->begin)
		return add_begin(view, record);
	if (record->event == view->event)
		close_now(view, record);
	else if (record->event != priv->wake && record->event != priv->sleep &&
		 record->event != priv->slab)
		return 0;
	if (record->ticks < view->start_ticks)
		return add_before(view, record);
	if (record->event == view->event)
		return add_end(view, record);
	if (record->event == priv->slab)
		return add_slab(view, record);
	return record->event == priv->wake ? add_wake(view, record) : add_sleep(view, record);
}

static int count_unnamed(struct ktrc_reclaim *view)
{
	const struct ktrc_names *names = &view->capture->names;
	struct ktrc_stalls unnamed = { 0 };
	int ret = ktrc_under_way_add_unnamed(&view->under_way, &view->cgroups, &view->processes,
					     &unnamed);

	for (size_t i = 0; ret == 0 && i < view->shrinkers.nr; i++)
		ret = ktrc_stalls_add_unnamed(&unnamed, names, view->shrinkers.rows[i]->key.b);
	view->nr_unnamed = unnamed.nr;
	ktrc_stalls_release(&unnamed);
	return ret;
}

int ktrc_reclaim_finish(struct ktrc_reclaim *view)
{
	int ret;

	if (!view->event)
		return 0;
	ktrc_stalls_sort(&view->kinds);
	ktrc_stalls_sort(&view->parts);
	ktrc_stalls_sort(&view->reasons);
	ktrc_stalls_sort(&view->requests);
	ktrc_stalls_sort(&view->cgroups);
	ktrc_stalls_sort(&view->processes);
	ktrc_stalls_sort(&view->shrinkers);
	ret = ktrc_under_way_list(&view->under_way);
	return ret < 0 ? ret : count_unnamed(view);
}

bool ktrc_reclaim_is_empty(const struct ktrc_reclaim *view)
{
	return !view->all->stalls && !view->parts.nr && !view->under_way.nr && !view->nr_kswapd &&
	       !view->shrinkers.nr;
}

const char *ktrc_reclaim_kind(const struct ktrc_reclaim *view, u64 kind)
{
	return ktrc_enum_name(view->priv->kinds, kind);
}

u64 ktrc_reclaim_kind_number(const struct ktrc_reclaim *view, const char *name)
{
	return ktrc_enum_value(view->priv->kinds, name);
}

const char *ktrc_reclaim_reason(const struct ktrc_reclaim *view, u64 reason)
{
	return ktrc_enum_name(view->priv->reasons, reason);
}

double ktrc_reclaim_percent(const struct ktrc_reclaim *view, u64 ticks)
{
	return ktrc_capture_percent(view->capture, view->start_ticks, ticks);
}

bool ktrc_reclaim_knows_awake(const struct ktrc_reclaim *view)
{
	const struct ktrc_event *wake = view->priv->wake, *sleep = view->priv->sleep;

	return ktrc_capture_has_all(view->capture, wake) &&
	       ktrc_capture_has_all(view->capture, sleep) &&
	       !ktrc_capture_lost_of(view->capture, wake) &&
	       !ktrc_capture_lost_of(view->capture, sleep);
}

u64 ktrc_kswapd_awake_ticks(const struct ktrc_reclaim *view, const struct ktrc_kswapd *kswapd)
{
	u64 settled = view->capture->settled_ticks;

	if (!kswapd->since_ticks || settled < kswapd->since_ticks)
		return kswapd->awake_ticks;
	return kswapd->awake_ticks + settled - kswapd->since_ticks;
}
