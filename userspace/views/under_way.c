// SPDX-License-Identifier: GPL-2.0-or-later
/* What is under way. */
#include "under_way.h"

#include <errno.h>
#include <stdlib.h>

#include "../lib/array.h"
#include "../lib/cleanup.h"

static const struct {
	const char *no_end;
	const char *no_begin;
	const char *few_ends;
} reasons[] = {
	[KTRC_UNDER_WAY_RECLAIM] = { "the session does not record --events=reclaim",
				     "the session does not record reclaim.begin",
				     "not every stall that ended was recorded" },
	[KTRC_UNDER_WAY_COMPACTION] = { "the session does not record --events=compaction",
					"the session does not record compaction.begin",
					"not every stall that ended was recorded" },
	[KTRC_UNDER_WAY_THROTTLE] = { "the session does not record --events=throttle",
				      "the session does not record throttle.begin",
				      "not every interval that ended was recorded" },
};

/* A begin without an end is under way only if every end becomes a record. */
static const char *why_unknown(const struct ktrc_capture *capture, const struct ktrc_event *end,
			       const struct ktrc_event *begin, enum ktrc_under_way_what what)
{
	if (!end)
		return reasons[what].no_end;
	if (!begin)
		return reasons[what].no_begin;
	if (!ktrc_capture_has_all(capture, end) || !ktrc_capture_has_all(capture, begin))
		return reasons[what].few_ends;
	return NULL;
}

struct ktrc_under_way ktrc_under_way_begin(const struct ktrc_capture *capture,
					   const struct ktrc_event *end,
					   const struct ktrc_event *begin,
					   enum ktrc_under_way_what what)
{
	return (struct ktrc_under_way){
		.capture = capture,
		.event = end,
		.why_unknown = why_unknown(capture, end, begin, what),
	};
}

void ktrc_under_way_release(struct ktrc_under_way *u)
{
	ktrc_index_release(&u->places);
	free(u->open);
	free(u->nows);
	*u = (struct ktrc_under_way){ 0 };
}

struct ktrc_stall_now *ktrc_under_way_open(struct ktrc_under_way *u,
					   const struct ktrc_record *record, u64 start_ticks, u64 a,
					   u64 b)
{
	u32 *at = ktrc_index_get(&u->places, a, b);

	if (at && *at == KTRC_INDEX_NONE && ktrc_array_push(u->open, u->nr_open))
		*at = (u32)u->nr_open - 1;
	if (!at || *at == KTRC_INDEX_NONE)
		return NULL;
	u->open[*at] = (struct ktrc_stall_now){
		.is_open = true,
		.is_certain = record->ticks >= start_ticks,
		.begin_ticks = record->ticks,
	};
	return &u->open[*at];
}

/* By the thread's id alone, as name and cgroup may change in the middle. */
struct ktrc_stall_now *ktrc_under_way_open_task(struct ktrc_under_way *u,
						const struct ktrc_record *record, u64 start_ticks)
{
	const struct ktrc_task *task = record->task;
	struct ktrc_stall_now *now = ktrc_under_way_open(u, record, start_ticks, task->tid, 0);

	if (!now)
		return NULL;
	/* whose task has left the cgroup since then ends unrecorded */
	if (u->capture->session.cgid)
		now->is_certain = false;
	now->pid = task->tgid;
	now->tid = task->tid;
	ktrc_comm_copy(now->comm, task->comm);
	return now;
}

const struct ktrc_stall_now *ktrc_under_way_find(const struct ktrc_under_way *u, u64 a, u64 b)
{
	u32 at = ktrc_index_find(&u->places, a, b);

	return at != KTRC_INDEX_NONE && u->open[at].is_open ? &u->open[at] : NULL;
}

void ktrc_under_way_close(struct ktrc_under_way *u, u64 a, u64 b)
{
	u32 at = ktrc_index_find(&u->places, a, b);

	if (at != KTRC_INDEX_NONE)
		u->open[at].is_open = false;
}

static int by_number(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int by_age(const void *pa, const void *pb)
{
	const struct ktrc_stall_now *a = pa, *b = pb;
	int order = by_number(a->begin_ticks, b->begin_ticks);

	if (!order)
		order = by_number(a->tid, b->tid);
	if (!order)
		order = by_number(a->cgid, b->cgid);
	return order ? order : by_number(a->cpu, b->cpu);
}

/* An end may have been lost, or be in a part of a ring that was copied too early to have it. */
int ktrc_under_way_list(struct ktrc_under_way *u)
{
	struct ktrc_stall_now *now;
	u64 lost;

	u->nr = 0;
	free(ktrc_steal(u->nows));
	if (u->why_unknown)
		return 0;
	lost = ktrc_capture_lost_of(u->capture, u->event);
	for (size_t i = 0; i < u->nr_open; i++) {
		if (!u->open[i].is_open || u->open[i].begin_ticks > u->capture->settled_ticks)
			continue;
		now = ktrc_array_push(u->nows, u->nr);
		if (!now)
			return -ENOMEM;
		*now = u->open[i];
		now->is_certain = now->is_certain && !lost;
	}
	if (u->nr)
		qsort(u->nows, u->nr, sizeof(*u->nows), by_age);
	return 0;
}

int ktrc_under_way_add_unnamed(const struct ktrc_under_way *u, const struct ktrc_stalls *cgroups,
			       const struct ktrc_stalls *processes, struct ktrc_stalls *unnamed)
{
	const struct ktrc_names *names = &u->capture->names;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < cgroups->nr; i++)
		ret = ktrc_stalls_add_unnamed(unnamed, names, cgroups->rows[i]->key.a);
	for (size_t i = 0; ret == 0 && i < processes->nr; i++)
		ret = ktrc_stalls_add_unnamed(unnamed, names, processes->rows[i]->cgid);
	for (size_t i = 0; ret == 0 && i < u->nr; i++)
		ret = ktrc_stalls_add_unnamed(unnamed, names, u->nows[i].cgid);
	return ret;
}

u64 ktrc_stall_now_ticks(const struct ktrc_capture *capture, const struct ktrc_stall_now *now)
{
	u64 settled = capture->settled_ticks;

	return settled > now->begin_ticks ? settled - now->begin_ticks : 0;
}
