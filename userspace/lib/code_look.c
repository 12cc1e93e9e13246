// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Of each process the mappings and functions in which addresses lie, once its copied stacks are
 * followed; then the functions of what else was mapped.
 */
#include "code.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "clock.h"
#include "elf.h"
#include "maps.h"
#include "names.h"
#include "unwind.h"

/* What is known while processes are looked into. */
struct loader {
	struct ktrc_code *code;
	const struct ktrc_seen *seen;
	const struct ktrc_names *names; /* of files */
	u64 end_ns; /* of this process's CPU time */
	u64 *addresses; /* by rising address */
	size_t nr_addresses;
	struct ktrc_index known; /* addresses */
	struct ktrc_index by_inode; /* of files */
	struct table {
		struct ktrc_symbols functions;
		bool *is_used;
	} * tables; /* of each file */
	size_t nr_tables;
};

/* Each once. */
static int add_address(struct loader *loader, u64 address)
{
	u32 *known = ktrc_index_get(&loader->known, address, 0);
	u64 *place;

	if (!known)
		return -ENOMEM;
	if (*known != KTRC_INDEX_NONE)
		return 0;
	place = ktrc_array_push(loader->addresses, loader->nr_addresses);
	if (!place)
		return -ENOMEM;
	*place = address;
	*known = 0;
	return 0;
}

static int add_addresses(struct loader *loader, const struct ktrc_index *index)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < index->nr_slots; i++)
		if (index->slots[i].is_used)
			ret = add_address(loader, index->slots[i].a);
	ktrc_array_sort(loader->addresses, loader->nr_addresses);
	return ret;
}

/* Its place among the files; negative without memory.  @fd is closed; -1: what is no file. */
static int add_file(struct loader *loader, const char *path, int fd)
{
	struct ktrc_code *code = loader->code;
	struct ktrc_code_file *file = ktrc_array_push(code->files, code->nr_files);
	struct table *table = ktrc_array_push(loader->tables, loader->nr_tables);

	if (!file || !table) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	file->path = ktrc_printable(path);
	/* what takes all memory has no functions: others have theirs */
	if (fd >= 0 && ktrc_elf_read(fd, file->build_id, &table->functions) < 0)
		ktrc_symbols_release(&table->functions);
	table->is_used = calloc(table->functions.nr + 1, sizeof(bool));
	return file->path && table->is_used ? (int)code->nr_files - 1 : -ENOMEM;
}

/* The same file is known by its inode; the kernel's own parts, as [vdso], are none. */
static int get_file(struct loader *loader, u32 pid, const struct ktrc_map_line *line)
{
	struct stat stat;
	int fd = ktrc_map_open(pid, line, &stat), file;
	u32 *place;

	if (fd < 0)
		return add_file(loader, line->path, -1);
	place = ktrc_index_get(&loader->by_inode, stat.st_dev, stat.st_ino);
	if (place && *place != KTRC_INDEX_NONE) {
		close(fd);
		return (int)*place;
	}
	file = add_file(loader, line->path, fd);
	if (place && file >= 0)
		*place = (u32)file;
	return file;
}

static void use(struct table *table, u64 offset)
{
	const struct ktrc_symbol *function = ktrc_symbols_caller(&table->functions, offset);

	if (function)
		table->is_used[function - table->functions.rows] = true;
}

/* The functions of the addresses that lie in a mapping: both what calls there and what runs. */
static void use_functions(struct loader *loader, const struct ktrc_mapping *mapping, size_t first)
{
	struct table *table = &loader->tables[mapping->file];
	u64 offset;

	for (size_t i = first; i < loader->nr_addresses; i++) {
		if (loader->addresses[i] >= mapping->end)
			break;
		offset = loader->addresses[i] - mapping->begin + mapping->offset;
		use(table, offset);
		use(table, offset + 1);
	}
}

/* Of tables only what was used goes into the files. */
static int keep_functions(struct loader *loader)
{
	int ret = 0;

	for (size_t i = 0; i < loader->nr_tables; i++) {
		struct table *table = &loader->tables[i];

		for (size_t j = 0; ret == 0 && j < table->functions.nr; j++)
			if (table->is_used[j])
				ret = ktrc_symbols_add(&loader->code->files[i].functions,
						       &table->functions.rows[j]);
	}
	return ret;
}

static int add_mapping(struct loader *loader, struct ktrc_process *process,
		       const struct ktrc_map_line *line)
{
	size_t first = ktrc_array_before(loader->addresses, loader->nr_addresses, line->begin);
	u64 last = process->nr_mappings ? process->mappings[process->nr_mappings - 1].end : 0;
	struct ktrc_mapping *mapping;
	int file;

	/* they may change between two pieces of what is read */
	if (line->begin < last || first == loader->nr_addresses ||
	    loader->addresses[first] >= line->end)
		return 0;
	file = get_file(loader, process->pid, line);
	mapping = file < 0 ? NULL : ktrc_array_push(process->mappings, process->nr_mappings);
	if (!mapping)
		return -ENOMEM;
	*mapping = (struct ktrc_mapping){
		.begin = line->begin,
		.end = line->end,
		.offset = line->offset,
		.ticks = ktrc_seen_mapped(loader->seen, process->pid, line->begin, line->end),
		.file = (u32)file,
	};
	use_functions(loader, mapping, first);
	return 0;
}

