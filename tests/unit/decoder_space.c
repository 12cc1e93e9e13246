// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known of the memory of processes, held against a model that knows of each page what it is, after each of
 * many calls at random: of processes that are made, load programs and end.
 */
#include <stdio.h>

#include "../../userspace/lib/space.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

#define NR_PAGES 64
#define NR_PROCESSES 5
#define NR_STEPS 20000

struct page {
	u32 kind;
	u32 file;
	u64 offset;
};

/* The memory of a process, page by page; one more each side, which nothing is. */
static struct page model[NR_PROCESSES][NR_PAGES];
static struct ktrc_schema *schema;
static struct ktrc_spaces *spaces;
static u32 seed = 1;

static u32 any(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static struct ktrc_task task_of(u32 process)
{
	return (struct ktrc_task){ .tid = 1000 + process, .tgid = 1000 + process };
}

static void tell(u32 process, u32 id, const void *payload, size_t bytes)
{
	const struct ktrc_task task = task_of(process);
	u8 room[KTRC_MAX_PAYLOAD_BYTES] = { 0 };
	const struct ktrc_record record = {
		.event = ktrc_schema_event(schema, id),
		.task = &task,
		.payload = room,
	};

	memcpy(room, payload, bytes);
	if (ktrc_spaces_add(spaces, &record) < 0)
		abort();
}

static void forget(u32 process)
{
	memset(model[process], 0, sizeof(model[process]));
}

/* ---- calls ---- */

static void fill(u32 process, u64 begin, u64 pages, struct page first)
{
	for (u64 i = 0; i < pages; i++) {
		model[process][begin + i] = first;
		first.offset += !!first.kind;
	}
}

static void do_mmap(u32 process, bool is_loading)
{
	struct ktrc_ev_map rec = {
		.page = any(NR_PAGES),
		.map_call = KTRC_map_call_mmap,
		.anon = any(2),
		.map_shared = any(2),
		.loading = is_loading,
	};
	struct page first = { .kind = KTRC_AREA_FILE };

	rec.pages = 1 + any(NR_PAGES - (u32)rec.page);
	if (rec.anon) {
		first.kind = rec.map_shared ? KTRC_AREA_SHARED : KTRC_AREA_ANON;
	} else {
		first.file = rec.file_id = 1 + any(3);
		first.offset = rec.from = any(100);
	}
	tell(process, KTRC_EV_map, &rec, sizeof(rec));
	fill(process, rec.page, rec.pages, first);
}

static void do_unmap(u32 process, u32 call)
{
	struct ktrc_ev_map rec = { .page = any(NR_PAGES), .map_call = call, .error = !any(4) };

	rec.pages = any(NR_PAGES - (u32)rec.page + 1);
	tell(process, KTRC_EV_map, &rec, sizeof(rec));
	if (!rec.error)
		fill(process, rec.page, rec.pages, (struct page){ 0 });
}

static void do_brk(u32 process)
{
	struct ktrc_ev_map rec = { .page = any(NR_PAGES), .map_call = KTRC_map_call_brk };

	rec.pages = any(NR_PAGES - (u32)rec.page + 1);
	tell(process, KTRC_EV_map, &rec, sizeof(rec));
	fill(process, rec.page, rec.pages, (struct page){ .kind = KTRC_AREA_HEAP });
}

/* The kernel moves no range to one that overlaps it. */
static void do_mremap(u32 process)
{
	u64 from = any(NR_PAGES / 2 - 8), from_pages = 1 + any(8);
	struct ktrc_ev_map rec = {
		.page = any(3) ? NR_PAGES / 2 + any(NR_PAGES / 2 - 8) : from,
		.pages = 1 + any(8),
		.map_call = KTRC_map_call_mremap,
		.from = from,
		.from_pages = (u32)from_pages,
		.dontunmap = !any(3),
	};
	struct page was = model[process][from];

	rec.dontunmap = rec.dontunmap && rec.page != from;
	tell(process, KTRC_EV_map, &rec, sizeof(rec));
	if (!rec.dontunmap)
		fill(process, from, from_pages, (struct page){ 0 });
	fill(process, rec.page, rec.pages, was);
}

/* ---- processes ---- */

static void do_fork(u32 maker)
{
	u32 child = any(NR_PROCESSES);
	const struct ktrc_ev_process rec = { .child_tid = 1000 + child, .child_pid = 1000 + child };

	tell(maker, KTRC_EV_process, &rec, sizeof(rec));
	if (child != maker) /* else a thread of it */
		memcpy(model[child], model[maker], sizeof(model[child]));
}

static void do_exec(u32 process)
{
	const struct ktrc_ev_process_exec rec = { .caller_tid = 1000 + process };

	forget(process);
	for (u32 i = any(3); i > 0; i--)
		do_mmap(process, true);
	tell(process, KTRC_EV_process_exec, &rec, sizeof(rec));
}

static void do_exit(u32 process)
{
	const struct ktrc_ev_process_exit rec = { .live = any(2) };

	tell(process, KTRC_EV_process_exit, &rec, sizeof(rec));
	if (!rec.live)
		forget(process);
}

static void step(u32 process)
{
	switch (any(16)) {
	case 0:
		return do_fork(process);
	case 1:
		return any(4) ? do_unmap(process, KTRC_map_call_munmap) : do_exec(process);
	case 2:
		return any(4) ? do_mmap(process, false) : do_exit(process);
	case 3:
	case 4:
	case 5:
		return do_unmap(process, any(2) ? KTRC_map_call_munmap : KTRC_map_call_brk_down);
	case 6:
		return do_brk(process);
	case 7:
	case 8:
	case 9:
		return do_mremap(process);
	default:
		return do_mmap(process, false);
	}
}

static bool is_right(u32 process, u64 page)
{
	const struct ktrc_task task = task_of(process);
	struct ktrc_area area = ktrc_spaces_find(spaces, &task, page);
	struct page wanted = page < NR_PAGES ? model[process][page] : (struct page){ 0 };

	if (area.kind != wanted.kind || area.file != wanted.file)
		return false;
	return wanted.kind != KTRC_AREA_FILE || area.offset + (page - area.begin) == wanted.offset;
}

static u32 nr_wrong(void)
{
	u32 nr = 0;

	for (u32 process = 0; process < NR_PROCESSES; process++)
		for (u64 page = 0; page <= NR_PAGES; page++)
			nr += !is_right(process, page);
	return nr;
}

/* As a trace can say it whose numbers are as wide as can be: up to the last page of all. */
static void test_ends_of_numbers(void)
{
	static const u64 ranges[][2] = { { 1, 3 },	{ 10, 20 },    { 30, 40 },
					 { 25, ~0ull }, { 50, ~0ull }, { 60, ~0ull },
					 { ~0ull, 0 },	{ 0, ~0ull },  { 5, 7 } };
	struct ktrc_schema *wide = ktrc_schema_create();
	const struct ktrc_task task = task_of(0);
	struct ktrc_spaces *seen;
	struct ktrc_error err;
	bool is_right = true;

	ktrc_schema_add_value(wide, "map_call", 0, "mmap", "");
	synth_event(wide, 28, "map", "map", "DATA", "");
	synth_field(wide, 28, "page", 64, "PAGE", "");
	synth_field(wide, 28, "pages", 64, "COUNT", "");
	wide->events[28].bytes /= 8;
	if (ktrc_schema_finish(wide, &err) < 0)
		abort();
	seen = ktrc_spaces_create(wide, 0);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		u64 payload[] = { ranges[i][0], ranges[i][1] - ranges[i][0] };
		const struct ktrc_record record = {
			.event = ktrc_schema_event(wide, 28),
			.task = &task,
			.payload = (const u8 *)payload,
		};

		if (ktrc_spaces_add(seen, &record) < 0)
			abort();
		if (i == 3)
			is_right = ktrc_spaces_find(seen, &task, 2).end == 3 &&
				   ktrc_spaces_find(seen, &task, ~0ull - 1).begin == 25;
	}
	ktrc_spaces_find(seen, &task, ~0ull);
	ok(is_right, "numbers end where they end");
	ktrc_spaces_destroy(seen);
	ktrc_schema_destroy(wide);
}

