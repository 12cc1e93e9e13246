// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a view cannot tell it says, and which events would: in the document, or as a note that -q
 * silences.  NDJSON says what the document says.
 */
#include <stdio.h>
#include <string.h>

#include "../../userspace/report.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

#define START_TICKS (1ull << 40)
#define BIT(event) (1ull << KTRC_EV_##event)
#define ZONES (BIT(compaction) | BIT(compaction_zone))
#define RECLAIM                                                                       \
	(BIT(reclaim) | BIT(reclaim_begin) | BIT(reclaim_wake) | BIT(reclaim_sleep) | \
	 BIT(reclaim_slab))
#define THROTTLE (BIT(throttle) | BIT(throttle_begin) | BIT(throttle_gap))
#define MAPPINGS (BIT(map) | BIT(process) | BIT(process_exec) | BIT(process_exit))

static u64 lost; /* hits, of each capture that is made */
static u64 lost_wakes; /* the same, of reclaim.wake */
static u64 lost_maps; /* the same, of map, as its last packet tells */
static struct ktrc_rule stall_rule, zone_rule; /* of its compaction */
static struct ktrc_rule fault_rule, process_rule, throttle_rule, gap_rule, wake_rule;
static u32 zone_mode; /* of the zone that its stall was in */
static u32 own_ppm; /* of its throttle */
static u32 unavailable; /* event of which the kernel has no hook; 0: none */
static bool is_woken_before; /* kswapd, before the window */
static bool has_no_records; /* all of its hits of throttle are filtered */

/* A stall without its stack, in one zone, and one in reclaim, for which kswapd was woken. */
static void put_stalls(struct synth_stream *s)
{
	const struct ktrc_ev_compaction_zone zone = { .dur = 500,
						      .compaction_mode = zone_mode,
						      .begun = true };
	const struct ktrc_ev_compaction stall = { .dur = 1000, .order = 9, .nr_zones = 1 };
	const struct ktrc_ev_compaction_kcompactd run = {
		.origin = KTRC_compaction_origin_kcompactd,
	};
	const struct ktrc_ev_reclaim reclaim = { .dur = 1000 };
	const struct ktrc_ev_reclaim_wake wake = { .order = 2 };
	const struct ktrc_ev_reclaim_sleep sleep = { 0 };

	synth_record(s, KTRC_EV_compaction_zone, START_TICKS + 2, &zone, sizeof(zone));
	synth_record(s, KTRC_EV_compaction, START_TICKS + 2, &stall, sizeof(stall));
	synth_record(s, KTRC_EV_compaction_kcompactd, START_TICKS + 2, &run, sizeof(run));
	if (!is_woken_before)
		synth_record(s, KTRC_EV_reclaim_wake, START_TICKS + 2, &wake, sizeof(wake));
	synth_record(s, KTRC_EV_reclaim_sleep, START_TICKS + 2, &sleep, sizeof(sleep));
	synth_record(s, KTRC_EV_reclaim, START_TICKS + 2, &reclaim, sizeof(reclaim));
}

/* A fault, also as fault.light has it, stalls, and a cgroup that was kept off by the quota of one above it. */
static struct ktrc_capture *make_capture(u64 events)
{
	const struct ktrc_ev_task task = { .tid = 100, .pid = 100, .comm = "touch" };
	const struct ktrc_ev_fault fault = { .mode = KTRC_fault_mode_user, .dur = 1000 };
	const struct ktrc_ev_fault_light light = { .mode = KTRC_fault_mode_user };
	const struct ktrc_ev_throttle kept_off = {
		.cgid = 11, .limiter_id = 7, .dur = 1000, .own_ppm = own_ppm
	};
	const struct ktrc_ev_counts maps = { .event_id = KTRC_EV_map, .lost = lost_maps };
	struct synth_stream stream = { 0 };
	struct ktrc_capture *capture;
	struct ktrc_error err;

