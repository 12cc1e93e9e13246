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
	struct ktrc_schema *schema = synth_schema();
	struct ktrc_mapped_look *look =
		ktrc_mapped_look(seen, schema, &names, path ? 5 : 0, ~0ull, 5 * NSEC_PER_SEC);

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
	fork_both();
	ok(nr_known(2, NULL) == 2, "what processes have mapped is known");
	ok(nr_known(1, NULL) == 1, "also while /proc does not answer for another one");
	test_reach();
	test_kept();
	test_cgroup();
	end_both();
	test_namespace();
	return end_of_tests();
}