/* The kernel maps from the top down: each is before all others. */
static void test_many(void)
{
	const u64 nr = 300000, top = 1ull << 34;
	const struct ktrc_task task = task_of(0);
	u64 found = 0;

	for (u64 i = 0; i < nr; i++) {
		const struct ktrc_ev_map rec = {
			.page = top - 2 * i,
			.pages = 1,
			.map_call = KTRC_map_call_mmap,
			.anon = 1,
		};

		tell(0, KTRC_EV_map, &rec, sizeof(rec));
	}
	for (u64 i = 0; i < nr; i++)
		found += ktrc_spaces_find(spaces, &task, top - 2 * i).end == top - 2 * i + 1;
	ok(found == nr, "many take time in proportion");
}

static u64 kind_at(u32 process, u64 page)
{
	const struct ktrc_task task = task_of(process);

	return ktrc_spaces_find(spaces, &task, page).kind;
}

/* Each child has all that its maker has, and changes some of it. */
static void test_children(void)
{
	const u64 nr = 20000, nr_children = 200;
	u64 wrong = 0;

	for (u64 i = 0; i < nr; i++) {
		const struct ktrc_ev_map rec = { .page = 2 * i, .pages = 1, .anon = 1 };

		tell(NR_PROCESSES, KTRC_EV_map, &rec, sizeof(rec));
	}
	for (u32 i = 1; i <= nr_children; i++) {
		const u32 child = NR_PROCESSES + i;
		const struct ktrc_ev_process rec = { 1000 + child, 1000 + child };
		const struct ktrc_ev_map gone = { .page = 0,
						  .pages = nr,
						  .map_call = KTRC_map_call_munmap };

		tell(NR_PROCESSES, KTRC_EV_process, &rec, sizeof(rec));
		wrong += kind_at(child, 0) != KTRC_AREA_ANON;
		tell(child, KTRC_EV_map, &gone, sizeof(gone));
		wrong += kind_at(child, 0) || kind_at(child, nr) != KTRC_AREA_ANON ||
			 kind_at(child, 2 * nr - 2) != KTRC_AREA_ANON;
		wrong += kind_at(NR_PROCESSES, nr - 2) != KTRC_AREA_ANON;
	}
	ok(wrong == 0, "as many children as may be have what their maker has");
}