	synth_open(&stream, START_TICKS, &task);
	synth_fault(&stream, START_TICKS + 1, &fault);
	synth_record(&stream, KTRC_EV_fault_light, START_TICKS + 1, &light, sizeof(light));
	put_stalls(&stream);
	if (!has_no_records)
		synth_record(&stream, KTRC_EV_throttle, START_TICKS + 3, &kept_off,
			     sizeof(kept_off));
	synth_close(&stream);
	synth_open(&stream, START_TICKS + 4, &task);
	synth_record(&stream, KTRC_EV_counts, START_TICKS + 4, &maps, sizeof(maps));
	synth_close(&stream);
	capture = synth_capture(&stream, 1);
	capture->session.events = events;
	capture->session.rules[KTRC_EV_fault] = fault_rule;
	capture->session.rules[KTRC_EV_process] = process_rule;
	capture->session.rules[KTRC_EV_throttle] = throttle_rule;
	capture->session.rules[KTRC_EV_throttle_gap] = gap_rule;
	capture->session.rules[KTRC_EV_reclaim_wake] = wake_rule;
	capture->session.rules[KTRC_EV_compaction] = stall_rule;
	capture->session.rules[KTRC_EV_compaction_zone] = zone_rule;
	capture->lost_since[KTRC_EV_fault] = lost;
	capture->lost_since[KTRC_EV_reclaim_wake] = lost_wakes;
	if (has_no_records)
		capture->after.rows[0] = (struct ktrc_counters){
			.event = KTRC_EV_throttle,
			.hits = 5,
			.filtered = 5,
		};
	if (unavailable) {
		capture->schema->events[unavailable].avail = KTRC_AVAIL_NO;
		capture->schema->events[unavailable].reason = strdup("no such hook");
	}
	capture->settled_ticks = capture->end_ticks;
	if (ktrc_capture_start_reader(capture, &err) < 0)
		abort();
	return capture;
}

/* What the view prints; what is noted meanwhile goes into @notes. */
static char *report(u64 events, enum ktrc_view view, struct ktrc_cli cli, char **notes)
{
	struct ktrc_capture *capture = make_capture(events);
	FILE *standard_error = stderr;
	char *text = NULL;
	size_t len, notes_len;

	cli.out.file = open_memstream(&text, &len);
	stderr = open_memstream(notes, &notes_len);
	if (!cli.out.file || !stderr)
		abort();
	ktrc_report(capture, view, false, &cli);
	fclose(stderr);
	fclose(cli.out.file);
	stderr = standard_error;
	ktrc_capture_destroy(capture);
	return text;
}

/* Its note is @want; NULL: it has none. */
static bool notes(u64 events, enum ktrc_view view, struct ktrc_cli cli, const char *want)
{
	char *noted, *text = report(events, view, cli, &noted);
	bool passed = want ? strstr(noted, want) != NULL : !*noted;

	if (!passed)
		printf("# %s# not: %s\n", *noted ? noted : "nothing\n", want ? want : "nothing");
	free(text);
	free(noted);
	return passed && text;
}

static json_t *document(u64 events, enum ktrc_view view)
{
	const struct ktrc_cli cli = { .format = KTRC_OUT_JSON, .with_zones = true };
	char *noted, *text = report(events, view, cli, &noted);
	json_t *json = json_loads(text, 0, NULL);

	free(text);
	free(noted);
	return json;
}

/* The document's member, which the caller gives back. */
static json_t *member(u64 events, enum ktrc_view view, const char *key)
{
	json_t *json = document(events, view);
	json_t *value = json_incref(json_object_get(json, key));

	json_decref(json);
	return value;
}

static void put_row(json_t *json, json_t *row)
{
	const char *table = json_string_value(json_object_get(row, "table"));

	if (!json_object_get(json, table))
		json_object_set_new(json, table, json_array());
	json_array_append(json_object_get(json, table), row);
	json_object_del(row, "table");
}

/* The document that these lines are of, without arrays that are empty; @text is cut up. */
static json_t *put_together(char *text)
{
	json_t *json = json_object(), *line = NULL;
	const char *next;

	while ((next = strsep(&text, "\n")) != NULL && *next) {
		json_decref(line);
		line = json_loads(next, 0, NULL);
		if (json_object_get(line, "table"))
			put_row(json, line);
		else if (text && *text)
			json_object_set_new(json, "rest that is not the last line", json_true());
	}
	json_object_update(json, line);
	json_object_set(json, "format", json_object_get(line, "of"));
	json_object_del(json, "of");
	json_decref(line);
	return json;
}

/* Takes the reference. */
static json_t *without_empty(json_t *json)
{
	json_t *rest = json_object(), *value;
	const char *key;

	json_object_foreach(json, key, value) {
		if (!json_is_array(value) || json_array_size(value))
			json_object_set(rest, key, value);
	}
	json_decref(json);
	return rest;
}

