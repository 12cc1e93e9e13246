// SPDX-License-Identifier: GPL-2.0-or-later
/* What processes had mapped when the window began: by what is mapped now, and what records say has changed. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../userspace/lib/cleanup.h"
#include "../../userspace/lib/maps.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

/* A range that a thread changes. */
static void synth_map(struct synth_stream *s, u64 ticks, u64 page)
{
	const struct ktrc_ev_map rec = { .page = page,
					 .pages = 1,
					 .map_call = KTRC_map_call_munmap };

	synth_record(s, KTRC_EV_map, ticks, &rec, sizeof(rec));
}

/* Three changes: of a thread, of another one, and of the first one again; then one of @tid. */
static void build_changes(struct synth_stream *s, u32 tid)
{
	const struct ktrc_ev_task first = { .tid = 101, .pid = 100, .comm = "first" };
	const struct ktrc_ev_task second = { .tid = 201, .pid = 200, .comm = "second" };
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
	seen = seen_changes(synth_schema(), KTRC_TID_NOBODY);
	ok(!seen.is_partial, "what is no thread's is nobody's who is not known");
	ktrc_seen_release(&seen);
}

/* ---- what is mapped now ---- */

static pid_t pids[2]; /* two who have the same */
static u32 nr_answers = ~0u; /* so many of them answer, the next one does not */
static const char *cgroup = "0::/\n"; /* of both, as /proc has it */
static char known[2 << KTRC_PAGE_SHIFT]; /* has a page of its own */

static u64 known_page(void)
{
	return ((u64)known + sizeof(known) / 2) >> KTRC_PAGE_SHIFT;
}

FILE *__real_ktrc_proc_open(u32 pid, const char *name);
FILE *__wrap_ktrc_proc_open(u32 pid, const char *name);

/* Comes before ktrc_proc_open() where others than itself call it. */
FILE *__wrap_ktrc_proc_open(u32 pid, const char *name)
{
	if (strcmp(name, "cgroup") == 0)
		return fmemopen((char *)cgroup, strlen(cgroup), "r");
	while (!nr_answers)
		pause();
	nr_answers--;
	return __real_ktrc_proc_open(pid, name);
}

static void fork_both(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			abort();
		if (!pids[i])
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (!pids[i])
			pause();
	}
}

