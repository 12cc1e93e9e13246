// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known of code, as a trace keeps it. */
#include "code.h"

#include <errno.h>

#include "../../uapi/ktrc.h"
#include "array.h"
#include "json.h"
#include "names.h"

static int index_all(struct ktrc_code *code)
{
	for (size_t i = 0; i < code->nr_processes; i++) {
		u32 *place = ktrc_index_get(&code->by_pid, code->processes[i].pid, 0);

		if (!place)
			return -ENOMEM;
		*place = (u32)i;
	}
	for (size_t i = 0; i < code->nr_threads; i++) {
		const struct ktrc_code_thread *row = &code->threads[i];
		u32 *place = ktrc_index_get(&code->by_thread, row->pid, row->tid);

		if (!place)
			return -ENOMEM;
		*place = (u32)i;
	}
	for (size_t i = 0; i < code->nr_unwound; i++) {
		const struct ktrc_unwound *row = &code->unwound[i];
		u32 *place = ktrc_index_get(&code->by_copy, row->pid, row->copy);

		if (!place)
			return -ENOMEM;
		*place = (u32)i;
	}
	for (size_t i = 0; i < code->nr_files; i++) {
		u32 number = code->files[i].number;
		u32 *place = number ? ktrc_index_get(&code->by_number, number, 0) : NULL;

		if (number && !place)
			return -ENOMEM;
		if (place)
			*place = (u32)i;
	}
	return 0;
}

static json_t *mappings_to_json(const struct ktrc_process *process)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < process->nr_mappings; i++) {
		const struct ktrc_mapping *m = &process->mappings[i];

		json_array_append_new(
			rows, json_pack("{s:I, s:I, s:I, s:I, s:i}", "begin", (json_int_t)m->begin,
					"end", (json_int_t)m->end, "offset", (json_int_t)m->offset,
					"ticks", (json_int_t)m->ticks, "file", (int)m->file));
	}
	return rows;
}

/* All 64 bits, as text. */
static json_t *unwound_to_json(const struct ktrc_unwound *row)
{
	json_t *frames = json_array();
	char copy[24];

	snprintf(copy, sizeof(copy), "0x%llx", row->copy);
	for (u32 i = 0; i < row->stack->nr; i++)
		json_array_append_new(frames, json_integer((json_int_t)row->stack->frames[i]));
	return json_pack("{s:i, s:s, s:i, s:o}", "pid", (int)row->pid, "copy", copy, "end",
			 (int)row->stack->end, "frames", frames);
}

static const struct ktrc_json_member thread_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_code_thread, pid),
	KTRC_JSON_MEMBER(struct ktrc_code_thread, tid),
	KTRC_JSON_MEMBER(struct ktrc_code_thread, start_ns),
};

json_t *ktrc_code_to_json(const struct ktrc_code *code)
{
	json_t *processes = json_array(), *threads = json_array();
	json_t *files = json_array(), *unwound = json_array();

	for (size_t i = 0; i < code->nr_processes; i++) {
		const struct ktrc_process *p = &code->processes[i];

		json_array_append_new(processes,
				      json_pack("{s:i, s:I, s:s, s:I, s:o}", "pid", (int)p->pid,
						"start_ns", (json_int_t)p->start_ns, "comm",
						p->comm, "since_ticks", (json_int_t)p->since_ticks,
						"mappings", mappings_to_json(p)));
	}
	for (size_t i = 0; i < code->nr_threads; i++)
		json_array_append_new(threads,
				      ktrc_json_pack(thread_members, ARRAY_SIZE(thread_members),
						     &code->threads[i]));
	for (size_t i = 0; i < code->nr_files; i++) {
		const struct ktrc_code_file *f = &code->files[i];

		json_array_append_new(files,
				      json_pack("{s:s, s:s, s:i, s:o}", "path", f->path, "build_id",
						f->build_id, "number", (int)f->number, "functions",
						ktrc_symbols_to_json(&f->functions, NULL)));
	}
	for (size_t i = 0; i < code->nr_unwound; i++)
		json_array_append_new(unwound, unwound_to_json(&code->unwound[i]));
	return json_pack("{s:o, s:o, s:o, s:o}", "processes", processes, "threads", threads,
			 "files", files, "unwound", unwound);
}

static int file_from_json(const json_t *row, void *to)
{
	struct ktrc_code *code = to;
	const char *path = ktrc_json_text(row, "path"), *id = ktrc_json_text(row, "build_id");
	const json_t *number = json_object_get(row, "number");
	struct ktrc_code_file *file;

	if (!path || !ktrc_build_id_is_text(id) || (number && !ktrc_json_is_u32(number)))
		return -EPROTO;
	file = ktrc_array_push(code->files, code->nr_files);
	if (!file)
		return -ENOMEM;
	strcpy(file->build_id, id);
	/* what an older tool saved has none */
	file->number = (u32)json_integer_value(number);
	file->path = ktrc_printable(path);
	if (!file->path)
		return -ENOMEM;
	return ktrc_symbols_from_json(&file->functions, json_object_get(row, "functions"));
}

