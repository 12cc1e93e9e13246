// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * traces DIR: saves, each as a directory in DIR, traces that hold every kind of record, header
 * and packet a module can write.  What they hold is random, but the same each time, on every host:
 * what addresses are is made up as well.
 */
#include <stdio.h>

#include "../../userspace/lib/code.h"
#include "../../userspace/lib/packet.h"
#include "../../userspace/lib/trace.h"
#include "decoder_synth.h"

#define NR_TASKS 4
#define NR_STACKS 3
#define START_TICKS (1ull << 40)
#define FIRST_COMM "prog"
#define LONG_PATH "/kubepods.slice/kubepods-burstable.slice"
/* Where code lies in the kernel, in a program, and in the program's file. */
#define KERNEL_TEXT 0xffffffff81000000
#define USER_TEXT 0x400000
#define FILE_TEXT 0x2000
#define TEXT_BYTES 0x1000
#define LIBRARY 7 /* number of a file */
#define LIBRARY_PATH "/usr/lib/libgone.so"
#define LIBRARY_ID "fedcba9876543210"

/* A trace to be made. */
struct recipe {
	const char *name;
	u32 clock; /* enum ktrc_clock */
	u32 mode; /* enum ktrc_mode */
	u64 hz;
	u32 nr_cpus;
	u32 nr_packets; /* of each CPU */
	u32 content; /* bytes of records in a packet, at most */
	u32 step_ticks; /* between two records, at most */
	u64 first_seq;
	u32 nr_missing; /* packets missing behind the second */
	u32 taken; /* bytes of the first packet that a consumer had taken */
	bool is_tight; /* packets end where their content ends, as the open one's copy does */
};

static const struct recipe recipes[] = {
	{ "tsc", KTRC_CLOCK_TSC, KTRC_MODE_FLIGHT, 750000000, 3, 5, 4000, 1 << 12, 0, 0, 0, false },
	{ "mono", KTRC_CLOCK_MONO, KTRC_MODE_STREAM, 1000000000, 2, 4, 4000, 1 << 26, 0, 0, 0,
	  false },
	{ "gaps", KTRC_CLOCK_TSC, KTRC_MODE_FLIGHT, 524999999, 2, 4, 4000, 1 << 16, 7, 3, 0,
	  false },
	{ "trimmed", KTRC_CLOCK_MONO, KTRC_MODE_STREAM, 1000000000, 1, 3, 4000, 1 << 16, 2, 0, 2000,
	  true },
	/* small: it will be cut and damaged at every byte */
	{ "sample", KTRC_CLOCK_TSC, KTRC_MODE_FLIGHT, 750000000, 1, 3, 1300, 1 << 26, 1, 0, 0,
	  true },
	/* smaller: every byte will have every value */
	{ "packet", KTRC_CLOCK_TSC, KTRC_MODE_FLIGHT, 750000000, 1, 1, 1000, 1 << 26, 0, 0, 0,
	  true },
};

/* What comes next in a stream. */
struct source {
	const struct ktrc_schema *schema;
	const struct recipe *recipe;
	unsigned int seed;
	u64 ticks;
	u32 named; /* bit i: the packet names task i in full */
	u32 stacked; /* bit i: the packet holds user stack, kernel stack and copy i */
};

/* Of the largest few fit into a small packet. */
static u32 nr_stacks(const struct recipe *recipe)
{
	return recipe->content < 2000 ? 1 : NR_STACKS;
}

static u32 pick(struct source *source, u32 nr)
{
	return (u32)rand_r(&source->seed) % nr;
}

/* Kernel threads, forks and hostile programs have all kinds of names; the first one keeps its own. */
static struct ktrc_ev_task make_task(struct source *source, u32 i)
{
	static const char letters[] = "az09 /:-\"\\\x01\x7f\x80\xff";
	struct ktrc_ev_task task = { .tid = 100 + i, .pid = 100 + i / 2, .cgid = i };
	u32 len = pick(source, sizeof(task.comm));

	if (i == NR_TASKS - 1)
		task.tid = task.pid = KTRC_TID_NOBODY;
	task.start_ns = (u64)i << 40;
	for (u32 at = 0; at < len; at++)
		task.comm[at] = letters[pick(source, sizeof(letters) - 1)];
	if (i == 0)
		strcpy(memset(task.comm, 0, sizeof(task.comm)), FIRST_COMM);
	return task;
}

