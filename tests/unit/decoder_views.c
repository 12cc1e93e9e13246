// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What views make of records whose other half lies before the window, and how they count what
 * occurs more than once.
 */
#include <stdio.h>

#include "../../userspace/format/format.h"
#include "../../userspace/views/compaction.h"
#include "../../userspace/views/overhead.h"
#include "../../userspace/views/throttle.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

#define START_TICKS (1ull << 40)
#define WINDOW_TICKS (START_TICKS + 1000)
#define GAP_TICKS 70
#define NR_GAPS 3 /* of each thread */
#define NR_THREADS 5
#define NR_LIMITERS 7

static const struct ktrc_ev_task first_task = { .tid = 100, .pid = 100, .comm = "task" };

/* What was put, to be read, with a window that begins at WINDOW_TICKS. */
static struct ktrc_capture *capture_of(struct synth_stream *stream)
{
	struct ktrc_capture *capture;
	struct ktrc_error err;

	synth_close(stream);
	capture = synth_capture(stream, 1);
	capture->session.events = ~0ull;
	capture->start_ticks = WINDOW_TICKS;
	capture->settled_ticks = capture->end_ticks;
	if (ktrc_capture_start_reader(capture, &err) < 0)
		abort();
	return capture;
}

/* ---- the window ---- */

/* It begins after its end, by what a damaged trace says. */
static void test_window(void)
{
	struct synth_stream stream = { 0 };
	char text[KTRC_TEXT_ROOM];
	struct ktrc_capture *capture;
	json_t *document, *window;

	synth_open(&stream, START_TICKS, &first_task);
	capture = capture_of(&stream);
	capture->end_ticks = START_TICKS;
	capture->after.rows[0] = (struct ktrc_counters){ .event = KTRC_EV_fault, .written = 1000 };
	document = ktrc_json_document("ktrc.summary/1", capture, WINDOW_TICKS);
	window = json_object_get(document, "window");
	ok(strstr(ktrc_text_window(capture, WINDOW_TICKS, text), "(0.0 s)") &&
		   json_integer_value(json_object_get(window, "dur_ns")) == 0 &&
		   ktrc_overhead_of(capture).cpu_percent == 0,
	   "a window that ends before it begins takes no time");
	json_decref(document);
	ktrc_capture_destroy(capture);
}

/* ---- compaction ---- */

static void put_zone(struct synth_stream *s, u64 ticks)
{
	struct ktrc_ev_compaction_zone rec = {
		.origin = KTRC_compaction_origin_kcompactd,
		.begun = true,
		.migrated = 11,
		.scanned = 13,
	};

	synth_record(s, KTRC_EV_compaction_zone, ticks, &rec, sizeof(rec));
}

static void put_run(struct synth_stream *s, u64 ticks, u32 zones)
{
	struct ktrc_ev_compaction_kcompactd rec = {
		.nr_zones = zones,
		.origin = KTRC_compaction_origin_kcompactd,
	};

	synth_record(s, KTRC_EV_compaction_kcompactd, ticks, &rec, sizeof(rec));
}

/* The view of all that was put; released by close_compaction(). */
static struct ktrc_compaction *compaction_of(struct synth_stream *stream)
{
	struct ktrc_capture *capture = capture_of(stream);
	struct ktrc_compaction *view = ktrc_compaction_create(capture);
	const struct ktrc_record *r;

	view->keeps_attempts = true;
	while ((r = ktrc_reader_next(capture->reader)) != NULL)
		if (ktrc_compaction_add(view, r) < 0)
			abort();
	if (ktrc_compaction_finish(view) < 0)
		abort();
	return view;
}

static void close_compaction(struct ktrc_compaction *view)
{
	struct ktrc_capture *capture = (struct ktrc_capture *)view->capture;

	ktrc_compaction_destroy(view);
	ktrc_capture_destroy(capture);
}