static const struct ktrc_json_member mapping_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_mapping, begin),
	KTRC_JSON_MEMBER(struct ktrc_mapping, end),
	KTRC_JSON_MEMBER(struct ktrc_mapping, offset),
	KTRC_JSON_MEMBER(struct ktrc_mapping, file),
};

/* Of what and of whom. */
struct mapper {
	const struct ktrc_code *code;
	struct ktrc_process *process;
};

static int mapping_from_json(const json_t *row, void *to)
{
	const struct mapper *mapper = to;
	struct ktrc_process *process = mapper->process;
	u64 last = process->nr_mappings ? process->mappings[process->nr_mappings - 1].end : 0;
	struct ktrc_mapping *m = ktrc_array_push(process->mappings, process->nr_mappings);

	if (!m)
		return -ENOMEM;
	if (!ktrc_json_fits(row, "{s?i}", "ticks") ||
	    ktrc_json_unpack(row, mapping_members, ARRAY_SIZE(mapping_members), m) < 0 ||
	    m->begin < last || m->end <= m->begin || m->file >= mapper->code->nr_files)
		return -EPROTO;
	/* what an older tool saved has none */
	m->ticks = (u64)json_integer_value(json_object_get(row, "ticks"));
	return 0;
}

static const struct ktrc_json_member process_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_process, pid),
	KTRC_JSON_MEMBER(struct ktrc_process, start_ns),
};

static int process_from_json(const json_t *row, void *to)
{
	struct ktrc_code *code = to;
	struct ktrc_process *process = ktrc_array_push(code->processes, code->nr_processes);
	const char *comm = ktrc_json_text(row, "comm");

	if (!process)
		return -ENOMEM;
	if (!ktrc_json_fits(row, "{s?i}", "since_ticks") ||
	    ktrc_json_unpack(row, process_members, ARRAY_SIZE(process_members), process) < 0 ||
	    !comm || strlen(comm) >= sizeof(process->comm))
		return -EPROTO;
	strcpy(process->comm, comm);
	/* what an older tool saved has none */
	process->since_ticks = (u64)json_integer_value(json_object_get(row, "since_ticks"));
	return ktrc_json_each(json_object_get(row, "mappings"), mapping_from_json,
			      &(struct mapper){ code, process });
}

static int thread_from_json(const json_t *row, void *to)
{
	struct ktrc_code *code = to;
	struct ktrc_code_thread *thread = ktrc_array_push(code->threads, code->nr_threads);

	if (!thread)
		return -ENOMEM;
	return ktrc_json_unpack(row, thread_members, ARRAY_SIZE(thread_members), thread);
}

static const struct ktrc_json_member unwound_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_unwound, pid),
};

static const struct ktrc_json_member stack_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_stack, end),
};

static int frame_from_json(const json_t *frame, void *to)
{
	struct ktrc_stack *stack = to;

	if (!json_is_integer(frame))
		return -EPROTO;
	stack->frames[stack->nr++] = (u64)json_integer_value(frame);
	return 0;
}

static int unwound_from_json(const json_t *object, void *to)
{
	struct ktrc_code *code = to;
	struct ktrc_unwound *row = ktrc_array_push(code->unwound, code->nr_unwound);
	const json_t *frames = json_object_get(object, "frames");
	const char *copy = ktrc_json_text(object, "copy");
	size_t nr = json_array_size(frames);
	char *end = NULL;

	if (!row)
		return -ENOMEM;
	if (nr == 0 || nr > KTRC_MAX_FRAMES || !copy || strncmp(copy, "0x", 2) != 0 ||
	    strlen(copy) > strlen("0x") + 16)
		return -EPROTO;
	row->copy = strtoull(copy, &end, 16);
	row->stack = calloc(1, sizeof(*row->stack) + nr * sizeof(u64));
	if (!row->stack)
		return -ENOMEM;
	if (*end || !row->copy ||
	    ktrc_json_unpack(object, unwound_members, ARRAY_SIZE(unwound_members), row) < 0 ||
	    ktrc_json_unpack(object, stack_members, ARRAY_SIZE(stack_members), row->stack) < 0)
		return -EPROTO;
	return ktrc_json_each(frames, frame_from_json, row->stack);
}

int ktrc_code_from_json(struct ktrc_code *code, const json_t *object)
{
	int ret = ktrc_json_each(json_object_get(object, "files"), file_from_json, code);

	if (ret == 0)
		ret = ktrc_json_each(json_object_get(object, "processes"), process_from_json, code);
	if (ret == 0)
		ret = ktrc_json_each(json_object_get(object, "threads"), thread_from_json, code);
	if (ret == 0)
		ret = ktrc_json_each(json_object_get(object, "unwound"), unwound_from_json, code);
	return ret ? ret : index_all(code);
}
