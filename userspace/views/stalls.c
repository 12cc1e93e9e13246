// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows by key. */
#include "stalls.h"

#include <errno.h>
#include <stdlib.h>

#include "../lib/array.h"

struct ktrc_stall_row *ktrc_stalls_get(struct ktrc_stalls *stalls, u64 a, u64 b)
{
	u32 *at = ktrc_index_get(&stalls->index, a, b);
	struct ktrc_stall_row *row, **slot;

	if (!at)
		return NULL;
	if (*at != KTRC_INDEX_NONE)
		return stalls->rows[*at];
	row = calloc(1, sizeof(*row));
	slot = row ? ktrc_array_push(stalls->rows, stalls->nr) : NULL;
	if (!slot) {
		free(row);
		return NULL;
	}
	row->key = (struct ktrc_stall_key){ a, b };
	*slot = row;
	*at = (u32)stalls->nr - 1;
	return row;
}

const struct ktrc_stall_row *ktrc_stalls_find(const struct ktrc_stalls *stalls, u64 a, u64 b)
{
	u32 at = ktrc_index_find(&stalls->index, a, b);

	return at == KTRC_INDEX_NONE ? NULL : stalls->rows[at];
}

struct ktrc_stall_row *ktrc_stalls_get_process(struct ktrc_stalls *stalls,
					       const struct ktrc_task *task, u64 b)
{
	struct ktrc_stall_row *row = ktrc_stalls_get(stalls, task->process, b);

	if (!row)
		return NULL;
	row->pid = task->tgid;
	if (task->tid == task->tgid || !row->comm[0]) {
		ktrc_comm_copy(row->comm, task->comm);
		row->cgid = task->cgid;
	}
	return row;
}

int ktrc_stalls_add_unnamed(struct ktrc_stalls *unnamed, const struct ktrc_names *names, u64 cgid)
{
	if (!cgid || ktrc_names_find(names, cgid))
		return 0;
	return ktrc_stalls_get(unnamed, cgid, 0) ? 0 : -ENOMEM;
}

void ktrc_stall_destroy(struct ktrc_stall_row *row)
{
	if (!row)
		return;
	ktrc_hist_release(&row->hist);
	free(row);
}

void ktrc_stalls_release(struct ktrc_stalls *stalls)
{
	for (size_t i = 0; i < stalls->nr; i++)
		ktrc_stall_destroy(stalls->rows[i]);
	free(stalls->rows);
	ktrc_index_release(&stalls->index);
	*stalls = (struct ktrc_stalls){ 0 };
}

static int by_time(const void *pa, const void *pb)
{
	const struct ktrc_stall_row *a = *(void *const *)pa, *b = *(void *const *)pb;

	if (a->total_ticks != b->total_ticks)
		return a->total_ticks < b->total_ticks ? 1 : -1;
	if (a->stalls != b->stalls)
		return a->stalls < b->stalls ? 1 : -1;
	if (a->key.a != b->key.a)
		return a->key.a < b->key.a ? -1 : 1;
	return a->key.b < b->key.b ? -1 : a->key.b > b->key.b;
}

void ktrc_stalls_sort(struct ktrc_stalls *stalls)
{
	if (!stalls->nr)
		return;
	qsort(stalls->rows, stalls->nr, sizeof(struct ktrc_stall_row *), by_time);
	/* every key is there, so none needs memory */
	for (size_t i = 0; i < stalls->nr; i++)
		*ktrc_index_get(&stalls->index, stalls->rows[i]->key.a, stalls->rows[i]->key.b) =
			(u32)i;
}

int ktrc_stall_add(struct ktrc_stall_row *row, u64 ticks, u64 pages, u32 weight)
{
	row->records++;
	row->stalls += weight;
	row->pages += pages * weight;
	row->total_ticks += ticks * weight;
	if (ticks > row->max_ticks)
		row->max_ticks = ticks;
	return ktrc_hist_add(&row->hist, ticks);
}

u64 ktrc_stall_percentile_ticks(const struct ktrc_stall_row *row, u32 percent)
{
	u64 ticks = ktrc_hist_percentile(&row->hist, row->records, percent);

	return ticks < row->max_ticks ? ticks : row->max_ticks;
}