/* What no mmap of the loader's tells. */
static void test_program(void)
{
	const u64 stack_page = 1 << 20, room = 2048;
	const struct ktrc_ev_map stack = {
		.page = stack_page, .pages = 34, .map_call = KTRC_map_call_stack, .loading = 1
	};
	const struct ktrc_ev_map bss = {
		.page = 10, .pages = 3, .map_call = KTRC_map_call_bss, .anon = 1, .loading = 1
	};

	tell(0, KTRC_EV_map, &stack, sizeof(stack));
	tell(0, KTRC_EV_map, &bss, sizeof(bss));
	ok(kind_at(0, 10) == KTRC_AREA_ANON && kind_at(0, 12) == KTRC_AREA_ANON && !kind_at(0, 13),
	   "a program has memory beyond its file");
	ok(kind_at(0, stack_page + 33) == KTRC_AREA_STACK &&
		   kind_at(0, stack_page - room) == KTRC_AREA_STACK &&
		   !kind_at(0, stack_page - room - 1) && !kind_at(0, stack_page + 34),
	   "and a stack, with room to grow");
}

static void tell_lost(u32 id, u64 nr)
{
	const struct ktrc_ev_counts rec = { .event_id = id, .hits = nr, .lost = nr };

	tell(0, KTRC_EV_counts, &rec, sizeof(rec));
}

/* After all others: nothing is known any more. */
static void test_lost(void)
{
	const struct ktrc_ev_map rec = { .page = 1, .pages = 1, .anon = 1 };

	tell(0, KTRC_EV_map, &rec, sizeof(rec));
	tell_lost(KTRC_EV_map, 0);
	tell_lost(KTRC_EV_fault, 1);
	ok(kind_at(0, 1) == KTRC_AREA_ANON && !ktrc_spaces_is_lossy(spaces),
	   "what was lost of other events changes nothing");
	tell_lost(KTRC_EV_process_exit, 1);
	tell(0, KTRC_EV_map, &rec, sizeof(rec));
	ok(!kind_at(0, 1) && ktrc_spaces_is_lossy(spaces),
	   "where a change was lost nothing is known any more");
}

int main(void)
{
	u32 wrong = 0, known = 0;

	schema = synth_schema();
	spaces = ktrc_spaces_create(schema, 0);
	if (!spaces)
		abort();
	for (u32 i = 0; i < NR_STEPS; i++) {
		step(any(NR_PROCESSES));
		wrong += nr_wrong();
		known += model[i % NR_PROCESSES][i % NR_PAGES].kind != KTRC_AREA_UNKNOWN;
	}
	ok(wrong == 0, "each page is what the last call made of it");
	ok(known > NR_STEPS / 10 && known < NR_STEPS, "some are known, some are not");
	test_many();
	test_children();
	test_ends_of_numbers();
	test_program();
	test_lost();
	ktrc_spaces_destroy(spaces);
	ktrc_schema_destroy(schema);
	return end_of_tests();
}