static bool is_same_in_lines(u64 events, enum ktrc_view view, size_t least_rows)
{
	const struct ktrc_cli rows = { .format = KTRC_OUT_NDJSON, .with_zones = true };
	char *noted, *text = report(events, view, rows, &noted);
	json_t *whole = without_empty(document(events, view)), *lines;
	size_t nr = 0;
	bool is_same;

	for (const char *at = text; (at = strstr(at, "{\"table\":")) != NULL; at++)
		nr++;
	lines = put_together(text);
	is_same = json_equal(whole, lines) && nr >= least_rows && !*noted &&
		  json_is_integer(json_object_get(lines, "lost")) &&
		  json_is_object(json_object_get(lines, "overhead"));
	if (!is_same)
		printf("# view %d: %zu rows; noted: %s\n", view, nr, noted);
	json_decref(whole);
	json_decref(lines);
	free(text);
	free(noted);
	return is_same;
}

static void test_lines(void)
{
	lost = 7;
	ok(is_same_in_lines(BIT(fault), KTRC_VIEW_FAULTS, 3) &&
		   is_same_in_lines(BIT(compaction), KTRC_VIEW_COMPACTION, 5) &&
		   is_same_in_lines(BIT(throttle), KTRC_VIEW_THROTTLE, 2),
	   "rows of views, and the rest of the document behind them");
	ok(is_same_in_lines(BIT(fault), KTRC_VIEW_SUMMARY, 2) &&
		   is_same_in_lines(BIT(fault), KTRC_VIEW_CHECK, 1),
	   "of the summary and the check too");
	ok(is_same_in_lines(BIT(fault), KTRC_VIEW_EVENTS, 2), "and of records");
	lost = 0;
}

static void test_mappings(void)
{
	const struct ktrc_cli text = { .out.has_header = true }, bare = { 0 };
	const struct ktrc_cli quiet = { .is_quiet = true };
	const char *why =
		"what was mapped is not known: the session does not record all of --events=map,process\n";
	json_t *unknown = member(BIT(fault), KTRC_VIEW_FAULTS, "why_mappings_unknown");
	json_t *known = member(BIT(fault) | MAPPINGS, KTRC_VIEW_FAULTS, "why_mappings_unknown");

	ok(json_is_string(unknown) && json_is_null(known), "why there are no mappings");
	ok(notes(BIT(fault), KTRC_VIEW_FAULTS, text, why) &&
		   notes(BIT(fault), KTRC_VIEW_FAULTS, bare, why),
	   "as a note, without headings too");
	ok(notes(BIT(fault) | MAPPINGS, KTRC_VIEW_FAULTS, text, NULL) &&
		   notes(BIT(fault), KTRC_VIEW_FAULTS, quiet, NULL),
	   "not where they are known, nor with -q");
	lost_maps = 1;
	ok(notes(BIT(fault) | MAPPINGS, KTRC_VIEW_FAULTS, text,
		 "what was mapped is not known: records of it were lost\n"),
	   "nor where a packet tells that a change of them was lost");
	lost_maps = 0;
	unavailable = KTRC_EV_process_exec;
	ok(notes(BIT(fault) | (MAPPINGS & ~BIT(process_exec)), KTRC_VIEW_FAULTS, text,
		 "what was mapped is not known: process.exec: unavailable: no such hook\n"),
	   "nor where the kernel cannot tell all of them");
	unavailable = 0;
	process_rule.sample = 2;
	ok(notes(BIT(fault) | MAPPINGS, KTRC_VIEW_FAULTS, text,
		 "what was mapped is not known: a rule leaves some changes of it out\n"),
	   "nor where a rule leaves some out");
	process_rule.sample = 0;
	json_decref(unknown);
	json_decref(known);
}

/* The last counters of what is followed come last. */
static void test_lost_later(void)
{
	struct ktrc_capture *capture = make_capture(BIT(fault) | MAPPINGS);
	struct ktrc_faults *faults = ktrc_faults_create(capture);
	const struct ktrc_record *r;

	while ((r = ktrc_reader_next(capture->reader)) != NULL)
		if (ktrc_faults_add(faults, r) < 0)
			abort();
	ktrc_faults_sort(faults);
	ok(faults->mappings.nr == 1 && !faults->why_no_mappings,
	   "mappings, as long as none is lost");
	capture->after.rows[0].event = KTRC_EV_map;
	capture->after.rows[0].lost_full = 1;
	ktrc_faults_sort(faults);
	ok(faults->mappings.nr == 0 && faults->why_no_mappings, "not any more when one is lost");
	ktrc_faults_destroy(faults);
	capture->after.rows[0].lost_full = 0;
	capture->lost_since[KTRC_EV_map] = 1;
	faults = ktrc_faults_create(capture);
	ok(faults->why_no_mappings, "nor where a trace that has no end tells of it");
	ktrc_faults_destroy(faults);
	ktrc_capture_destroy(capture);
}

