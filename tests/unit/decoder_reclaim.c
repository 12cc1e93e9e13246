// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reclaim view against stalls that lie in each other: each is counted once, whatever it
 * consists of; and of a thread that is stuck the outermost one is shown.  How long kswapd is awake
 * in a window that begins while it is.
 */
#include <stdio.h>
#include <string.h>

#include "../../userspace/views/reclaim.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

#define START_TICKS (1ull << 40)
#define NR_ROUNDS 101 /* a prime */
#define NR_PARTS 3 /* reclaims of the cgroup in a stall above memory.high */
#define PART_TICKS 1000
#define WAIT_TICKS 70 /* in each part */
#define HIGH_TICKS 5000
#define CGID 77
#define WINDOW_TICKS 1000 /* where kswapd is looked at */
#define BEFORE_TICKS 500

/* A thread's stream under construction, and of which window and session it is to be. */
struct source {
	struct synth_stream stream;
	struct ktrc_ev_task task;
	u64 ticks;
	u64 start_ticks;
	u32 wake_sample, sleep_sample;
};

static void put(struct source *s, u32 id, const void *payload, size_t bytes)
{
	if (synth_is_full(&s->stream)) {
		synth_close(&s->stream);
		synth_open(&s->stream, s->ticks, &s->task);
	}
	synth_record(&s->stream, id, ++s->ticks, payload, bytes);
}

static void put_begin(struct source *s, u32 kind, bool is_nested)
{
	struct ktrc_ev_reclaim_begin rec = { .cgid = CGID, .kind = kind, .nested = is_nested };

	put(s, KTRC_EV_reclaim_begin, &rec, sizeof(rec));
}

static void put_end(struct source *s, u32 kind, bool is_nested, u64 ticks, u32 pages)
{
	struct ktrc_ev_reclaim rec = {
		.cgid = CGID,
		.dur = ticks,
		.reclaimed = pages,
		.kind = kind,
		.nested = is_nested,
		.node = 1,
		.reason = kind == KTRC_reclaim_kind_vmscan_throttled ?
				  KTRC_reclaim_reason_isolated :
				  KTRC_reclaim_reason_none,
	};

	put(s, KTRC_EV_reclaim, &rec, sizeof(rec));
}

static void put_part(struct source *s)
{
	put_begin(s, KTRC_reclaim_kind_memcg, true);
	put_end(s, KTRC_reclaim_kind_vmscan_throttled, true, WAIT_TICKS, 0);
	put_end(s, KTRC_reclaim_kind_memcg, true, PART_TICKS, 32);
}

static void put_high(struct source *s)
{
	put_begin(s, KTRC_reclaim_kind_high, false);
	for (int i = 0; i < NR_PARTS; i++)
		put_part(s);
	put_end(s, KTRC_reclaim_kind_high, false, HIGH_TICKS, 32 * NR_PARTS);
}

static void open_source(struct source *s)
{
	*s = (struct source){ .task = { .tid = 100, .pid = 100, .comm = "task" },
			      .ticks = START_TICKS,
			      .start_ticks = START_TICKS };
	synth_open(&s->stream, s->ticks, &s->task);
}

/* The view of all that was put; released by close_view(). */
static struct ktrc_reclaim *view_of(struct source *s)
{
	struct ktrc_capture *capture;
	const struct ktrc_record *r;
	struct ktrc_reclaim *view;
	struct ktrc_error err;

	synth_close(&s->stream);
	capture = synth_capture(&s->stream, 1);
	capture->session.events = 1ull << KTRC_EV_reclaim | 1ull << KTRC_EV_reclaim_begin |
				  1ull << KTRC_EV_reclaim_slab | 1ull << KTRC_EV_reclaim_wake |
				  1ull << KTRC_EV_reclaim_sleep;
	capture->session.rules[KTRC_EV_reclaim_wake].sample = s->wake_sample;
	capture->session.rules[KTRC_EV_reclaim_sleep].sample = s->sleep_sample;
	capture->start_ticks = s->start_ticks;
	capture->settled_ticks = capture->end_ticks;
	if (ktrc_capture_start_reader(capture, &err) < 0)
		abort();
	view = ktrc_reclaim_create(capture);
	while ((r = ktrc_reader_next(capture->reader)) != NULL)
		if (ktrc_reclaim_add(view, r) < 0)
			abort();
	if (ktrc_reclaim_finish(view) < 0)
		abort();
	return view;
}

