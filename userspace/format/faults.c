// SPDX-License-Identifier: GPL-2.0-or-later
/* The faults view: one table for each way to look at faults. */
#include "format.h"

static const struct ktrc_fault_row *row_at(const void *data, size_t row)
{
	return ((const struct ktrc_faults_data *)data)->rows->at[row];
}

static const struct ktrc_faults *faults_of(const void *data)
{
	return ((const struct ktrc_faults_data *)data)->faults;
}

static struct ktrc_cell ticks_cell(const void *data, u64 ticks)
{
	const struct ktrc_faults *faults = faults_of(data);

	if (!faults->has_duration)
		return KTRC_CELL_EMPTY;
	return ktrc_cell_number(ktrc_ticks_to_ns(&faults->capture->clock, ticks));
}

static struct ktrc_cell timed_cell(const void *data, u64 number)
{
	return faults_of(data)->has_duration ? ktrc_cell_number(number) : KTRC_CELL_EMPTY;
}

static struct ktrc_cell pid(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->pid);
}

static struct ktrc_cell cgid(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->key);
}

static struct ktrc_cell comm(const void *data, size_t row)
{
	return ktrc_cell_text(row_at(data, row)->comm);
}

static struct ktrc_cell nr_faults(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->faults);
}

static struct ktrc_cell user(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->by_mode[KTRC_FAULT_USER]);
}

static struct ktrc_cell kernel(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->by_mode[KTRC_FAULT_KERNEL]);
}

static struct ktrc_cell gup(const void *data, size_t row)
{
	return timed_cell(data, row_at(data, row)->by_mode[KTRC_FAULT_GUP]);
}

static struct ktrc_cell write_faults(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->writes);
}

static struct ktrc_cell major(const void *data, size_t row)
{
	return timed_cell(data, row_at(data, row)->majors);
}

static struct ktrc_cell failed(const void *data, size_t row)
{
	return timed_cell(data, row_at(data, row)->failed);
}

static struct ktrc_cell unfinished(const void *data, size_t row)
{
	return timed_cell(data, row_at(data, row)->unfinished);
}

static struct ktrc_cell avg_ns(const void *data, size_t row)
{
	const struct ktrc_fault_row *r = row_at(data, row);

	return ticks_cell(data, r->faults ? r->ended_ticks / r->faults : 0);
}

static struct ktrc_cell p50_ns(const void *data, size_t row)
{
	return ticks_cell(data, ktrc_faults_percentile_ticks(row_at(data, row), 50));
}

static struct ktrc_cell p99_ns(const void *data, size_t row)
{
	return ticks_cell(data, ktrc_faults_percentile_ticks(row_at(data, row), 99));
}

static struct ktrc_cell max_ns(const void *data, size_t row)
{
	return ticks_cell(data, row_at(data, row)->max_ticks);
}

static struct ktrc_cell total_ns(const void *data, size_t row)
{
	return ticks_cell(data, row_at(data, row)->ended_ticks);
}

static struct ktrc_cell cpu_percent(const void *data, size_t row)
{
	const struct ktrc_faults *faults = faults_of(data);

	if (!faults->has_duration)
		return KTRC_CELL_EMPTY;
	return ktrc_cell_percent(ktrc_faults_cpu_percent(faults, row_at(data, row)));
}

static struct ktrc_cell cgroup(const void *data, size_t row)
{
	return ktrc_cell_cgroup(faults_of(data)->capture, row_at(data, row)->cgid);
}

/* one that has no name is its number */
static struct ktrc_cell class(const void *data, size_t row)
{
	const struct ktrc_fault_row *r = row_at(data, row);

	return r->class ? ktrc_cell_text(r->class) : ktrc_cell_number(r->key);
}

static struct ktrc_cell process(const void *data, size_t row)
{
	const struct ktrc_fault_rows *processes = &faults_of(data)->processes;
	u32 at = ktrc_index_find(&processes->places, row_at(data, row)->key, 0);

	return at == KTRC_INDEX_NONE ? KTRC_CELL_EMPTY : ktrc_cell_text(processes->at[at]->comm);
}

/* As /proc/PID/maps shows them. */
static struct ktrc_cell mapping(const void *data, size_t row)
{
	static const char *const kinds[KTRC_NR_AREA_KINDS] = {
		[KTRC_AREA_FILE] = "[file]",	     [KTRC_AREA_ANON] = "[anon]",
		[KTRC_AREA_SHARED] = "[anon_shmem]", [KTRC_AREA_HEAP] = "[heap]",
		[KTRC_AREA_STACK] = "[stack]",
	};
	const struct ktrc_capture *capture = faults_of(data)->capture;
	const struct ktrc_area *area = &row_at(data, row)->area;
	const char *path = NULL;

