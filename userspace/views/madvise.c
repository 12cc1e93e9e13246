// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting advice. */
#include "madvise.h"

#include <errno.h>
#include <stdlib.h>

#include "../lib/array.h"
#include "../lib/cleanup.h"

struct ktrc_madvise_private {
	const struct ktrc_getter *advice, *dur, *error, *pages, *target, *call;
	u32 weight;
};

/* One call, decoded. */
struct call {
	u64 advice;
	u64 error;
	u64 target;
	u64 how;
	u64 pages;
	u64 ticks;
};

static void resolve(struct ktrc_madvise *view)
{
	struct ktrc_madvise_private *priv = view->priv;

	view->event = ktrc_capture_event(view->capture, "madvise");
	priv->advice = ktrc_event_getter(view->event, "advice");
	priv->dur = ktrc_event_getter(view->event, "dur");
	priv->error = ktrc_event_getter(view->event, "error");
	priv->pages = ktrc_event_getter(view->event, "pages");
	priv->target = ktrc_event_getter(view->event, "target_pid");
	priv->call = ktrc_event_getter(view->event, "call");
	priv->weight = ktrc_capture_weight(view->capture, view->event);
	if (!priv->advice || !priv->dur)
		view->event = NULL;
}

static void destroy(struct ktrc_madvise **view)
{
	ktrc_madvise_destroy(*view);
}

struct ktrc_madvise *ktrc_madvise_create(const struct ktrc_capture *capture)
{
	KTRC_CLEANUP(destroy) struct ktrc_madvise *view = calloc(1, sizeof(*view));

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

void ktrc_madvise_destroy(struct ktrc_madvise *view)
{
	if (!view)
		return;
	ktrc_stalls_release(&view->advices);
	ktrc_stalls_release(&view->processes);
	ktrc_stalls_release(&view->cgroups);
	ktrc_stalls_release(&view->failures);
	ktrc_stalls_release(&view->others);
	ktrc_stall_destroy(view->all);
	free(view->priv);
	free(view);
}

static struct call decode(const struct ktrc_madvise_private *priv, const void *payload)
{
	return (struct call){
		.advice = ktrc_get(priv->advice, payload),
		.error = ktrc_get_or_0(priv->error, payload),
		.target = ktrc_get_or_0(priv->target, payload),
		.how = ktrc_get_or_0(priv->call, payload),
		.pages = ktrc_get_or_0(priv->pages, payload),
		.ticks = ktrc_get(priv->dur, payload),
	};
}

static int count(struct ktrc_stall_row *row, const struct call *c, u32 weight)
{
	if (!row)
		return -ENOMEM;
	row->failed += c->error ? weight : 0;
	return ktrc_stall_add(row, c->ticks, c->pages, weight);
}

static int count_failure(struct ktrc_madvise *view, const struct ktrc_task *task,
			 const struct call *c)
{
	u64 what = ktrc_madvise_pair(c->advice, c->error);

	if (!c->error)
		return 0;
	return count(ktrc_stalls_get_process(&view->failures, task, what), c, view->priv->weight);
}

static int count_other(struct ktrc_madvise *view, const struct ktrc_task *task,
		       const struct call *c)
{
	u64 what = ktrc_madvise_pair(c->advice, c->target);

	if (!c->target || c->target == task->tgid)
		return 0;
	return count(ktrc_stalls_get_process(&view->others, task, what), c, view->priv->weight);
}

int ktrc_madvise_add(struct ktrc_madvise *view, const struct ktrc_record *record)
{
	const struct ktrc_task *task = record->task;
	struct call c;
	int ret;

	if (!view->event || record->event != view->event)
		return 0;
	if (record->ticks < view->start_ticks) {
		view->left_out++;
		return 0;
	}
	c = decode(view->priv, record->payload);
	struct ktrc_stall_row *rows[] = {
		view->all,
		ktrc_stalls_get(&view->advices, c.advice, c.how),
		ktrc_stalls_get_process(&view->processes, task, c.advice),
		ktrc_stalls_get(&view->cgroups, task->cgid, c.advice),
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (count(rows[i], &c, view->priv->weight) < 0)
			return -ENOMEM;
	ret = count_failure(view, task, &c);
	return ret < 0 ? ret : count_other(view, task, &c);
}

void ktrc_madvise_sort(struct ktrc_madvise *view)
{
	ktrc_stalls_sort(&view->advices);
	ktrc_stalls_sort(&view->processes);
	ktrc_stalls_sort(&view->cgroups);
	ktrc_stalls_sort(&view->failures);
	ktrc_stalls_sort(&view->others);
}

const char *ktrc_madvise_name(const struct ktrc_madvise *view, const char *field, u64 number)
{
	const struct ktrc_field *f = ktrc_event_field(view->event, field);

	return f ? ktrc_enum_name(f->enm, number) : NULL;
}
