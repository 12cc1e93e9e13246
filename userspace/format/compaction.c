// SPDX-License-Identifier: GPL-2.0-or-later
/* The compaction view: one table for each way to look at it. */
#include "format.h"
#include "stalls.h"

static u64 ns(const struct ktrc_compaction *view, u64 ticks)
{
	return ktrc_ticks_to_ns(&view->capture->clock, ticks);
}

/* A value that a newer module has is its number. */
static struct ktrc_cell name_cell(const struct ktrc_compaction *view, const char *enumeration,
				  u64 number)
{
	const char *name = ktrc_compaction_name(view, enumeration, number);

	return name ? ktrc_cell_text(name) : ktrc_cell_number(number);
}

/* ---- stalls ---- */

static struct ktrc_cell cause(const void *data, size_t row)
{
	return ktrc_cell_text(ktrc_cause_name((enum ktrc_cause)ktrc_stalls_row(data, row)->key.a));
}

static struct ktrc_cell status(const void *data, size_t row)
{
	return name_cell(ktrc_stalls_view(data), "compaction_status",
			 ktrc_stalls_row(data, row)->key.a);
}

static struct ktrc_cell prio(const void *data, size_t row)
{
	return name_cell(ktrc_stalls_view(data), "compaction_prio",
			 ktrc_stalls_row(data, row)->key.b);
}

static struct ktrc_cell migrated(const void *data, size_t row)
{
	const struct ktrc_compaction *view = ktrc_stalls_view(data);

	return view->why_no_pages ? KTRC_CELL_EMPTY : ktrc_stalls_pages(data, row);
}

static const struct ktrc_column cause_columns[] = { { "cause", cause },
						    KTRC_STALLS_MEASURES("migrated", migrated) };
static const struct ktrc_column request_columns[] = { { "order", ktrc_stalls_key },
						      KTRC_STALLS_MEASURES("migrated", migrated),
						      { "gfp_flags", ktrc_stalls_gfp } };
static const struct ktrc_column status_columns[] = { { "status", status },
						     { "prio", prio },
						     KTRC_STALLS_MEASURES("migrated", migrated) };
static const struct ktrc_column cgroup_columns[] = { { "cgid", ktrc_stalls_cgid },
						     KTRC_STALLS_MEASURES("migrated", migrated),
						     { "cgroup", ktrc_stalls_cgroup } };
static const struct ktrc_column process_columns[] = { { "pid", ktrc_stalls_pid },
						      { "comm", ktrc_stalls_comm },
						      KTRC_STALLS_MEASURES("migrated", migrated),
						      { "cgroup", ktrc_stalls_cgroup_of_process } };
static const struct ktrc_column now_columns[] = {
	{ "lasts_ns", ktrc_now_lasts_ns }, { "certain", ktrc_now_certain },
	{ "pid", ktrc_now_pid },	   { "tid", ktrc_now_tid },
	{ "comm", ktrc_now_comm },	   { "order", ktrc_now_order },
	{ "gfp_flags", ktrc_now_gfp },	   { "cgroup", ktrc_now_cgroup },
};

/* ---- zones ---- */

static const struct ktrc_zone_row *zone_at(const void *data, size_t row)
{
	return &((const struct ktrc_compaction *)data)->zones[row];
}

static struct ktrc_cell zone_node(const void *data, size_t row)
{
	return ktrc_cell_number(zone_at(data, row)->node);
}

static struct ktrc_cell zone_zone(const void *data, size_t row)
{
	return name_cell(data, "mem_zone", zone_at(data, row)->zone);
}

static struct ktrc_cell zone_origin(const void *data, size_t row)
{
	return name_cell(data, "compaction_origin", zone_at(data, row)->origin);
}

static struct ktrc_cell zone_mode(const void *data, size_t row)
{
	return name_cell(data, "compaction_mode", zone_at(data, row)->mode);
}

static struct ktrc_cell zone_status(const void *data, size_t row)
{
	return name_cell(data, "compaction_status", zone_at(data, row)->status);
}

static struct ktrc_cell zone_attempts(const void *data, size_t row)
{
	return ktrc_cell_number(zone_at(data, row)->attempts);
}

static struct ktrc_cell zone_migrated(const void *data, size_t row)
{
	return ktrc_cell_number(zone_at(data, row)->migrated);
}

static struct ktrc_cell zone_failed(const void *data, size_t row)
{
	return ktrc_cell_number(zone_at(data, row)->failed);
}

static struct ktrc_cell zone_scanned(const void *data, size_t row)
{
	return ktrc_cell_number(zone_at(data, row)->scanned);
}

