// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting what CPU quotas keep off CPUs. */
#include "throttle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/array.h"
#include "../lib/cleanup.h"

struct throttle_getters {
	const struct ktrc_getter *cgid, *limiter, *dur, *cpu, *periods, *late;
};

struct ktrc_throttle_private {
	const struct ktrc_event *begin, *gap;
	struct throttle_getters end_get, begin_get, gap_get;
	u32 weight, gap_weight;
	/* the last interval of each cgroup on each CPU that has begun one */
	struct ktrc_throttle_now *open;
	size_t nr_open;
	struct ktrc_index places; /* of them, by cgroup and CPU */
	struct ktrc_stalls limited; /* threads, by limiter and thread */
	struct ktrc_stalls unnamed;
};

static struct throttle_getters throttle_getters(const struct ktrc_event *event)
{
	return (struct throttle_getters){
		.cgid = ktrc_event_getter(event, "cgid"),
		.limiter = ktrc_event_getter(event, "limiter"),
		.dur = ktrc_event_getter(event, "dur"),
		.cpu = ktrc_event_getter(event, "cpu"),
		.periods = ktrc_event_getter(event, "periods"),
		.late = ktrc_event_getter(event, "late"),
	};
}

/* A begin without an end is an interval under way only if every end becomes a record. */
static const char *why_no_nows(const struct ktrc_capture *capture, const struct ktrc_event *end,
			       const struct ktrc_event *begin)
{
	if (!end)
		return "the session records no throttling";
	if (!begin)
		return "the session does not record where it begins";
	if (!ktrc_capture_has_all(capture, end) || !ktrc_capture_has_all(capture, begin))
		return "not every interval that ended was recorded";
	return NULL;
}

static void resolve(struct ktrc_throttle *view)
{
	const struct ktrc_capture *capture = view->capture;
	struct ktrc_throttle_private *priv = view->priv;

	view->event = ktrc_capture_event(capture, "throttle");
	priv->begin = ktrc_capture_event(capture, "throttle.begin");
	priv->gap = ktrc_capture_event(capture, "throttle.gap");
	priv->end_get = throttle_getters(view->event);
	priv->begin_get = throttle_getters(priv->begin);
	priv->gap_get = throttle_getters(priv->gap);
	if (!priv->end_get.dur || !priv->end_get.cgid || !priv->end_get.limiter ||
	    !priv->end_get.cpu)
		view->event = NULL;
	if (!priv->gap_get.dur || !priv->gap_get.cgid || !priv->gap_get.limiter)
		priv->gap = NULL;
	if (!priv->begin_get.cgid || !priv->begin_get.cpu)
		priv->begin = NULL;
	priv->weight = ktrc_capture_weight(capture, view->event);
	priv->gap_weight = ktrc_capture_weight(capture, priv->gap);
	view->why_no_nows = why_no_nows(capture, view->event, priv->begin);
	view->why_no_gaps = priv->gap ? NULL : "the session does not record throttle.gap";
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
	if (view->priv) {
		ktrc_stalls_release(&view->priv->limited);
		ktrc_stalls_release(&view->priv->unnamed);
		ktrc_index_release(&view->priv->places);
		free(view->priv->open);
	}
	free(view->priv);
	free(view->nows);
	ktrc_stall_destroy(view->all);
	free(view);
}

static int add_begin(struct ktrc_throttle *view, const struct ktrc_record *record)
{
	struct ktrc_throttle_private *priv = view->priv;
	const struct throttle_getters *g = &priv->begin_get;
	u64 cgid = ktrc_get(g->cgid, record->payload), cpu = ktrc_get(g->cpu, record->payload);
	u32 *at = ktrc_index_get(&priv->places, cgid, cpu);

	if (at && *at == KTRC_INDEX_NONE && ktrc_array_push(priv->open, priv->nr_open))
		*at = (u32)priv->nr_open - 1;
	if (!at || *at == KTRC_INDEX_NONE)
		return -ENOMEM;
	priv->open[*at] = (struct ktrc_throttle_now){
		.is_open = true,
		.is_certain = record->ticks >= view->start_ticks,
		.cgid = cgid,
		.limiter = ktrc_get_or_0(g->limiter, record->payload),
		.cpu = (u32)cpu,
		.begin_ticks = record->ticks,
	};
	return 0;
}

static void close_interval(struct ktrc_throttle *view, const struct ktrc_record *record)
{
	const struct throttle_getters *g = &view->priv->end_get;
	u32 at = ktrc_index_find(&view->priv->places, ktrc_get(g->cgid, record->payload),
				 ktrc_get(g->cpu, record->payload));

	if (at != KTRC_INDEX_NONE)
		view->priv->open[at].is_open = false;
}

static int add_row(struct ktrc_stall_row *row, u64 ticks, u64 run, u32 weight)
{
	if (!row)
		return -ENOMEM;
	if (run > row->run)
		row->run = run;
	return ktrc_stall_add(row, ticks, 0, weight);
}

