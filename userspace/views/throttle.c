// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting what CPU quotas keep off CPUs. */
#include "throttle.h"

#include <errno.h>
#include <stdlib.h>

#include "../lib/cleanup.h"
#include "empty.h"

struct throttle_getters {
	const struct ktrc_getter *cgid, *limiter, *dur, *own, *cpu, *periods, *late;
};

struct ktrc_throttle_private {
	const struct ktrc_event *begin, *gap;
	struct throttle_getters end_get, begin_get, gap_get;
	u32 weight, gap_weight;
	struct ktrc_index limited; /* limiters and threads that were seen together */
};

static const char *const needs[] = { "throttle.begin", "throttle.gap", NULL };

static struct throttle_getters throttle_getters(const struct ktrc_event *event)
{
	return (struct throttle_getters){
		.cgid = ktrc_event_getter(event, "cgid"),
		.limiter = ktrc_event_getter(event, "limiter_id"),
		.dur = ktrc_event_getter(event, "dur"),
		.own = ktrc_event_getter(event, "own_ppm"),
		.cpu = ktrc_event_getter(event, "cpu"),
		.periods = ktrc_event_getter(event, "periods"),
		.late = ktrc_event_getter(event, "late"),
	};
}

static void resolve(struct ktrc_throttle *view)
{
	const struct ktrc_capture *capture = view->capture;
	struct ktrc_throttle_private *priv = view->priv;
	char room[KTRC_WHY_ROOM];

	view->event = ktrc_capture_event(capture, "throttle");
	priv->begin = ktrc_capture_event(capture, "throttle.begin");
	priv->gap = ktrc_capture_event(capture, "throttle.gap");
	priv->end_get = throttle_getters(view->event);
	priv->begin_get = throttle_getters(priv->begin);
	priv->gap_get = throttle_getters(priv->gap);
	if (!priv->end_get.dur || !priv->end_get.cgid || !priv->end_get.limiter ||
	    !priv->end_get.own || !priv->end_get.cpu)
		view->event = NULL;
	if (!priv->gap_get.dur || !priv->gap_get.cgid || !priv->gap_get.limiter)
		priv->gap = NULL;
	if (!priv->begin_get.cgid || !priv->begin_get.cpu)
		priv->begin = NULL;
	priv->weight = ktrc_capture_weight(capture, view->event);
	priv->gap_weight = ktrc_capture_weight(capture, priv->gap);
	view->under_way =
		ktrc_under_way_begin(capture, view->event, priv->begin, KTRC_UNDER_WAY_THROTTLE);
	view->needs = needs;
	view->has_gaps = priv->gap && !ktrc_why_not_recorded(capture, "throttle.gap", room);
}

static void destroy(struct ktrc_throttle **view)
{
	ktrc_throttle_destroy(*view);
}