static void put_task(struct source *source, struct synth_stream *s)
{
	u32 i = pick(source, NR_TASKS);
	struct ktrc_ev_task task = make_task(source, i);
	struct ktrc_ev_task_ref ref = { .tid = task.tid };

	if (source->named >> i & 1 && pick(source, 4))
		synth_record(s, KTRC_EV_task_ref, source->ticks, &ref, sizeof(ref));
	else
		synth_record(s, KTRC_EV_task, source->ticks, &task, sizeof(task));
	source->named |= 1u << i;
}

/* Stack i in slot i + 1, or parts of it that do not fit together. */
static void put_stack(struct source *source, struct synth_stream *s, u32 i, bool is_kernel)
{
	const u32 frames = 1 + 4 * i, wrong = pick(source, 4) ? 0 : pick(source, 4);
	const u64 text = is_kernel ? KERNEL_TEXT : USER_TEXT;

	for (u32 first = 0; first < frames; first += 4) {
		const u32 end = pick(source, 4);
		const u64 high = (u64)pick(source, 1 << 30) << 34;
		struct ktrc_ev_stack part = {
			.slot = wrong == 1 ? 0 : i + 1,
			.nr_frames = wrong == 2 ? frames + first : frames,
			.first = wrong == 3 ? first + 4 : first,
			.is_kernel = is_kernel,
			.stack_end = end,
			.frame0 = first ? high : text + (high >> 34) % TEXT_BYTES,
			.frame1 = text + first + 1,
			.frame2 = text + first + 2,
			.frame3 = first + 3,
		};

		synth_record(s, KTRC_EV_stack, source->ticks, &part, sizeof(part));
	}
}

/* The same of copy i. */
static void put_copy(struct source *source, struct synth_stream *s, u32 i)
{
	const u32 words = 5 + 16 * i, wrong = pick(source, 4) ? 0 : pick(source, 5);
	struct ktrc_ev_stack_copy part;
	u64 word[16];

	for (u32 first = 0; first < words; first += 16) {
		part = (struct ktrc_ev_stack_copy){
			.slot = wrong == 1 ? 0 : i + 1,
			.words = wrong == 2 ? words + first : words,
			.first = wrong == 3 ? first + 16 : first,
			.regs = wrong == 4 ? words + 1 : 5 - i,
		};
		for (u32 at = 0; at < 16; at++)
			word[at] = (u64)pick(source, 1 << 30) << 34 | (first + at);
		memcpy((u8 *)&part + sizeof(part) - sizeof(word), word, sizeof(word));
		synth_record(s, KTRC_EV_stack_copy, source->ticks, &part, sizeof(part));
	}
}

/* Slots may be empty, and nothing may follow. */
static void put_stacks(struct source *source, struct synth_stream *s)
{
	u32 i = pick(source, nr_stacks(source->recipe));
	struct ktrc_ev_stack_ref ref = { 0 };

	ref.user_slot = pick(source, 2) ? i + 1 : pick(source, 4096);
	ref.kernel_slot = pick(source, 2) ? i + 1 : 0;
	ref.copy_slot = pick(source, 2) ? i + 1 : pick(source, 256);
	if (!(source->stacked >> i & 1)) {
		put_stack(source, s, i, false);
		put_stack(source, s, i, true);
		put_copy(source, s, i);
	}
	source->stacked |= 1u << i;
	synth_record(s, KTRC_EV_stack_ref, source->ticks, &ref, sizeof(ref));
	if (pick(source, 8) == 0)
		put_task(source, s);
}

/* Any bits are a record of a DATA event. */
static void put_record(struct source *source, struct synth_stream *s)
{
	static const u32 ids[] = {
#define KTRC_ID_DATA(id) id,
#define KTRC_ID_PART KTRC_ID_DATA
#define KTRC_ID_DICT(id)
#define KTRC_EVENT(id, ev, label, kind, doc) KTRC_ID_##kind(id)
#include "../../uapi/ktrc_events.def"
		SYNTH_EV_wide,
		KTRC_EV_fault,
	};
	u32 id = ids[pick(source, ARRAY_SIZE(ids))];
	u8 payload[80];

	for (u32 at = 0; at < sizeof(payload); at++)
		payload[at] = (u8)pick(source, 256);
	source->ticks += pick(source, source->recipe->step_ticks);
	if (pick(source, 4) == 0)
		put_task(source, s);
	if (pick(source, 4) == 0)
		put_stacks(source, s);
	synth_record(s, id, source->ticks, payload, source->schema->events[id].bytes);
	s->written++;
}

