// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting compaction. */
#include "compaction.h"

#include <errno.h>
#include <stdlib.h>

#include "../lib/array.h"
#include "../lib/cleanup.h"

/* What the zones of a thread's stall or run, so far, add up to. */
struct group {
	u64 nr;
	u32 zones;
	u64 migrated;
	u64 failed;
	u64 scanned;
};

struct stall_getters {
	const struct ktrc_getter *cgid, *dur, *zones, *order, *result, *prio, *counted, *gfp;
};

struct zone_getters {
	const struct ktrc_getter *dur, *node, *zone, *status, *mode, *origin, *begun, *migrated,
		*failed, *nth, *order, *scanned;
};

struct run_getters {
	const struct ktrc_getter *dur, *node, *zones, *order, *origin, *migrated, *failed;
};

struct ktrc_compaction_private {
	const struct ktrc_event *begin, *zone, *run, *extfrag;
	struct stall_getters end_get, begin_get;
	struct zone_getters zone_get;
	struct run_getters run_get;
	const struct ktrc_getter *kind, *block_kind, *mixed;
	u32 weight, zone_weight, run_weight, extfrag_weight;
	bool has_all_zones;
	struct group *groups;
	size_t nr_groups;
	u64 last_nr;
	struct ktrc_index tids; /* places of groups */
	struct ktrc_index zones; /* places of zones */
	struct ktrc_index nodes; /* places of kcompactd */
	struct ktrc_index kinds; /* places of fallbacks */
};

static struct stall_getters stall_getters(const struct ktrc_event *event)
{
	return (struct stall_getters){
		.cgid = ktrc_event_getter(event, "cgid"),
		.dur = ktrc_event_getter(event, "dur"),
		.zones = ktrc_event_getter(event, "nr_zones"),
		.order = ktrc_event_getter(event, "order"),
		.result = ktrc_event_getter(event, "status"),
		.prio = ktrc_event_getter(event, "prio"),
		.counted = ktrc_event_getter(event, "counted"),
		.gfp = ktrc_event_getter(event, "gfp"),
	};
}

static struct zone_getters zone_getters(const struct ktrc_event *event)
{
	return (struct zone_getters){
		.dur = ktrc_event_getter(event, "dur"),
		.node = ktrc_event_getter(event, "node"),
		.zone = ktrc_event_getter(event, "zone"),
		.status = ktrc_event_getter(event, "status"),
		.mode = ktrc_event_getter(event, "compaction_mode"),
		.origin = ktrc_event_getter(event, "origin"),
		.begun = ktrc_event_getter(event, "begun"),
		.migrated = ktrc_event_getter(event, "migrated"),
		.failed = ktrc_event_getter(event, "failed_pages"),
		.nth = ktrc_event_getter(event, "nth"),
		.order = ktrc_event_getter(event, "order"),
		.scanned = ktrc_event_getter(event, "scanned"),
	};
}

static struct run_getters run_getters(const struct ktrc_event *event)
{
	return (struct run_getters){
		.dur = ktrc_event_getter(event, "dur"),
		.node = ktrc_event_getter(event, "node"),
		.zones = ktrc_event_getter(event, "nr_zones"),
		.order = ktrc_event_getter(event, "order"),
		.origin = ktrc_event_getter(event, "origin"),
		.migrated = ktrc_event_getter(event, "migrated"),
		.failed = ktrc_event_getter(event, "failed_pages"),
	};
}

static const char *why_no_pages(const struct ktrc_compaction_private *priv)
{
	if (priv->has_all_zones)
		return NULL;
	return priv->zone ? "not every zone was recorded" :
			    "the session does not record compaction.zone";
}

static const char *const needs[] = { "compaction.begin", "compaction.zone", "compaction.kcompactd",
				     "compaction.extfrag", NULL };