static void close_view(struct ktrc_reclaim *view)
{
	struct ktrc_capture *capture = (struct ktrc_capture *)view->capture;

	ktrc_reclaim_destroy(view);
	ktrc_capture_destroy(capture);
}

static bool is_row(const struct ktrc_stall_row *row, u64 stalls, u64 ticks, u64 pages)
{
	return row->stalls == stalls && row->total_ticks == ticks && row->pages == pages;
}

/* Each table adds up to what the stalls themselves took. */
static bool adds_up(const struct ktrc_reclaim *view, const struct ktrc_stalls *stalls)
{
	const struct ktrc_stall_row *all = view->all;

	return stalls->nr == 1 &&
	       is_row(stalls->rows[0], all->stalls, all->total_ticks, all->pages);
}

static void test_sums(void)
{
	struct ktrc_reclaim *view;
	struct source s;

	open_source(&s);
	for (int i = 0; i < NR_ROUNDS; i++)
		put_high(&s);
	view = view_of(&s);
	ok(is_row(view->all, NR_ROUNDS, NR_ROUNDS * HIGH_TICKS, 32 * NR_PARTS * NR_ROUNDS),
	   "a stall counts once, and not what it consists of");
	ok(adds_up(view, &view->kinds) && adds_up(view, &view->requests) &&
		   adds_up(view, &view->cgroups) && adds_up(view, &view->processes),
	   "and so in each table");
	ok(view->parts.nr == 2 &&
		   is_row(view->parts.rows[0], NR_PARTS * NR_ROUNDS,
			  NR_PARTS * NR_ROUNDS * PART_TICKS, 32 * NR_PARTS * NR_ROUNDS) &&
		   is_row(view->parts.rows[1], NR_PARTS * NR_ROUNDS,
			  NR_PARTS * NR_ROUNDS * WAIT_TICKS, 0),
	   "its parts are counted beside it");
	ok(view->reasons.nr == 1 && view->reasons.rows[0]->key.b == 1 &&
		   strcmp(ktrc_reclaim_reason(view, view->reasons.rows[0]->key.a), "isolated") == 0,
	   "waits by reason and node");
	ok(view->under_way.nr == 0, "none is under way");
	close_view(view);
}

/* As in compaction: it is a wait, and nobody asked reclaim for anything. */
static void test_wait_alone(void)
{
	struct ktrc_reclaim *view;
	struct source s;

	open_source(&s);
	put_high(&s);
	put_end(&s, KTRC_reclaim_kind_vmscan_throttled, false, WAIT_TICKS, 0);
	view = view_of(&s);
	ok(view->all->stalls == 2 && view->kinds.nr == 2 && view->requests.nr == 1 &&
		   is_row(view->requests.rows[0], 1, HIGH_TICKS, 32 * NR_PARTS),
	   "a wait in no stall asked for nothing");
	close_view(view);
}

static void put_shrink(struct source *s, u32 shrinker, u64 cgid)
{
	struct ktrc_ev_reclaim_slab rec = {
		.cgid = cgid,
		.dur = WAIT_TICKS,
		.shrinker_id = shrinker,
		.freed = 7,
	};

	put(s, KTRC_EV_reclaim_slab, &rec, sizeof(rec));
}

static void test_shrinkers(void)
{
	struct ktrc_reclaim *view;
	struct source s;
	u64 calls = 0;

	open_source(&s);
	for (int i = 0; i < NR_ROUNDS; i++)
		for (u32 which = 0; which < 6; which++)
			put_shrink(&s, 1 + which % 2, which % 3);
	view = view_of(&s);
	for (size_t i = 0; i < view->shrinkers.nr; i++)
		calls += is_row(view->shrinkers.rows[i], NR_ROUNDS, NR_ROUNDS * WAIT_TICKS,
				NR_ROUNDS * 7);
	ok(view->shrinkers.nr == 6 && calls == 6, "shrinkers by function and cgroup");
	ok(is_row(view->all, 0, 0, 0) && !ktrc_reclaim_is_empty(view), "which are no stalls");
	close_view(view);
}

