// SPDX-License-Identifier: GPL-2.0-or-later
/* The throttle view: one table for each way to look at what quotas keep off CPUs. */
#include <stdlib.h>

#include "format.h"
#include "stalls.h"

static const struct ktrc_throttle *view_of(const void *data)
{
	return data;
}

static u64 ns(const void *data, u64 ticks)
{
	return ktrc_ticks_to_ns(&view_of(data)->capture->clock, ticks);
}

static struct ktrc_cell ns_cell(const void *data, u64 ticks)
{
	return ktrc_cell_number(ns(data, ticks));
}

static struct ktrc_cell id_cell(u64 cgid)
{
	return cgid ? ktrc_cell_number(cgid) : KTRC_CELL_EMPTY;
}

static struct ktrc_cell path_cell(const void *data, u64 cgid)
{
	return ktrc_cell_cgroup(view_of(data)->capture, cgid);
}

static struct ktrc_cell run_cell(const struct ktrc_stall_row *row)
{
	return row->run ? ktrc_cell_number(row->run) : KTRC_CELL_EMPTY;
}

/* What the rows of three tables have in common, told apart by where they are. */
#define MEASURES(prefix, table)                                                                    \
	static struct ktrc_cell prefix##_p50(const void *data, size_t row)                         \
	{                                                                                          \
		return ns_cell(data,                                                               \
			       ktrc_stall_percentile_ticks(view_of(data)->table.rows[row], 50));   \
	}                                                                                          \
	static struct ktrc_cell prefix##_p99(const void *data, size_t row)                         \
	{                                                                                          \
		return ns_cell(data,                                                               \
			       ktrc_stall_percentile_ticks(view_of(data)->table.rows[row], 99));   \
	}                                                                                          \
	static struct ktrc_cell prefix##_max(const void *data, size_t row)                         \
	{                                                                                          \
		return ns_cell(data, view_of(data)->table.rows[row]->max_ticks);                   \
	}                                                                                          \
	static struct ktrc_cell prefix##_total(const void *data, size_t row)                       \
	{                                                                                          \
		return ns_cell(data, view_of(data)->table.rows[row]->total_ticks);                 \
	}                                                                                          \
	static struct ktrc_cell prefix##_times(const void *data, size_t row)                       \
	{                                                                                          \
		return ktrc_cell_number(view_of(data)->table.rows[row]->stalls);                   \
	}                                                                                          \
	static struct ktrc_cell prefix##_percent(const void *data, size_t row)                     \
	{                                                                                          \
		return ktrc_cell_percent(                                                          \
			ktrc_throttle_percent(data, view_of(data)->table.rows[row]->total_ticks)); \
	}

MEASURES(quota, quotas)
MEASURES(cgroup, cgroups)
MEASURES(thread, threads)

