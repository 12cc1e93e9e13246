// SPDX-License-Identifier: GPL-2.0-or-later
/* The reclaim view: one table for each way to look at stalls. */
#include <stdlib.h>

#include "../lib/kernel.h"
#include "format.h"

/* What a table of stalls is made of. */
struct stalls_data {
	const struct ktrc_reclaim *view;
	const struct ktrc_stalls *stalls;
};

static const struct ktrc_stall_row *row_at(const void *data, size_t row)
{
	return ((const struct stalls_data *)data)->stalls->rows[row];
}

static const struct ktrc_reclaim *view_of(const void *data)
{
	return ((const struct stalls_data *)data)->view;
}

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

static struct ktrc_cell gfp_cell(const struct ktrc_reclaim *view, u32 gfp)
{
	static char room[KTRC_GFP_ROOM];

	return ktrc_cell_text(ktrc_gfp_text(view->capture->kernel, gfp, room));
}

static struct ktrc_cell kind(const void *data, size_t row)
{
	return kind_cell(view_of(data), row_at(data, row)->key.a);
}

static struct ktrc_cell kind_of_cgroup(const void *data, size_t row)
{
	return kind_cell(view_of(data), row_at(data, row)->key.b);
}

static struct ktrc_cell order(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->key.a);
}

static struct ktrc_cell gfp(const void *data, size_t row)
{
	return gfp_cell(view_of(data), (u32)row_at(data, row)->key.b);
}

static struct ktrc_cell cgid(const void *data, size_t row)
{
	u64 number = row_at(data, row)->key.a;

	return number ? ktrc_cell_number(number) : KTRC_CELL_EMPTY;
}

static struct ktrc_cell cgroup(const void *data, size_t row)
{
	return ktrc_cell_cgroup(view_of(data)->capture, row_at(data, row)->key.a);
}

static struct ktrc_cell pid(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->key.a);
}

static struct ktrc_cell comm(const void *data, size_t row)
{
	return ktrc_cell_text(row_at(data, row)->comm);
}

static struct ktrc_cell cgroup_of_process(const void *data, size_t row)
{
	return ktrc_cell_cgroup(view_of(data)->capture, row_at(data, row)->cgid);
}

static struct ktrc_cell nr_stalls(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->stalls);
}

static struct ktrc_cell pages(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->pages);
}

static struct ktrc_cell p50_ns(const void *data, size_t row)
{
	return ktrc_cell_number(
		ns(view_of(data), ktrc_stall_percentile_ticks(row_at(data, row), 50)));
}

static struct ktrc_cell p99_ns(const void *data, size_t row)
{
	return ktrc_cell_number(
		ns(view_of(data), ktrc_stall_percentile_ticks(row_at(data, row), 99)));
}

static struct ktrc_cell max_ns(const void *data, size_t row)
{
	return ktrc_cell_number(ns(view_of(data), row_at(data, row)->max_ticks));
}

static struct ktrc_cell total_ns(const void *data, size_t row)
{
	return ktrc_cell_number(ns(view_of(data), row_at(data, row)->total_ticks));
}

static struct ktrc_cell wall_percent(const void *data, size_t row)
{
	return ktrc_cell_percent(
		ktrc_reclaim_percent(view_of(data), row_at(data, row)->total_ticks));
}

#define MEASURES                                                                                 \
	{ "stalls", nr_stalls }, { "pages", pages }, { "p50_ns", p50_ns }, { "p99_ns", p99_ns }, \
		{ "max_ns", max_ns }, { "total_ns", total_ns },                                  \
	{                                                                                        \
		"wall_percent", wall_percent                                                     \
	}

static const struct ktrc_column kind_columns[] = { { "kind", kind }, MEASURES };
static const struct ktrc_column request_columns[] = { { "order", order },
						      MEASURES,
						      { "gfp", gfp } };
static const struct ktrc_column cgroup_columns[] = { { "cgid", cgid },
						     { "kind", kind_of_cgroup },
						     MEASURES,
						     { "cgroup", cgroup } };
static const struct ktrc_column process_columns[] = { { "pid", pid },
						      { "comm", comm },
						      MEASURES,
						      { "cgroup", cgroup_of_process } };