/* Of @s a packet with a fault, from what map said is a file; @lost changes were lost before. */
static void put_stack(struct synth_stream *s, u64 ticks, u64 lost_before)
{
	const struct ktrc_ev_task task = { .tid = 100, .pid = 100, .comm = "touch" };
	const struct ktrc_ev_counts counts = { .event_id = KTRC_EV_map, .lost = lost_before };
	const struct ktrc_ev_map map = {
		.page = 0x100, .pages = 16, .map_call = KTRC_map_call_mmap, .file_id = 1
	};
	const struct ktrc_ev_stack stack = { .slot = 1, .nr_frames = 1, .frame0 = 0x104000 };
	const struct ktrc_ev_stack_ref ref = { .user_slot = 1 };
	const struct ktrc_ev_fault fault = { .page = 1 };

	synth_open(s, ticks, &task);
	synth_record(s, KTRC_EV_counts, ticks, &counts, sizeof(counts));
	synth_record(s, KTRC_EV_map, ticks + 1, &map, sizeof(map));
	synth_record(s, KTRC_EV_stack, ticks + 2, &stack, sizeof(stack));
	synth_record(s, KTRC_EV_stack_ref, ticks + 2, &ref, sizeof(ref));
	synth_fault(s, ticks + 2, &fault);
	synth_close(s);
}

static void name_file(struct ktrc_code *code)
{
	struct ktrc_code_file *file = ktrc_array_push(code->files, code->nr_files);

	file->path = strdup("/lib/mapped.so");
	file->number = 1;
	*ktrc_index_get(&code->by_number, 1, 0) = 0;
}

/* How many frames the events name, of two packets; before the second @lost_before changes were lost. */
static int nr_named_frames(u64 lost_before)
{
	struct ktrc_cli cli = { .format = KTRC_OUT_NDJSON, .out.has_stacks = true };
	struct synth_stream stream = { 0 };
	struct ktrc_capture *capture;
	struct ktrc_error err;
	char *text = NULL;
	size_t len;
	int nr = 0;

	put_stack(&stream, START_TICKS, 0);
	put_stack(&stream, START_TICKS + 10, lost_before);
	capture = synth_capture(&stream, 1);
	capture->session.events = BIT(fault) | MAPPINGS;
	capture->session.rules[KTRC_EV_fault].user_frames = 1;
	name_file(&capture->code);
	cli.out.file = open_memstream(&text, &len);
	if (!cli.out.file || ktrc_capture_start_reader(capture, &err) < 0)
		abort();
	ktrc_report(capture, KTRC_VIEW_EVENTS, false, &cli);
	fclose(cli.out.file);
	for (const char *at = text; (at = strstr(at, "/lib/mapped.so")) != NULL; at++)
		nr++;
	free(text);
	ktrc_capture_destroy(capture);
	return nr;
}

static void test_frames(void)
{
	ok(nr_named_frames(0) == 2, "a frame is in what was mapped then");
	ok(nr_named_frames(1) == 1, "as long as no change of that was lost");
}

static void test_durations(void)
{
	json_t *unknown = member(BIT(fault_light), KTRC_VIEW_FAULTS, "why_durations_unknown");
	json_t *known = member(BIT(fault), KTRC_VIEW_FAULTS, "why_durations_unknown");
	const char *why = "the session records fault.light, not fault";

	ok(json_is_string(unknown) && !strcmp(json_string_value(unknown), why) &&
		   notes(BIT(fault_light), KTRC_VIEW_FAULTS, (struct ktrc_cli){ 0 }, why),
	   "why there are no durations, and what to record");
	ok(json_is_null(known), "not where there are");
	json_decref(unknown);
	json_decref(known);
}