static int add_unwound(struct loader *loader, struct ktrc_unwound unwound)
{
	struct ktrc_stack *stack = unwound.stack;
	struct ktrc_unwound *row = ktrc_array_push(loader->code->unwound, loader->code->nr_unwound);
	int ret = 0;

	if (!row) {
		free(stack);
		return -ENOMEM;
	}
	*row = unwound;
	for (u32 i = 0; ret == 0 && i < stack->nr; i++)
		ret = add_address(loader, stack->frames[i]);
	return ret;
}

static void destroy(struct ktrc_unwinder **unwinder)
{
	ktrc_unwinder_destroy(*unwinder);
}

/* Of this process, that others have their turn; and of all, which may hold any number of addresses. */
#define MAX_UNWIND_NS (4 * NSEC_PER_SEC)
#define MAX_LOOK_NS (10 * NSEC_PER_SEC)

static struct ktrc_unwinder *create(const struct loader *loader, u32 pid, bool is_recorded)
{
	return is_recorded ? ktrc_unwinder_create_recorded(pid, loader->seen, loader->names) :
			     ktrc_unwinder_create(pid);
}

/* The stacks that a process's records copied; what they lead through is to be named as well. */
static int unwind_all(struct loader *loader, u32 pid, bool is_recorded)
{
	KTRC_CLEANUP(destroy) struct ktrc_unwinder *unwinder = NULL;
	const struct ktrc_seen *seen = loader->seen;
	u64 end_ns = ktrc_now_ns(CLOCK_PROCESS_CPUTIME_ID) + MAX_UNWIND_NS;
	size_t nr_addresses = loader->nr_addresses;
	struct ktrc_stack *stack;
	int ret = 0;

	if (ktrc_index_find(&seen->nr_of, pid, 0) == KTRC_INDEX_NONE)
		return 0;
	if (end_ns > loader->end_ns)
		end_ns = loader->end_ns;
	for (size_t i = 0; ret == 0 && i < seen->copied.nr_slots; i++) {
		const struct ktrc_index_slot *slot = &seen->copied.slots[i];

		if (!slot->is_used || slot->a != pid || slot->place == KTRC_INDEX_NONE)
			continue;
		if (ktrc_now_ns(CLOCK_PROCESS_CPUTIME_ID) > end_ns)
			break;
		if (!unwinder)
			unwinder = create(loader, pid, is_recorded);
		if (!unwinder)
			break;
		stack = ktrc_unwind(unwinder, seen->copies[slot->place]);
		if (stack)
			ret = add_unwound(loader, (struct ktrc_unwound){ pid, slot->b, stack });
	}
	if (loader->nr_addresses > nr_addresses)
		ktrc_array_sort(loader->addresses, loader->nr_addresses);
	return ret;
}

/* Of a process that was another one in between, or is of no interest. */
static void drop_last(struct ktrc_code *code, size_t nr_unwound)
{
	free(code->processes[--code->nr_processes].mappings);
	while (code->nr_unwound > nr_unwound)
		free(code->unwound[--code->nr_unwound].stack);
}

/* Of programs that did not all find room any record may be of an older one. */
static u64 since(const struct ktrc_seen *seen, u32 pid)
{
	return seen->is_partial ? INT64_MAX : ktrc_seen_renewed(seen, pid).last;
}

static int add_process(struct loader *loader, u32 pid)
{
	struct ktrc_code *code = loader->code;
	size_t nr_unwound = code->nr_unwound;
	__ktrc_file FILE *file = ktrc_proc_open(pid, "maps");
	struct ktrc_process *process, was;
	__ktrc_free char *text = NULL;
	struct ktrc_map_line line;
	size_t room = 0;
	bool is_known, has_memory = false;
	int ret = 0;

	if (!file) /* it has ended */
		return unwind_all(loader, pid, true);
	process = ktrc_array_push(code->processes, code->nr_processes);
	if (!process)
		return -ENOMEM;
	process->pid = pid;
	process->since_ticks = since(loader->seen, pid);
	is_known = ktrc_proc_identity(pid, &process->start_ns, process->comm);
	was = *process;
	if (is_known)
		ret = unwind_all(loader, pid, false);
	while (ret == 0 && is_known && getline(&text, &room, file) > 0) {
		has_memory = true;
		if (ktrc_map_parse(text, &line) && line.is_code && *line.path)
			ret = add_mapping(loader, process, &line);
	}
	/* another one has its number, or it began another program, in between */
	if (!process->nr_mappings || !ktrc_proc_identity(pid, &process->start_ns, process->comm) ||
	    was.start_ns != process->start_ns || strcmp(was.comm, process->comm) != 0)
		drop_last(code, nr_unwound);
	/* it has ended, and nobody has asked how */
	return ret == 0 && !has_memory ? unwind_all(loader, pid, true) : ret;
}