/* ---- under way ---- */

static const struct ktrc_stall_now *now_at(const void *data, size_t row)
{
	return &((const struct ktrc_reclaim *)data)->nows[row];
}

static struct ktrc_cell now_since_ns(const void *data, size_t row)
{
	return ktrc_cell_number(ns(data, ktrc_stall_now_ticks(data, now_at(data, row))));
}

static struct ktrc_cell now_certain(const void *data, size_t row)
{
	return ktrc_cell_text(now_at(data, row)->is_certain ? "yes" : "no");
}

static struct ktrc_cell now_pid(const void *data, size_t row)
{
	return ktrc_cell_number(now_at(data, row)->pid);
}

static struct ktrc_cell now_tid(const void *data, size_t row)
{
	return ktrc_cell_number(now_at(data, row)->tid);
}

static struct ktrc_cell now_comm(const void *data, size_t row)
{
	return ktrc_cell_text(now_at(data, row)->comm);
}

static struct ktrc_cell now_kind(const void *data, size_t row)
{
	return kind_cell(data, now_at(data, row)->kind);
}

static struct ktrc_cell now_order(const void *data, size_t row)
{
	return ktrc_cell_number(now_at(data, row)->order);
}

static struct ktrc_cell now_gfp(const void *data, size_t row)
{
	return gfp_cell(data, now_at(data, row)->gfp);
}

static struct ktrc_cell now_cgroup(const void *data, size_t row)
{
	const struct ktrc_reclaim *view = data;

	return ktrc_cell_cgroup(view->capture, now_at(data, row)->cgid);
}