static void test_stacks(void)
{
	struct ktrc_cli with = { .out.has_stacks = true };
	json_t *guessed = member(BIT(compaction), KTRC_VIEW_COMPACTION, "guessed_causes");
	json_t *why = member(BIT(compaction), KTRC_VIEW_COMPACTION, "why_causes_guessed");

	ok(notes(BIT(fault), KTRC_VIEW_EVENTS, with, "stack=user") &&
		   notes(BIT(fault), KTRC_VIEW_EVENTS, (struct ktrc_cli){ 0 }, NULL),
	   "no stacks were recorded, if they are asked for");
	ok(json_integer_value(guessed) == 1 &&
		   notes(BIT(compaction), KTRC_VIEW_COMPACTION, (struct ktrc_cli){ 0 },
			 "of 1 stalls the cause is told by order and flags alone: compaction:stack=kernel"),
	   "a cause is guessed where nobody knows the caller");
	ok(json_is_string(why) && strstr(json_string_value(why), "compaction:stack=kernel"),
	   "and the document says what to record");
	json_decref(guessed);
	json_decref(why);
}

static void test_other_tools(void)
{
	const struct ktrc_cli theirs = { .out.has_header = true,
					 .compat = KTRC_COMPAT_COMPACTSNOOP };

	ok(notes(ZONES, KTRC_VIEW_COMPACTION, theirs, NULL), "all in another tool's columns");
	lost = 7;
	ok(notes(ZONES, KTRC_VIEW_COMPACTION, theirs, "session default: 7 hits lost\n"),
	   "what was lost is a note beside them");
	lost = 0;
	stall_rule.min_ns = 1000000;
	ok(notes(ZONES, KTRC_VIEW_COMPACTION, theirs, "only compaction min=1ms\n"),
	   "and what was not to be recorded");
	stall_rule.min_ns = 0;
	ok(notes(BIT(compaction), KTRC_VIEW_COMPACTION, theirs,
		 "compaction.zone not recorded: --events=compaction records it\n"),
	   "and that there are no rows as no zone was recorded");
}

/* Whether compactsnoop's column MODE of a zone compacted in this mode is @want. */
static bool is_mode(u32 mode, const char *want)
{
	const struct ktrc_cli theirs = { .compat = KTRC_COMPAT_COMPACTSNOOP };
	char *noted, *text, column[16] = "";

	zone_mode = mode;
	text = report(ZONES, KTRC_VIEW_COMPACTION, theirs, &noted);
	zone_mode = 0;
	sscanf(text, "%*s %*s %*s %*s %*s %15s", column);
	free(text);
	free(noted);
	return strcmp(column, want) == 0;
}

static void test_modes(void)
{
	ok(is_mode(KTRC_compaction_mode_async, "ASYNC") &&
		   is_mode(KTRC_compaction_mode_sync_light, "SYNC") &&
		   is_mode(KTRC_compaction_mode_sync, "SYNC"),
	   "how patient compaction of a zone was, as compactsnoop says it");
	ok(is_mode(KTRC_compaction_mode_unseen, "?"), "what was not seen is not made up");
}

/* Why the document says that it has no record of an event; NULL: it says nothing. */
static bool lacks(u64 events, enum ktrc_view view, const char *label, const char *why)
{
	json_t *list = member(events, view, "not_recorded"), *row;
	const char *said = NULL;
	bool is_right;
	size_t i;

	json_array_foreach(list, i, row)
		if (strcmp(json_string_value(json_object_get(row, "event")), label) == 0)
			said = json_string_value(json_object_get(row, "why"));
	is_right = why ? said && strcmp(said, why) == 0 : !said;
	if (!json_is_array(list) || !is_right)
		printf("# %s: %s\n", label, said ? said : "is recorded");
	is_right = is_right && json_is_array(list);
	json_decref(list);
	return is_right;
}

static bool is_null(u64 events, enum ktrc_view view, const char *key)
{
	json_t *value = member(events, view, key);
	bool is = json_is_null(value);

	json_decref(value);
	return is;
}

/* What the last attempt, a run of kcompactd, says of its zones. */
static bool knows_scanned(u64 events)
{
	json_t *list = member(events, KTRC_VIEW_COMPACTION, "attempts");
	json_t *run = json_array_get(list, json_array_size(list) - 1);
	bool knows = json_is_integer(json_object_get(run, "scanned"));
	bool is_run = json_is_integer(json_object_get(run, "migrated")) &&
		      json_is_null(json_object_get(run, "zone"));

	json_decref(list);
	return is_run && knows;
}

