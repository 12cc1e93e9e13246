// SPDX-License-Identifier: GPL-2.0-or-later
/* The reclaim view: one table for each way to look at stalls. */
#include <stddef.h>
#include <stdlib.h>

#include "format.h"
#include "stalls.h"

static u64 ns(const struct ktrc_reclaim *view, u64 ticks)
{
	return ktrc_ticks_to_ns(&view->capture->clock, ticks);
}

/* A kind of a newer module is its number. */
static struct ktrc_cell kind_cell(const struct ktrc_reclaim *view, u64 kind)
{
	const char *name = ktrc_reclaim_kind(view, kind);

	return name ? ktrc_cell_text(name) : ktrc_cell_number(kind);
}

static struct ktrc_cell kind(const void *data, size_t row)
{
	return kind_cell(ktrc_stalls_view(data), ktrc_stalls_row(data, row)->key.a);
}

static struct ktrc_cell reason(const void *data, size_t row)
{
	u64 number = ktrc_stalls_row(data, row)->key.a;
	const char *name = ktrc_reclaim_reason(ktrc_stalls_view(data), number);

	return name ? ktrc_cell_text(name) : ktrc_cell_number(number);
}

static struct ktrc_cell node_of_reason(const void *data, size_t row)
{
	return ktrc_cell_number(ktrc_stalls_row(data, row)->key.b);
}

static struct ktrc_cell kind_of_cgroup(const void *data, size_t row)
{
	return kind_cell(ktrc_stalls_view(data), ktrc_stalls_row(data, row)->key.b);
}

static const struct ktrc_column kind_columns[] = { { "kind", kind },
						   KTRC_STALLS_MEASURES("reclaimed",
									ktrc_stalls_pages) };
static const struct ktrc_column reason_columns[] = { { "reason", reason },
						     { "node", node_of_reason },
						     { "stalls", ktrc_stalls_number },
						     KTRC_STALLS_TIMES };
static const struct ktrc_column request_columns[] = { { "order", ktrc_stalls_key },
						      KTRC_STALLS_MEASURES("reclaimed",
									   ktrc_stalls_pages),
						      { "gfp_flags", ktrc_stalls_gfp } };
static const struct ktrc_column cgroup_columns[] = { { "cgid", ktrc_stalls_cgid },
						     { "kind", kind_of_cgroup },
						     KTRC_STALLS_MEASURES("reclaimed",
									  ktrc_stalls_pages),
						     { "cgroup", ktrc_stalls_cgroup } };
static const struct ktrc_column process_columns[] = { { "pid", ktrc_stalls_pid },
						      { "comm", ktrc_stalls_comm },
						      KTRC_STALLS_MEASURES("reclaimed",
									   ktrc_stalls_pages),
						      { "cgroup", ktrc_stalls_cgroup_of_process } };

/* ---- shrinkers ---- */

static struct ktrc_cell shrinker(const void *data, size_t row)
{
	const struct ktrc_reclaim *view = ktrc_stalls_view(data);
	u64 number = ktrc_stalls_row(data, row)->key.a;
	const char *function = ktrc_names_shrinker(&view->capture->names, number);

	return function ? ktrc_cell_text(function) : ktrc_cell_number(number);
}

static struct ktrc_cell cgroup_of_shrinker(const void *data, size_t row)
{
	const struct ktrc_reclaim *view = ktrc_stalls_view(data);

	return ktrc_cell_cgroup(view->capture, ktrc_stalls_row(data, row)->key.b);
}

static const struct ktrc_column shrinker_columns[] = { { "shrinker", shrinker },
						       { "calls", ktrc_stalls_number },
						       { "freed", ktrc_stalls_pages },
						       KTRC_STALLS_TIMES,
						       { "cgroup", cgroup_of_shrinker } };

/* ---- under way ---- */

static struct ktrc_cell now_kind(const void *data, size_t row)
{
	const struct ktrc_reclaim *view =
		(const void *)((const char *)data - offsetof(struct ktrc_reclaim, under_way));

	return kind_cell(view, view->under_way.nows[row].kind);
}

static const struct ktrc_column now_columns[] = {
	{ "lasts_ns", ktrc_now_lasts_ns }, { "certain", ktrc_now_certain },
	{ "pid", ktrc_now_pid },	   { "tid", ktrc_now_tid },
	{ "comm", ktrc_now_comm },	   { "kind", now_kind },
	{ "order", ktrc_now_order },	   { "gfp_flags", ktrc_now_gfp },
	{ "cgroup", ktrc_now_cgroup },
};

/* ---- kswapd ---- */

static const struct ktrc_kswapd *kswapd_at(const void *data, size_t row)
{
	return &((const struct ktrc_reclaim *)data)->kswapd[row];
}

static struct ktrc_cell kswapd_node(const void *data, size_t row)
{
	return ktrc_cell_number(kswapd_at(data, row)->node);
}

static bool has_wakes(const void *data)
{
	return ((const struct ktrc_reclaim *)data)->has_wakes;
}

static bool has_sleeps(const void *data)
{
	return ((const struct ktrc_reclaim *)data)->has_sleeps;
}

static struct ktrc_cell kswapd_wakes(const void *data, size_t row)
{
	return has_wakes(data) ? ktrc_cell_number(kswapd_at(data, row)->wakes) : KTRC_CELL_EMPTY;
}