static int add_end(struct ktrc_throttle *view, const struct ktrc_record *record)
{
	const struct throttle_getters *g = &view->priv->end_get;
	u64 cgid = ktrc_get(g->cgid, record->payload);
	u64 limiter = ktrc_get(g->limiter, record->payload);
	u64 ticks = ktrc_get(g->dur, record->payload);
	u64 run = ktrc_get_or_0(g->periods, record->payload);
	u32 weight = view->priv->weight;
	int ret = add_row(ktrc_stalls_get(&view->cgroups, cgid, limiter), ticks, run, weight);

	if (ret < 0 || cgid != limiter)
		return ret;
	ret = add_row(ktrc_stalls_get(&view->quotas, limiter, 0), ticks, run, weight);
	return ret < 0 ? ret : add_row(view->all, ticks, run, weight);
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
		ktrc_stalls_get(&view->threads, task->tid, cgid),
		ktrc_stalls_get(&view->lost, limiter, 0),
		ktrc_stalls_get(&view->priv->limited, limiter, task->tid),
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (add_row(rows[i], ktrc_get(g->dur, record->payload), 0, priv->gap_weight) < 0)
			return -ENOMEM;
		rows[i]->late_ticks += late * priv->gap_weight;
	}
	rows[0]->cgid = task->tgid;
	ktrc_comm_copy(rows[0]->comm, task->comm);
	return 0;
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

static int by_age(const void *pa, const void *pb)
{
	const struct ktrc_throttle_now *a = pa, *b = pb;

	if (a->begin_ticks != b->begin_ticks)
		return a->begin_ticks < b->begin_ticks ? -1 : 1;
	return a->cgid < b->cgid ? -1 : a->cgid > b->cgid;
}

/* An end may have been lost, or be in a part of a ring that was copied too early to have it. */
static int list_nows(struct ktrc_throttle *view)
{
	struct ktrc_counters books = ktrc_counter_set_total(&view->capture->after, view->event->id);
	const struct ktrc_throttle_private *priv = view->priv;
	u64 lost = ktrc_counters_lost(&books);
	struct ktrc_throttle_now *now;

	view->nr_nows = 0;
	free(ktrc_steal(view->nows));
	for (size_t i = 0; i < priv->nr_open && !view->why_no_nows; i++) {
		if (!priv->open[i].is_open ||
		    priv->open[i].begin_ticks > view->capture->settled_ticks)
			continue;
		now = ktrc_array_push(view->nows, view->nr_nows);
		if (!now)
			return -ENOMEM;
		*now = priv->open[i];
		now->is_certain = now->is_certain && !lost;
	}
	if (view->nr_nows)
		qsort(view->nows, view->nr_nows, sizeof(*view->nows), by_age);
	return 0;
}

static int count_unnamed(struct ktrc_throttle *view, u64 cgid)
{
	if (!cgid || ktrc_names_find(&view->capture->names, cgid))
		return 0;
	return ktrc_stalls_get(&view->priv->unnamed, cgid, 0) ? 0 : -ENOMEM;
}

static int find_unnamed(struct ktrc_throttle *view)
{
	int ret = 0;

	ktrc_stalls_release(&view->priv->unnamed);
	for (size_t i = 0; ret == 0 && i < view->cgroups.nr; i++) {
		ret = count_unnamed(view, view->cgroups.rows[i]->key.a);
		if (ret == 0)
			ret = count_unnamed(view, view->cgroups.rows[i]->key.b);
	}
	for (size_t i = 0; ret == 0 && i < view->threads.nr; i++)
		ret = count_unnamed(view, view->threads.rows[i]->key.b);
	view->nr_unnamed = view->priv->unnamed.nr;
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
	ret = list_nows(view);
	return ret < 0 ? ret : find_unnamed(view);
}

bool ktrc_throttle_is_empty(const struct ktrc_throttle *view)
{
	return !view->cgroups.nr && !view->threads.nr && !view->nr_nows;
}

double ktrc_throttle_percent(const struct ktrc_throttle *view, u64 ticks)
{
	u64 end = view->capture->end_ticks;

	return end > view->start_ticks ? 100.0 * (double)ticks / (double)(end - view->start_ticks) :
					 0;
}

u64 ktrc_throttle_now_ticks(const struct ktrc_throttle *view, const struct ktrc_throttle_now *now)
{
	u64 settled = view->capture->settled_ticks;

	return settled > now->begin_ticks ? settled - now->begin_ticks : 0;
}

static const struct ktrc_stall_row *find(const struct ktrc_stalls *stalls, u64 a, u64 b)
{
	u32 at = ktrc_index_find(&stalls->index, a, b);

	return at == KTRC_INDEX_NONE ? NULL : stalls->rows[at];
}

const struct ktrc_stall_row *ktrc_throttle_lost(const struct ktrc_throttle *view, u64 limiter)
{
	return find(&view->lost, limiter, 0);
}

u64 ktrc_throttle_nr_threads(const struct ktrc_throttle *view, u64 limiter)
{
	const struct ktrc_stalls *limited = &view->priv->limited;
	u64 nr = 0;

	for (size_t i = 0; i < limited->nr; i++)
		nr += limited->rows[i]->key.a == limiter;
	return nr;
}
