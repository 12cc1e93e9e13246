// SPDX-License-Identifier: GPL-2.0-or-later
/* The madvise view: one table for each way to look at advice. */
#include "format.h"
#include "stalls.h"

/* What has no name is its number. */
static struct ktrc_cell named(const void *data, const char *field, u64 number)
{
	const char *name = ktrc_madvise_name(ktrc_stalls_view(data), field, number);

	return name ? ktrc_cell_text(name) : ktrc_cell_number(number);
}

static struct ktrc_cell advice(const void *data, size_t row)
{
	return named(data, "advice", ktrc_stalls_row(data, row)->key.a);
}

static struct ktrc_cell call(const void *data, size_t row)
{
	return named(data, "call", ktrc_stalls_row(data, row)->key.b);
}

static struct ktrc_cell advice_beside(const void *data, size_t row)
{
	return named(data, "advice", ktrc_madvise_advice(ktrc_stalls_row(data, row)->key.b));
}

static struct ktrc_cell error(const void *data, size_t row)
{
	return named(data, "error", ktrc_madvise_beside(ktrc_stalls_row(data, row)->key.b));
}

static struct ktrc_cell target(const void *data, size_t row)
{
	return ktrc_cell_number(ktrc_madvise_beside(ktrc_stalls_row(data, row)->key.b));
}

static struct ktrc_cell failed(const void *data, size_t row)
{
	return ktrc_cell_number(ktrc_stalls_row(data, row)->failed);
}

#define MEASURES                                                                               \
	{ "calls", ktrc_stalls_number }, { "pages", ktrc_stalls_pages }, { "failed", failed }, \
		KTRC_STALLS_TIMES

static const struct ktrc_column advice_columns[] = { { "advice", advice },
						     { "call", call },
						     MEASURES };
static const struct ktrc_column process_columns[] = {
	{ "pid", ktrc_stalls_pid },
	{ "comm", ktrc_stalls_comm },
	{ "advice", advice_beside },
	MEASURES,
	{ "cgroup", ktrc_stalls_cgroup_of_process },
};
static const struct ktrc_column cgroup_columns[] = {
	{ "cgid", ktrc_stalls_cgid },
	{ "advice", advice_beside },
	MEASURES,
	{ "cgroup", ktrc_stalls_cgroup },
};
static const struct ktrc_column failure_columns[] = {
	{ "pid", ktrc_stalls_pid },
	{ "comm", ktrc_stalls_comm },
	{ "advice", advice_beside },
	{ "error", error },
	{ "calls", ktrc_stalls_number },
	{ "pages", ktrc_stalls_pages },
	{ "max_ns", ktrc_stalls_max_ns },
	{ "total_ns", ktrc_stalls_total_ns },
	{ "cgroup", ktrc_stalls_cgroup_of_process },
};
static const struct ktrc_column other_columns[] = {
	{ "pid", ktrc_stalls_pid },
	{ "comm", ktrc_stalls_comm },
	{ "target_pid", target },
	{ "advice", advice_beside },
	MEASURES,
	{ "cgroup", ktrc_stalls_cgroup_of_process },
};

enum { NR_TABLES = 5 };

/* The tables of a view, with what they point to. */
struct tables {
	struct ktrc_stalls_data data[NR_TABLES];
	struct ktrc_table at[NR_TABLES];
};

static void make_tables(struct tables *tables, const struct ktrc_madvise *view)
{
	size_t i = 0;

	tables->at[i++] =
		KTRC_STALLS_TABLE("by advice", view, advices, advice_columns, &tables->data[0]);
	tables->at[i++] = KTRC_STALLS_TABLE("by process and advice", view, processes,
					    process_columns, &tables->data[1]);
	tables->at[i++] = KTRC_STALLS_TABLE("by cgroup and advice", view, cgroups, cgroup_columns,
					    &tables->data[2]);
	tables->at[i++] = KTRC_STALLS_TABLE("failed, by process, advice and errno", view, failures,
					    failure_columns, &tables->data[3]);
	tables->at[i++] = KTRC_STALLS_TABLE("about the memory of another process (target_pid)",
					    view, others, other_columns, &tables->data[4]);
}

static u64 total_ns(const struct ktrc_madvise *view)
{
	return ktrc_ticks_to_ns(&view->capture->clock, view->all->total_ticks);
}

static json_t *to_json(const struct ktrc_madvise *view, const struct ktrc_output *out)
{
	json_t *document = ktrc_json_document("ktrc.madvise/1", view->capture, view->start_ticks);
	struct tables tables;

	make_tables(&tables, view);
	ktrc_json_set_number(document, "calls", view->all->stalls);
	ktrc_json_set_number(document, "pages", view->all->pages);
	ktrc_json_set_number(document, "failed", view->all->failed);
	ktrc_json_set_number(document, "total_ns", total_ns(view));
	ktrc_json_set_number(document, "left_out", view->left_out);
	ktrc_tables_set_json(tables.at, NR_TABLES, document, out);
	return document;
}

static void print_text(const struct ktrc_madvise *view, const struct ktrc_output *out)
{
	char total[KTRC_TEXT_ROOM];
	struct tables tables;

	make_tables(&tables, view);
	ktrc_print_head(view->capture, view->event->label, view->start_ticks, out);
	if (out->has_header)
		fprintf(out->file,
			"%llu calls, %s of all threads together, %llu pages; %llu failed\n",
			view->all->stalls, ktrc_text_ns(total_ns(view), total), view->all->pages,
			view->all->failed);
	ktrc_print_filter(view->capture, out);
	ktrc_tables_print(tables.at, NR_TABLES, out);
	ktrc_print_left_out(view->left_out, "calls", out);
}

void ktrc_print_madvise(const struct ktrc_madvise *view, enum ktrc_output_format format,
			const struct ktrc_output *out)
{
	if (format == KTRC_OUT_TEXT)
		print_text(view, out);
	else
		ktrc_print_document(to_json(view, out), format, out);
}