static struct ktrc_cell kswapd_sleeps(const void *data, size_t row)
{
	return has_sleeps(data) ? ktrc_cell_number(kswapd_at(data, row)->sleeps) : KTRC_CELL_EMPTY;
}

static struct ktrc_cell kswapd_max_order(const void *data, size_t row)
{
	const struct ktrc_kswapd *kswapd = kswapd_at(data, row);

	return has_wakes(data) && kswapd->wakes ? ktrc_cell_number(kswapd->max_order) :
						  KTRC_CELL_EMPTY;
}

static struct ktrc_cell kswapd_awake_ns(const void *data, size_t row)
{
	if (!ktrc_reclaim_knows_awake(data))
		return KTRC_CELL_EMPTY;
	return ktrc_cell_number(ns(data, ktrc_kswapd_awake_ticks(data, kswapd_at(data, row))));
}

static struct ktrc_cell kswapd_awake(const void *data, size_t row)
{
	if (!ktrc_reclaim_knows_awake(data))
		return KTRC_CELL_EMPTY;
	return ktrc_cell_percent(
		ktrc_reclaim_percent(data, ktrc_kswapd_awake_ticks(data, kswapd_at(data, row))));
}

static const struct ktrc_column kswapd_columns[] = {
	{ "node", kswapd_node },	 { "wakes", kswapd_wakes },
	{ "sleeps", kswapd_sleeps },	 { "max_order", kswapd_max_order },
	{ "awake_ns", kswapd_awake_ns }, { "awake_percent", kswapd_awake },
};

/* ---- all of them ---- */

enum { NR_STALL_TABLES = 7, NR_TABLES = 9 };

/* The tables of a view, with what they point to. */
struct tables {
	struct ktrc_stalls_data data[NR_STALL_TABLES];
	struct ktrc_table at[NR_TABLES];
};

static void make_tables(struct tables *tables, const struct ktrc_reclaim *view)
{
	size_t i = 0;

	tables->at[i++] = KTRC_STALLS_TABLE("by kind", view, kinds, kind_columns, &tables->data[0]);
	tables->at[i++] = KTRC_STALLS_TABLE("inside of others or of kswapd's work, in no other sum",
					    view, parts, kind_columns, &tables->data[1]);
	tables->at[i++] = KTRC_STALLS_TABLE("vmscan_throttled by reason, of both", view, reasons,
					    reason_columns, &tables->data[2]);
	tables->at[i++] = KTRC_STALLS_TABLE("by order and gfp", view, requests, request_columns,
					    &tables->data[3]);
	tables->at[i++] = KTRC_STALLS_TABLE(
		"by cgroup: the one that is short or was asked (memcg, high, asked), else the task's",
		view, cgroups, cgroup_columns, &tables->data[4]);
	tables->at[i++] =
		KTRC_STALLS_TABLE("by process", view, processes, process_columns, &tables->data[5]);
	tables->at[i++] = KTRC_TABLE("under way at the end", "under_way", now_columns,
				     view->under_way.nr, &view->under_way);
	tables->at[i++] = KTRC_STALLS_TABLE("shrinkers: calls, objects freed", view, shrinkers,
					    shrinker_columns, &tables->data[6]);
	tables->at[i++] = KTRC_TABLE("kswapd", "kswapd", kswapd_columns, view->nr_kswapd, view);
}

void ktrc_reclaim_set_json(const struct ktrc_reclaim *view, json_t *object,
			   const struct ktrc_output *out)
{
	struct tables tables;

	make_tables(&tables, view);
	ktrc_json_set_number(object, "stalls", view->all->stalls);
	ktrc_json_set_number(object, "reclaimed", view->all->pages);
	ktrc_json_set_number(object, "total_ns", ns(view, view->all->total_ticks));
	ktrc_json_set_number(object, "left_out", view->left_out);
	ktrc_json_set_number(object, "unnamed_cgroups", view->nr_unnamed);
	json_object_set_new(object, "why_under_way_unknown",
			    ktrc_json_text_or_null(view->under_way.why_unknown));
	ktrc_tables_set_json(tables.at, NR_TABLES, object, out);
}

static void print_text(const struct ktrc_reclaim *view, const struct ktrc_output *out)
{
	char total[KTRC_TEXT_ROOM];
	struct tables tables;

	make_tables(&tables, view);
	ktrc_print_head(view->capture, view->event->label, view->start_ticks, out);
	if (out->has_header)
		fprintf(out->file, "%llu stalls, %s of all threads together, %llu pages\n",
			view->all->stalls, ktrc_text_ns(ns(view, view->all->total_ticks), total),
			view->all->pages);
	ktrc_print_filter(view->capture, out);
	ktrc_tables_print(tables.at, NR_TABLES, out);
	ktrc_print_left_out(view->left_out, "stalls", out);
	ktrc_print_unnamed(view->nr_unnamed, out);
}

void ktrc_print_reclaim(const struct ktrc_reclaim *view, enum ktrc_output_format format,
			const struct ktrc_output *out)
{
	json_t *document;

	if (format == KTRC_OUT_TEXT) {
		print_text(view, out);
		return;
	}
	document = ktrc_json_document("ktrc.reclaim/1", view->capture, view->start_ticks);
	ktrc_reclaim_set_json(view, document, out);
	json_object_set_new(document, "not_recorded",
			    ktrc_needs_to_json(view->capture, view->needs));
	ktrc_print_document(document, format, out);
}
