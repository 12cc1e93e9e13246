// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters in the summary. */
#include "../views/tally.h"

#include "format.h"
#include "page.h"

#define TOP_CPUS 6

static const char *time_text(const struct ktrc_tallies *tallies, u64 ticks,
			     char room[KTRC_TEXT_ROOM])
{
	return ktrc_text_ns(ktrc_ticks_to_ns(&tallies->capture->clock, ticks), room);
}

static double seconds(const struct ktrc_capture *capture)
{
	return (double)ktrc_capture_window_ticks(capture, capture->start_ticks) /
	       (double)capture->clock.hz;
}

static double rate(const struct ktrc_tallies *tallies, const struct ktrc_tally *tally)
{
	double window = seconds(tallies->capture);

	return window > 0 ? (double)tally->wanted / window : 0;
}

void ktrc_text_counted(const struct ktrc_tallies *tallies, char line[KTRC_LINE_ROOM])
{
	size_t used = (size_t)snprintf(line, KTRC_LINE_ROOM, "counted: ");
	const char *between = "";

	for (size_t i = 0; i < tallies->nr && used < KTRC_LINE_ROOM / 2; i++) {
		const struct ktrc_tally *t = &tallies->rows[i];

		if (!t->is_counted)
			continue;
		used += (size_t)snprintf(line + used, KTRC_LINE_ROOM - used,
					 "%s%s %llu times, %.0f/s", between, t->event->label,
					 t->wanted, rate(tallies, t));
		between = "; ";
	}
}

static void print_durations(const struct ktrc_tallies *tallies, const struct ktrc_tally *t,
			    const char *label, struct ktrc_page *page)
{
	char sum[KTRC_TEXT_ROOM], p50[KTRC_TEXT_ROOM], p99[KTRC_TEXT_ROOM], max[KTRC_TEXT_ROOM];

	ktrc_page_line(page, label,
		       "%s: %llu of %llu hits; %s in all, p50 <= %s, p99 <= %s, max %s",
		       t->event->label, t->wanted, t->total.hits,
		       time_text(tallies, t->total.sum_ticks, sum),
		       time_text(tallies, ktrc_tally_percentile_ticks(t, 50), p50),
		       time_text(tallies, ktrc_tally_percentile_ticks(t, 99), p99),
		       time_text(tallies, t->total.longest_ticks, max));
}

/* Of those that were counted; hits stand for them where there is no duration. */
static u64 on_cpu(const struct ktrc_tally *t, const struct ktrc_counters *row)
{
	return t->has_duration ? ktrc_counters_timed(row) : row->hits;
}

/* The first TOP_CPUS of those with hits in @rows, which has room for one more.  Returns how many have. */
static size_t busiest_cpus(const struct ktrc_counter_set *set, const struct ktrc_tally *t,
			   const struct ktrc_counters **rows)
{
	size_t nr = 0;

	for (size_t i = 0; i < set->nr; i++) {
		const struct ktrc_counters *row = &set->rows[i];
		size_t at = nr < TOP_CPUS ? nr : TOP_CPUS;

		if (row->event != t->event->id || row->cpu == KTRC_CPU_NONE || !on_cpu(t, row))
			continue;
		for (; at && on_cpu(t, rows[at - 1]) < on_cpu(t, row); at--)
			rows[at] = rows[at - 1];
		rows[at] = row;
		nr++;
	}
	return nr;
}

static void print_cpus(const struct ktrc_tallies *tallies, const struct ktrc_tally *t,
		       struct ktrc_page *page)
{
	const struct ktrc_counters *rows[TOP_CPUS + 1];
	char line[KTRC_LINE_ROOM] = "";
	size_t used = 0, nr = busiest_cpus(&tallies->capture->after, t, rows);

	for (size_t i = 0; i < nr && i < TOP_CPUS; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%sCPU %u %llu",
					 used ? ", " : "", rows[i]->cpu, on_cpu(t, rows[i]));
	if (nr > TOP_CPUS)
		snprintf(line + used, sizeof(line) - used, ", %zu more", nr - TOP_CPUS);
	if (used)
		ktrc_page_line(page, "", "%s: %s", t->event->label, line);
}

void ktrc_print_tallies(const struct ktrc_tallies *tallies, bool with_cpus, struct ktrc_page *page)
{
	const char *label = "counted";

	for (size_t i = 0; i < tallies->nr; i++) {
		const struct ktrc_tally *t = &tallies->rows[i];

		if (!t->is_counted)
			continue;
		if (t->has_duration)
			print_durations(tallies, t, label, page);
		else
			ktrc_page_line(page, label, "%s: %llu hits, without a duration%s",
				       t->event->label, t->total.hits,
				       t->knows_wanted ? "" : "; those filtered out included");
		label = "";
		if (with_cpus)
			print_cpus(tallies, t, page);
	}
}

/* ---- JSON ---- */

static json_t *cpus_to_json(const struct ktrc_tallies *tallies, const struct ktrc_tally *t)
{
	const struct ktrc_capture *capture = tallies->capture;
	json_t *rows = json_array();

	for (size_t i = 0; i < capture->after.nr; i++) {
		const struct ktrc_counters *row = &capture->after.rows[i];
		u64 sum_ns = ktrc_ticks_to_ns(&capture->clock, row->sum_ticks);

		if (row->event == t->event->id && row->cpu != KTRC_CPU_NONE)
			json_array_append_new(rows, json_pack("{s:i, s:I, s:I, s:I}", "cpu",
							      (int)row->cpu, "hits",
							      (json_int_t)row->hits, "wanted",
							      (json_int_t)on_cpu(t, row),
							      "total_ns", (json_int_t)sum_ns));
	}
	return rows;
}

static json_t *duration(const struct ktrc_tallies *tallies, const struct ktrc_tally *t, u64 ticks)
{
	if (!t->has_duration)
		return json_null();
	return json_integer((json_int_t)ktrc_ticks_to_ns(&tallies->capture->clock, ticks));
}

static json_t *tally_to_json(const struct ktrc_tallies *tallies, const struct ktrc_tally *t)
{
	json_t *object = json_pack("{s:s, s:b, s:I, s:I, s:I, s:I}", "event", t->event->label,
				   "is_only_counted", t->is_counted, "hits",
				   (json_int_t)t->total.hits, "written",
				   (json_int_t)t->total.written, "filtered",
				   (json_int_t)t->total.filtered, "lost",
				   (json_int_t)ktrc_counters_lost(&t->total));

	json_object_set_new(object, "wanted",
			    t->knows_wanted ? json_integer((json_int_t)t->wanted) : json_null());
	json_object_set_new(object, "total_ns", duration(tallies, t, t->total.sum_ticks));
	json_object_set_new(object, "max_ns", duration(tallies, t, t->total.longest_ticks));
	json_object_set_new(object, "p50_ns",
			    duration(tallies, t, ktrc_tally_percentile_ticks(t, 50)));
	json_object_set_new(object, "p99_ns",
			    duration(tallies, t, ktrc_tally_percentile_ticks(t, 99)));
	json_object_set_new(object, "cpus", cpus_to_json(tallies, t));
	return object;
}

json_t *ktrc_tallies_to_json(const struct ktrc_tallies *tallies)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < tallies->nr; i++)
		json_array_append_new(rows, tally_to_json(tallies, &tallies->rows[i]));
	return rows;
}