static void resolve(struct ktrc_compaction *view)
{
	const struct ktrc_capture *capture = view->capture;
	struct ktrc_compaction_private *priv = view->priv;
	const struct ktrc_enum *origins;

	view->needs = needs;
	view->event = ktrc_capture_event(capture, "compaction");
	priv->begin = ktrc_capture_event(capture, "compaction.begin");
	priv->zone = ktrc_capture_event(capture, "compaction.zone");
	priv->run = ktrc_capture_event(capture, "compaction.kcompactd");
	priv->extfrag = ktrc_capture_event(capture, "compaction.extfrag");
	priv->end_get = stall_getters(view->event);
	if (!priv->end_get.dur || !priv->end_get.result)
		view->event = NULL;
	priv->begin_get = stall_getters(priv->begin);
	priv->zone_get = zone_getters(priv->zone);
	priv->run_get = run_getters(priv->run);
	priv->kind = ktrc_event_getter(priv->extfrag, "mem_kind");
	priv->block_kind = ktrc_event_getter(priv->extfrag, "block_kind");
	priv->mixed = ktrc_event_getter(priv->extfrag, "mixed");
	priv->weight = ktrc_capture_weight(capture, view->event);
	priv->zone_weight = ktrc_capture_weight(capture, priv->zone);
	priv->run_weight = ktrc_capture_weight(capture, priv->run);
	priv->extfrag_weight = ktrc_capture_weight(capture, priv->extfrag);
	priv->has_all_zones = ktrc_capture_has_all(capture, priv->zone);
	view->why_no_pages = why_no_pages(priv);
	origins = ktrc_schema_find_enum(capture->schema, "compaction_origin");
	view->stall = ktrc_enum_value(origins, "stall");
	view->proactive = ktrc_enum_value(origins, "proactive");
	view->manual = ktrc_enum_value(origins, "manual");
	view->under_way =
		ktrc_under_way_begin(capture, view->event, priv->begin, KTRC_UNDER_WAY_COMPACTION);
}

static void destroy(struct ktrc_compaction **view)
{
	ktrc_compaction_destroy(*view);
}

struct ktrc_compaction *ktrc_compaction_create(const struct ktrc_capture *capture)
{
	KTRC_CLEANUP(destroy) struct ktrc_compaction *view = calloc(1, sizeof(*view));

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

void ktrc_compaction_destroy(struct ktrc_compaction *view)
{
	if (!view)
		return;
	ktrc_stalls_release(&view->causes);
	ktrc_stalls_release(&view->requests);
	ktrc_stalls_release(&view->statuses);
	ktrc_stalls_release(&view->cgroups);
	ktrc_stalls_release(&view->processes);
	ktrc_under_way_release(&view->under_way);
	if (view->priv) {
		ktrc_index_release(&view->priv->tids);
		ktrc_index_release(&view->priv->zones);
		ktrc_index_release(&view->priv->nodes);
		ktrc_index_release(&view->priv->kinds);
		free(view->priv->groups);
	}
	free(view->priv);
	free(view->zones);
	free(view->attempts);
	free(view->kcompactd);
	free(view->fallbacks);
	ktrc_stall_destroy(view->all);
	free(view);
}

static struct group *group_of(struct ktrc_compaction *view, u32 tid)
{
	struct ktrc_compaction_private *priv = view->priv;
	u32 *at = ktrc_index_get(&priv->tids, tid, 0);

	if (at && *at == KTRC_INDEX_NONE && ktrc_array_push(priv->groups, priv->nr_groups))
		*at = (u32)priv->nr_groups - 1;
	return at && *at != KTRC_INDEX_NONE ? &priv->groups[*at] : NULL;
}

/* The number of a stall or run: that of its first zone, if it has one. */
static u64 group_nr(struct ktrc_compaction *view, struct group *group)
{
	if (!group->nr)
		group->nr = ++view->priv->last_nr;
	return group->nr;
}

static int keep(struct ktrc_compaction *view, const struct ktrc_record *record,
		struct ktrc_attempt attempt)
{
	struct ktrc_attempt *kept;