	if (area->file)
		path = ktrc_mapped_path(&capture->mapped, &capture->names, area->file);
	return ktrc_cell_text(path ? path : kinds[area->kind]);
}

/* clang-format off */
#define MEASURES                                                                         \
	{ "faults", nr_faults }, { "user", user }, { "kernel", kernel }, { "gup", gup }, \
	{ "write", write_faults }, { "major", major }, { "failed", failed },             \
	{ "unfinished", unfinished }, { "avg_ns", avg_ns }, { "p50_ns", p50_ns },        \
	{ "p99_ns", p99_ns }, { "max_ns", max_ns }, { "total_ns", total_ns },            \
	{ "cpu_percent", cpu_percent }
/* clang-format on */

static const struct ktrc_column process_columns[] = {
	{ "pid", pid },
	{ "comm", comm },
	MEASURES,
	{ "cgroup", cgroup },
};
static const struct ktrc_column cgroup_columns[] = {
	{ "cgid", cgid },
	MEASURES,
	{ "cgroup", cgroup },
};
static const struct ktrc_column class_columns[] = {
	{ "class", class },
	MEASURES,
};

static const struct ktrc_column mapping_columns[] = {
	{ "pid", pid },
	{ "comm", process },
	MEASURES,
	{ "mapping", mapping },
};

struct ktrc_table ktrc_faults_table(const struct ktrc_faults *faults, struct ktrc_faults_data *data)
{
	*data = (struct ktrc_faults_data){ faults, &faults->processes };
	return KTRC_TABLE("by process", "processes", process_columns, faults->processes.nr, data);
}

enum { NR_TABLES = 4 };

/* The tables of a view, with what they point to. */
struct tables {
	struct ktrc_faults_data data[NR_TABLES];
	struct ktrc_table at[NR_TABLES];
};

static void make_tables(struct tables *tables, const struct ktrc_faults *faults)
{
	tables->at[0] = ktrc_faults_table(faults, &tables->data[0]);
	tables->data[1] = (struct ktrc_faults_data){ faults, &faults->cgroups };
	tables->at[1] = KTRC_TABLE("by cgroup", "cgroups", cgroup_columns, faults->cgroups.nr,
				   &tables->data[1]);
	tables->data[2] = (struct ktrc_faults_data){ faults, &faults->classes };
	tables->at[2] = KTRC_TABLE("by class", "classes", class_columns, faults->classes.nr,
				   &tables->data[2]);
	tables->data[3] = (struct ktrc_faults_data){ faults, &faults->mappings };
	tables->at[3] = KTRC_TABLE("by mapping", "mappings", mapping_columns, faults->mappings.nr,
				   &tables->data[3]);
}

json_t *ktrc_faults_saturated_json(const struct ktrc_faults *faults)
{
	return faults->has_duration ? json_integer((json_int_t)faults->saturated) : json_null();
}

static void print_text(const struct ktrc_faults *faults, const struct ktrc_output *out)
{
	struct tables tables;

	make_tables(&tables, faults);
	ktrc_print_head(faults->capture, faults->event->label, faults->start_ticks, out);
	ktrc_print_filter(faults->capture, out);
	ktrc_tables_print(tables.at, NR_TABLES, out);
	ktrc_print_left_out(faults->left_out, "faults", out);
	if (out->has_header && faults->nr_short)
		fprintf(out->file,
			"%llu faults are left out: what they waited is shorter than what is recorded, or gone\n",
			faults->nr_short);
}

static json_t *to_json(const struct ktrc_faults *faults, const struct ktrc_output *out)
{
	json_t *document =
		ktrc_json_document("ktrc.faults/1", faults->capture, faults->start_ticks);
	struct tables tables;

	make_tables(&tables, faults);
	json_object_set_new(document, "event", json_string(faults->event->label));
	ktrc_json_set_number(document, "left_out", faults->left_out);
	ktrc_json_set_number(document, "nr_short", faults->nr_short);
	json_object_set_new(document, "saturated", ktrc_faults_saturated_json(faults));
	json_object_set_new(document, "why_durations_unknown",
			    ktrc_json_text_or_null(ktrc_faults_why_no_durations(faults)));
	json_object_set_new(document, "why_mappings_unknown",
			    ktrc_json_text_or_null(faults->why_no_mappings));
	ktrc_tables_set_json(tables.at, NR_TABLES, document, out);
	return document;
}

void ktrc_print_faults(const struct ktrc_faults *faults, enum ktrc_output_format format,
		       const struct ktrc_output *out)
{
	if (format == KTRC_OUT_TEXT)
		print_text(faults, out);
	else
		ktrc_print_document(to_json(faults, out), format, out);
}
