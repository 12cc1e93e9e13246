// SPDX-License-Identifier: GPL-2.0-or-later
/* Of which process, which mapping, which file, which function. */
#include "code.h"

#include "array.h"
#include "maps.h"

void ktrc_code_release(struct ktrc_code *code)
{
	for (size_t i = 0; i < code->nr_processes; i++)
		free(code->processes[i].mappings);
	for (size_t i = 0; i < code->nr_files; i++) {
		free(code->files[i].path);
		ktrc_symbols_release(&code->files[i].functions);
	}
	free(code->processes);
	free(code->threads);
	free(code->files);
	for (size_t i = 0; i < code->nr_unwound; i++)
		free(code->unwound[i].stack);
	free(code->unwound);
	ktrc_index_release(&code->by_pid);
	ktrc_index_release(&code->by_thread);
	ktrc_index_release(&code->by_copy);
	ktrc_index_release(&code->by_number);
	*code = (struct ktrc_code){ 0 };
}

/* As exactly as /proc tells. */
static bool is_start(u64 shown_ns, u64 start_ns)
{
	return start_ns - shown_ns < ktrc_proc_start_unit();
}

/* No thread but the first outlives the program that it runs. */
static bool has_thread(const struct ktrc_code *code, const struct ktrc_task *task)
{
	u32 at = ktrc_index_find(&code->by_thread, task->tgid, task->tid);

	return at != KTRC_INDEX_NONE && is_start(code->threads[at].start_ns, task->start_ns);
}

/* A number may be another process's by now, and a process may run another program. */
static bool is_same(const struct ktrc_code *code, const struct ktrc_process *process,
		    const struct ktrc_record *record)
{
	const struct ktrc_task *task = record->task;

	if (record->ticks < process->since_ticks)
		return false;
	if (task->tid != task->tgid)
		return has_thread(code, task);
	return is_start(process->start_ns, task->start_ns) &&
	       strcmp(process->comm, task->comm) == 0;
}

static const struct ktrc_mapping *find_mapping(const struct ktrc_process *process, u64 address)
{
	size_t nr = ktrc_array_before(process->mappings, process->nr_mappings, address + 1);

	return nr && address < process->mappings[nr - 1].end ? &process->mappings[nr - 1] : NULL;
}

/* As far as it is the one that was looked into. */
static const struct ktrc_process *find_process(const struct ktrc_code *code,
					       const struct ktrc_record *record)
{
	u32 at = ktrc_index_find(&code->by_pid, record->task->tgid, 0);

	if (at == KTRC_INDEX_NONE || !is_same(code, &code->processes[at], record))
		return NULL;
	return &code->processes[at];
}

/* Each frame lies in what was there when the record was written. */
static bool is_of_then(const struct ktrc_process *process, const struct ktrc_record *record,
		       const struct ktrc_stack *stack)
{
	for (u32 i = 0; i < stack->nr; i++) {
		const struct ktrc_mapping *mapping = find_mapping(process, stack->frames[i]);

		if (mapping && record->ticks < mapping->ticks)
			return false;
	}
	return true;
}

const struct ktrc_stack *ktrc_code_unwound(const struct ktrc_code *code,
					   const struct ktrc_record *record)
{
	u32 pid = record->task->tgid;
	u32 at = ktrc_index_find(&code->by_copy, pid, record->stacks.copy);
	bool is_alive = ktrc_index_find(&code->by_pid, pid, 0) != KTRC_INDEX_NONE;
	const struct ktrc_process *process = is_alive ? find_process(code, record) : NULL;
	const struct ktrc_stack *stack = at != KTRC_INDEX_NONE ? code->unwound[at].stack : NULL;

	if (!stack || !is_alive)
		return stack;
	return process && is_of_then(process, record, stack) ? stack : NULL;
}

/* Where and what of a file; without one that was there then, nothing. */
static struct ktrc_place locate(const struct ktrc_code *code, const struct ktrc_record *record,
				u64 address)
{
	const struct ktrc_process *process = find_process(code, record);
	const struct ktrc_mapping *mapping = process ? find_mapping(process, address) : NULL;

	if (!mapping || record->ticks < mapping->ticks)
		return (struct ktrc_place){ 0 };
	return (struct ktrc_place){
		.file = &code->files[mapping->file],
		.offset = address - mapping->begin + mapping->offset,
	};
}

/* The same, by what was recorded. */
static struct ktrc_place locate_mapped(const struct ktrc_code *code, const struct ktrc_area *area,
				       u64 address)
{
	u32 at = area->file ? ktrc_index_find(&code->by_number, area->file, 0) : KTRC_INDEX_NONE;

	if (at == KTRC_INDEX_NONE)
		return (struct ktrc_place){ 0 };
	return (struct ktrc_place){
		.file = &code->files[at],
		.offset = address + ((area->offset - area->begin) << KTRC_PAGE_SHIFT),
	};
}

struct ktrc_place ktrc_code_find(const struct ktrc_code *code, const struct ktrc_spaces *spaces,
				 const struct ktrc_record *record, const struct ktrc_stack *stack,
				 u32 frame)
{
	u64 address = stack->frames[frame];
	struct ktrc_area area = { 0 };
	struct ktrc_place place;

	if (spaces)
		area = ktrc_spaces_find(spaces, record->task, address >> KTRC_PAGE_SHIFT);
	/* what is there now may be another thing */
	place = !area.kind || (area.kind == KTRC_AREA_FILE && !area.file) ?
			locate(code, record, address) :
			locate_mapped(code, &area, address);
	/* the innermost frame is what runs; the others go on behind a call */
	if (place.file)
		place.function = ktrc_symbols_caller(&place.file->functions, place.offset + !frame);
	return place;
}
