// SPDX-License-Identifier: GPL-2.0-or-later
/* Units and times for people, and the head of every JSON document. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../lib/cleanup.h"
#include "../lib/json.h"
#include "../lib/session_rules.h"
#include "../lib/trace.h"
#include "../views/overhead.h"
#include "format.h"
#include "page.h"

const char *ktrc_text_ns(u64 ns, char room[KTRC_TEXT_ROOM])
{
	if (ns < 1000)
		snprintf(room, KTRC_TEXT_ROOM, "%llu ns", ns);
	else if (ns < 1000 * 1000)
		snprintf(room, KTRC_TEXT_ROOM, "%.1f us", (double)ns / 1e3);
	else if (ns < NSEC_PER_SEC)
		snprintf(room, KTRC_TEXT_ROOM, "%.1f ms", (double)ns / 1e6);
	else
		snprintf(room, KTRC_TEXT_ROOM, "%.1f s", (double)ns / 1e9);
	return room;
}

const char *ktrc_text_bytes(u64 bytes, char room[KTRC_TEXT_ROOM])
{
	if (bytes >= 1 << 20)
		snprintf(room, KTRC_TEXT_ROOM, "%.4g MiB", (double)bytes / (1 << 20));
	else
		snprintf(room, KTRC_TEXT_ROOM, "%.4g KiB", (double)bytes / (1 << 10));
	return room;
}

const char *ktrc_text_overhead(const struct ktrc_capture *capture, char room[KTRC_TEXT_ROOM])
{
	double percent = ktrc_overhead_of(capture).cpu_percent;

	if (percent > 0 && percent < 0.01)
		snprintf(room, KTRC_TEXT_ROOM, "overhead below 0.01%% of a CPU (est.)");
	else
		snprintf(room, KTRC_TEXT_ROOM, "overhead ~%.2f%% of a CPU (est.)", percent);
	return room;
}

static size_t put_time(char *room, size_t size, const char *format, u64 real_ns)
{
	time_t seconds = (time_t)(real_ns / NSEC_PER_SEC);
	struct tm tm;

	localtime_r(&seconds, &tm);
	return strftime(room, size, format, &tm);
}

const char *ktrc_text_stamp(u64 real_ns, char room[KTRC_TEXT_ROOM])
{
	size_t used = put_time(room, KTRC_TEXT_ROOM, "%Y-%m-%dT%H:%M:%S", real_ns);

	used += (size_t)snprintf(room + used, KTRC_TEXT_ROOM - used, ".%09llu",
				 real_ns % NSEC_PER_SEC);
	put_time(room + used, KTRC_TEXT_ROOM - used, "%z", real_ns);
	return room;
}

static u64 window_ns(const struct ktrc_capture *capture, u64 start_ticks)
{
	return ktrc_ticks_to_ns(&capture->clock, ktrc_capture_window_ticks(capture, start_ticks));
}

const char *ktrc_text_window(const struct ktrc_capture *capture, u64 start_ticks,
			     char room[KTRC_TEXT_ROOM])
{
	u64 start = ktrc_ticks_to_real_ns(&capture->clock, start_ticks);
	u64 end = ktrc_ticks_to_real_ns(&capture->clock, capture->end_ticks);
	size_t used = put_time(room, KTRC_TEXT_ROOM, "%Y-%m-%d %H:%M:%S", start);

	used += put_time(room + used, KTRC_TEXT_ROOM - used, "..%H:%M:%S %z", end);
	snprintf(room + used, KTRC_TEXT_ROOM - used, " (%.1f s)",
		 (double)window_ns(capture, start_ticks) / 1e9);
	return room;
}

static bool has_samples(const struct ktrc_session *s)
{
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++)
		if (s->events >> id & 1 && ktrc_session_weight(s, id) > 1)
			return true;
	return false;
}

char *ktrc_text_filter(const struct ktrc_capture *capture, size_t path_columns)
{
	struct ktrc_session rest = capture->session;
	const char *path = ktrc_names_find(&capture->names, rest.cgid);
	__ktrc_free char *others = NULL;
	char *text = NULL, room[KTRC_SHORT_ROOM];
	int used;

	if (path) {
		rest.cgid = 0;
		path = ktrc_shorten_path(path, path_columns, room);
	}
	others = ktrc_session_filter_text(&rest, capture->schema);
	if (!others || (!path && !*others))
		return NULL;
	used = asprintf(&text, "%s%s%s%s%s",
			has_samples(&capture->session) ? "(counts are estimates) " : "",
			path ? "cgroup " : "", path ? path : "", path && *others ? "; " : "",
			others);
	return used < 0 ? NULL : text;
}

void ktrc_print_head(const struct ktrc_capture *capture, const char *label, u64 start_ticks,
		     const struct ktrc_output *out)
{
	char window[KTRC_TEXT_ROOM], overhead[KTRC_TEXT_ROOM];

	if (out->has_header)
		fprintf(out->file, "%s  %s  lost %llu  %s\n", label,
			ktrc_text_window(capture, start_ticks, window), ktrc_capture_lost(capture),
			ktrc_text_overhead(capture, overhead));
}

void ktrc_print_filter(const struct ktrc_capture *capture, const struct ktrc_output *out)
{
	__ktrc_free char *text = out->has_header ? ktrc_text_filter(capture, SIZE_MAX) : NULL;

	if (text)
		fprintf(out->file, "only %s\n", text);
}

void ktrc_print_left_out(u64 left_out, const char *what, const struct ktrc_output *out)
{
	if (out->has_header && left_out)
		fprintf(out->file,
			"%llu older %s are left out: other CPUs do not reach back that far\n",
			left_out, what);
}

void ktrc_print_unnamed(u64 nr_unnamed, const struct ktrc_output *out)
{
	if (out->has_header && nr_unnamed)
		fprintf(out->file, "cgroups without a name: %llu; their ids are shown\n",
			nr_unnamed);
}

struct ktrc_cell ktrc_cell_cgroup(const struct ktrc_capture *capture, u64 cgid)
{
	const char *path = ktrc_names_find(&capture->names, cgid);

	if (path || !cgid)
		return ktrc_cell_text(path);
	return ktrc_cell_number(cgid);
}

/* Of counters that no kernel counts to. */
static json_int_t to_integer(double number)
{
	return number < (double)INT64_MAX ? (json_int_t)number : INT64_MAX;
}