static struct ktrc_cell zone_max_ns(const void *data, size_t row)
{
	return ktrc_cell_number(ns(data, zone_at(data, row)->max_ticks));
}

static struct ktrc_cell zone_total_ns(const void *data, size_t row)
{
	return ktrc_cell_number(ns(data, zone_at(data, row)->total_ticks));
}

static const struct ktrc_column zone_columns[] = {
	{ "node", zone_node },	       { "zone", zone_zone },
	{ "origin", zone_origin },     { "compaction_mode", zone_mode },
	{ "status", zone_status },     { "nr_attempts", zone_attempts },
	{ "migrated", zone_migrated }, { "failed_pages", zone_failed },
	{ "scanned", zone_scanned },   { "max_ns", zone_max_ns },
	{ "total_ns", zone_total_ns },
};

/* ---- attempts ---- */

static const struct ktrc_attempt *attempt_at(const void *data, size_t row)
{
	return &((const struct ktrc_compaction *)data)->attempts[row];
}

static bool is_stall(const void *data, const struct ktrc_attempt *a)
{
	const struct ktrc_compaction *view = data;

	return !a->is_zone && a->origin == view->stall;
}

static struct ktrc_cell attempt_nr(const void *data, size_t row)
{
	u64 nr = attempt_at(data, row)->nr;

	return nr ? ktrc_cell_number(nr) : KTRC_CELL_EMPTY;
}

static struct ktrc_cell attempt_time(const void *data, size_t row)
{
	const struct ktrc_compaction *view = data;
	static char room[KTRC_TEXT_ROOM];

	return ktrc_cell_text(ktrc_text_stamp(
		ktrc_ticks_to_real_ns(&view->capture->clock, attempt_at(data, row)->end_ticks),
		room));
}

static struct ktrc_cell attempt_pid(const void *data, size_t row)
{
	return ktrc_cell_number(attempt_at(data, row)->pid);
}

static struct ktrc_cell attempt_tid(const void *data, size_t row)
{
	return ktrc_cell_number(attempt_at(data, row)->tid);
}

static struct ktrc_cell attempt_comm(const void *data, size_t row)
{
	return ktrc_cell_text(attempt_at(data, row)->comm);
}

static struct ktrc_cell attempt_origin(const void *data, size_t row)
{
	return name_cell(data, "compaction_origin", attempt_at(data, row)->origin);
}

static struct ktrc_cell attempt_cause(const void *data, size_t row)
{
	const struct ktrc_attempt *a = attempt_at(data, row);

	return is_stall(data, a) ? ktrc_cell_text(ktrc_cause_name(a->cause)) : KTRC_CELL_EMPTY;
}

static struct ktrc_cell attempt_order(const void *data, size_t row)
{
	return ktrc_cell_number(attempt_at(data, row)->order);
}

static struct ktrc_cell attempt_node(const void *data, size_t row)
{
	const struct ktrc_attempt *a = attempt_at(data, row);

	return is_stall(data, a) ? KTRC_CELL_EMPTY : ktrc_cell_number(a->node);
}

static struct ktrc_cell attempt_zone(const void *data, size_t row)
{
	const struct ktrc_attempt *a = attempt_at(data, row);

	return a->is_zone ? name_cell(data, "mem_zone", a->zone) : KTRC_CELL_EMPTY;
}

static struct ktrc_cell attempt_mode(const void *data, size_t row)
{
	const struct ktrc_attempt *a = attempt_at(data, row);

	return a->is_zone ? name_cell(data, "compaction_mode", a->mode) : KTRC_CELL_EMPTY;
}

static struct ktrc_cell attempt_prio(const void *data, size_t row)
{
	const struct ktrc_attempt *a = attempt_at(data, row);

	return is_stall(data, a) ? name_cell(data, "compaction_prio", a->mode) : KTRC_CELL_EMPTY;
}

static struct ktrc_cell attempt_status(const void *data, size_t row)
{
	const struct ktrc_attempt *a = attempt_at(data, row);

	if (!a->is_zone && !is_stall(data, a))
		return KTRC_CELL_EMPTY;
	return name_cell(data, "compaction_status", a->status);
}

/* Of what its zones add up to. */
static struct ktrc_cell sum_cell(const struct ktrc_compaction *view, u64 pages)
{
	return view->why_no_pages ? KTRC_CELL_EMPTY : ktrc_cell_number(pages);
}

/* A run of kcompactd says itself how many it moved. */
static struct ktrc_cell pages_cell(const struct ktrc_compaction *view, size_t row, u64 pages)
{
	return is_stall(view, attempt_at(view, row)) ? sum_cell(view, pages) :
						       ktrc_cell_number(pages);
}