	if (!view->keeps_attempts || record->ticks < view->start_ticks)
		return 0;
	kept = ktrc_array_push(view->attempts, view->nr_attempts);
	if (!kept)
		return -ENOMEM;
	*kept = attempt;
	kept->end_ticks = record->ticks;
	kept->pid = record->task->tgid;
	kept->tid = record->task->tid;
	ktrc_comm_copy(kept->comm, record->task->comm);
	return 0;
}

/* A stall or run is over; it says how many zones it was in. */
static void close_group(struct ktrc_compaction *view, struct group *group, u32 zones)
{
	if (view->priv->has_all_zones && group->zones != zones)
		view->torn++;
	*group = (struct group){ 0 };
}

static int add_begin(struct ktrc_compaction *view, const struct ktrc_record *record)
{
	const struct stall_getters *g = &view->priv->begin_get;
	struct group *group = group_of(view, record->task->tid);
	struct ktrc_stall_now *now =
		ktrc_under_way_open_task(&view->under_way, record, view->start_ticks);

	if (!now || !group)
		return -ENOMEM;
	*group = (struct group){ 0 };
	now->cgid = ktrc_get_or_0(g->cgid, record->payload);
	now->kind = (u32)ktrc_get_or_0(g->prio, record->payload);
	now->order = (u32)ktrc_get_or_0(g->order, record->payload);
	now->gfp = (u32)ktrc_get_or_0(g->gfp, record->payload);
	return 0;
}

static int count_stall(struct ktrc_compaction *view, const struct ktrc_record *record,
		       const struct group *group)
{
	const struct stall_getters *g = &view->priv->end_get;
	const u8 *payload = record->payload;
	u32 order = (u32)ktrc_get_or_0(g->order, payload),
	    gfp = (u32)ktrc_get_or_0(g->gfp, payload);
	struct ktrc_stall_row *rows[] = {
		view->all,
		ktrc_stalls_get(&view->causes, ktrc_cause_of(view->capture, record, order, gfp), 0),
		ktrc_stalls_get(&view->requests, order, gfp),
		ktrc_stalls_get(&view->statuses, ktrc_get(g->result, payload),
				ktrc_get_or_0(g->prio, payload)),
		ktrc_stalls_get(&view->cgroups, ktrc_get_or_0(g->cgid, payload), 0),
		ktrc_stalls_get_process(&view->processes, record->task, 0),
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!rows[i] || ktrc_stall_add(rows[i], ktrc_get(g->dur, payload), group->migrated,
					       view->priv->weight) < 0)
			return -ENOMEM;
	view->guessed += ktrc_cause_is_guess(view->capture, record) * view->priv->weight;
	view->counted += ktrc_get_or_0(g->counted, payload) * view->priv->weight;
	return 0;
}

static int add_end(struct ktrc_compaction *view, const struct ktrc_record *record)
{
	const struct stall_getters *g = &view->priv->end_get;
	struct group *group = group_of(view, record->task->tid);
	const u8 *payload = record->payload;
	u32 order, gfp;
	int ret;

	ktrc_under_way_close(&view->under_way, record->task->tid, 0);
	if (!group)
		return -ENOMEM;
	/* what is in it is of a stall that was not recorded */
	if (!ktrc_get_or_0(g->zones, payload))
		*group = (struct group){ 0 };
	order = (u32)ktrc_get_or_0(g->order, payload);
	gfp = (u32)ktrc_get_or_0(g->gfp, payload);
	ret = keep(view, record,
		   (struct ktrc_attempt){
			   .nr = group_nr(view, group),
			   .origin = (u32)view->stall,
			   .order = order,
			   .mode = (u32)ktrc_get_or_0(g->prio, payload),
			   .status = (u32)ktrc_get(g->result, payload),
			   .cause = ktrc_cause_of(view->capture, record, order, gfp),
			   .migrated = group->migrated,
			   .failed = group->failed,
			   .scanned = group->scanned,
			   .ticks = ktrc_get(g->dur, payload),
		   });
	if (record->ticks < view->start_ticks) {
		view->left_out++;
		*group = (struct group){ 0 };
		return 0;
	}
	if (ret == 0)
		ret = count_stall(view, record, group);
	close_group(view, group, (u32)ktrc_get_or_0(g->zones, payload));
	return ret;
}

static u32 *zone_place(struct ktrc_compaction *view, const struct ktrc_zone_row *key)
{
	return ktrc_index_get(&view->priv->zones, (u64)key->node << 32 | key->zone,
			      (u64)key->origin << 32 | key->mode << 16 | key->status);
}

static struct ktrc_zone_row *zone_row(struct ktrc_compaction *view, const struct ktrc_zone_row *key)
{
	u32 *at = zone_place(view, key);
	struct ktrc_zone_row *row;

