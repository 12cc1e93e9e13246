// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What has begun and not ended: told apart by two numbers, or by the thread; whether it is
 * certain, and when nothing can be said.
 */
#include <stdio.h>

#include "../../userspace/views/under_way.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

#define START_TICKS 1000
#define END_TICKS 9000

static struct ktrc_capture *build_capture(u32 begin, u32 end)
{
	struct ktrc_capture *capture = ktrc_capture_create();

	capture->schema = synth_schema();
	capture->session.events = 1ull << begin | 1ull << end;
	capture->settled_ticks = END_TICKS;
	return capture;
}

static struct ktrc_under_way make(const struct ktrc_capture *capture, u32 begin, u32 end,
				  enum ktrc_under_way_what what)
{
	return ktrc_under_way_begin(capture, ktrc_schema_event(capture->schema, end),
				    ktrc_schema_event(capture->schema, begin), what);
}

static void open_interval(struct ktrc_under_way *u, u64 ticks, u64 cgid, u32 cpu)
{
	const struct ktrc_record record = { .ticks = ticks };
	struct ktrc_stall_now *now = ktrc_under_way_open(u, &record, START_TICKS, cgid, cpu);

	now->cgid = cgid;
	now->cpu = cpu;
}

static bool is_interval(const struct ktrc_stall_now *now, u64 cgid, u32 cpu)
{
	return now->cgid == cgid && now->cpu == cpu;
}

static void test_intervals(void)
{
	struct ktrc_capture *capture = build_capture(KTRC_EV_throttle_begin, KTRC_EV_throttle);
	struct ktrc_under_way u =
		make(capture, KTRC_EV_throttle_begin, KTRC_EV_throttle, KTRC_UNDER_WAY_THROTTLE);

	open_interval(&u, 3000, 7, 1);
	open_interval(&u, 2000, 7, 0);
	open_interval(&u, 2000, 5, 0);
	open_interval(&u, START_TICKS - 1, 7, 2);
	open_interval(&u, END_TICKS + 1, 7, 3);
	ok(ktrc_under_way_list(&u) == 0 && u.nr == 4 && is_interval(&u.nows[0], 7, 2) &&
		   is_interval(&u.nows[1], 5, 0) && is_interval(&u.nows[2], 7, 0) &&
		   is_interval(&u.nows[3], 7, 1),
	   "intervals by cgroup and CPU, the longest first");
	ok(!u.nows[0].is_certain && u.nows[1].is_certain,
	   "what began before the window may have ended before it");
	ktrc_under_way_close(&u, 7, 0);
	ktrc_under_way_close(&u, 9, 0);
	ok(ktrc_under_way_list(&u) == 0 && u.nr == 3 && is_interval(&u.nows[1], 5, 0) &&
		   is_interval(&u.nows[2], 7, 1),
	   "an end is that of one CPU");
	open_interval(&u, 4000, 7, 1);
	ok(ktrc_under_way_list(&u) == 0 && u.nr == 3 && u.nows[2].begin_ticks == 4000 &&
		   ktrc_stall_now_ticks(capture, &u.nows[2]) == END_TICKS - 4000,
	   "one that begins again has ended before");
	ktrc_under_way_release(&u);
	ktrc_capture_destroy(capture);
}

static void test_threads(void)
{
	struct ktrc_capture *capture = build_capture(KTRC_EV_reclaim_begin, KTRC_EV_reclaim);
	struct ktrc_under_way u =
		make(capture, KTRC_EV_reclaim_begin, KTRC_EV_reclaim, KTRC_UNDER_WAY_RECLAIM);
	struct ktrc_task task = { .tid = 11, .tgid = 10, .comm = "eleven" };
	const struct ktrc_record record = { .ticks = 2000, .task = &task };
	struct ktrc_stall_now *now;

	now = ktrc_under_way_open_task(&u, &record, START_TICKS);
	ok(now->pid == 10 && now->tid == 11 && strcmp(now->comm, "eleven") == 0 && now->is_certain,
	   "a stall is its thread's");
	capture->session.cgid = 3;
	now = ktrc_under_way_open_task(&u, &record, START_TICKS);
	ok(!now->is_certain, "a thread may have left the cgroup that is recorded");
	ktrc_under_way_close(&u, 11, 0);
	ok(ktrc_under_way_list(&u) == 0 && u.nr == 0, "and it ends");
	ktrc_under_way_release(&u);
	ktrc_capture_destroy(capture);
}

/* why nothing can be said with @rule for an event */
static const char *why(u32 event, struct ktrc_rule rule)
{
	struct ktrc_capture *capture = build_capture(KTRC_EV_reclaim_begin, KTRC_EV_reclaim);
	const char *unknown;

	capture->session.rules[event] = rule;
	unknown = make(capture, KTRC_EV_reclaim_begin, KTRC_EV_reclaim, KTRC_UNDER_WAY_RECLAIM)
			  .why_unknown;
	ktrc_capture_destroy(capture);
	return unknown;
}

static void test_rules(void)
{
	ok(!why(KTRC_EV_reclaim, (struct ktrc_rule){ .sample = 1 }), "each of one is all");
	ok(why(KTRC_EV_reclaim, (struct ktrc_rule){ .sample = 2 }) &&
		   why(KTRC_EV_reclaim, (struct ktrc_rule){ .min_ns = 1 }) &&
		   why(KTRC_EV_reclaim, (struct ktrc_rule){ .flags = KTRC_RULE_COUNT }) &&
		   why(KTRC_EV_reclaim_begin, (struct ktrc_rule){ .sample = 2 }),
	   "where not each becomes a record, nobody knows what is under way");
}

static void test_values(void)
{
	struct ktrc_schema *schema = synth_schema();
	const struct ktrc_enum *kinds = ktrc_schema_find_enum(schema, "reclaim_kind");

	ok(ktrc_enum_value(kinds, ktrc_enum_name(kinds, 1)) == 1 &&
		   ktrc_enum_value(kinds, "no such") == KTRC_NO_VALUE &&
		   ktrc_enum_value(NULL, "direct") == KTRC_NO_VALUE,
	   "a value by its name");
	ktrc_schema_destroy(schema);
}

int main(void)
{
	test_intervals();
	test_threads();
	test_rules();
	test_values();
	return end_of_tests();
}
