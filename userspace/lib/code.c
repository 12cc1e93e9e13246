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
	free(code->files);
	for (size_t i = 0; i < code->nr_unwound; i++)
		free(code->unwound[i].stack);
	free(code->unwound);
	ktrc_index_release(&code->by_pid);
	ktrc_index_release(&code->by_copy);
	ktrc_index_release(&code->by_number);
	*code = (struct ktrc_code){ 0 };
}

/* A number may be another process's by now, and a process may run another program. */
static bool is_same(const struct ktrc_process *process, const struct ktrc_task *task)
{
	if (task->tid != task->tgid)
		return process->start_ns <= task->start_ns;
	return task->start_ns - process->start_ns < ktrc_proc_start_unit() &&
	       strcmp(process->comm, task->comm) == 0;
}

static const struct ktrc_mapping *find_mapping(const struct ktrc_process *process, u64 address)
{
	size_t nr = ktrc_array_before(process->mappings, process->nr_mappings, address + 1);

	return nr && address < process->mappings[nr - 1].end ? &process->mappings[nr - 1] : NULL;
}

/* As far as it is the one that was looked into. */
static const struct ktrc_process *find_process(const struct ktrc_code *code,
					       const struct ktrc_task *task)
{
	u32 at = ktrc_index_find(&code->by_pid, task->tgid, 0);

	return at != KTRC_INDEX_NONE && is_same(&code->processes[at], task) ? &code->processes[at] :
									      NULL;
}

const struct ktrc_stack *ktrc_code_unwound(const struct ktrc_code *code,
					   const struct ktrc_task *task, u64 copy)
{
	u32 at = ktrc_index_find(&code->by_copy, task->tgid, copy);

	bool is_alive = ktrc_index_find(&code->by_pid, task->tgid, 0) != KTRC_INDEX_NONE;

	return at != KTRC_INDEX_NONE && (!is_alive || find_process(code, task)) ?
		       code->unwound[at].stack :
		       NULL;
}

/* Where and what of a file; without one, nothing. */
static struct ktrc_place locate(const struct ktrc_code *code, const struct ktrc_process *process,
				u64 address)
{
	const struct ktrc_mapping *mapping = process ? find_mapping(process, address) : NULL;

	if (!mapping)
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
				 const struct ktrc_task *task, const struct ktrc_stack *stack,
				 u32 frame)
{
	u64 address = stack->frames[frame];
	struct ktrc_area area = { 0 };
	struct ktrc_place place;

	if (spaces)
		area = ktrc_spaces_find(spaces, task, address >> KTRC_PAGE_SHIFT);
	/* what is there now may be another thing */
	place = !area.kind || (area.kind == KTRC_AREA_FILE && !area.file) ?
			locate(code, find_process(code, task), address) :
			locate_mapped(code, &area, address);
	/* the innermost frame is what runs; the others go on behind a call */
	if (place.file)
		place.function = ktrc_symbols_caller(&place.file->functions, place.offset + !frame);
	return place;
}
