// SPDX-License-Identifier: GPL-2.0-or-later
/* stats: the kernel's counters, which go on whatever happens to the records. */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "lib/capture.h"
#include "lib/cleanup.h"
#include "lib/trace.h"

#define BAR_COLUMNS 40

static const struct ktrc_counters *row_at(const void *data, size_t row)
{
	return &((const struct ktrc_capture *)data)->after.rows[row];
}

static struct ktrc_cell cell_event(const void *data, size_t row)
{
	const struct ktrc_capture *capture = data;
	const struct ktrc_event *event =
		ktrc_schema_event(capture->schema, row_at(data, row)->event);

	return ktrc_cell_text(event ? event->label : NULL);
}

static struct ktrc_cell cell_cpu(const void *data, size_t row)
{
	u32 cpu = row_at(data, row)->cpu;

	return cpu == KTRC_CPU_NONE ? KTRC_CELL_EMPTY : ktrc_cell_number(cpu);
}

static struct ktrc_cell cell_weight(const void *data, size_t row)
{
	const struct ktrc_capture *capture = data;

	return ktrc_cell_number(ktrc_session_weight(&capture->session, row_at(data, row)->event));
}

#define COUNTER_CELL(name, expression)                             \
	static struct ktrc_cell name(const void *data, size_t row) \
	{                                                          \
		const struct ktrc_counters *c = row_at(data, row); \
                                                                   \
		return ktrc_cell_number(expression);               \
	}

COUNTER_CELL(cell_event_id, c->event)
COUNTER_CELL(cell_hits, c->hits)
COUNTER_CELL(cell_written, c->written)
COUNTER_CELL(cell_filtered, c->filtered)
COUNTER_CELL(cell_lost_full, c->lost_full)
COUNTER_CELL(cell_lost_nest, c->lost_nest)
COUNTER_CELL(cell_lost_recursion, c->lost_recursion)
COUNTER_CELL(cell_lost_noring, c->lost_noring)
COUNTER_CELL(cell_lost_missed, c->lost_missed)
COUNTER_CELL(cell_nested, c->nested)
COUNTER_CELL(cell_unbalanced,
	     (u64)llabs((s64)(c->hits - c->written - c->filtered - ktrc_counters_lost(c))))

static struct ktrc_table stats_table(const struct ktrc_capture *capture)
{
	static const struct ktrc_column columns[] = {
		{ "event", cell_event },
		{ "event_id", cell_event_id },
		{ "cpu", cell_cpu },
		{ "hits", cell_hits },
		{ "written", cell_written },
		{ "filtered", cell_filtered },
		{ "lost_full", cell_lost_full },
		{ "lost_nest", cell_lost_nest },
		{ "lost_recursion", cell_lost_recursion },
		{ "lost_noring", cell_lost_noring },
		{ "lost_missed", cell_lost_missed },
		{ "nested", cell_nested },
		{ "unbalanced", cell_unbalanced },
		{ "weight", cell_weight },
	};

	return (struct ktrc_table){
		.columns = columns,
		.nr_columns = ARRAY_SIZE(columns),
		.nr_rows = capture->after.nr,
		.data = capture,
	};
}

/* Bucket i holds durations below 2^i ticks; bucket 0 holds zero. */
static u64 bucket_end_ns(const struct ktrc_capture *capture, size_t i)
{
	return ktrc_ticks_to_ns(&capture->clock, 1ull << i);
}

static u64 largest_bucket(const struct ktrc_counters *total)
{
	u64 largest = 0;

	for (size_t i = 0; i < KTRC_HIST_BUCKETS; i++)
		largest = total->hist[i] > largest ? total->hist[i] : largest;
	return largest;
}