static void test_runs(void)
{
	struct synth_stream s = { 0 };
	struct ktrc_compaction *view;

	synth_open(&s, START_TICKS, &first_task);
	put_zone(&s, START_TICKS + 1);
	put_run(&s, START_TICKS + 2, 1);
	put_run(&s, WINDOW_TICKS + 1, 0);
	put_zone(&s, WINDOW_TICKS + 2);
	put_run(&s, WINDOW_TICKS + 3, 1);
	view = compaction_of(&s);
	ok(view->torn == 0 && view->nr_kcompactd == 1 && view->kcompactd[0].woken == 2,
	   "a run does not miss zones of one before the window");
	ok(view->nr_attempts == 3 && view->attempts[0].scanned == 0 &&
		   view->attempts[0].nr != view->attempts[1].nr &&
		   view->attempts[1].nr == view->attempts[2].nr && view->attempts[2].scanned == 13,
	   "nor has it done what was done in them");
	close_compaction(view);
}

/* ---- throttle ---- */

static void put_gap(struct synth_stream *s, u64 ticks, u32 tid, u64 limiter)
{
	struct ktrc_ev_task task = { .tid = tid, .pid = 100, .comm = "task" };
	struct ktrc_ev_throttle_gap rec = { .cgid = 1, .limiter_id = limiter, .dur = GAP_TICKS };

	synth_record(s, KTRC_EV_task, ticks, &task, sizeof(task));
	synth_record(s, KTRC_EV_throttle_gap, ticks, &rec, sizeof(rec));
}

/* Limiter i kept the first i threads off, each NR_GAPS times. */
static void put_gaps(struct synth_stream *s)
{
	u64 ticks = WINDOW_TICKS;

	for (u32 i = 0; i < NR_GAPS; i++) {
		if (i)
			synth_close(s);
		synth_open(s, ticks, &first_task);
		for (u32 tid = 1; tid <= NR_THREADS; tid++)
			for (u64 limiter = tid; limiter <= NR_LIMITERS; limiter++)
				put_gap(s, ++ticks, tid, limiter);
	}
}

static bool is_lost(const struct ktrc_stall_row *row, u64 threads)
{
	return row && row->threads == threads && row->stalls == NR_GAPS * threads &&
	       row->total_ticks == GAP_TICKS * row->stalls;
}

static void test_threads(void)
{
	struct synth_stream s = { 0 };
	struct ktrc_capture *capture;
	struct ktrc_throttle *view;
	const struct ktrc_record *r;
	u64 nr = 0;

	put_gaps(&s);
	capture = capture_of(&s);
	view = ktrc_throttle_create(capture);
	while ((r = ktrc_reader_next(capture->reader)) != NULL)
		if (ktrc_throttle_add(view, r) < 0)
			abort();
	for (u64 limiter = 1; limiter <= NR_LIMITERS; limiter++)
		nr += is_lost(ktrc_throttle_lost(view, limiter),
			      limiter < NR_THREADS ? limiter : NR_THREADS);
	ok(nr == NR_LIMITERS && !ktrc_throttle_lost(view, NR_LIMITERS + 1),
	   "each thread that a limiter kept off counts once");
	ktrc_throttle_destroy(view);
	ktrc_capture_destroy(capture);
}

/* A child alone was recorded, for the second time in as many periods. */
static void test_limiter_above(void)
{
	const struct ktrc_ev_throttle rec = {
		.cgid = 11, .limiter_id = 7, .dur = 500, .periods = 2
	};
	struct synth_stream s = { 0 };
	struct ktrc_capture *capture;
	struct ktrc_throttle *view;
	const struct ktrc_record *r;
	const struct ktrc_stall_row *quota;

	synth_open(&s, START_TICKS, &first_task);
	synth_record(&s, KTRC_EV_throttle, WINDOW_TICKS + 1, &rec, sizeof(rec));
	capture = capture_of(&s);
	view = ktrc_throttle_create(capture);
	while ((r = ktrc_reader_next(capture->reader)) != NULL)
		if (ktrc_throttle_add(view, r) < 0)
			abort();
	quota = ktrc_stalls_find(&view->quotas, 7, 0);
	ok(view->quotas.nr == 1 && quota && quota->stalls == 0 && quota->run == 2 &&
		   view->all->stalls == 0 && view->all->run == 2,
	   "a limiter above the session's cgroup has a row");
	ktrc_throttle_destroy(view);
	ktrc_capture_destroy(capture);
}

int main(void)
{
	test_window();
	test_runs();
	test_threads();
	test_limiter_above();
	return end_of_tests();
}