static void test_parts(void)
{
	const struct ktrc_cli bare = { 0 };

	ok(lacks(ZONES, KTRC_VIEW_COMPACTION, "compaction.kcompactd",
		 "--events=compaction records it") &&
		   lacks(ZONES, KTRC_VIEW_COMPACTION, "compaction.zone", NULL) &&
		   lacks(BIT(reclaim), KTRC_VIEW_RECLAIM, "reclaim.slab",
			 "--events=reclaim records it"),
	   "which parts of what it shows a view has no records of");
	ok(notes(ZONES | BIT(compaction_begin), KTRC_VIEW_COMPACTION, bare,
		 "compaction.kcompactd, compaction.extfrag not recorded: --events=compaction records it\n") &&
		   notes(RECLAIM, KTRC_VIEW_RECLAIM, bare, NULL),
	   "as a note, if there are any");
	unavailable = KTRC_EV_compaction_extfrag;
	ok(lacks(ZONES, KTRC_VIEW_COMPACTION, "compaction.extfrag", "unavailable: no such hook") &&
		   notes(ZONES | BIT(compaction_begin), KTRC_VIEW_COMPACTION, bare,
			 "compaction.kcompactd not recorded: --events=compaction records it; "
			 "compaction.extfrag not recorded: unavailable: no such hook\n"),
	   "and why the kernel has none");
	unavailable = KTRC_EV_compaction;
	ok(notes(BIT(fault), KTRC_VIEW_COMPACTION, bare,
		 "it does not record compaction: unavailable: no such hook\n"),
	   "of what it shows nothing without as well");
	unavailable = 0;
	ok(is_null(BIT(compaction), KTRC_VIEW_COMPACTION, "torn") &&
		   !is_null(ZONES, KTRC_VIEW_COMPACTION, "torn"),
	   "nobody knows which zones are missing where none is recorded");
	ok(knows_scanned(ZONES | BIT(compaction_kcompactd)) &&
		   !knows_scanned(BIT(compaction) | BIT(compaction_kcompactd)),
	   "nor what was scanned in them");
}

/* What the first row of kswapd says. */
static bool is_kswapd(u64 events, bool knows_wakes, bool knows_sleeps)
{
	bool knows_awake = knows_wakes && knows_sleeps && !lost_wakes && !wake_rule.sample;
	json_t *list = member(events, KTRC_VIEW_RECLAIM, "kswapd");
	json_t *row = json_array_get(list, 0);
	bool is = json_is_integer(json_object_get(row, "wakes")) == knows_wakes &&
		  json_is_integer(json_object_get(row, "max_order")) == knows_wakes &&
		  json_is_integer(json_object_get(row, "sleeps")) == knows_sleeps &&
		  json_is_integer(json_object_get(row, "awake_ns")) == knows_awake &&
		  json_is_real(json_object_get(row, "awake_percent")) == knows_awake;

	json_decref(list);
	return row && is;
}

static bool is_kswapd_without_order(void)
{
	json_t *list = member(RECLAIM, KTRC_VIEW_RECLAIM, "kswapd");
	json_t *row = json_array_get(list, 0);
	bool is = json_integer_value(json_object_get(row, "sleeps")) == 1 &&
		  json_integer_value(json_object_get(row, "wakes")) == 0 &&
		  json_is_null(json_object_get(row, "max_order"));

	json_decref(list);
	return is;
}

static void test_kswapd(void)
{
	ok(is_kswapd(RECLAIM, true, true) &&
		   is_kswapd(RECLAIM & ~BIT(reclaim_sleep), true, false) &&
		   is_kswapd(RECLAIM & ~BIT(reclaim_wake), false, true),
	   "what kswapd did, as far as it was recorded");
	lost_wakes = 1;
	ok(is_kswapd(RECLAIM, true, true), "not how long it was awake, if a wake was lost");
	lost_wakes = 0;
	wake_rule.sample = 2;
	ok(is_kswapd(RECLAIM, true, true), "nor if some of them were not to be recorded");
	wake_rule.sample = 0;
	is_woken_before = true;
	ok(!is_kswapd(RECLAIM, true, true) && is_kswapd_without_order(),
	   "what order it was woken for before the window nobody knows");
	is_woken_before = false;
}

/* Whether the first row of quotas says how many threads lost how much by it. */
static bool knows_threads(u64 events)
{
	json_t *list = member(events, KTRC_VIEW_THROTTLE, "quotas");
	json_t *row = json_array_get(list, 0);
	bool knows = json_is_integer(json_object_get(row, "nr_threads")) &&
		     json_is_integer(json_object_get(row, "lost_ns"));
	bool says_null = json_is_null(json_object_get(row, "nr_threads")) &&
			 json_is_null(json_object_get(row, "lost_ns"));

	json_decref(list);
	if (knows == says_null)
		abort();
	return knows;
}