struct ktrc_throttle *ktrc_throttle_create(const struct ktrc_capture *capture)
{
	KTRC_CLEANUP(destroy) struct ktrc_throttle *view = calloc(1, sizeof(*view));

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

void ktrc_throttle_destroy(struct ktrc_throttle *view)
{
	if (!view)
		return;
	ktrc_stalls_release(&view->quotas);
	ktrc_stalls_release(&view->cgroups);
	ktrc_stalls_release(&view->threads);
	ktrc_stalls_release(&view->lost);
	if (view->priv)
		ktrc_index_release(&view->priv->limited);
	free(view->priv);
	ktrc_under_way_release(&view->under_way);
	ktrc_stall_destroy(view->all);
	free(view);
}

static int add_begin(struct ktrc_throttle *view, const struct ktrc_record *record)
{
	const struct throttle_getters *g = &view->priv->begin_get;
	u64 cgid = ktrc_get(g->cgid, record->payload), cpu = ktrc_get(g->cpu, record->payload);
	struct ktrc_stall_now *now =
		ktrc_under_way_open(&view->under_way, record, view->start_ticks, cgid, cpu);

	if (!now)
		return -ENOMEM;
	now->cgid = cgid;
	now->cpu = (u32)cpu;
	now->limiter = ktrc_get_or_0(g->limiter, record->payload);
	return 0;
}

static void close_interval(struct ktrc_throttle *view, const struct ktrc_record *record)
{
	const struct throttle_getters *g = &view->priv->end_get;

	ktrc_under_way_close(&view->under_way, ktrc_get(g->cgid, record->payload),
			     ktrc_get(g->cpu, record->payload));
}

static int add_row(struct ktrc_stall_row *row, u64 ticks, u64 run, u32 weight)
{
	if (!row)
		return -ENOMEM;
	if (run > row->run)
		row->run = run;
	return ktrc_stall_add(row, ticks, 0, weight);
}

/* how long the cgroup's own quota was used up in this interval */
static u64 own_ticks(const struct throttle_getters *g, const void *payload)
{
	return ktrc_get(g->dur, payload) * ktrc_get(g->own, payload) / 1000000;
}

/* It may have no record of its own: it can lie above the session's cgroup. */
static int add_limiter(struct ktrc_throttle *view, u64 limiter, u64 run)
{
	struct ktrc_stall_row *row = limiter ? ktrc_stalls_get(&view->quotas, limiter, 0) : NULL;

	if (limiter && !row)
		return -ENOMEM;
	if (row && run > row->run)
		row->run = run;
	if (run > view->all->run)
		view->all->run = run;
	return 0;
}

static int add_end(struct ktrc_throttle *view, const struct ktrc_record *record)
{
	const struct throttle_getters *g = &view->priv->end_get;
	u64 cgid = ktrc_get(g->cgid, record->payload);
	u64 limiter = ktrc_get(g->limiter, record->payload);
	u64 own = own_ticks(g, record->payload);
	u64 run = ktrc_get_or_0(g->periods, record->payload);
	u32 weight = view->priv->weight;
	int ret = add_row(ktrc_stalls_get(&view->cgroups, cgid, limiter),
			  ktrc_get(g->dur, record->payload), run, weight);

	if (ret == 0)
		ret = add_limiter(view, limiter, run);
	if (ret < 0 || !own)
		return ret;
	ret = add_row(ktrc_stalls_get(&view->quotas, cgid, 0), own, 0, weight);
	return ret < 0 ? ret : add_row(view->all, own, 0, weight);
}

static int count_thread(struct ktrc_throttle *view, struct ktrc_stall_row *lost, u32 thread)
{
	u32 *seen = ktrc_index_get(&view->priv->limited, lost->key.a, thread);

	if (!seen)
		return -ENOMEM;
	lost->threads += *seen == KTRC_INDEX_NONE;
	*seen = 0;
	return 0;
}

static int add_gap(struct ktrc_throttle *view, const struct ktrc_record *record)
{
	const struct ktrc_throttle_private *priv = view->priv;
	const struct throttle_getters *g = &priv->gap_get;
	u64 cgid = ktrc_get(g->cgid, record->payload);
	u64 limiter = ktrc_get(g->limiter, record->payload);
	u64 late = ktrc_get_or_0(g->late, record->payload);
	const struct ktrc_task *task = record->task;
	struct ktrc_stall_row *rows[] = {
		ktrc_stalls_get(&view->threads, task->thread, cgid),
		ktrc_stalls_get(&view->lost, limiter, 0),
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (add_row(rows[i], ktrc_get(g->dur, record->payload), 0, priv->gap_weight) < 0)
			return -ENOMEM;
		rows[i]->late_ticks += late * priv->gap_weight;
	}
	rows[0]->pid = task->tgid;
	rows[0]->tid = task->tid;
	ktrc_comm_copy(rows[0]->comm, task->comm);
	return count_thread(view, rows[1], task->thread);
}

int ktrc_throttle_add(struct ktrc_throttle *view, const struct ktrc_record *record)
{
	const struct ktrc_throttle_private *priv = view->priv;

	if (!view->event)
		return 0;
	/* what began before the window may be under way in it */
	if (priv->begin && record->event == priv->begin)
		return add_begin(view, record);
	if (record->event == view->event)
		close_interval(view, record);
	else if (!priv->gap || record->event != priv->gap)
		return 0;
	if (record->ticks < view->start_ticks) {
		view->left_out += record->event == view->event;
		return 0;
	}
	return record->event == view->event ? add_end(view, record) : add_gap(view, record);
}

static int count_unnamed(struct ktrc_throttle *view)
{
	const struct ktrc_names *names = &view->capture->names;
	struct ktrc_stalls unnamed = { 0 };
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < view->cgroups.nr; i++) {
		ret = ktrc_stalls_add_unnamed(&unnamed, names, view->cgroups.rows[i]->key.a);
		if (ret == 0)
			ret = ktrc_stalls_add_unnamed(&unnamed, names,
						      view->cgroups.rows[i]->key.b);
	}
	for (size_t i = 0; ret == 0 && i < view->threads.nr; i++)
		ret = ktrc_stalls_add_unnamed(&unnamed, names, view->threads.rows[i]->key.b);
	view->nr_unnamed = unnamed.nr;
	ktrc_stalls_release(&unnamed);
	return ret;
}

int ktrc_throttle_finish(struct ktrc_throttle *view)
{
	int ret;

	if (!view->event)
		return 0;
	ktrc_stalls_sort(&view->quotas);
	ktrc_stalls_sort(&view->cgroups);
	ktrc_stalls_sort(&view->threads);
	ret = ktrc_under_way_list(&view->under_way);
	return ret < 0 ? ret : count_unnamed(view);
}

bool ktrc_throttle_is_empty(const struct ktrc_throttle *view)
{
	return !view->cgroups.nr && !view->threads.nr && !view->under_way.nr;
}

const struct ktrc_stall_row *ktrc_throttle_lost(const struct ktrc_throttle *view, u64 limiter)
{
	return ktrc_stalls_find(&view->lost, limiter, 0);
}
