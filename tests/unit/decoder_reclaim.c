// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reclaim view against stalls that lie in each other: each is counted once, whatever it
 * consists of; and of a thread that is stuck the outermost one is shown.
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

/* A thread's stream under construction. */
struct source {
	struct synth_stream stream;
	struct ktrc_ev_task task;
	u64 ticks;
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
			      .ticks = START_TICKS };
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
				  1ull << KTRC_EV_reclaim_slab;
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

int main(void)
{
	test_sums();
	test_wait_alone();
	test_shrinkers();
	test_now(reclaims_above_high, "high", "of nested stalls the outermost is under way");
	test_now(waits_above_high, "high", "the end of a part does not end it");
	test_now(part_of_unseen, "memcg", "a part is, where its stall was not seen");
	test_now(ended_part_of_unseen, NULL, "and ends by itself");
	test_now(waits_at_the_door, "throttled_direct", "who waits for kswapd");
	test_now(let_in, "direct", "who was let in waits no more");
	test_now(let_in_and_out, NULL, "and has ended with that");
	return end_of_tests();
}