/* What is under way when the last thing that was seen was put by @last. */
static void test_now(void (*last)(struct source *s), const char *kind, const char *what)
{
	struct ktrc_reclaim *view;
	struct source s;

	open_source(&s);
	put_high(&s);
	last(&s);
	view = view_of(&s);
	if (kind)
		ok(view->under_way.nr == 1 &&
			   view->under_way.nows[0].kind == ktrc_reclaim_kind_number(view, kind),
		   what);
	else
		ok(view->under_way.nr == 0, what);
	close_view(view);
}

static void reclaims_above_high(struct source *s)
{
	put_begin(s, KTRC_reclaim_kind_high, false);
	put_part(s);
	put_begin(s, KTRC_reclaim_kind_memcg, true);
}

static void waits_above_high(struct source *s)
{
	put_begin(s, KTRC_reclaim_kind_high, false);
	put_part(s);
}

/* As after an overwrite. */
static void part_of_unseen(struct source *s)
{
	put_begin(s, KTRC_reclaim_kind_memcg, true);
	put_end(s, KTRC_reclaim_kind_vmscan_throttled, true, WAIT_TICKS, 0);
}

static void ended_part_of_unseen(struct source *s)
{
	put_part(s);
}

static void let_in(struct source *s)
{
	put_begin(s, KTRC_reclaim_kind_throttled_direct, false);
	put_begin(s, KTRC_reclaim_kind_direct, false);
}

static void let_in_and_out(struct source *s)
{
	let_in(s);
	put_end(s, KTRC_reclaim_kind_direct, false, PART_TICKS, 1);
}

static void waits_at_the_door(struct source *s)
{
	put_begin(s, KTRC_reclaim_kind_throttled_direct, false);
}

/* ---- kswapd ---- */

enum moment_kind { NONE, WAKE, SLEEP, OTHER };

/* What kswapd of a node did, so long after the window's start, or before it. */
struct moment {
	enum moment_kind kind;
	s64 ticks;
	u32 node;
};

static void put_moment(struct source *s, const struct moment *moment)
{
	const struct ktrc_ev_reclaim_wake wake = { .node = moment->node, .order = 3 };
	const struct ktrc_ev_reclaim_sleep sleep = { .node = moment->node };

	s->ticks = s->start_ticks + (u64)moment->ticks - 1;
	if (moment->kind == WAKE)
		put(s, KTRC_EV_reclaim_wake, &wake, sizeof(wake));
	else if (moment->kind == SLEEP)
		put(s, KTRC_EV_reclaim_sleep, &sleep, sizeof(sleep));
	else
		put_shrink(s, 1, 1);
}

/* The view of these, up to NONE, in a window of WINDOW_TICKS; 1 in so many is recorded. */
static struct ktrc_reclaim *kswapd_view(const struct moment *moments, u32 wake_sample,
					u32 sleep_sample)
{
	static const struct moment end = { OTHER, WINDOW_TICKS, 0 };
	struct source s;

	open_source(&s);
	s.start_ticks = START_TICKS + BEFORE_TICKS;
	s.wake_sample = wake_sample;
	s.sleep_sample = sleep_sample;
	for (; moments->kind; moments++)
		put_moment(&s, moments);
	put_moment(&s, &end);
	return view_of(&s);
}

static bool is_kswapd(const struct ktrc_reclaim *view, u32 node, u64 wakes, u64 sleeps, u64 awake)
{
	for (size_t i = 0; i < view->nr_kswapd; i++) {
		const struct ktrc_kswapd *row = &view->kswapd[i];

		if (row->node == node)
			return row->wakes == wakes && row->sleeps == sleeps &&
			       ktrc_kswapd_awake_ticks(view, row) == awake;
	}
	return false;
}