static void test_gaps(void)
{
	const struct ktrc_cli bare = { 0 };

	ok(knows_threads(THROTTLE) && !knows_threads(BIT(throttle)),
	   "how many threads lost time to a quota, where that was recorded");
	ok(lacks(BIT(throttle), KTRC_VIEW_THROTTLE, "throttle.gap",
		 "--events=throttle records it") &&
		   notes(BIT(throttle), KTRC_VIEW_THROTTLE, bare,
			 "throttle.begin, throttle.gap not recorded: --events=throttle records it\n") &&
		   notes(THROTTLE, KTRC_VIEW_THROTTLE, bare, NULL),
	   "else what records it");
	unavailable = KTRC_EV_throttle_gap;
	ok(lacks(BIT(throttle), KTRC_VIEW_THROTTLE, "throttle.gap", "unavailable: no such hook"),
	   "or why the kernel cannot tell it");
	unavailable = 0;
	gap_rule.flags = KTRC_RULE_COUNT;
	ok(!knows_threads(THROTTLE) &&
		   lacks(THROTTLE, KTRC_VIEW_THROTTLE, "throttle.gap", "it was only counted"),
	   "and where it was only counted");
	gap_rule.flags = 0;
}

/* What says that there is nothing, of hits that were counted, not recorded. */
static void test_counted(void)
{
	const struct ktrc_cli bare = { 0 };

	has_no_records = true;
	ok(notes(BIT(throttle), KTRC_VIEW_THROTTLE, bare, "a filter rejected 5 of 5 hits\n"),
	   "nothing was recorded as a filter was in the way");
	throttle_rule.flags = KTRC_RULE_COUNT;
	ok(notes(BIT(throttle), KTRC_VIEW_THROTTLE, bare,
		 "nothing to show: 5 hits were only counted\n"
		 "hint: ktrc-ctl start --events=throttle records them\n"),
	   "or as it was only counted");
	throttle_rule.flags = 0;
	has_no_records = false;
}

/* The exit code of an empty view, where no loss is fine. */
static int code_of_nothing(void)
{
	const u64 none = 0;
	struct ktrc_cli cli = { .is_quiet = true, .max_loss = &none, .out.file = stdout };
	struct ktrc_capture *capture = make_capture(BIT(throttle));
	FILE *standard_error = stderr;
	int code;

	stderr = fopen("/dev/null", "w");
	code = ktrc_report(capture, KTRC_VIEW_THROTTLE, false, &cli);
	fclose(stderr);
	stderr = standard_error;
	ktrc_capture_destroy(capture);
	return code;
}

static void test_all_lost(void)
{
	has_no_records = true;
	ok(code_of_nothing() == KTRC_EXIT_NOTHING, "where nothing was recorded that is said");
	lost = 7;
	ok(code_of_nothing() == KTRC_EXIT_LOSS, "not where all of it may have been lost");
	lost = 0;
	has_no_records = false;
}

static void test_light_summary(void)
{
	json_t *verdict = member(BIT(fault_light), KTRC_VIEW_SUMMARY, "verdict");
	const char *name = json_string_value(json_object_get(verdict, "name"));

	ok(name && !strcmp(name, "fault_rate") &&
		   json_is_null(json_object_get(verdict, "cpu_percent")),
	   "what faults cost is not known of those that have no duration");
	ok(is_null(BIT(fault_light), KTRC_VIEW_SUMMARY, "saturated") &&
		   !is_null(BIT(fault), KTRC_VIEW_SUMMARY, "saturated"),
	   "nor which of them was too long for a record");
	json_decref(verdict);
}

