// SPDX-License-Identifier: GPL-2.0-or-later
/* Of which process, which mapping, which file, which function. */
#include "code.h"

#include <unistd.h>

#include "array.h"

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
	*code = (struct ktrc_code){ 0 };
}

u64 ktrc_code_start_unit(void)
{
	return NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK);
}

/* A number may be another process's by now, and a process may run another program. */
static bool is_same(const struct ktrc_process *process, const struct ktrc_task *task)
{
	if (task->tid != task->tgid)
		return process->start_ns <= task->start_ns;
	return task->start_ns - process->start_ns < ktrc_code_start_unit() &&
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

	return at != KTRC_INDEX_NONE && find_process(code, task) ? code->unwound[at].stack : NULL;
}

struct ktrc_place ktrc_code_find(const struct ktrc_code *code, const struct ktrc_task *task,
				 const struct ktrc_stack *stack, u32 frame)
{
	const struct ktrc_process *process = find_process(code, task);
	struct ktrc_place place = { 0 };
	const struct ktrc_mapping *mapping;
	u64 address = stack->frames[frame];

	mapping = process ? find_mapping(process, address) : NULL;
	if (!mapping)
		return place;
	place.file = &code->files[mapping->file];
	place.offset = address - mapping->begin + mapping->offset;
	/* the innermost frame is what runs; the others go on behind a call */
	place.function = ktrc_symbols_caller(&place.file->functions, place.offset + !frame);
	return place;
}
