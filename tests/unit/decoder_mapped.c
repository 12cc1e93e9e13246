// SPDX-License-Identifier: GPL-2.0-or-later
/* What processes had mapped when the window began: by what is mapped now, and what records say has changed. */
#include <stdio.h>

#include "decoder_synth.h"
#include "decoder_tap.h"

/* A range that a thread changes. */
static void synth_map(struct synth_stream *s, u64 ticks, u64 page)
{
	const struct ktrc_ev_map rec = { .page = page, .pages = 1, .call = KTRC_map_call_munmap };

	synth_record(s, KTRC_EV_map, ticks, &rec, sizeof(rec));
}

/* Three changes: of a thread, of another one, and of the first one again; then one of @tid. */
static void build_changes(struct synth_stream *s, u32 tid)
{
	const struct ktrc_ev_task first = { .tid = 101, .tgid = 100, .comm = "first" };
	const struct ktrc_ev_task second = { .tid = 201, .tgid = 200, .comm = "second" };
	struct ktrc_ev_task_ref ref = { .tid = first.tid };
	u64 ticks = 1ull << 40;

	synth_open(s, ticks, &first);
	synth_map(s, ++ticks, 1);
	synth_record(s, KTRC_EV_task, ++ticks, &second, sizeof(second));
	synth_map(s, ++ticks, 2);
	synth_record(s, KTRC_EV_task_ref, ++ticks, &ref, sizeof(ref));
	synth_map(s, ++ticks, 3);
	ref.tid = tid;
	synth_record(s, KTRC_EV_task_ref, ++ticks, &ref, sizeof(ref));
	synth_map(s, ++ticks, 4);
	synth_close(s);
}

/* As modules were before there were copies. */
static struct ktrc_schema *schema_without_copies(void)
{
	struct ktrc_schema *schema = synth_schema();

	strcpy(schema->events[KTRC_EV_stack_copy].name, "none");
	strcpy(schema->events[KTRC_EV_stack_copy].label, "none");
	return schema;
}

static struct ktrc_seen seen_changes(struct ktrc_schema *schema, u32 tid)
{
	struct ktrc_seen seen = { .with_changes = true };
	struct synth_stream s = { 0 };

	build_changes(&s, tid);
	ktrc_seen_add(&seen, schema, s.bytes, s.len);
	free(s.bytes);
	ktrc_schema_destroy(schema);
	return seen;
}

static void test_whose(struct ktrc_schema *schema, const char *what)
{
	struct ktrc_seen seen = seen_changes(schema, 201);

	ok(seen.nr_changes == 4 && seen.changes[0].pid == 100 && seen.changes[1].pid == 200 &&
		   seen.changes[2].pid == 100 && seen.changes[3].pid == 200 && !seen.is_partial,
	   what);
	ktrc_seen_release(&seen);
}

static void test_whose_is_not_known(void)
{
	struct ktrc_seen seen = seen_changes(synth_schema(), 301);

	ok(seen.is_partial, "what somebody changed who is not known is told");
	ktrc_seen_release(&seen);
}

int main(void)
{
	test_whose(synth_schema(), "changes are those of the thread's process");
	test_whose(schema_without_copies(), "also where stacks cannot be copied");
	test_whose_is_not_known();
	return end_of_tests();
}