static void end_both(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

/* As if both had been recorded, and a fault on the known page. */
static struct ktrc_seen seen_both(void)
{
	struct ktrc_seen seen = { .with_changes = true };

	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		if (!ktrc_index_get(&seen.pids, (u32)pids[i], 0))
			abort();
	if (!ktrc_index_get(&seen.blocks, known_page() >> KTRC_BLOCK_SHIFT, 0))
		abort();
	return seen;
}

static bool is_known(const struct ktrc_mapped *mapped, pid_t pid)
{
	for (size_t i = 0; i < mapped->nr; i++)
		if (mapped->rows[i].pid == (u32)pid && mapped->rows[i].area.begin <= known_page() &&
		    mapped->rows[i].area.end > known_page())
			return true;
	return false;
}

/* Of a session that is confined to this cgroup; NULL: of one that is not. */
static struct ktrc_mapped_look *look_at(const struct ktrc_seen *seen, const char *path)
{
	struct ktrc_name row = { .cgid = 5, .path = (char *)path };
	const struct ktrc_names names = { .rows = &row, .nr = !!path };
	const struct ktrc_patience patience = { .max_ns = 5 * NSEC_PER_SEC };
	struct ktrc_schema *schema = synth_schema();
	struct ktrc_mapped_look *look = ktrc_mapped_look(seen ? &seen->pids : NULL, schema, &names,
							 path ? 5 : 0, ~0ull, &patience);

	if (!look)
		abort();
	ktrc_schema_destroy(schema);
	return look;
}

static bool is_kept; /* looks are, and used later */

/* As the one who stopped the session kept it. */
static struct ktrc_mapped_look *kept(struct ktrc_mapped_look *look, const struct ktrc_seen *seen)
{
	static const struct ktrc_names names;
	struct ktrc_schema *schema = synth_schema();
	json_t *object = ktrc_mapped_look_to_json(look, seen);
	struct ktrc_mapped_look *later = ktrc_mapped_look_from_json(object, schema, &names);

	if (!object || !later)
		abort();
	json_decref(object);
	ktrc_schema_destroy(schema);
	ktrc_mapped_look_destroy(look);
	return later;
}

/* How many are known, of whom so many answer, of a session that is confined to @path. */
static int nr_known(u32 nr, const char *path)
{
	KTRC_CLEANUP(ktrc_seen_release) struct ktrc_seen seen = seen_both();
	KTRC_CLEANUP(ktrc_mapped_release) struct ktrc_mapped mapped = { 0 };
	struct ktrc_mapped_look *look;

	nr_answers = nr;
	look = look_at(&seen, path);
	nr_answers = ~0u;
	if (is_kept)
		look = kept(look, &seen);
	if (ktrc_mapped_load(&mapped, look, &seen) < 0)
		abort();
	ktrc_mapped_look_destroy(look);
	return is_known(&mapped, pids[0]) + is_known(&mapped, pids[1]);
}

/* ---- all that all have ---- */

static u64 first_page_of_stack(pid_t pid)
{
	__ktrc_file FILE *maps = __real_ktrc_proc_open((u32)pid, "maps");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[stack]"))
			return strtoull(line, NULL, 16) >> KTRC_PAGE_SHIFT;
	abort();
}

static const struct ktrc_mapped_row *stack_of(const struct ktrc_mapped *mapped, pid_t pid)
{
	for (size_t i = 0; i < mapped->nr; i++)
		if (mapped->rows[i].pid == (u32)pid && mapped->rows[i].area.kind == KTRC_AREA_STACK)
			return &mapped->rows[i];
	return NULL;
}

/* Of a session that is followed from here on; of what it recorded in the end only @pids[0] is near. */
static void test_all(void)
{
	KTRC_CLEANUP(ktrc_seen_release) struct ktrc_seen nothing = { .with_changes = true };
	KTRC_CLEANUP(ktrc_seen_release) struct ktrc_seen seen = { .with_changes = true };
	KTRC_CLEANUP(ktrc_mapped_release) struct ktrc_mapped mapped = { 0 };
	struct ktrc_mapped_look *look = look_at(NULL, NULL);
	const struct ktrc_mapped_row *stack;

	if (ktrc_mapped_load(&mapped, look, &nothing) < 0 ||
	    !ktrc_index_get(&seen.blocks, known_page() >> KTRC_BLOCK_SHIFT, 0))
		abort();
	ktrc_mapped_look_destroy(look);
	ok(is_known(&mapped, pids[0]) && is_known(&mapped, pids[1]),
	   "of who has recorded nothing yet all is known");
	stack = stack_of(&mapped, pids[0]);
	ok(stack && stack->area.begin + KTRC_STACK_ROOM == first_page_of_stack(pids[0]),
	   "a stack has room to grow");
	if (ktrc_mapped_keep_near(&mapped, &seen) < 0)
		abort();
	ok(is_known(&mapped, pids[0]) && !stack_of(&mapped, pids[0]),
	   "what is near to a record is kept, and nothing else");
}

static void test_numbers(void)
{
	const struct ktrc_name row = { .cgid = KTRC_NAME_FILE + 7, .path = (char *)"/lib/new" };
	const struct ktrc_names names = { .rows = (struct ktrc_name *)&row, .nr = 1 };
	char *paths[] = { (char *)"/lib/old", (char *)"/lib/new" };
	struct ktrc_mapped_row rows[] = { { .area.file = KTRC_MAPPED_FILE },
					  { .area.file = KTRC_MAPPED_FILE + 1 },
					  { .area.file = 3 },
					  { .area.file = KTRC_MAPPED_FILE + 2 } };
	struct ktrc_mapped mapped = { rows, ARRAY_SIZE(rows), paths, ARRAY_SIZE(paths) };

	ktrc_mapped_renumber(&mapped, &names);
	ok(rows[0].area.file == KTRC_MAPPED_FILE && rows[1].area.file == 7 &&
		   rows[2].area.file == 3 && rows[3].area.file == KTRC_MAPPED_FILE + 2,
	   "a file that was numbered since has one number");
}

/* ---- how far records reach back ---- */

#define FIRST (1ull << 40) /* when a packet begins */
#define SECOND (FIRST + 1000)

/* Two packets, with a fault of the first process in each. */
static void build_faults(struct synth_stream *s, u32 cpu)
{
	const struct ktrc_ev_task task = { .tid = (u32)pids[0], .pid = (u32)pids[0] };
	const struct ktrc_ev_fault fault = { .page = known_page() };

	*s = (struct synth_stream){ .cpu = cpu };
	for (u64 begin = FIRST; begin <= SECOND; begin += SECOND - FIRST) {
		synth_open(s, begin, &task);
		synth_fault(s, begin + 1, &fault);
		synth_close(s);
	}
}

static struct ktrc_capture *build_capture(void)
{
	struct synth_stream streams[2];
	struct ktrc_capture *capture;

	for (u32 cpu = 0; cpu < ARRAY_SIZE(streams); cpu++)
		build_faults(&streams[cpu], cpu);
	capture = synth_capture(streams, ARRAY_SIZE(streams));
	capture->session.state = KTRC_STATE_RUNNING;
	return capture;
}

/* A CPU's first packet was overwritten. */
static void overwrite(struct ktrc_stream *stream)
{
	stream->len -= SYNTH_PACKET_BYTES;
	memmove(stream->bytes, stream->bytes + SYNTH_PACKET_BYTES, stream->len);
}

/* Whether something is known after a look at @ticks; drops the capture. */
static bool is_known_since(struct ktrc_capture *capture, u64 ticks)
{
	KTRC_CLEANUP(ktrc_seen_release) struct ktrc_seen seen = seen_both();
	struct ktrc_mapped_look *look = look_at(&seen, NULL);
	struct ktrc_error err;
	bool known;

	if (is_kept)
		look = kept(look, &seen);

	if (ktrc_capture_start_reader(capture, &err) < 0 ||
	    ktrc_capture_load_mapped(capture, look, ticks, &err) < 0)
		abort();
	known = is_known(&capture->mapped, pids[0]);
	ktrc_mapped_look_destroy(look);
	ktrc_capture_destroy(capture);
	return known;
}

static void test_reach(void)
{
	struct ktrc_capture *capture = build_capture();

	ok(is_known_since(capture, SECOND), "what was mapped is known if all is there since then");
	capture = build_capture();
	overwrite(&capture->streams[1]);
	ok(is_known_since(capture, SECOND), "if all is there since just then");
	capture = build_capture();
	overwrite(&capture->streams[1]);
	ok(!is_known_since(capture, SECOND - 1), "not if a CPU's records were overwritten since");
	capture = build_capture();
	capture->streams[1].len = 0;
	ok(!is_known_since(capture, SECOND), "nor if somebody took them all");
	capture = build_capture();
	capture->session.state = KTRC_STATE_STOPPED;
	ok(!is_known_since(capture, SECOND), "nor if the session has stopped since");
}

static void test_kept(void)
{
	struct ktrc_capture *capture;

	is_kept = true;
	ok(nr_known(2, NULL) == 2, "what was kept when it was stopped is known later");
	capture = build_capture();
	capture->session.state = KTRC_STATE_STOPPED;
	ok(is_known_since(capture, SECOND), "of a session that has stopped since, too");
	capture = build_capture();
	capture->session.state = KTRC_STATE_STOPPED;
	overwrite(&capture->streams[1]);
	ok(!is_known_since(capture, SECOND - 1), "not if records were overwritten since");
	is_kept = false;
}

/* What a process changed elsewhere was not recorded. */
static void test_cgroup(void)
{
	cgroup = "1:name=old:/a/b\n0::/a/b/c\n";
	ok(nr_known(2, "/a/b") == 2 && nr_known(2, "/a/b/c") == 2 && nr_known(2, "/") == 2,
	   "also of a session that is confined to a cgroup in which they are");
	ok(nr_known(2, "/a/b/c/d") == 0 && nr_known(2, "/a/bb") == 0,
	   "not of those that have left it");
	cgroup = "1:name=old:/a/b\n";
	ok(nr_known(2, "/a/b") == 0, "nor if nobody knows where they are");
}

/* ---- what processes gave up ---- */

static void become(struct synth_stream *s, u64 ticks, u32 pid)
{
	const struct ktrc_ev_task task = { .tid = pid, .pid = pid, .comm = "leaver" };

	synth_record(s, KTRC_EV_task, ticks, &task, sizeof(task));
}

/* Memory from page 1000 on, of which 10 pages are a file's, and another 10 the heap. */
static void give_up(struct synth_stream *s, u64 ticks)
{
	struct ktrc_ev_map file = {
		.page = 1000, .pages = 10, .map_call = KTRC_map_call_exit, .file_id = 3, .from = 7
	};
	struct ktrc_ev_map heap = { .page = 1010,
				    .pages = 10,
				    .map_call = KTRC_map_call_exit,
				    .anon = 1,
				    .heap = 1,
				    .from_pages = 1 };

	synth_record(s, KTRC_EV_map, ticks, &file, sizeof(file));
	synth_record(s, KTRC_EV_map, ticks + 1, &heap, sizeof(heap));
}

static void begin_program(struct synth_stream *s, u64 ticks)
{
	const struct ktrc_ev_process_exec exec = { .caller_tid = 1 };

	synth_record(s, KTRC_EV_process_exec, ticks, &exec, sizeof(exec));
}

#define WINDOW (1ull << 40) /* when it begins, and when it is settled */
#define SETTLED (WINDOW + 1000)

/* 60 begins another program before the window, 70 is told later, 80 began its program before it ended in the window. */
static void build_others(struct synth_stream *s)
{
	const struct ktrc_ev_task other = { .tid = 1, .pid = 1 };
	u64 t = WINDOW - 100;

	synth_open(s, t, &other);
	become(s, t + 1, 60);
	give_up(s, t + 2);
	become(s, t + 4, 80);
	give_up(s, t + 5);
	begin_program(s, t + 7);
	become(s, WINDOW + 100, 80);
	give_up(s, WINDOW + 101);
	become(s, SETTLED + 1, 70);
	give_up(s, SETTLED + 2);
	synth_close(s);
}

/*
 * 10 ends; it had unmapped page 1002, which another one that has its number maps later. 20 begins another program and
 * ends with that; the later records are on the first CPU. 30 was made, 40 had begun a program before. Of 50 the first part is
 * gone.  Nobody knows whose the last is.
 */
static void build_leavers(struct synth_stream s[2], u64 t)
{
	const struct ktrc_ev_task other = { .tid = 1, .pid = 1 };
	const struct ktrc_ev_process made = { .child_tid = 30, .child_pid = 30 };
	const struct ktrc_ev_task_ref nobody = { .tid = KTRC_TID_NOBODY };
	struct ktrc_ev_map rest = { .page = 1000,
				    .pages = 10,
				    .map_call = KTRC_map_call_exit,
				    .anon = 1,
				    .from_pages = 9 };

	synth_open(&s[0], t, &other);
	become(&s[0], t + 50, 20);
	give_up(&s[0], t + 60);
	become(&s[0], t + 70, 10);
	synth_map(&s[0], t + 71, 1005);
	synth_close(&s[0]);
	synth_open(&s[1], t, &other);
	become(&s[1], t + 1, 10);
	synth_map(&s[1], t + 2, 1002);
	give_up(&s[1], t + 3);
	become(&s[1], t + 5, 20);
	give_up(&s[1], t + 6);
	begin_program(&s[1], t + 8);
	synth_map(&s[1], t + 9, 1004);
	synth_record(&s[1], KTRC_EV_process, t + 10, &made, sizeof(made));
	become(&s[1], t + 11, 30);
	give_up(&s[1], t + 12);
	become(&s[1], t + 14, 40);
	begin_program(&s[1], t + 15);
	give_up(&s[1], t + 16);
	become(&s[1], t + 18, 50);
	synth_record(&s[1], KTRC_EV_map, t + 19, &rest, sizeof(rest));
	synth_record(&s[1], KTRC_EV_task_ref, t + 20, &nobody, sizeof(nobody));
	give_up(&s[1], t + 21);
	synth_close(&s[1]);
}

/* All that lies near to a fault is known of whom it is asked. */
static struct ktrc_seen seen_leavers(const struct ktrc_schema *schema)
{
	struct ktrc_seen seen = {
		.with_changes = true,
		.start_ticks = WINDOW,
		.end_ticks = SETTLED,
	};
	struct synth_stream s[] = { { .cpu = 0 }, { .cpu = 1 }, { .cpu = 2 } };

	build_leavers(s, WINDOW);
	build_others(&s[2]);
	for (u32 cpu = 0; cpu < ARRAY_SIZE(s); cpu++) {
		ktrc_seen_add(&seen, schema, s[cpu].bytes, s[cpu].len);
		free(s[cpu].bytes);
	}
	for (u64 page = 1000; page < 1020; page++)
		if (!ktrc_index_get(&seen.blocks, page >> KTRC_BLOCK_SHIFT, 0))
			abort();
	return seen;
}

static const struct ktrc_mapped_row *row_of(const struct ktrc_mapped *mapped, u32 pid, u64 page)
{
	for (size_t i = 0; i < mapped->nr; i++)
		if (mapped->rows[i].pid == pid && mapped->rows[i].area.begin <= page &&
		    mapped->rows[i].area.end > page)
			return &mapped->rows[i];
	return NULL;
}

static bool is_file(const struct ktrc_mapped *mapped, u32 pid, u64 page)
{
	const struct ktrc_mapped_row *row = row_of(mapped, pid, page);

	return row && row->area.kind == KTRC_AREA_FILE && row->area.file == 3 &&
	       row->area.offset + page - row->area.begin == 7 + page - 1000;
}

static bool is_heap(const struct ktrc_mapped *mapped, u32 pid, u64 page)
{
	const struct ktrc_mapped_row *row = row_of(mapped, pid, page);

	return row && row->area.kind == KTRC_AREA_HEAP;
}

static void test_left(void)
{
	static const struct ktrc_names names;
	struct ktrc_schema *schema = synth_schema();
	struct ktrc_mapped_look *look = ktrc_mapped_look_at_nothing(schema, &names);
	KTRC_CLEANUP(ktrc_seen_release) struct ktrc_seen seen = seen_leavers(schema);
	KTRC_CLEANUP(ktrc_mapped_release) struct ktrc_mapped mapped = { 0 };

	if (!look || ktrc_mapped_load(&mapped, look, &seen) < 0)
		abort();
	ok(is_file(&mapped, 10, 1001) && is_file(&mapped, 10, 1009) && is_heap(&mapped, 10, 1019),
	   "what a process gave up as it ended it had");
	ok(!row_of(&mapped, 10, 1002) && is_file(&mapped, 10, 1005),
	   "but for what had changed; what changed later is another one's");
	ok(is_file(&mapped, 20, 1000) && is_file(&mapped, 20, 1004),
	   "as well one that began another program, which gave up the same");
	ok(!row_of(&mapped, 30, 1000), "not one that was made in the window");
	ok(!row_of(&mapped, 40, 1000), "nor the program that was begun in it");
	ok(!row_of(&mapped, 50, 1000), "nor of what nobody knows when it began to be told");
	ok(!row_of(&mapped, KTRC_INDEX_NONE, 1000), "nor what was nobody's");
	ok(!row_of(&mapped, 60, 1000), "nor what was given up before the window");
	ok(!row_of(&mapped, 70, 1000), "nor after all CPUs' records are there");
	ok(is_heap(&mapped, 80, 1019), "but of a program that was begun before it");
	ktrc_mapped_look_destroy(look);
	ktrc_schema_destroy(schema);
}

/* What is mapped by what was seen, near to @page; gives back @seen. */
static struct ktrc_mapped mapped_near(const struct ktrc_schema *schema, struct ktrc_seen *seen,
				      u64 page)
{
	static const struct ktrc_names names;
	struct ktrc_mapped_look *look = ktrc_mapped_look_at_nothing(schema, &names);
	struct ktrc_mapped mapped = { 0 };

	if (!ktrc_index_get(&seen->blocks, page >> KTRC_BLOCK_SHIFT, 0) || !look ||
	    ktrc_mapped_load(&mapped, look, seen) < 0)
		abort();
	ktrc_mapped_look_destroy(look);
	ktrc_seen_release(seen);
	return mapped;
}

/* What a process gives up in two packets, which are looked through one by one, and another CPU's in between. */
static void test_left_in_two(void)
{
	static const u32 pids_of[] = { 10, 20, 10 };
	const struct ktrc_ev_task other = { .tid = 1, .pid = 1 };
	const struct ktrc_ev_map rest = { .page = 1020,
					  .pages = 5,
					  .map_call = KTRC_map_call_exit,
					  .anon = 1,
					  .heap = 1,
					  .from_pages = 2 };
	struct ktrc_seen seen = {
		.with_changes = true,
		.start_ticks = WINDOW,
		.end_ticks = SETTLED,
	};
	struct synth_stream s[] = { { .cpu = 0 }, { .cpu = 1 }, { .cpu = 0, .seq = 1 } };
	struct ktrc_schema *schema = synth_schema();
	struct ktrc_mapped mapped;

	for (size_t i = 0; i < ARRAY_SIZE(s); i++) {
		synth_open(&s[i], WINDOW + 10 * i, &other);
		become(&s[i], WINDOW + 10 * i + 1, pids_of[i]);
		if (i < 2)
			give_up(&s[i], WINDOW + 10 * i + 2);
		else
			synth_record(&s[i], KTRC_EV_map, WINDOW + 10 * i + 2, &rest, sizeof(rest));
		synth_close(&s[i]);
		ktrc_seen_add(&seen, schema, s[i].bytes, s[i].len);
		free(s[i].bytes);
	}
	mapped = mapped_near(schema, &seen, 1020);
	ok(is_file(&mapped, 10, 1001) && is_heap(&mapped, 10, 1022),
	   "in two packets, looked through one by one");
	ktrc_mapped_release(&mapped);
	ktrc_schema_destroy(schema);
}

static void see_and_free(struct ktrc_seen *seen, const struct ktrc_schema *schema,
			 struct synth_stream *s)
{
	synth_close(s);
	ktrc_seen_add(seen, schema, s->bytes, s->len);
	free(s->bytes);
	*s = (struct synth_stream){ .seq = s->seq };
}

/* More changes than are kept, all of a process that was made in the window; then its maker ends. */
static void see_busy(struct ktrc_seen *seen, const struct ktrc_schema *schema)
{
	const struct ktrc_ev_task maker = { .tid = 10, .pid = 10 };
	const struct ktrc_ev_task busy = { .tid = 30, .pid = 30 };
	const struct ktrc_ev_process made = { .child_tid = 30, .child_pid = 30 };
	struct synth_stream s = { 0 };
	u64 ticks = WINDOW;

	synth_open(&s, ticks, &maker);
	synth_record(&s, KTRC_EV_process, ++ticks, &made, sizeof(made));
	see_and_free(seen, schema, &s);
	for (u64 i = 0; i < 1100000;) {
		synth_open(&s, ++ticks, &busy);
		while (!synth_is_full(&s))
			synth_map(&s, ++ticks, i++);
		see_and_free(seen, schema, &s);
	}
	synth_open(&s, ++ticks, &maker);
	give_up(&s, ++ticks);
	see_and_free(seen, schema, &s);
}

static void test_busy(void)
{
	struct ktrc_seen seen = {
		.with_changes = true,
		.start_ticks = WINDOW,
		.end_ticks = WINDOW + 10000000,
	};
	struct ktrc_schema *schema = synth_schema();
	struct ktrc_mapped mapped;

	see_busy(&seen, schema);
	mapped = mapped_near(schema, &seen, 1000);
	ok(is_file(&mapped, 10, 1001) && !row_of(&mapped, 30, 1000),
	   "whatever one changes that was made in the window");
	ktrc_mapped_release(&mapped);
	ktrc_schema_destroy(schema);
}

/* There, the number of a process is another one's. */
enum answer { ASKED, DID_NOT_ASK, CANNOT_TELL };

/* It ends: whatever it begins afterwards would be there, too. */
static void ask_elsewhere(void)
{
	bool is_there = unshare(CLONE_NEWPID) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
	pid_t pid = is_there ? fork() : -1;
	int status;

	if (!pid)
		_exit(__real_ktrc_proc_open(1, "stat") ? ASKED : DID_NOT_ASK);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		_exit(CANNOT_TELL);
	_exit(WEXITSTATUS(status));
}

static void test_namespace(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		ask_elsewhere();
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		abort();
	if (WEXITSTATUS(status) == CANNOT_TELL)
		printf("# not run: no namespace of processes can be made here\n");
	else
		ok(WEXITSTATUS(status) == DID_NOT_ASK, "who has another namespace asks nobody");
}

int main(void)
{
	__ktrc_file FILE *self = ktrc_proc_open((u32)getpid(), "stat");

	if (!self)
		return not_run("this is no first namespace of processes");
	alarm(60); /* should it be waited for ever */
	test_whose(synth_schema(), "changes are those of the thread's process");
	test_whose(schema_without_copies(), "also where stacks cannot be copied");
	test_whose_is_not_known();
	test_left();
	test_left_in_two();
	test_busy();
	fork_both();
	ok(nr_known(2, NULL) == 2, "what processes have mapped is known");
	test_all();
	test_numbers();
	ok(nr_known(1, NULL) == 1, "also while /proc does not answer for another one");
	test_reach();
	test_kept();
	test_cgroup();
	end_both();
	test_namespace();
	return end_of_tests();
}