	if (at && *at != KTRC_INDEX_NONE)
		return &view->zones[*at];
	row = at ? ktrc_array_push(view->zones, view->nr_zones) : NULL;
	if (!row)
		return NULL;
	*row = *key;
	*at = (u32)view->nr_zones - 1;
	return row;
}

static int count_zone(struct ktrc_compaction *view, const struct ktrc_attempt *a)
{
	const struct ktrc_zone_row key = { .node = a->node,
					   .zone = a->zone,
					   .origin = a->origin,
					   .mode = a->mode,
					   .status = a->status };
	struct ktrc_zone_row *row = zone_row(view, &key);
	u32 weight = view->priv->zone_weight;

	if (!row)
		return -ENOMEM;
	row->attempts += weight;
	row->migrated += a->migrated * weight;
	row->failed += a->failed * weight;
	row->scanned += a->scanned * weight;
	row->total_ticks += a->ticks * weight;
	if (a->ticks > row->max_ticks)
		row->max_ticks = a->ticks;
	return 0;
}

static int add_zone(struct ktrc_compaction *view, const struct ktrc_record *record)
{
	const struct zone_getters *g = &view->priv->zone_get;
	struct group *group = group_of(view, record->task->tid);
	const u8 *payload = record->payload;
	struct ktrc_attempt attempt = {
		.is_zone = true,
		.has_begun = ktrc_get_or_0(g->begun, payload),
		.origin = (u32)ktrc_get_or_0(g->origin, payload),
		.order = (u32)ktrc_get_or_0(g->order, payload),
		.node = (u32)ktrc_get_or_0(g->node, payload),
		.zone = (u32)ktrc_get_or_0(g->zone, payload),
		.mode = (u32)ktrc_get_or_0(g->mode, payload),
		.status = (u32)ktrc_get_or_0(g->status, payload),
		.migrated = ktrc_get_or_0(g->migrated, payload),
		.failed = ktrc_get_or_0(g->failed, payload),
		.scanned = ktrc_get_or_0(g->scanned, payload),
		.ticks = ktrc_get_or_0(g->dur, payload),
	};

	if (!group)
		return -ENOMEM;
	if (ktrc_get_or_0(g->nth, payload) == 0)
		*group = (struct group){ 0 };
	if (attempt.origin != view->manual)
		attempt.nr = group_nr(view, group);
	group->zones++;
	group->migrated += attempt.migrated;
	group->failed += attempt.failed;
	group->scanned += attempt.scanned;
	if (record->ticks < view->start_ticks)
		return 0;
	return count_zone(view, &attempt) < 0 ? -ENOMEM : keep(view, record, attempt);
}

static struct ktrc_kcompactd *get_kcompactd(struct ktrc_compaction *view, u32 node)
{
	u32 *at = ktrc_index_get(&view->priv->nodes, node, 0);
	struct ktrc_kcompactd *kcompactd;

	if (at && *at != KTRC_INDEX_NONE)
		return &view->kcompactd[*at];
	kcompactd = at ? ktrc_array_push(view->kcompactd, view->nr_kcompactd) : NULL;
	if (!kcompactd)
		return NULL;
	kcompactd->node = node;
	*at = (u32)view->nr_kcompactd - 1;
	return kcompactd;
}

static int add_run(struct ktrc_compaction *view, const struct ktrc_record *record)
{
	const struct run_getters *g = &view->priv->run_get;
	struct group *group = group_of(view, record->task->tid);
	const u8 *payload = record->payload;
	struct ktrc_attempt attempt = {
		.origin = (u32)ktrc_get_or_0(g->origin, payload),
		.order = (u32)ktrc_get_or_0(g->order, payload),
		.node = (u32)ktrc_get_or_0(g->node, payload),
		.migrated = ktrc_get_or_0(g->migrated, payload),
		.failed = ktrc_get_or_0(g->failed, payload),
		.ticks = ktrc_get_or_0(g->dur, payload),
	};
	u32 weight = view->priv->run_weight;
	struct ktrc_kcompactd *kcompactd;
	int ret;

	if (!group)
		return -ENOMEM;
	if (record->ticks < view->start_ticks) {
		*group = (struct group){ 0 };
		return 0;
	}
	kcompactd = get_kcompactd(view, attempt.node);
	if (!kcompactd)
		return -ENOMEM;
	if (attempt.origin == view->proactive)
		kcompactd->proactive += weight;
	else
		kcompactd->woken += weight;
	kcompactd->migrated += attempt.migrated * weight;
	kcompactd->failed += attempt.failed * weight;
	kcompactd->total_ticks += attempt.ticks * weight;
	attempt.nr = group_nr(view, group);
	attempt.scanned = group->scanned;
	ret = keep(view, record, attempt);
	close_group(view, group, (u32)ktrc_get_or_0(g->zones, payload));
	return ret;
}

static struct ktrc_fallback *get_fallback(struct ktrc_compaction *view, u32 kind, u32 block_kind)
{
	u32 *at = ktrc_index_get(&view->priv->kinds, kind, block_kind);
	struct ktrc_fallback *row;

