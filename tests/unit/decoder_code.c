// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames are named by what this process has mapped, of records that it has made since it runs its program:
 * not of older ones, nor of threads that are gone, as all but one are when a program begins.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "../../userspace/lib/code.h"
#include "../../userspace/lib/maps.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

#define START_TICKS (1ull << 40)
#define EXEC_TICKS (START_TICKS + 1000)
#define MAP_TICKS (START_TICKS + 2000)
#define COPY 5

static pthread_barrier_t is_known, is_looked_at;

static struct ktrc_ev_task identity(void)
{
	struct ktrc_ev_task task = { .tid = (u32)gettid(), .pid = (u32)getpid() };
	char comm[32];
	u64 start_ns;

	if (!ktrc_proc_identity(task.tid, &start_ns, comm))
		abort();
	task.start_ns = start_ns;
	memcpy(task.comm, comm, sizeof(task.comm));
	return task;
}

/* It is so for a while after it was waited for. */
static bool is_there(u32 tid)
{
	char comm[32];
	u64 start_ns;

	return ktrc_proc_identity(tid, &start_ns, comm);
}

static void *end_at_once(void *task)
{
	*(struct ktrc_ev_task *)task = identity();
	return NULL;
}

static void *stay(void *task)
{
	*(struct ktrc_ev_task *)task = identity();
	pthread_barrier_wait(&is_known);
	pthread_barrier_wait(&is_looked_at);
	return NULL;
}

/* What each capture has beside records. */
enum change { NOTHING, EXEC, MAP };

/* Records of three threads that lead through a function of this program. */
static void put_records(struct synth_stream *s, const struct ktrc_ev_task tasks[3],
			enum change change)
{
	const struct ktrc_ev_map map = {
		.page = (u64)&put_records >> KTRC_PAGE_SHIFT,
		.pages = 1,
		.map_call = KTRC_map_call_mmap,
		.prot_exec = 1,
		.file_id = 1,
	};
	const struct ktrc_ev_stack stack = { .slot = 1,
					     .nr_frames = 1,
					     .frame0 = (u64)&put_records };
	const struct ktrc_ev_process_exec exec = { .caller_tid = tasks[0].tid };

	synth_open(s, START_TICKS, &tasks[0]);
	synth_record(s, KTRC_EV_stack, START_TICKS, &stack, sizeof(stack));
	if (change == EXEC)
		synth_record(s, KTRC_EV_process_exec, EXEC_TICKS, &exec, sizeof(exec));
	if (change == MAP)
		synth_record(s, KTRC_EV_map, MAP_TICKS, &map, sizeof(map));
	for (u32 i = 1; i < 3; i++)
		synth_record(s, KTRC_EV_task, EXEC_TICKS, &tasks[i], sizeof(tasks[i]));
	synth_close(s);
}

/* As a trace keeps it, with a copy of a stack that was followed. */
static struct ktrc_code look(const struct ktrc_schema *schema, const struct ktrc_ev_task tasks[3],
			     enum change change)
{
	struct ktrc_code found = { 0 }, code = { 0 };
	const struct ktrc_names names = { 0 };
	struct synth_stream stream = { 0 };
	struct ktrc_seen seen = { 0 };
	json_t *document;

	put_records(&stream, tasks, change);
	ktrc_seen_add(&seen, schema, stream.bytes, stream.len);
	if (ktrc_code_look(&found, &seen, &names) < 0)
		abort();
	document = ktrc_code_to_json(&found);
	json_array_append_new(json_object_get(document, "unwound"),
			      json_pack("{s:i, s:s, s:i, s:[I]}", "pid", (int)tasks[0].pid, "copy",
					"0x5", "end", 0, "frames", (json_int_t)&put_records));
	if (ktrc_code_from_json(&code, document) < 0)
		abort();
	json_decref(document);
	ktrc_code_release(&found);
	ktrc_seen_release(&seen);
	free(stream.bytes);
	return code;
}

/* The function that the stack of a record leads through is known, and where its copy leads. */
static bool is_named(const struct ktrc_code *code, const struct ktrc_ev_task *of, u64 ticks)
{
	struct ktrc_stack *stack = calloc(1, sizeof(*stack) + sizeof(stack->frames[0]));
	struct ktrc_task task = { .tid = of->tid, .tgid = of->pid, .start_ns = of->start_ns };
	const struct ktrc_record record = { .ticks = ticks, .task = &task, .stacks.copy = COPY };
	struct ktrc_place place;

	ktrc_comm_copy(task.comm, of->comm);
	stack->nr = 1;
	stack->frames[0] = (u64)&put_records;
	place = ktrc_code_find(code, NULL, &record, stack, 0);
	free(stack);
	if (!place.file != !ktrc_code_unwound(code, &record))
		abort();
	return place.function && strcmp(place.function->name, "put_records") == 0;
}

static void test_first_thread(const struct ktrc_schema *schema, const struct ktrc_ev_task tasks[3])
{
	struct ktrc_ev_task other = tasks[0];
	struct ktrc_code code = look(schema, tasks, NOTHING);

	other.start_ns += NSEC_PER_SEC;
	ok(is_named(&code, &tasks[0], START_TICKS), "as it is now, if no other program was seen");
	ok(!is_named(&code, &other, START_TICKS), "not of another process of that number");
	ktrc_code_release(&code);
	code = look(schema, tasks, EXEC);
	ok(is_named(&code, &tasks[0], EXEC_TICKS), "since it began to run its program");
	ok(!is_named(&code, &tasks[0], EXEC_TICKS - 1), "not before, though it had the same name");
	ktrc_code_release(&code);
	code = look(schema, tasks, MAP);
	ok(is_named(&code, &tasks[0], MAP_TICKS), "since what lies there was mapped");
	ok(!is_named(&code, &tasks[0], MAP_TICKS - 1), "not before: something else was there");
	ktrc_code_release(&code);
}

static void test_other_threads(const struct ktrc_schema *schema, const struct ktrc_ev_task tasks[3])
{
	struct ktrc_ev_task other = tasks[1];
	struct ktrc_code code = look(schema, tasks, NOTHING);

	other.start_ns += NSEC_PER_SEC;
	ok(is_named(&code, &tasks[1], START_TICKS), "of a thread that is there");
	ok(!is_named(&code, &other, START_TICKS), "not of one that had its number");
	ok(!is_named(&code, &tasks[2], START_TICKS), "not of one that is gone");
	ktrc_code_release(&code);
}

int main(void)
{
	struct ktrc_schema *schema;
	struct ktrc_ev_task tasks[3];
	pthread_t staying, ending;

	if (!is_there((u32)getpid()))
		return not_run("this is no first namespace of processes");
	schema = synth_schema();
	tasks[0] = identity();
	pthread_barrier_init(&is_known, NULL, 2);
	pthread_barrier_init(&is_looked_at, NULL, 2);
	if (pthread_create(&staying, NULL, stay, &tasks[1]) ||
	    pthread_create(&ending, NULL, end_at_once, &tasks[2]))
		abort();
	pthread_barrier_wait(&is_known);
	pthread_join(ending, NULL);
	while (is_there(tasks[2].tid))
		usleep(1000);
	test_first_thread(schema, tasks);
	test_other_threads(schema, tasks);
	pthread_barrier_wait(&is_looked_at);
	pthread_join(staying, NULL);
	ktrc_schema_destroy(schema);
	return end_of_tests();
}