static void put_packet(struct source *source, struct synth_stream *s)
{
	/* for two tasks, the stacks and a record */
	const u32 stacks = nr_stacks(source->recipe) * (2 * (16 + 64) + 16 + 132);
	const u32 room = 2 * (16 + 64) + stacks + 16 + 16 + 80;
	struct ktrc_ev_task first = make_task(source, 0);

	synth_open(s, source->ticks, &first);
	source->named = 1;
	source->stacked = 0;
	while (s->len - s->packet + room <= KTRC_PACKET_HEADER_BYTES + source->recipe->content)
		put_record(source, s);
	if (!source->recipe->is_tight)
		synth_close(s);
	else
		ktrc_packet_close(s->bytes + s->packet, (u32)(s->len - s->packet), 0,
				  source->schema);
}

static void make_stream(const struct recipe *recipe, const struct ktrc_schema *schema, u32 cpu,
			struct synth_stream *s)
{
	struct source source = { schema, recipe, cpu + 1, START_TICKS + cpu, 0, 0 };
	u32 kept;

	*s = (struct synth_stream){ .cpu = cpu, .seq = recipe->first_seq };
	for (u32 i = 0; i < recipe->nr_packets; i++) {
		if (i == 2)
			s->seq += recipe->nr_missing;
		put_packet(&source, s);
		if (i || !recipe->taken)
			continue;
		kept = ktrc_packet_trim(s->bytes, (u32)s->len, recipe->taken, schema);
		s->len = kept;
	}
}

/* ---- what addresses are: these stand before what asks the host that this runs on ---- */

/* Between the last one and the end of the text lies what has no name. */
static int add_functions(struct ktrc_symbols *functions, u64 begin, char *module)
{
	static char *const names[] = { "main", "_ZN4nameC1Ev", "last_one" };
	const u64 bytes = TEXT_BYTES / (ARRAY_SIZE(names) + 1);
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < ARRAY_SIZE(names); i++, begin += bytes)
		ret = ktrc_symbols_add(functions,
				       &(struct ktrc_symbol){ begin, begin + bytes, names[i],
							      i ? module : NULL });
	return ret;
}

int __wrap_ktrc_symbols_load(struct ktrc_symbols *symbols);
int __wrap_ktrc_symbols_load(struct ktrc_symbols *symbols)
{
	return add_functions(symbols, KERNEL_TEXT, "module");
}

static void add_file(struct ktrc_code *code, const char *path, const char *build_id, u32 number)
{
	struct ktrc_code_file *file = ktrc_array_push(code->files, code->nr_files);

	file->path = strdup(path);
	strcpy(file->build_id, build_id);
	file->number = number;
	if (*build_id && add_functions(&file->functions, FILE_TEXT, NULL) < 0)
		abort();
}

/* The first process is alive, with a second thread, and did not always run this program. */
static void add_process(struct ktrc_code *code)
{
	struct ktrc_process *process = ktrc_array_push(code->processes, code->nr_processes);
	struct ktrc_code_thread *thread = ktrc_array_push(code->threads, code->nr_threads);
	const u64 end = USER_TEXT + TEXT_BYTES;

	*thread = (struct ktrc_code_thread){ 100, 101, (1ull << 40) - 1 };
	process->pid = 100;
	process->since_ticks = START_TICKS + (1 << 14);
	strcpy(process->comm, FIRST_COMM);
	*ktrc_array_push(process->mappings, process->nr_mappings) =
		(struct ktrc_mapping){ USER_TEXT, end, FILE_TEXT, START_TICKS + (1 << 13), 0 };
	*ktrc_array_push(process->mappings, process->nr_mappings) =
		(struct ktrc_mapping){ end, end + TEXT_BYTES, 0, 0, 1 };
}

/* Not each copy was followed. */
static void add_unwound(struct ktrc_code *code, const struct ktrc_index_slot *slot)
{
	struct ktrc_unwound *row;

	if ((u32)slot->a == KTRC_TID_NOBODY || slot->b % 4 == 0)
		return;
	row = ktrc_array_push(code->unwound, code->nr_unwound);
	row->pid = (u32)slot->a;
	row->copy = slot->b;
	row->stack = calloc(1, sizeof(*row->stack) + 3 * sizeof(u64));
	row->stack->end = KTRC_stack_end_depth;
	row->stack->nr = 1 + slot->b % 3;
	for (u32 i = 0; i < row->stack->nr; i++)
		row->stack->frames[i] = USER_TEXT + (slot->b >> i) % TEXT_BYTES;
}

/* An index has another order each time: by the order in which they came. */
static void add_all_unwound(struct ktrc_code *code, const struct ktrc_index *copied)
{
	for (u32 place = 0; place < copied->nr; place++)
		for (size_t i = 0; i < copied->nr_slots; i++)
			if (copied->slots[i].is_used && copied->slots[i].place == place)
				add_unwound(code, &copied->slots[i]);
}