static struct ktrc_cell attempt_migrated(const void *data, size_t row)
{
	return pages_cell(data, row, attempt_at(data, row)->migrated);
}

static struct ktrc_cell attempt_failed(const void *data, size_t row)
{
	return pages_cell(data, row, attempt_at(data, row)->failed);
}

static struct ktrc_cell attempt_scanned(const void *data, size_t row)
{
	const struct ktrc_attempt *a = attempt_at(data, row);

	return a->is_zone ? ktrc_cell_number(a->scanned) : sum_cell(data, a->scanned);
}

static struct ktrc_cell attempt_dur_ns(const void *data, size_t row)
{
	return ktrc_cell_number(ns(data, attempt_at(data, row)->ticks));
}

static const struct ktrc_column attempt_columns[] = {
	{ "nr", attempt_nr },
	{ "time", attempt_time },
	{ "pid", attempt_pid },
	{ "tid", attempt_tid },
	{ "comm", attempt_comm },
	{ "origin", attempt_origin },
	{ "cause", attempt_cause },
	{ "order", attempt_order },
	{ "node", attempt_node },
	{ "zone", attempt_zone },
	{ "compaction_mode", attempt_mode },
	{ "prio", attempt_prio },
	{ "status", attempt_status },
	{ "migrated", attempt_migrated },
	{ "failed_pages", attempt_failed },
	{ "scanned", attempt_scanned },
	{ "dur_ns", attempt_dur_ns },
};

/* ---- kcompactd ---- */

static const struct ktrc_kcompactd *kcompactd_at(const void *data, size_t row)
{
	return &((const struct ktrc_compaction *)data)->kcompactd[row];
}

static struct ktrc_cell kcompactd_node(const void *data, size_t row)
{
	return ktrc_cell_number(kcompactd_at(data, row)->node);
}

static struct ktrc_cell kcompactd_woken(const void *data, size_t row)
{
	return ktrc_cell_number(kcompactd_at(data, row)->woken);
}

static struct ktrc_cell kcompactd_proactive(const void *data, size_t row)
{
	return ktrc_cell_number(kcompactd_at(data, row)->proactive);
}

static struct ktrc_cell kcompactd_migrated(const void *data, size_t row)
{
	return ktrc_cell_number(kcompactd_at(data, row)->migrated);
}

static struct ktrc_cell kcompactd_failed(const void *data, size_t row)
{
	return ktrc_cell_number(kcompactd_at(data, row)->failed);
}

static struct ktrc_cell kcompactd_total_ns(const void *data, size_t row)
{
	return ktrc_cell_number(ns(data, kcompactd_at(data, row)->total_ticks));
}

static const struct ktrc_column kcompactd_columns[] = {
	{ "node", kcompactd_node },	      { "woken", kcompactd_woken },
	{ "proactive", kcompactd_proactive }, { "migrated", kcompactd_migrated },
	{ "failed_pages", kcompactd_failed }, { "total_ns", kcompactd_total_ns },
};

/* ---- fallbacks ---- */

static const struct ktrc_fallback *fallback_at(const void *data, size_t row)
{
	return &((const struct ktrc_compaction *)data)->fallbacks[row];
}

static struct ktrc_cell fallback_kind(const void *data, size_t row)
{
	return name_cell(data, "mem_kind", fallback_at(data, row)->kind);
}

static struct ktrc_cell fallback_block_kind(const void *data, size_t row)
{
	return name_cell(data, "mem_kind", fallback_at(data, row)->block_kind);
}

static struct ktrc_cell fallback_allocations(const void *data, size_t row)
{
	return ktrc_cell_number(fallback_at(data, row)->allocations);
}

static struct ktrc_cell fallback_mixed(const void *data, size_t row)
{
	return ktrc_cell_number(fallback_at(data, row)->mixed);
}

static const struct ktrc_column fallback_columns[] = {
	{ "mem_kind", fallback_kind },
	{ "block_kind", fallback_block_kind },
	{ "allocations", fallback_allocations },
	{ "mixed", fallback_mixed },
};

/* ---- all of them ---- */

enum { NR_STALL_TABLES = 5, NR_TABLES = 10 };

/* The tables of a view, with what they point to. */
struct tables {
	struct ktrc_stalls_data data[NR_STALL_TABLES];
	struct ktrc_table at[NR_TABLES];
	size_t nr;
};