#define MEASURED(prefix, times)                                                            \
	{ times, prefix##_times }, { "p50_ns", prefix##_p50 }, { "p99_ns", prefix##_p99 }, \
		{ "max_ns", prefix##_max }, { "total_ns", prefix##_total },                \
	{                                                                                  \
		"wall_percent", prefix##_percent                                           \
	}

/* ---- by the cgroup whose quota it was ---- */

static const struct ktrc_stall_row *quota_at(const void *data, size_t row)
{
	return view_of(data)->quotas.rows[row];
}

static const struct ktrc_quota *limit_of(const void *data, size_t row)
{
	return ktrc_quotas_find(&view_of(data)->capture->quotas, quota_at(data, row)->key.a);
}

static struct ktrc_cell quota_cgid(const void *data, size_t row)
{
	return id_cell(quota_at(data, row)->key.a);
}

/* one that was taken away since is as unknown as one that nobody has read */
static struct ktrc_cell quota_us(const void *data, size_t row)
{
	const struct ktrc_quota *limit = limit_of(data, row);

	return limit && limit->quota_us ? ktrc_cell_number(limit->quota_us) :
					  ktrc_cell_text("unknown");
}

static struct ktrc_cell period_us(const void *data, size_t row)
{
	const struct ktrc_quota *limit = limit_of(data, row);

	return limit && limit->quota_us ? ktrc_cell_number(limit->period_us) :
					  ktrc_cell_text("unknown");
}

static struct ktrc_cell is_changed(const void *data, size_t row)
{
	const struct ktrc_quota *limit = limit_of(data, row);

	return limit ? ktrc_cell_text(limit->is_changed ? "yes" : "no") : KTRC_CELL_EMPTY;
}

static struct ktrc_cell quota_run(const void *data, size_t row)
{
	return run_cell(quota_at(data, row));
}

static struct ktrc_cell quota_threads(const void *data, size_t row)
{
	return ktrc_cell_number(ktrc_throttle_nr_threads(data, quota_at(data, row)->key.a));
}

static struct ktrc_cell quota_lost(const void *data, size_t row)
{
	const struct ktrc_stall_row *lost = ktrc_throttle_lost(data, quota_at(data, row)->key.a);

	return ns_cell(data, lost ? lost->total_ticks : 0);
}

static struct ktrc_cell quota_path(const void *data, size_t row)
{
	return path_cell(data, quota_at(data, row)->key.a);
}

static const struct ktrc_column quota_columns[] = {
	{ "cgid", quota_cgid },	      { "quota_us", quota_us },	    { "period_us", period_us },
	{ "changed", is_changed },    MEASURED(quota, "intervals"), { "longest_run", quota_run },
	{ "threads", quota_threads }, { "lost_ns", quota_lost },    { "cgroup", quota_path },
};

/* ---- by cgroup and limiter ---- */

static const struct ktrc_stall_row *cgroup_at(const void *data, size_t row)
{
	return view_of(data)->cgroups.rows[row];
}

static struct ktrc_cell cgroup_cgid(const void *data, size_t row)
{
	return id_cell(cgroup_at(data, row)->key.a);
}

static struct ktrc_cell cgroup_run(const void *data, size_t row)
{
	return run_cell(cgroup_at(data, row));
}

static struct ktrc_cell cgroup_path(const void *data, size_t row)
{
	return path_cell(data, cgroup_at(data, row)->key.a);
}

static struct ktrc_cell cgroup_limiter(const void *data, size_t row)
{
	return path_cell(data, cgroup_at(data, row)->key.b);
}

static const struct ktrc_column cgroup_columns[] = {
	{ "cgid", cgroup_cgid },       MEASURED(cgroup, "intervals"), { "longest_run", cgroup_run },
	{ "limiter", cgroup_limiter }, { "cgroup", cgroup_path },
};

/* ---- by thread ---- */

static const struct ktrc_stall_row *thread_at(const void *data, size_t row)
{
	return view_of(data)->threads.rows[row];
}

static struct ktrc_cell thread_pid(const void *data, size_t row)
{
	return ktrc_cell_number(thread_at(data, row)->cgid);
}

static struct ktrc_cell thread_tid(const void *data, size_t row)
{
	return ktrc_cell_number(thread_at(data, row)->key.a);
}

static struct ktrc_cell thread_comm(const void *data, size_t row)
{
	return ktrc_cell_text(thread_at(data, row)->comm);
}

static struct ktrc_cell thread_late(const void *data, size_t row)
{
	return ns_cell(data, thread_at(data, row)->late_ticks);
}

static struct ktrc_cell thread_cgroup(const void *data, size_t row)
{
	return path_cell(data, thread_at(data, row)->key.b);
}

static const struct ktrc_column thread_columns[] = {
	{ "pid", thread_pid },	  { "tid", thread_tid },      { "comm", thread_comm },
	MEASURED(thread, "gaps"), { "late_ns", thread_late }, { "cgroup", thread_cgroup },
};

/* ---- under way ---- */

static const struct ktrc_column now_columns[] = {
	{ "lasts_ns", ktrc_now_lasts_ns }, { "certain", ktrc_now_certain },
	{ "cgid", ktrc_now_cgid },	   { "cpu", ktrc_now_cpu },
	{ "limiter", ktrc_now_limiter },   { "cgroup", ktrc_now_cgroup },
};

/* ---- all of them ---- */

enum { NR_TABLES = 4 };

struct tables {
	struct ktrc_table at[NR_TABLES];
};

static void make_tables(struct tables *tables, const struct ktrc_throttle *view)
{
	size_t i = 0;

	tables->at[i++] =
		KTRC_TABLE("by quota: cgroups whose own was used up, on all CPUs together",
			   "quotas", quota_columns, view->quotas.nr, view);
	tables->at[i++] = KTRC_TABLE("by cgroup, and by the one whose quota it was", "cgroups",
				     cgroup_columns, view->cgroups.nr, view);
	tables->at[i++] = KTRC_TABLE(
		"by thread: ready, but its cgroup kept off; late: then waiting for the CPU",
		"threads", thread_columns, view->threads.nr, view);
	tables->at[i++] = KTRC_TABLE("kept off at the end", "under_way", now_columns,
				     view->under_way.nr, &view->under_way);
}

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static void set_json(const struct ktrc_throttle *view, json_t *object,
		     const struct ktrc_output *out)
{
	struct tables tables;

	make_tables(&tables, view);
	json_object_set_new(object, "intervals", json_integer((json_int_t)view->all->stalls));
	json_object_set_new(object, "total_ns",
			    json_integer((json_int_t)ns(view, view->all->total_ticks)));
	json_object_set_new(object, "longest_run",
			    view->all->run ? json_integer((json_int_t)view->all->run) :
					     json_null());
	json_object_set_new(object, "left_out", json_integer((json_int_t)view->left_out));
	json_object_set_new(object, "unnamed_cgroups", json_integer((json_int_t)view->nr_unnamed));
	json_object_set_new(object, "why_threads_unknown", text_or_null(view->why_no_gaps));
	json_object_set_new(object, "why_under_way_unknown",
			    text_or_null(view->under_way.why_unknown));
	ktrc_tables_set_json(tables.at, NR_TABLES, object, out);
}

static void print_notes(const struct ktrc_throttle *view, FILE *file)
{
	if (view->why_no_gaps)
		fprintf(file, "which threads lost how much is not known: %s\n", view->why_no_gaps);
	if (view->under_way.why_unknown)
		fprintf(file, "who is kept off at the end is not known: %s\n",
			view->under_way.why_unknown);
	if (view->left_out)
		fprintf(file,
			"%llu older intervals are left out: other CPUs do not reach back that far\n",
			view->left_out);
	if (view->nr_unnamed)
		fprintf(file, "cgroups without a name: %llu; their ids are shown\n",
			view->nr_unnamed);
}

static void print_text(const struct ktrc_throttle *view, const struct ktrc_output *out)
{
	char total[KTRC_TEXT_ROOM];
	struct tables tables;

	make_tables(&tables, view);
	ktrc_print_head(view->capture, view->event->label, view->start_ticks, out);
	if (out->has_header)
		fprintf(out->file,
			"%llu times a quota was used up on a CPU, %s of all CPUs together, "
			"%llu periods in a row at most\n",
			view->all->stalls, ktrc_text_ns(ns(view, view->all->total_ticks), total),
			view->all->run);
	ktrc_print_filter(view->capture, out);
	ktrc_tables_print(tables.at, NR_TABLES, out);
	if (out->has_header)
		print_notes(view, out->file);
}

void ktrc_print_throttle(const struct ktrc_throttle *view, enum ktrc_output_format format,
			 const struct ktrc_output *out)
{
	struct tables tables;
	json_t *document;

	if (format == KTRC_OUT_JSON) {
		document = ktrc_json_document("ktrc.throttle/1", view->capture, view->start_ticks);
		set_json(view, document, out);
		ktrc_print_json(document, out);
		return;
	}
	if (format != KTRC_OUT_NDJSON) {
		print_text(view, out);
		return;
	}
	make_tables(&tables, view);
	ktrc_tables_print_ndjson(tables.at, NR_TABLES, out);
	ktrc_print_ndjson_end(view->capture, view->start_ticks, out);
}