int __wrap_ktrc_code_load(struct ktrc_code *code, const struct ktrc_seen *seen,
			  const struct ktrc_names *names);
int __wrap_ktrc_code_load(struct ktrc_code *code, const struct ktrc_seen *seen,
			  const struct ktrc_names *names)
{
	(void)names;
	add_file(code, "/usr/bin/\"" FIRST_COMM "\"", "0123456789abcdef", 0);
	add_file(code, "[vdso]", "", 0);
	add_file(code, LIBRARY_PATH, LIBRARY_ID, LIBRARY);
	add_process(code);
	add_all_unwound(code, &seen->copied);
	return 0;
}

/* ---- the description ---- */

/* What the first process had mapped when the window began, as a session tells that still records. */
static void describe_mapped(struct ktrc_capture *capture)
{
	const u64 page = USER_TEXT >> KTRC_PAGE_SHIFT,
		  middle = page + (TEXT_BYTES >> KTRC_PAGE_SHIFT);
	const struct ktrc_area areas[] = {
		{ page, middle, FILE_TEXT >> KTRC_PAGE_SHIFT, LIBRARY, KTRC_AREA_FILE },
		{ middle, middle + 1, 0, KTRC_MAPPED_FILE, KTRC_AREA_FILE },
		{ middle + 1, 1ull << 35, 0, 0, KTRC_AREA_HEAP },
	};
	struct ktrc_mapped *mapped = &capture->mapped;

	capture->session.state = KTRC_STATE_RUNNING;
	capture->session.stop_reason = KTRC_STOP_NONE;
	*ktrc_array_push(mapped->paths, mapped->nr_paths) = strdup("/usr/bin/" FIRST_COMM);
	for (size_t i = 0; i < ARRAY_SIZE(areas); i++)
		*ktrc_array_push(mapped->rows, mapped->nr) =
			(struct ktrc_mapped_row){ areas[i], 100, i & 1 };
}

/* Session, clock and names: as far from the defaults as can be. */
static void describe(const struct recipe *recipe, struct ktrc_capture *capture)
{
	static const struct ktrc_name names[] = {
		{ .cgid = 1, .path = "/" },
		{ .cgid = 2, .path = LONG_PATH LONG_PATH LONG_PATH },
		{ .cgid = 3, .path = "/a \"b\\\xc3\xa4" },
		{ .cgid = KTRC_NAME_FILE + LIBRARY, .path = LIBRARY_PATH, .build_id = LIBRARY_ID },
	};
	struct ktrc_session *session = &capture->session;

	synth_add_wide(capture->schema);
	capture->clock.kind = recipe->clock;
	capture->clock.hz = recipe->hz;
	session->mode = recipe->mode;
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++)
		if (ktrc_schema_event(capture->schema, id) &&
		    ktrc_event_is_data(&capture->schema->events[id]))
			session->events |= 1ull << id;
	session->pids[session->nr_pids++] = 100;
	session->rules[KTRC_EV_fault] = (struct ktrc_rule){
		.min_ns = 1000000,
		.sample = 64,
		.flags = KTRC_RULE_MAJOR,
		.user_frames = 11,
		.kernel_frames = 64,
		.user_bytes = 2048,
	};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (ktrc_names_add(&capture->names, &names[i]) < 0)
			abort();
	if (recipe->mode == KTRC_MODE_STREAM)
		describe_mapped(capture);
}

static int save(const struct recipe *recipe, const char *dir)
{
	struct ktrc_schema *schema = synth_schema();
	struct synth_stream streams[4];
	struct ktrc_capture *capture;
	struct ktrc_error err;
	char path[4096];
	int ret;

	synth_add_wide(schema);
	for (u32 cpu = 0; cpu < recipe->nr_cpus; cpu++)
		make_stream(recipe, schema, cpu, &streams[cpu]);
	capture = synth_capture(streams, recipe->nr_cpus);
	describe(recipe, capture);
	snprintf(path, sizeof(path), "%s/%s", dir, recipe->name);
	ret = ktrc_capture_start_reader(capture, &err);
	if (ret == 0)
		ret = ktrc_trace_save(path, capture, NULL, &err);
	if (ret < 0)
		fprintf(stderr, "%s\n", err.text);
	ktrc_capture_destroy(capture);
	ktrc_schema_destroy(schema);
	return ret;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: traces DIR\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < ARRAY_SIZE(recipes); i++)
		if (save(&recipes[i], argv[1]) < 0)
			return 1;
	return 0;
}
