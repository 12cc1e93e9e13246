// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The summary of a host where nothing reaches a threshold: in one line it says what happened,
 * what no verdict is about included, and where to look at it.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "../../userspace/format/page.h"
#include "../../userspace/report.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

#define START_TICKS (1ull << 40)
#define NR_FAULTS 11
#define NR_MAJORS 3

static u64 window_s = 1;
static u32 waits_of_kind; /* 200 ms of that; 0: none */
static u32 nr_short_stalls; /* of the machine, of 30 ms */
static bool runs_back; /* the window, by what a damaged trace says */
static bool is_older; /* than the result that says who began I/O */

static void make_older(struct ktrc_schema *schema)
{
	const struct ktrc_enum *results = ktrc_schema_find_enum(schema, "fault_result");

	for (size_t i = 0; i < results->nr_values; i++)
		if (strcmp(results->values[i].name, "retry_io") == 0)
			*results->values[i].name = '-';
}

static void put_stalls(struct synth_stream *s)
{
	const struct ktrc_ev_reclaim wait = { .kind = waits_of_kind, .dur = SYNTH_HZ / 5 };
	const struct ktrc_ev_reclaim stall = { .kind = KTRC_reclaim_kind_direct,
					       .dur = 3 * SYNTH_HZ / 100 };
	u64 end = START_TICKS + window_s * SYNTH_HZ;

	for (u32 i = 0; i < nr_short_stalls; i++)
		synth_record(s, KTRC_EV_reclaim, end, &stall, sizeof(stall));
	if (waits_of_kind)
		synth_record(s, KTRC_EV_reclaim, end, &wait, sizeof(wait));
}

static void put_faults(struct synth_stream *s)
{
	const struct ktrc_ev_task task = { .tid = 100, .pid = 100, .comm = "touch" };
	struct ktrc_ev_fault fault = { .mode = KTRC_fault_mode_user, .dur = 1000 };

	synth_open(s, START_TICKS, &task);
	for (u64 i = 1; i <= NR_FAULTS; i++) {
		if (i > NR_FAULTS - NR_MAJORS)
			fault.result = KTRC_fault_result_major;
		synth_fault(s, START_TICKS + i * window_s * SYNTH_HZ / NR_FAULTS, &fault);
	}
	put_stalls(s);
	synth_close(s);
}

/* A second with a few faults, if @events has them, in which what is not judged had so many hits. */
static struct ktrc_capture *make_capture(u64 events, u64 hits)
{
	struct synth_stream stream = { 0 };
	struct ktrc_capture *capture;
	struct ktrc_counters *row;
	struct ktrc_error err;

	put_faults(&stream);
	capture = synth_capture(&stream, 1);
	if (is_older)
		make_older(capture->schema);
	if (runs_back)
		capture->end_ticks = START_TICKS - 5;
	capture->session.events = events;
	capture->settled_ticks = capture->end_ticks;
	capture->base.start.is_known = capture->base.stop.is_known = true;
	capture->base.start.has_allocstall = capture->base.stop.has_allocstall = true;
	capture->base.stop.pgfault = NR_FAULTS;
	capture->base.stop.pgmajfault = NR_MAJORS;
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		const struct ktrc_event *event = ktrc_schema_event(capture->schema, id);

		if (!event || !ktrc_event_is_data(event) || id == KTRC_EV_fault ||
		    id == KTRC_EV_reclaim)
			continue;
		row = ktrc_array_push(capture->after.rows, capture->after.nr);
		*row = (struct ktrc_counters){ .event = id, .hits = hits, .hist = { hits } };
	}
	if (ktrc_capture_start_reader(capture, &err) < 0)
		abort();
	return capture;
}

/* What stands behind a label, cut out of @page; NULL: nothing, or a line of it is too long. */
static const char *line_of(char *page, const char *label)
{
	const char *found = NULL, *line;
	bool fits = true;

	while ((line = strsep(&page, "\n")) != NULL) {
		fits = fits && strlen(line) <= KTRC_PAGE_COLUMNS;
		if (strncmp(line, label, strlen(label)) == 0)
			found = line + KTRC_PAGE_LABEL;
	}
	return fits ? found : NULL;
}

static bool says(u64 events, u64 hits, const char *label, const char *want)
{
	struct ktrc_capture *capture = make_capture(events, hits);
	struct ktrc_cli cli = { .is_quiet = true };
	const char *line;
	char *page = NULL;
	bool passed;
	size_t len;

	cli.out.file = open_memstream(&page, &len);
	capture->trace = "DIR";
	ktrc_report(capture, KTRC_VIEW_SUMMARY, false, &cli);
	fclose(cli.out.file);
	line = line_of(page, label);
	passed = line && strcmp(line, want) == 0;
	if (!passed)
		printf("# %s\n# not: %s\n", line ? line : "no such line, or one too long", want);
	free(page);
	ktrc_capture_destroy(capture);
	return passed;
}

/* Whether the document's verdict knows that. */
static bool verdict_has(u64 events, const char *member)
{
	struct ktrc_capture *capture = make_capture(events, 0);
	struct ktrc_cli cli = { .is_quiet = true, .format = KTRC_OUT_JSON };
	char *text = NULL;
	json_t *document, *found;
	size_t len;
	bool has;

	cli.out.file = open_memstream(&text, &len);
	ktrc_report(capture, KTRC_VIEW_SUMMARY, false, &cli);
	fclose(cli.out.file);
	document = json_loads(text, 0, NULL);
	found = json_object_get(json_object_get(document, "verdict"), member);
	has = found && !json_is_null(found);
	json_decref(document);
	free(text);
	ktrc_capture_destroy(capture);
	return has;
}