static const struct ktrc_column now_columns[] = {
	{ "lasts_ns", now_since_ns }, { "certain", now_certain }, { "pid", now_pid },
	{ "tid", now_tid },	      { "comm", now_comm },	  { "kind", now_kind },
	{ "order", now_order },	      { "gfp", now_gfp },	  { "cgroup", now_cgroup },
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

static struct ktrc_cell kswapd_wakes(const void *data, size_t row)
{
	return ktrc_cell_number(kswapd_at(data, row)->wakes);
}

static struct ktrc_cell kswapd_sleeps(const void *data, size_t row)
{
	return ktrc_cell_number(kswapd_at(data, row)->sleeps);
}

static struct ktrc_cell kswapd_max_order(const void *data, size_t row)
{
	return ktrc_cell_number(kswapd_at(data, row)->max_order);
}

static struct ktrc_cell kswapd_awake_ns(const void *data, size_t row)
{
	return ktrc_cell_number(ns(data, ktrc_kswapd_awake_ticks(data, kswapd_at(data, row))));
}

static struct ktrc_cell kswapd_awake(const void *data, size_t row)
{
	return ktrc_cell_percent(
		ktrc_reclaim_percent(data, ktrc_kswapd_awake_ticks(data, kswapd_at(data, row))));
}

static const struct ktrc_column kswapd_columns[] = {
	{ "node", kswapd_node },	 { "wakes", kswapd_wakes },
	{ "sleeps", kswapd_sleeps },	 { "max_order", kswapd_max_order },
	{ "awake_ns", kswapd_awake_ns }, { "awake_percent", kswapd_awake },
};

/* ---- all of them ---- */

enum { NR_STALL_TABLES = 4, NR_TABLES = 6 };

/* The tables of a view, with what they point to. */
struct tables {
	struct stalls_data data[NR_STALL_TABLES];
	struct ktrc_table at[NR_TABLES];
	const char *title[NR_TABLES];
};

#define TABLE(title_, name_, columns_, nr, data_)                                          \
	do {                                                                               \
		tables->title[i] = title_;                                                 \
		tables->at[i++] = (struct ktrc_table){ .name = name_,                      \
						       .columns = columns_,                \
						       .nr_columns = ARRAY_SIZE(columns_), \
						       .nr_rows = nr,                      \
						       .data = data_ };                    \
	} while (0)

static void make_tables(struct tables *tables, const struct ktrc_reclaim *view)
{
	size_t i = 0;

	tables->data[0] = (struct stalls_data){ view, &view->kinds };
	tables->data[1] = (struct stalls_data){ view, &view->requests };
	tables->data[2] = (struct stalls_data){ view, &view->cgroups };
	tables->data[3] = (struct stalls_data){ view, &view->processes };
	TABLE("by kind", "kinds", kind_columns, view->kinds.nr, &tables->data[0]);
	TABLE("by order and gfp", "requests", request_columns, view->requests.nr, &tables->data[1]);
	TABLE("by cgroup: the one that is short (memcg), else the task's", "cgroups",
	      cgroup_columns, view->cgroups.nr, &tables->data[2]);
	TABLE("by process", "processes", process_columns, view->processes.nr, &tables->data[3]);
	TABLE("under way at the end", "under_way", now_columns, view->nr_nows, view);
	TABLE("kswapd", "kswapd", kswapd_columns, view->nr_kswapd, view);
}

void ktrc_reclaim_set_json(const struct ktrc_reclaim *view, json_t *object,
			   const struct ktrc_output *out)
{
	struct tables tables;

	make_tables(&tables, view);
	json_object_set_new(object, "stalls", json_integer((json_int_t)view->all->stalls));
	json_object_set_new(object, "pages", json_integer((json_int_t)view->all->pages));
	json_object_set_new(object, "total_ns",
			    json_integer((json_int_t)ns(view, view->all->total_ticks)));
	json_object_set_new(object, "left_out", json_integer((json_int_t)view->left_out));
	json_object_set_new(object, "unnamed_cgroups", json_integer((json_int_t)view->nr_unnamed));
	json_object_set_new(object, "why_under_way_unknown",
			    view->why_no_nows ? json_string(view->why_no_nows) : json_null());
	for (size_t i = 0; i < NR_TABLES; i++)
		json_object_set_new(object, tables.at[i].name, ktrc_table_rows(&tables.at[i], out));
}

static void print_notes(const struct ktrc_reclaim *view, FILE *file)
{
	if (view->why_no_nows)
		fprintf(file, "which stalls are under way is not known: %s\n", view->why_no_nows);
	if (view->left_out)
		fprintf(file,
			"%llu older stalls are left out: other CPUs do not reach back that far\n",
			view->left_out);
	if (view->nr_unnamed)
		fprintf(file, "cgroups without a name: %llu; their ids are shown\n",
			view->nr_unnamed);
}

static void print_text(const struct ktrc_reclaim *view, const struct ktrc_output *out)
{
	char room[KTRC_TEXT_ROOM], total[KTRC_TEXT_ROOM], overhead[KTRC_TEXT_ROOM];
	struct tables tables;

	make_tables(&tables, view);
	if (out->has_header)
		fprintf(out->file,
			"%s  %s  lost %llu  %s\n%llu stalls, %s of all threads together, %llu pages\n",
			view->event->label,
			ktrc_text_window(view->capture, view->start_ticks, room),
			ktrc_capture_lost(view->capture),
			ktrc_text_overhead(view->capture, overhead), view->all->stalls,
			ktrc_text_ns(ns(view, view->all->total_ticks), total), view->all->pages);
	ktrc_print_filter(view->capture, out);
	for (size_t i = 0; i < NR_TABLES; i++) {
		if (!tables.at[i].nr_rows)
			continue;
		if (out->has_header)
			fprintf(out->file, "\n%s\n", tables.title[i]);
		ktrc_table_print(&tables.at[i], out);
	}
	if (out->has_header)
		print_notes(view, out->file);
}

void ktrc_print_reclaim(const struct ktrc_reclaim *view, enum ktrc_output_format format,
			const struct ktrc_output *out)
{
	struct tables tables;
	json_t *document;

	if (format == KTRC_OUT_JSON) {
		document = ktrc_json_document("ktrc.reclaim/1", view->capture, view->start_ticks);
		ktrc_reclaim_set_json(view, document, out);
		ktrc_print_json(document, out);
		return;
	}
	if (format != KTRC_OUT_NDJSON) {
		print_text(view, out);
		return;
	}
	make_tables(&tables, view);
	for (size_t i = 0; i < NR_TABLES; i++)
		ktrc_table_print_ndjson(&tables.at[i], out);
	ktrc_print_ndjson_end(view->capture, view->start_ticks, out);
}