static void test_summary(void)
{
	const struct ktrc_cli bare = { 0 };

	ok(lacks(BIT(fault), KTRC_VIEW_SUMMARY, "reclaim", "--events=reclaim records it") &&
		   lacks(BIT(fault), KTRC_VIEW_SUMMARY, "reclaim.slab", NULL) &&
		   lacks(BIT(fault), KTRC_VIEW_SUMMARY, "fault", NULL) &&
		   lacks(BIT(fault_light), KTRC_VIEW_SUMMARY, "fault", NULL) &&
		   lacks(BIT(reclaim), KTRC_VIEW_SUMMARY, "fault", "--events=fault records it") &&
		   lacks(BIT(reclaim), KTRC_VIEW_SUMMARY, "reclaim.slab",
			 "--events=reclaim records it"),
	   "what a summary has no records of");
	ok(notes(BIT(fault), KTRC_VIEW_SUMMARY, bare,
		 "reclaim not recorded: --events=reclaim records it\n") &&
		   notes(BIT(fault) | RECLAIM, KTRC_VIEW_SUMMARY, bare, NULL),
	   "as a note");
	ok(is_null(RECLAIM, KTRC_VIEW_SUMMARY, "faults") &&
		   !is_null(BIT(fault), KTRC_VIEW_SUMMARY, "faults"),
	   "no number of faults, where nobody looked");
	fault_rule.flags = KTRC_RULE_COUNT;
	ok(is_null(BIT(fault), KTRC_VIEW_SUMMARY, "faults") &&
		   lacks(BIT(fault), KTRC_VIEW_SUMMARY, "fault", "it was only counted"),
	   "nor where they were only counted");
	fault_rule.flags = 0;
}

/* @why: as said in the document and as a note; NULL: what stalls moved is known */
static bool knows_moved(u64 events, const char *why)
{
	const struct ktrc_cli bare = { 0 };
	json_t *moved = member(events, KTRC_VIEW_COMPACTION, "migrated");
	json_t *said = member(events, KTRC_VIEW_COMPACTION, "why_migrated_unknown");
	bool is_known = json_is_integer(moved) && json_is_null(said);
	bool is_said = json_is_null(moved) && why && json_is_string(said) &&
		       strcmp(json_string_value(said), why) == 0;

	json_decref(moved);
	json_decref(said);
	return why ? is_said && notes(events, KTRC_VIEW_COMPACTION, bare, why) : is_known;
}

static void test_zones(void)
{
	ok(knows_moved(BIT(compaction) | BIT(compaction_zone), NULL),
	   "what stalls moved, by all of their zones");
	ok(knows_moved(BIT(compaction), "the session does not record compaction.zone"),
	   "not without zones");
	zone_rule.sample = 4;
	ok(knows_moved(BIT(compaction) | BIT(compaction_zone), "not every zone was recorded"),
	   "nor with some");
	zone_rule.sample = 0;
}

/* Whether the document says how often, and how long, quotas were used up. */
static bool knows_quotas(void)
{
	bool knows = !is_null(BIT(throttle), KTRC_VIEW_THROTTLE, "intervals");

	if (knows == is_null(BIT(throttle), KTRC_VIEW_THROTTLE, "total_ns"))
		abort();
	return knows;
}

/* Whether all of that is said of the quota of cgroup @cgid, or nothing. */
static bool is_quota(json_int_t cgid, bool is_known)
{
	static const char *const keys[] = { "intervals", "p50_ns",   "p99_ns",
					    "max_ns",	 "total_ns", "wall_percent" };
	json_t *list = member(BIT(throttle), KTRC_VIEW_THROTTLE, "quotas"), *row, *value;
	size_t nr = 0, i;

	json_array_foreach(list, i, row) {
		for (size_t j = 0; j < ARRAY_SIZE(keys); j++) {
			value = json_object_get(row, keys[j]);
			nr += json_integer_value(json_object_get(row, "cgid")) == cgid &&
			      (is_known ? json_is_number(value) : json_is_null(value));
		}
	}
	json_decref(list);
	return nr == ARRAY_SIZE(keys);
}

static void test_quota_above(void)
{
	char *noted, *text = report(BIT(throttle), KTRC_VIEW_THROTTLE,
				    (struct ktrc_cli){ .out.has_header = true }, &noted);

	ok(strstr(text, "\nno record is of a cgroup whose own quota was used up\n"),
	   "that no quota was used up is not said of a cgroup below it");
	ok(!knows_quotas() && is_quota(7, false), "nor in the document");
	own_ppm = 1000000;
	ok(knows_quotas() && is_quota(11, true) && is_quota(7, false),
	   "of one with records of its own it is known");
	own_ppm = 0;
	free(text);
	free(noted);
}

int main(void)
{
	test_lines();
	test_mappings();
	test_lost_later();
	test_frames();
	test_durations();
	test_stacks();
	test_other_tools();
	test_modes();
	test_parts();
	test_kswapd();
	test_gaps();
	test_counted();
	test_all_lost();
	test_light_summary();
	test_summary();
	test_quota_above();
	test_zones();
	return end_of_tests();
}