	if (at && *at != KTRC_INDEX_NONE)
		return &view->fallbacks[*at];
	row = at ? ktrc_array_push(view->fallbacks, view->nr_fallbacks) : NULL;
	if (!row)
		return NULL;
	row->kind = kind;
	row->block_kind = block_kind;
	*at = (u32)view->nr_fallbacks - 1;
	return row;
}

static int add_fallback(struct ktrc_compaction *view, const struct ktrc_record *record)
{
	const struct ktrc_compaction_private *priv = view->priv;
	struct ktrc_fallback *row;

	if (record->ticks < view->start_ticks)
		return 0;
	row = get_fallback(view, (u32)ktrc_get_or_0(priv->kind, record->payload),
			   (u32)ktrc_get_or_0(priv->block_kind, record->payload));
	if (!row)
		return -ENOMEM;
	row->allocations += priv->extfrag_weight;
	row->mixed += ktrc_get_or_0(priv->mixed, record->payload) * priv->extfrag_weight;
	return 0;
}

int ktrc_compaction_add(struct ktrc_compaction *view, const struct ktrc_record *record)
{
	const struct ktrc_compaction_private *priv = view->priv;

	if (!view->event)
		return 0;
	if (record->event == view->event)
		return add_end(view, record);
	if (record->event == priv->begin)
		return add_begin(view, record);
	if (record->event == priv->zone)
		return add_zone(view, record);
	if (record->event == priv->run)
		return add_run(view, record);
	return record->event == priv->extfrag ? add_fallback(view, record) : 0;
}

static int by_time(const void *pa, const void *pb)
{
	const struct ktrc_zone_row *a = pa, *b = pb;

	if (a->total_ticks != b->total_ticks)
		return a->total_ticks < b->total_ticks ? 1 : -1;
	return a->attempts < b->attempts ? 1 : a->attempts > b->attempts ? -1 : 0;
}

static void sort_zones(struct ktrc_compaction *view)
{
	if (!view->nr_zones)
		return;
	qsort(view->zones, view->nr_zones, sizeof(*view->zones), by_time);
	/* every key is there, so none needs memory */
	for (size_t i = 0; i < view->nr_zones; i++)
		*zone_place(view, &view->zones[i]) = (u32)i;
}

static int count_unnamed(struct ktrc_compaction *view)
{
	struct ktrc_stalls unnamed = { 0 };
	int ret = ktrc_under_way_add_unnamed(&view->under_way, &view->cgroups, &view->processes,
					     &unnamed);

	view->nr_unnamed = unnamed.nr;
	ktrc_stalls_release(&unnamed);
	return ret;
}

int ktrc_compaction_finish(struct ktrc_compaction *view)
{
	if (!view->event)
		return 0;
	ktrc_stalls_sort(&view->causes);
	ktrc_stalls_sort(&view->requests);
	ktrc_stalls_sort(&view->statuses);
	ktrc_stalls_sort(&view->cgroups);
	ktrc_stalls_sort(&view->processes);
	sort_zones(view);
	if (ktrc_under_way_list(&view->under_way) < 0)
		return -ENOMEM;
	return count_unnamed(view);
}

const char *ktrc_compaction_why_guessed(const struct ktrc_compaction *view)
{
	if (!view->guessed)
		return NULL;
	return view->capture->session.rules[view->event->id].kernel_frames ?
		       "their callers are not known" :
		       "compaction:stack=kernel records who called";
}

bool ktrc_compaction_is_empty(const struct ktrc_compaction *view)
{
	return !view->all->stalls && !view->under_way.nr && !view->nr_zones &&
	       !view->nr_kcompactd && !view->nr_fallbacks;
}

const char *ktrc_compaction_name(const struct ktrc_compaction *view, const char *enumeration,
				 u64 number)
{
	return ktrc_enum_name(ktrc_schema_find_enum(view->capture->schema, enumeration), number);
}