/* After its process: of one that is still there the program is the same. */
static int add_thread(struct loader *loader, u32 pid, u32 tid)
{
	struct ktrc_code *code = loader->code;
	struct ktrc_code_thread *thread;
	char comm[32];
	u64 start_ns;

	if (!ktrc_proc_identity(tid, &start_ns, comm))
		return 0;
	thread = ktrc_array_push(code->threads, code->nr_threads);
	if (!thread)
		return -ENOMEM;
	*thread = (struct ktrc_code_thread){ pid, tid, start_ns };
	return 0;
}

/* Some living process may run the same file, which may be deleted since. */
static int find_named_file(const struct ktrc_code *code, const struct ktrc_name *name)
{
	size_t len = strlen(name->path);

	for (size_t i = 0; *name->build_id && i < code->nr_files; i++) {
		const struct ktrc_code_file *file = &code->files[i];

		if (!file->number && strcmp(file->build_id, name->build_id) == 0 &&
		    strncmp(file->path, name->path, len) == 0 &&
		    (!file->path[len] || strcmp(file->path + len, KTRC_MAP_DELETED) == 0))
			return (int)i;
	}
	return -1;
}

/* Another file may lie at that path now: it has another build id. */
static int add_named_file(struct loader *loader, const struct ktrc_name *name)
{
	int fd = *name->build_id ? ktrc_name_open(name) : -1;
	int place = add_file(loader, name->path, fd);
	struct ktrc_code_file *file;

	if (place < 0)
		return place;
	file = &loader->code->files[place];
	if (strcmp(file->build_id, name->build_id) != 0) {
		ktrc_symbols_release(&loader->tables[place].functions);
		strcpy(file->build_id, name->build_id);
	}
	return place;
}

/* Its place among the files is set once; -ENOENT: it has no name. */
static int get_numbered_file(struct loader *loader, u32 number)
{
	const struct ktrc_name *name = ktrc_names_row(loader->names, KTRC_NAME_FILE + number);
	u32 *place = name ? ktrc_index_get(&loader->code->by_number, number, 0) : NULL;
	int file;

	if (!place)
		return name ? -ENOMEM : -ENOENT;
	if (*place == KTRC_INDEX_NONE) {
		file = find_named_file(loader->code, name);
		if (file < 0)
			file = add_named_file(loader, name);
		if (file < 0)
			return file;
		loader->code->files[file].number = number;
		*place = (u32)file;
	}
	return (int)*place;
}

/* What a process had mapped, which may have ended. */
static int add_mapped(struct loader *loader, struct ktrc_mapping mapping)
{
	size_t first = ktrc_array_before(loader->addresses, loader->nr_addresses, mapping.begin);
	int file;

	if (first == loader->nr_addresses || loader->addresses[first] >= mapping.end)
		return 0;
	file = get_numbered_file(loader, mapping.file);
	if (file < 0)
		return file == -ENOENT ? 0 : file;
	mapping.file = (u32)file;
	use_functions(loader, &mapping, first);
	return 0;
}

static void release_loader(struct loader *loader)
{
	for (size_t i = 0; i < loader->nr_tables; i++) {
		ktrc_symbols_release(&loader->tables[i].functions);
		free(loader->tables[i].is_used);
	}
	free(loader->tables);
	free(loader->addresses);
	ktrc_index_release(&loader->known);
	ktrc_index_release(&loader->by_inode);
}

static bool has_time(const struct loader *loader)
{
	return ktrc_now_ns(CLOCK_PROCESS_CPUTIME_ID) < loader->end_ns;
}

/* All that recorded something, then their threads. */
static int add_processes(struct loader *loader)
{
	const struct ktrc_index *threads = &loader->seen->threads;
	__ktrc_free u64 *pids = ktrc_index_numbers(&loader->seen->pids);
	int ret = pids ? 0 : -ENOMEM;

	for (size_t i = 0; ret == 0 && i < loader->seen->pids.nr && has_time(loader); i++)
		ret = add_process(loader, (u32)pids[i]);
	for (size_t i = 0; ret == 0 && i < threads->nr_slots && has_time(loader); i++)
		if (threads->slots[i].is_used)
			ret = add_thread(loader, (u32)threads->slots[i].a,
					 (u32)threads->slots[i].b);
	return ret;
}

int ktrc_code_look(struct ktrc_code *code, const struct ktrc_seen *seen,
		   const struct ktrc_names *names)
{
	struct loader loader = {
		.code = code,
		.seen = seen,
		.names = names,
		.end_ns = ktrc_now_ns(CLOCK_PROCESS_CPUTIME_ID) + MAX_LOOK_NS,
	};
	int ret = add_addresses(&loader, &seen->user);

	if (ret == 0)
		ret = add_processes(&loader);
	for (size_t i = 0; ret == 0 && i < seen->nr_code && has_time(&loader); i++)
		ret = add_mapped(&loader, seen->code[i].mapping);
	if (ret == 0)
		ret = keep_functions(&loader);
	release_loader(&loader);
	return ret;
}