static json_t *overhead_to_json(const struct ktrc_capture *capture)
{
	struct ktrc_overhead overhead = ktrc_overhead_of(capture);

	return json_pack("{s:b, s:f, s:I}", "is_estimate", true, "cpu_percent",
			 overhead.cpu_percent, "instructions", to_integer(overhead.instructions));
}

json_t *ktrc_json_document(const char *format, const struct ktrc_capture *capture, u64 start_ticks)
{
	u64 start = ktrc_ticks_to_real_ns(&capture->clock, start_ticks);
	u64 end = ktrc_ticks_to_real_ns(&capture->clock, capture->end_ticks);
	struct ktrc_damage damage = ktrc_capture_damage(capture);
	char from[KTRC_TEXT_ROOM], to[KTRC_TEXT_ROOM];
	json_t *window = json_pack("{s:s, s:s, s:I, s:I, s:I}", "start",
				   ktrc_text_stamp(start, from), "end", ktrc_text_stamp(end, to),
				   "start_real_ns", (json_int_t)start, "end_real_ns",
				   (json_int_t)end, "dur_ns",
				   (json_int_t)window_ns(capture, start_ticks));

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:b, s:I, s:I, s:o, s:o}", "format",
			 format, "host", capture->host, "kernel_release", capture->kernel,
			 "session", capture->session.name, "state",
			 ktrc_word(&ktrc_states, capture->session.state), "window", window, "lost",
			 (json_int_t)ktrc_capture_lost(capture), "is_cut", capture->is_cut,
			 "bad_packets", (json_int_t)damage.bad_packets, "cut_bytes",
			 (json_int_t)damage.cut_bytes, "overhead", overhead_to_json(capture),
			 "filters", ktrc_filters_to_json(&capture->session, capture->schema));
}

void ktrc_json_set_number(json_t *object, const char *key, u64 number)
{
	json_object_set_new(object, key, json_integer((json_int_t)number));
}

json_t *ktrc_json_text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static void print_rows(const char *table, const json_t *rows, const struct ktrc_output *out)
{
	json_t *row, *line;
	size_t i;

	json_array_foreach(rows, i, row) {
		line = json_pack("{s:s}", "table", table);
		json_object_update(line, row);
		ktrc_print_json_line(line, out);
	}
}

static void print_lines(json_t *document, const struct ktrc_output *out)
{
	json_t *rest = json_pack("{s:s, s:O}", "format", "ktrc.rows/1", "of",
				 json_object_get(document, "format"));
	const char *key;
	json_t *member;

	json_object_foreach(document, key, member) {
		if (json_is_array(member))
			print_rows(key, member, out);
		else if (strcmp(key, "format") != 0)
			json_object_set(rest, key, member);
	}
	ktrc_print_json_line(rest, out);
}

void ktrc_print_document(json_t *document, enum ktrc_output_format format,
			 const struct ktrc_output *out)
{
	if (format == KTRC_OUT_JSON) {
		ktrc_print_json(document, out);
		return;
	}
	print_lines(document, out);
	json_decref(document);
}