static void print_hist(const struct ktrc_capture *capture, const struct ktrc_event *event,
		       FILE *file)
{
	struct ktrc_counters total = ktrc_counter_set_total(&capture->after, event->id);
	u64 largest = largest_bucket(&total);
	char text[KTRC_TEXT_ROOM];

	if (!largest)
		return;
	fprintf(file, "\n%s: duration in all %s", event->label,
		ktrc_text_ns(ktrc_ticks_to_ns(&capture->clock, total.sum_ticks), text));
	fprintf(file, ", longest %s\n",
		ktrc_text_ns(ktrc_ticks_to_ns(&capture->clock, total.longest_ticks), text));
	for (size_t i = 0; i < KTRC_HIST_BUCKETS; i++) {
		int bar = (int)(total.hist[i] * BAR_COLUMNS / largest);

		if (total.hist[i])
			fprintf(file, "  < %10s %12llu %.*s\n",
				ktrc_text_ns(bucket_end_ns(capture, i), text), total.hist[i], bar,
				"########################################");
	}
}

static void print_filters(const struct ktrc_capture *capture, FILE *file)
{
	__ktrc_free char *text = ktrc_session_filter_text(&capture->session, capture->schema);

	if (text && *text)
		fprintf(file, "\nfiltered by: %s\n", text);
}

static void print_text(const struct ktrc_capture *capture, const struct ktrc_output *out)
{
	struct ktrc_table table = stats_table(capture);

	ktrc_table_print(&table, out);
	print_filters(capture, out->file);
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++)
		if (ktrc_schema_event(capture->schema, id))
			print_hist(capture, &capture->schema->events[id], out->file);
}

static json_t *durations_to_json(const struct ktrc_capture *capture, const struct ktrc_event *event)
{
	struct ktrc_counters total = ktrc_counter_set_total(&capture->after, event->id);
	json_t *hist = json_array();

	for (size_t i = 0; i < KTRC_HIST_BUCKETS; i++)
		if (total.hist[i])
			json_array_append_new(hist, json_pack("{s:I, s:I}", "below_ns",
							      (json_int_t)bucket_end_ns(capture, i),
							      "count", (json_int_t)total.hist[i]));
	return json_pack("{s:s, s:I, s:I, s:o}", "event", event->label, "total_ns",
			 (json_int_t)ktrc_ticks_to_ns(&capture->clock, total.sum_ticks), "max_ns",
			 (json_int_t)ktrc_ticks_to_ns(&capture->clock, total.longest_ticks), "hist",
			 hist);
}

static json_t *to_json(const struct ktrc_capture *capture, const struct ktrc_output *out)
{
	json_t *document = ktrc_json_document("ktrc.stats/1", capture, capture->start_ticks);
	struct ktrc_table table = stats_table(capture);
	json_t *durations = json_array();

	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++)
		if (capture->session.events >> id & 1 && ktrc_schema_event(capture->schema, id))
			json_array_append_new(durations,
					      durations_to_json(capture,
								&capture->schema->events[id]));
	json_object_set_new(document, "counters", ktrc_table_rows(&table, out));
	json_object_set_new(document, "durations", durations);
	return document;
}

int ktrc_ctl_stats(int argc, char **argv)
{
	static const struct argp_option options[] = {
		KTRC_ARGP_SESSION,
		KTRC_ARGP_FORMAT,
		KTRC_ARGP_NO_HEADER,
		{ 0 },
	};
	static const char doc[] =
		"Counters for each event and CPU, and durations.  Exact once the session is stopped:\n"
		"hits = written + filtered + lost; unbalanced is the difference.  A record stands\n"
		"for `weight` hits.\n\n"
		"  ktrc-ctl stats --format json | jq .counters";
	__ktrc_capture struct ktrc_capture *capture = NULL;
	__ktrc_device struct ktrc_device *dev = NULL;
	struct ktrc_ctl_show show;
	__ktrc_nl struct ktrc_nl *nl = NULL;
	struct ktrc_error err;

	ktrc_ctl_parse_show(options, doc, argc, argv, &show);
	if (ktrc_nl_open(&nl, &err) < 0 || ktrc_device_open(show.cli.session, 0, &dev, &err) < 0 ||
	    ktrc_capture_describe(nl, dev, &capture, &err) < 0)
		return ktrc_cli_error(&err);
	if (show.cli.format == KTRC_OUT_TEXT)
		print_text(capture, &show.cli.out);
	else
		ktrc_print_document(to_json(capture, &show.cli.out), show.cli.format,
				    &show.cli.out);
	return 0;
}
