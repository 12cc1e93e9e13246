// SPDX-License-Identifier: GPL-2.0-or-later
/* Stalls under way. */
#include "under_way.h"

#include <errno.h>
#include <stdlib.h>

#include "../lib/array.h"
#include "../lib/cleanup.h"

/* A begin without an end is a stall under way only if every end becomes a record. */
static const char *why_unknown(const struct ktrc_capture *capture, const struct ktrc_event *end,
			       const struct ktrc_event *begin)
{
	if (!end)
		return "the session records no stalls";
	if (!begin)
		return "the session does not record where stalls begin";
	if (!ktrc_capture_has_all(capture, end) || !ktrc_capture_has_all(capture, begin))
		return "not every stall that ended was recorded";
	return NULL;
}

struct ktrc_under_way ktrc_under_way_begin(const struct ktrc_capture *capture,
					   const struct ktrc_event *end,
					   const struct ktrc_event *begin)
{
	return (struct ktrc_under_way){
		.capture = capture,
		.event = end,
		.why_unknown = why_unknown(capture, end, begin),
	};
}

void ktrc_under_way_release(struct ktrc_under_way *u)
{
	ktrc_index_release(&u->tids);
	free(u->open);
	free(u->nows);
	*u = (struct ktrc_under_way){ 0 };
}

/* The place of a thread's stall; by its id, as name and cgroup may change in the middle. */
static struct ktrc_stall_now *open_slot(struct ktrc_under_way *u, u32 tid)
{
	u32 *at = ktrc_index_get(&u->tids, tid, 0);

	if (at && *at == KTRC_INDEX_NONE && ktrc_array_push(u->open, u->nr_open))
		*at = (u32)u->nr_open - 1;
	return at && *at != KTRC_INDEX_NONE ? &u->open[*at] : NULL;
}

struct ktrc_stall_now *ktrc_under_way_open(struct ktrc_under_way *u,
					   const struct ktrc_record *record, u64 start_ticks)
{
	struct ktrc_stall_now *now = open_slot(u, record->task->tid);

	if (!now)
		return NULL;
	*now = (struct ktrc_stall_now){
		.is_open = true,
		/* whose task has left the cgroup since then ends unrecorded */
		.is_certain = record->ticks >= start_ticks && !u->capture->session.cgid,
		.pid = record->task->tgid,
		.tid = record->task->tid,
		.begin_ticks = record->ticks,
	};
	ktrc_comm_copy(now->comm, record->task->comm);
	return now;
}

void ktrc_under_way_close(struct ktrc_under_way *u, u32 tid)
{
	u32 at = ktrc_index_find(&u->tids, tid, 0);

	if (at != KTRC_INDEX_NONE)
		u->open[at].is_open = false;
}

static int by_age(const void *pa, const void *pb)
{
	const struct ktrc_stall_now *a = pa, *b = pb;

	if (a->begin_ticks != b->begin_ticks)
		return a->begin_ticks < b->begin_ticks ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
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
	struct ktrc_counters books = ktrc_counter_set_total(&u->capture->after, u->event->id);

	lost = ktrc_counters_lost(&books);
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

u64 ktrc_stall_now_ticks(const struct ktrc_capture *capture, const struct ktrc_stall_now *now)
{
	u64 settled = capture->settled_ticks;

	return settled > now->begin_ticks ? settled - now->begin_ticks : 0;
}