static void make_tables(struct tables *tables, const struct ktrc_compaction *view)
{
	tables->nr = 0;
	tables->at[tables->nr++] =
		KTRC_STALLS_TABLE("by cause, as far as stack, order and flags tell", view, causes,
				  cause_columns, &tables->data[0]);
	tables->at[tables->nr++] = KTRC_STALLS_TABLE("by order and gfp", view, requests,
						     request_columns, &tables->data[1]);
	tables->at[tables->nr++] =
		KTRC_STALLS_TABLE("by status", view, statuses, status_columns, &tables->data[2]);
	tables->at[tables->nr++] = KTRC_STALLS_TABLE("by cgroup of the task", view, cgroups,
						     cgroup_columns, &tables->data[3]);
	tables->at[tables->nr++] =
		KTRC_STALLS_TABLE("by process", view, processes, process_columns, &tables->data[4]);
	tables->at[tables->nr++] = KTRC_TABLE("under way at the end", "under_way", now_columns,
					      view->under_way.nr, &view->under_way);
	tables->at[tables->nr++] = KTRC_TABLE("zones, of stalls and others", "zones", zone_columns,
					      view->nr_zones, view);
	tables->at[tables->nr++] =
		KTRC_TABLE("kcompactd", "kcompactd", kcompactd_columns, view->nr_kcompactd, view);
	tables->at[tables->nr++] =
		KTRC_TABLE("allocations that took a block of another kind of pages", "fallbacks",
			   fallback_columns, view->nr_fallbacks, view);
	if (view->keeps_attempts)
		tables->at[tables->nr++] =
			KTRC_TABLE("zones one by one, each stall and run after its own", "attempts",
				   attempt_columns, view->nr_attempts, view);
}

/* What every zone has to be recorded for. */
static json_t *sum_to_json(const struct ktrc_compaction *view, u64 number)
{
	return view->why_no_pages ? json_null() : json_integer((json_int_t)number);
}

static json_t *to_json(const struct ktrc_compaction *view, const struct ktrc_output *out)
{
	json_t *document =
		ktrc_json_document("ktrc.compaction/1", view->capture, view->start_ticks);
	struct tables tables;

	make_tables(&tables, view);
	ktrc_json_set_number(document, "stalls", view->all->stalls);
	ktrc_json_set_number(document, "counted", view->counted);
	json_object_set_new(document, "migrated", sum_to_json(view, view->all->pages));
	ktrc_json_set_number(document, "total_ns", ns(view, view->all->total_ticks));
	ktrc_json_set_number(document, "left_out", view->left_out);
	json_object_set_new(document, "torn", sum_to_json(view, view->torn));
	ktrc_json_set_number(document, "guessed_causes", view->guessed);
	json_object_set_new(document, "why_causes_guessed",
			    ktrc_json_text_or_null(ktrc_compaction_why_guessed(view)));
	ktrc_json_set_number(document, "unnamed_cgroups", view->nr_unnamed);
	json_object_set_new(document, "why_migrated_unknown",
			    ktrc_json_text_or_null(view->why_no_pages));
	json_object_set_new(document, "why_under_way_unknown",
			    ktrc_json_text_or_null(view->under_way.why_unknown));
	json_object_set_new(document, "not_recorded",
			    ktrc_needs_to_json(view->capture, view->needs));
	ktrc_tables_set_json(tables.at, tables.nr, document, out);
	return document;
}

static void print_total(const struct ktrc_compaction *view, FILE *file)
{
	char total[KTRC_TEXT_ROOM];

	fprintf(file, "%llu stalls, %s of all threads together, ", view->all->stalls,
		ktrc_text_ns(ns(view, view->all->total_ticks), total));
	if (!view->why_no_pages)
		fprintf(file, "%llu pages moved; ", view->all->pages);
	fprintf(file, "%llu of them in compact_stall\n", view->counted);
}

static void print_text(const struct ktrc_compaction *view, const struct ktrc_output *out)
{
	struct tables tables;

	make_tables(&tables, view);
	ktrc_print_head(view->capture, view->event->label, view->start_ticks, out);
	if (out->has_header)
		print_total(view, out->file);
	ktrc_print_filter(view->capture, out);
	ktrc_tables_print(tables.at, tables.nr, out);
	if (out->has_header && view->torn)
		fprintf(out->file,
			"of %llu stalls or runs of kcompactd not every zone was recorded\n",
			view->torn);
	ktrc_print_left_out(view->left_out, "stalls", out);
	ktrc_print_unnamed(view->nr_unnamed, out);
}

void ktrc_print_compaction(const struct ktrc_compaction *view, enum ktrc_output_format format,
			   const struct ktrc_output *out)
{
	if (format == KTRC_OUT_TEXT)
		print_text(view, out);
	else
		ktrc_print_document(to_json(view, out), format, out);
}