/* That of node 1, the only one. */
static void test_kswapd(const struct moment *moments, u64 wakes, u64 sleeps, u64 awake,
			const char *what)
{
	struct ktrc_reclaim *view = kswapd_view(moments, 0, 0);

	ok(view->nr_kswapd == 1 && is_kswapd(view, 1, wakes, sleeps, awake), what);
	close_view(view);
}

static void test_awake(void)
{
	static const struct moment once[] = { { WAKE, 100, 1 },
					      { WAKE, 200, 1 },
					      { SLEEP, 300, 1 },
					      { SLEEP, 400, 1 },
					      { NONE, 0, 0 } };
	static const struct moment all_along[] = { { SLEEP, 800, 1 },
						   { SLEEP, 900, 1 },
						   { NONE, 0, 0 } };
	static const struct moment woken_before[] = {
		{ WAKE, -100, 1 }, { WAKE, 200, 1 }, { SLEEP, 700, 1 }, { NONE, 0, 0 }
	};
	static const struct moment to_the_end[] = { { WAKE, -100, 1 }, { NONE, 0, 0 } };
	static const struct moment asleep_before[] = { { WAKE, -300, 1 },
						       { SLEEP, -200, 1 },
						       { WAKE, 600, 1 },
						       { SLEEP, 700, 1 },
						       { NONE, 0, 0 } };
	static const struct moment wake_overwritten[] = { { SLEEP, -200, 1 },
							  { SLEEP, 500, 1 },
							  { NONE, 0, 0 } };

	test_kswapd(once, 2, 2, 200, "kswapd is awake from the first wake to the first sleep");
	test_kswapd(all_along, 0, 2, 800, "who was awake when the window began, since then");
	test_kswapd(woken_before, 1, 1, 700, "so who was woken before, which counts as no wake");
	test_kswapd(to_the_end, 0, 0, WINDOW_TICKS, "and as long as it does not sleep");
	test_kswapd(asleep_before, 1, 1, 100, "not who slept then");
	test_kswapd(wake_overwritten, 0, 1, 500,
		    "who slept before, too, if its wake is not in the window");
}

static void test_asleep(void)
{
	static const struct moment moments[] = { { WAKE, -400, 1 },  { WAKE, -300, 2 },
						 { SLEEP, -200, 1 }, { SLEEP, -100, 3 },
						 { SLEEP, 300, 2 },  { NONE, 0, 0 } };
	struct ktrc_reclaim *view = kswapd_view(moments, 0, 0);

	ok(view->nr_kswapd == 1 && is_kswapd(view, 2, 0, 1, 300),
	   "who slept before and does nothing in the window has no row");
	close_view(view);
}

static void test_some(void)
{
	static const struct moment sleeps[] = { { SLEEP, 800, 1 }, { NONE, 0, 0 } };
	static const struct moment wakes[] = { { WAKE, -100, 1 }, { NONE, 0, 0 } };
	struct ktrc_reclaim *view = kswapd_view(sleeps, 7, 0);

	ok(is_kswapd(view, 1, 0, 1, 0),
	   "nobody knows since when one is awake by some of its wakes");
	close_view(view);
	view = kswapd_view(wakes, 0, 7);
	ok(view->nr_kswapd == 0, "nor whether it still is, by some of its sleeps");
	close_view(view);
}

int main(void)
{
	test_sums();
	test_wait_alone();
	test_shrinkers();
	test_awake();
	test_asleep();
	test_some();
	test_now(reclaims_above_high, "high", "of nested stalls the outermost is under way");
	test_now(waits_above_high, "high", "the end of a part does not end it");
	test_now(part_of_unseen, "memcg", "a part is, where its stall was not seen");
	test_now(ended_part_of_unseen, NULL, "and ends by itself");
	test_now(waits_at_the_door, "throttled_direct", "who waits for kswapd");
	test_now(let_in, "direct", "who was let in waits no more");
	test_now(let_in_and_out, NULL, "and has ended with that");
	return end_of_tests();
}
