// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The process stands still for elfutils: it has one thread, whose registers and memory are those
 * of the copy at hand.  What it may open is told to it: the files with code, as they are mapped.
 */
#include "unwind.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../uapi/ktrc.h"
#include "../../uapi/ktrc_events.h"
#include "cleanup.h"
#include "elf.h"
#include "index.h"
#include "maps.h"

#define NR_REGS 17 /* of x86-64 */
#define SP 7 /* as DWARF numbers them */

/* Mappings of code that one process has; of more the last ones are unknown. */
#define MAX_MAPPINGS 512

struct ktrc_unwinder {
	Dwfl *dwfl;
	u32 pid;
	int self_fd;
	Elf *self; /* says which machine this is */
	struct ktrc_index files; /* by inode and bias: those that are known to elfutils */
	const struct ktrc_copy *copy;
	struct ktrc_stack *stack; /* that of the copy, so far */
	bool is_lost; /* nobody knows where the caller is */
	bool ran_out; /* of memory that was copied */
	bool went_astray; /* to what is no part of the stack */
};

/* All files are told at once. */
static int find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		       char **path, Elf **elf)
{
	(void)module, (void)data, (void)name, (void)base, (void)path, (void)elf;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_no_elf,
	.find_debuginfo = ktrc_elf_find_nothing,
	.section_address = dwfl_offline_section_address,
};

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	struct ktrc_unwinder *unwinder = arg;

	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = unwinder;
	return (pid_t)unwinder->pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl, (void)tid;
	*thread_arg = arg;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *arg)
{
	struct ktrc_unwinder *unwinder = arg;
	const struct ktrc_copy *copy = unwinder->copy;
	u64 bytes = (u64)(copy->nr - copy->regs) * sizeof(u64), at = address - copy->words[SP];

	(void)dwfl;
	if (at < bytes && bytes - at >= sizeof(u64)) {
		memcpy(word, (const u8 *)&copy->words[copy->regs] + at, sizeof(u64));
		return true;
	}
	/* stacks are not that large */
	if (at < 1u << 23)
		unwinder->ran_out = true;
	else
		unwinder->went_astray = true;
	return false;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct ktrc_unwinder *unwinder = arg;
	Dwarf_Word regs[NR_REGS];

	for (u32 i = 0; i < NR_REGS; i++)
		regs[i] = unwinder->copy->words[i];
	return dwfl_thread_state_registers(thread, 0, NR_REGS, regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* How far from where it was linked for a file was loaded, by the segment that is mapped there. */
static bool find_bias(Elf *elf, u64 begin, u64 offset, u64 *bias)
{
	bool is_found = false;
	size_t nr = 0;
	GElf_Phdr p;

	if (elf && elf_getphdrnum(elf, &nr) != 0)
		nr = 0;
	for (size_t i = 0; i < nr && !is_found; i++) {
		is_found = gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD &&
			   p.p_flags & PF_X && offset + 4095 >= p.p_offset &&
			   (offset <= p.p_offset || offset - p.p_offset < p.p_filesz);
		if (is_found)
			*bias = begin - (p.p_vaddr - p.p_offset + offset);
	}
	return is_found;
}

/* Is it the file that was mapped: one without a build id may be any. */
static bool is_build(Elf *elf, const char *wanted)
{
	char text[KTRC_BUILD_ID_ROOM];
	const void *bytes = NULL;
	ssize_t len = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : -1;

	if (len <= 0)
		return false;
	ktrc_build_id_text(bytes, (size_t)len, text);
	return strcmp(text, wanted) == 0;
}

/* Tells elfutils of a file, once for each place to which it was loaded; of @build_id, if one is given. */
static void add_file(struct ktrc_unwinder *unwinder, int fd, const char *path, u64 begin,
		     u64 offset, const char *build_id)
{
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	u32 *place = NULL;
	struct stat stat;
	u64 bias;

	if (elf && (!build_id || is_build(elf, build_id)) && find_bias(elf, begin, offset, &bias) &&
	    fstat(fd, &stat) == 0)
		place = ktrc_index_get(&unwinder->files, stat.st_ino ^ stat.st_dev << 32, bias);
	elf_end(elf);
	if (place && *place == KTRC_INDEX_NONE &&
	    dwfl_report_elf(unwinder->dwfl, path, path, fd, bias, true)) {
		*place = 0;
		return; /* it has the file now */
	}
	if (fd >= 0)
		close(fd);
}

static bool add_files(struct ktrc_unwinder *unwinder)
{
	__ktrc_file FILE *maps = ktrc_proc_open(unwinder->pid, "maps");
	__ktrc_free char *text = NULL;
	struct ktrc_map_line line;
	size_t room = 0, nr = 0;
	struct stat stat;

	if (!maps)
		return false;
	dwfl_report_begin(unwinder->dwfl);
	while (nr < MAX_MAPPINGS && getline(&text, &room, maps) > 0) {
		if (!ktrc_map_parse(text, &line) || !line.is_code || *line.path != '/')
			continue;
		add_file(unwinder, ktrc_map_open(unwinder->pid, &line, &stat), line.path,
			 line.begin, line.offset, NULL);
		nr++;
	}
	return dwfl_report_end(unwinder->dwfl, NULL, NULL) == 0;
}

/* What one process had mapped, each thing once. */
struct recorded {
	struct ktrc_mapping at[MAX_MAPPINGS];
	size_t nr;
};

/* A file may have got another number by the time that it is given up. */
static bool is_same_file(const struct ktrc_names *names, u32 file, u32 other)
{
	const struct ktrc_name *name = ktrc_names_row(names, KTRC_NAME_FILE + file);
	const struct ktrc_name *another = ktrc_names_row(names, KTRC_NAME_FILE + other);

	return file == other || (name && another && *name->build_id &&
				 strcmp(name->build_id, another->build_id) == 0);
}

/* false: there is no room, or something else was there, as when it began another program */
static bool add_recorded(struct recorded *recorded, const struct ktrc_mapping *mapping,
			 const struct ktrc_names *names)
{
	bool is_known = false;

	for (size_t i = 0; i < recorded->nr; i++) {
		const struct ktrc_mapping *known = &recorded->at[i];

		if (mapping->end <= known->begin || mapping->begin >= known->end)
			continue;
		if (mapping->begin - mapping->offset != known->begin - known->offset ||
		    !is_same_file(names, mapping->file, known->file))
			return false;
		is_known = true;
	}
	if (is_known)
		return true;
	if (recorded->nr == MAX_MAPPINGS)
		return false;
	recorded->at[recorded->nr++] = *mapping;
	return true;
}

static bool find_recorded(struct recorded *recorded, u32 pid, const struct ktrc_seen *seen,
			  const struct ktrc_names *names)
{
	bool is_clear = true;

	recorded->nr = 0;
	for (size_t i = 0; is_clear && i < seen->nr_code; i++)
		if (seen->code[i].pid == pid)
			is_clear = add_recorded(recorded, &seen->code[i].mapping, names);
	return is_clear && recorded->nr;
}

static bool add_recorded_files(struct ktrc_unwinder *unwinder, const struct ktrc_seen *seen,
			       const struct ktrc_names *names)
{
	struct recorded recorded;

	if (!find_recorded(&recorded, unwinder->pid, seen, names))
		return false;
	dwfl_report_begin(unwinder->dwfl);
	for (size_t i = 0; i < recorded.nr; i++) {
		const struct ktrc_mapping *m = &recorded.at[i];
		const struct ktrc_name *name = ktrc_names_row(names, KTRC_NAME_FILE + m->file);

		if (name && *name->build_id)
			add_file(unwinder, ktrc_name_open(name), name->path, m->begin, m->offset,
				 name->build_id);
	}
	return dwfl_report_end(unwinder->dwfl, NULL, NULL) == 0;
}

/* @seen: NULL of a process that is alive */
static struct ktrc_unwinder *create(u32 pid, const struct ktrc_seen *seen,
				    const struct ktrc_names *names)
{
	struct ktrc_unwinder *unwinder = calloc(1, sizeof(*unwinder));

	if (!unwinder)
		return NULL;
	elf_version(EV_CURRENT);
	unwinder->pid = pid;
	unwinder->dwfl = dwfl_begin(&callbacks);
	unwinder->self_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (unwinder->self_fd >= 0)
		unwinder->self = elf_begin(unwinder->self_fd, ELF_C_READ_MMAP, NULL);
	if (unwinder->dwfl && unwinder->self &&
	    (seen ? add_recorded_files(unwinder, seen, names) : add_files(unwinder)) &&
	    dwfl_attach_state(unwinder->dwfl, unwinder->self, (pid_t)pid, &thread_callbacks,
			      unwinder))
		return unwinder;
	ktrc_unwinder_destroy(unwinder);
	return NULL;
}

struct ktrc_unwinder *ktrc_unwinder_create(u32 pid)
{
	return create(pid, NULL, NULL);
}

struct ktrc_unwinder *ktrc_unwinder_create_recorded(u32 pid, const struct ktrc_seen *seen,
						    const struct ktrc_names *names)
{
	return create(pid, seen, names);
}

void ktrc_unwinder_destroy(struct ktrc_unwinder *unwinder)
{
	if (!unwinder)
		return;
	dwfl_end(unwinder->dwfl);
	elf_end(unwinder->self);
	if (unwinder->self_fd >= 0)
		close(unwinder->self_fd);
	ktrc_index_release(&unwinder->files);
	free(unwinder);
}

static bool is_in(Dwarf_CFI *cfi, Dwarf_Addr pc)
{
	__ktrc_free Dwarf_Frame *frame = NULL;

	return cfi && dwarf_cfi_addrframe(cfi, pc, &frame) == 0;
}

/* Is it written down how to come from there to the caller. */
static bool has_cfi(const struct ktrc_unwinder *unwinder, Dwarf_Addr pc)
{
	Dwfl_Module *module = dwfl_addrmodule(unwinder->dwfl, pc);
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi;

	if (!module)
		return false;
	cfi = dwfl_module_eh_cfi(module, &bias);
	if (is_in(cfi, pc - bias))
		return true;
	cfi = dwfl_module_dwarf_cfi(module, &bias);
	return is_in(cfi, pc - bias);
}

/* Where nothing is written down elfutils takes the frame pointer for one: it may be anything. */
static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct ktrc_unwinder *unwinder = arg;
	struct ktrc_stack *stack = unwinder->stack;
	bool is_interrupted; /* there, not at a call */
	Dwarf_Addr pc;

	if (stack->nr == KTRC_MAX_FRAMES || !dwfl_frame_pc(frame, &pc, &is_interrupted))
		return DWARF_CB_ABORT;
	stack->frames[stack->nr++] = pc;
	unwinder->is_lost = !has_cfi(unwinder, pc - !is_interrupted);
	return unwinder->is_lost ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* elfutils takes what it cannot read for the end. */
static u32 end_of(const struct ktrc_unwinder *unwinder, u32 nr, bool is_ended)
{
	if (unwinder->is_lost || unwinder->went_astray)
		return KTRC_stack_end_broken;
	if (unwinder->ran_out || (!is_ended && nr == KTRC_MAX_FRAMES))
		return KTRC_stack_end_depth;
	return is_ended ? KTRC_stack_end_whole : KTRC_stack_end_broken;
}

struct ktrc_stack *ktrc_unwind(struct ktrc_unwinder *unwinder, const struct ktrc_copy *copy)
{
	struct ktrc_stack *stack;
	int ret;

	if (copy->regs != NR_REGS)
		return NULL;
	stack = calloc(1, sizeof(*stack) + KTRC_MAX_FRAMES * sizeof(u64));
	if (!stack)
		return NULL;
	unwinder->copy = copy;
	unwinder->stack = stack;
	unwinder->is_lost = false;
	unwinder->ran_out = false;
	unwinder->went_astray = false;
	ret = dwfl_getthread_frames(unwinder->dwfl, (pid_t)unwinder->pid, add_frame, unwinder);
	stack->end = end_of(unwinder, stack->nr, ret == 0);
	if (!stack->nr)
		stack->frames[stack->nr++] = copy->words[NR_REGS - 1];
	return stack;
}
