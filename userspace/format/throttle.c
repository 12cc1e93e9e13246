// SPDX-License-Identifier: GPL-2.0-or-later
/* The throttle view: one table for each way to look at what quotas keep off CPUs. */
#include "format.h"
#include "stalls.h"

static u64 ns(const struct ktrc_throttle *view, u64 ticks)
{
	return ktrc_ticks_to_ns(&view->capture->clock, ticks);
}

static struct ktrc_cell ns_cell(const void *data, u64 ticks)
{
	return ktrc_cell_number(ns(ktrc_stalls_view(data), ticks));
}

static struct ktrc_cell max_periods(const void *data, size_t row)
{
	u64 run = ktrc_stalls_row(data, row)->run;

	return run ? ktrc_cell_number(run) : KTRC_CELL_EMPTY;
}

/* ---- by the cgroup whose quota it was ---- */

static const struct ktrc_quota *limit_of(const void *data, size_t row)
{
	const struct ktrc_throttle *view = ktrc_stalls_view(data);

	return ktrc_quotas_find(&view->capture->quotas, ktrc_stalls_row(data, row)->key.a);
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

static const struct ktrc_stall_row *lost_of(const void *data, size_t row)
{
	return ktrc_throttle_lost(ktrc_stalls_view(data), ktrc_stalls_row(data, row)->key.a);
}

static bool has_gaps(const void *data)
{
	const struct ktrc_throttle *view = ktrc_stalls_view(data);

	return view->has_gaps;
}

static struct ktrc_cell nr_threads(const void *data, size_t row)
{
	const struct ktrc_stall_row *lost = lost_of(data, row);

	return has_gaps(data) ? ktrc_cell_number(lost ? lost->threads : 0) : KTRC_CELL_EMPTY;
}

static struct ktrc_cell lost_ns(const void *data, size_t row)
{
	const struct ktrc_stall_row *lost = lost_of(data, row);

	return has_gaps(data) ? ns_cell(data, lost ? lost->total_ticks : 0) : KTRC_CELL_EMPTY;
}

static const struct ktrc_column quota_columns[] = {
	{ "cgid", ktrc_stalls_cgid },
	{ "quota_us", quota_us },
	{ "period_us", period_us },
	{ "changed", is_changed },
	{ "intervals", ktrc_stalls_number },
	KTRC_STALLS_TIMES,
	{ "max_periods", max_periods },
	{ "nr_threads", nr_threads },
	{ "lost_ns", lost_ns },
	{ "cgroup", ktrc_stalls_cgroup },
};

/* ---- by cgroup and limiter, by thread and cgroup ---- */

/* The path of the cgroup that is the key's second number. */
static struct ktrc_cell second_cgroup(const void *data, size_t row)
{
	const struct ktrc_throttle *view = ktrc_stalls_view(data);

	return ktrc_cell_cgroup(view->capture, ktrc_stalls_row(data, row)->key.b);
}

static struct ktrc_cell tid(const void *data, size_t row)
{
	return ktrc_cell_number(ktrc_stalls_row(data, row)->tid);
}

static struct ktrc_cell late_ns(const void *data, size_t row)
{
	return ns_cell(data, ktrc_stalls_row(data, row)->late_ticks);
}

static const struct ktrc_column cgroup_columns[] = {
	{ "cgid", ktrc_stalls_cgid },
	{ "intervals", ktrc_stalls_number },
	KTRC_STALLS_TIMES,
	{ "max_periods", max_periods },
	{ "limiter", second_cgroup },
	{ "cgroup", ktrc_stalls_cgroup },
};
static const struct ktrc_column thread_columns[] = {
	{ "pid", ktrc_stalls_pid },	{ "tid", tid },	   { "comm", ktrc_stalls_comm },
	{ "gaps", ktrc_stalls_number }, KTRC_STALLS_TIMES, { "late_ns", late_ns },
	{ "cgroup", second_cgroup },
};

/* ---- under way ---- */

static const struct ktrc_column now_columns[] = {
	{ "lasts_ns", ktrc_now_lasts_ns }, { "certain", ktrc_now_certain },
	{ "cgid", ktrc_now_cgid },	   { "cpu", ktrc_now_cpu },
	{ "limiter", ktrc_now_limiter },   { "cgroup", ktrc_now_cgroup },
};

/* ---- all of them ---- */

enum { NR_STALL_TABLES = 3, NR_TABLES = 4 };

/* The tables of a view, with what they point to. */
struct tables {
	struct ktrc_stalls_data data[NR_STALL_TABLES];
	struct ktrc_table at[NR_TABLES];
};

static void make_tables(struct tables *tables, const struct ktrc_throttle *view)
{
	size_t i = 0;

	tables->at[i++] = KTRC_STALLS_TABLE(
		"by quota: while a cgroup's own was used up, on all CPUs together", view, quotas,
		quota_columns, &tables->data[0]);
	tables->at[i++] = KTRC_STALLS_TABLE("by cgroup, and by the one whose quota it was", view,
					    cgroups, cgroup_columns, &tables->data[1]);
	tables->at[i++] = KTRC_STALLS_TABLE(
		"by thread: ready, but its cgroup kept off; late: then waiting for the CPU", view,
		threads, thread_columns, &tables->data[2]);
	tables->at[i++] = KTRC_TABLE("kept off at the end", "under_way", now_columns,
				     view->under_way.nr, &view->under_way);
}

/* Records may be of cgroups below the quota's alone: of its own nothing is known then. */
static bool knows_own(const struct ktrc_throttle *view)
{
	return view->all->stalls || !view->cgroups.nr;
}

static json_t *own_to_json(const struct ktrc_throttle *view, u64 sum)
{
	return knows_own(view) ? json_integer((json_int_t)sum) : json_null();
}

static json_t *to_json(const struct ktrc_throttle *view, const struct ktrc_output *out)
{
	json_t *document = ktrc_json_document("ktrc.throttle/1", view->capture, view->start_ticks);
	struct tables tables;

	make_tables(&tables, view);
	json_object_set_new(document, "intervals", own_to_json(view, view->all->stalls));
	json_object_set_new(document, "total_ns",
			    own_to_json(view, ns(view, view->all->total_ticks)));
	json_object_set_new(document, "max_periods",
			    view->all->run ? json_integer((json_int_t)view->all->run) :
					     json_null());
	ktrc_json_set_number(document, "left_out", view->left_out);
	ktrc_json_set_number(document, "unnamed_cgroups", view->nr_unnamed);
	json_object_set_new(document, "why_under_way_unknown",
			    ktrc_json_text_or_null(view->under_way.why_unknown));
	json_object_set_new(document, "not_recorded",
			    ktrc_needs_to_json(view->capture, view->needs));
	ktrc_tables_set_json(tables.at, NR_TABLES, document, out);
	return document;
}

static void print_total(const struct ktrc_throttle *view, FILE *file)
{
	const struct ktrc_stall_row *all = view->all;
	char total[KTRC_TEXT_ROOM];

	if (knows_own(view))
		fprintf(file, "%llu times a quota was used up on a CPU, %s of all CPUs together",
			all->stalls, ktrc_text_ns(ns(view, all->total_ticks), total));
	else
		fprintf(file, "no record is of a cgroup whose own quota was used up");
	if (all->run)
		fprintf(file, "; longest run: one quota, %llu periods in a row, on whichever CPUs",
			all->run);
	fputc('\n', file);
}

static void print_text(const struct ktrc_throttle *view, const struct ktrc_output *out)
{
	struct tables tables;

	make_tables(&tables, view);
	ktrc_print_head(view->capture, view->event->label, view->start_ticks, out);
	if (out->has_header)
		print_total(view, out->file);
	ktrc_print_filter(view->capture, out);
	ktrc_tables_print(tables.at, NR_TABLES, out);
	ktrc_print_left_out(view->left_out, "intervals", out);
	ktrc_print_unnamed(view->nr_unnamed, out);
}

void ktrc_print_throttle(const struct ktrc_throttle *view, enum ktrc_output_format format,
			 const struct ktrc_output *out)
{
	if (format == KTRC_OUT_TEXT)
		print_text(view, out);
	else
		ktrc_print_document(to_json(view, out), format, out);
}