#define BIT(event) (1ull << KTRC_EV_##event)
#define FAULTS "11 page faults, busiest touch[100] with 11"

static void test_others(void)
{
	u64 fault = BIT(fault), both = fault | BIT(reclaim);

	ok(says(fault, 7, "VERDICT", "quiet: " FAULTS) &&
		   says(fault, 7, "next", "ktrc-read faults DIR"),
	   "page faults alone");
	ok(says(fault | BIT(throttle), 0, "VERDICT", "quiet: " FAULTS) &&
		   says(fault | BIT(throttle), 0, "next", "ktrc-read faults DIR"),
	   "beside them, what did not happen is no news");
	ok(says(fault | BIT(throttle), 7, "VERDICT", "quiet: throttle 7 times; " FAULTS) &&
		   says(fault | BIT(throttle), 7, "next", "ktrc-read throttle DIR"),
	   "and what happened is");
	ok(says(both | BIT(madvise), 7, "VERDICT",
		"quiet: madvise 7 times; " FAULTS "; no stall in reclaim") &&
		   says(both | BIT(madvise), 7, "next", "ktrc-read madvise DIR"),
	   "beside page faults and stalls too");
	ok(says(both | BIT(madvise) | BIT(compaction) | BIT(throttle), 1234567890, "VERDICT",
		"quiet: madvise 1234567890 times; compaction 1234567890 times; throttle 1234567890 times...") &&
		   says(both | BIT(madvise) | BIT(compaction), 7, "next",
			"ktrc-read compaction DIR"),
	   "and before them, where there is no room for all");
	ok(says(BIT(throttle), 0, "VERDICT", "quiet: throttle 0 times"),
	   "alone, also what did not happen");
}

/* By the second nothing is known then. */
static void test_no_window(void)
{
	u64 fault = BIT(fault), both = fault | BIT(reclaim);

	runs_back = true;
	ok(says(fault, 0, "VERDICT", "quiet: " FAULTS) && verdict_has(fault, "pid") &&
		   !verdict_has(fault, "faults_per_s") && !verdict_has(fault, "cpu_percent"),
	   "page faults of a window without a length");
	waits_of_kind = KTRC_reclaim_kind_node;
	ok(says(both, 0, "fault", "11 faults in all, most of touch[100]: 11"),
	   "and beside stalls in it");
	waits_of_kind = 0;
	runs_back = false;
}

static void test_wait_alone(void)
{
	u64 both = BIT(fault) | BIT(reclaim);

	waits_of_kind = KTRC_reclaim_kind_node;
	ok(says(both, 0, "VERDICT",
		"reclaim: the node is short of memory: 200.0 ms in 1 stalls, 20.0% of the time"),
	   "a stall is what memory is short of");
	ok(verdict_has(both, "pid"), "who stalled most is who stalled in it");
	waits_of_kind = KTRC_reclaim_kind_vmscan_throttled;
	ok(says(both, 0, "VERDICT", "quiet: " FAULTS "; 1 stalls in reclaim, 200.0 ms in all"),
	   "a wait in none, as in compaction, is not");
	waits_of_kind = KTRC_reclaim_kind_asked;
	ok(says(both, 0, "VERDICT", "quiet: " FAULTS "; 1 stalls in reclaim, 200.0 ms in all"),
	   "nor is who was asked to give memory back");
	window_s = 10;
	waits_of_kind = KTRC_reclaim_kind_node;
	nr_short_stalls = 10;
	ok(says(both, 0, "VERDICT",
		"reclaim: the node is short of memory: 200.0 ms in 1 stalls, 2.0% of the time"),
	   "a stall that is long is news, whatever short ones take together");
	ok(!verdict_has(both, "pid"), "not if there was more of another kind");
	window_s = 1;
	nr_short_stalls = 0;
	waits_of_kind = 0;
}

static void test_check(void)
{
	const struct ktrc_reconciled all = { .traced = 7, .kernel = 7 };
	const struct ktrc_check check = {
		.pgfault = all, .pgmajfault = all, .allocstall = all, .compact_stall = all
	};
	const struct ktrc_check unseen = { .pgfault = all, .pgmajfault = { .traced = 3 } };
	char room[KTRC_LINE_ROOM];

	ok(strlen(ktrc_text_kernel(&check, room)) <= KTRC_PAGE_COLUMNS - KTRC_PAGE_LABEL,
	   "there is room for all of the kernel's counters");
	ok(!strcmp(ktrc_text_kernel(&unseen, room),
		   "vs vmstat: pgfault 100.00%, pgmajfault 3 of none, allocstall none, compact_stall none"),
	   "of what it has not counted there is no share");
	ok(says(BIT(fault), 0, "check",
		"books balance; vs vmstat: pgfault 100.00%, pgmajfault 100.00%"),
	   "what was recorded of each of the kernel's counters");
	ok(says(BIT(fault) | BIT(reclaim), 0, "check",
		"books balance; vs vmstat: pgfault 100.00%, pgmajfault 100.00%, allocstall none"),
	   "where it has not counted, that");
}

int main(void)
{
	test_others();
	test_no_window();
	test_wait_alone();
	is_older = true;
	ok(says(BIT(fault), 0, "check", "books balance; vs vmstat: pgfault 100.00%"),
	   "an older module did not tell who began I/O");
	is_older = false;
	test_check();
	return end_of_tests();
}
