/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the addresses of user stacks lie: the executable mappings of processes that are alive, the
 * files behind them, and behind those that records of map tell of, with their build ids, and the
 * functions in these.
 */
#ifndef KTRC_CODE_H
#define KTRC_CODE_H

#include <jansson.h>

#include "names.h"
#include "reader.h"
#include "seen.h"
#include "space.h"
#include "symbols.h"

/**
 * struct ktrc_code_file - a file that programs run
 * @path: as the process has it; "[vdso]" and the like for what the kernel maps
 * @build_id: in hexadecimal; "": it has none, or could not be read
 * @number: by which records name it; 0: by none
 * @functions: by rising offset in the file, those of recorded addresses
 */
struct ktrc_code_file {
	char *path;
	char build_id[KTRC_BUILD_ID_ROOM];
	u32 number;
	struct ktrc_symbols functions;
};

/**
 * struct ktrc_process - a process whose mappings were read
 * @pid: its id
 * @start_ns: CLOCK_BOOTTIME, no more exact than the kernel shows it
 * @comm: its first thread's name then
 * @since_ticks: when it last began to run a program, as far as that was recorded; 0: not that anybody saw
 * @mappings: by rising address, those in which recorded addresses lie
 * @nr_mappings: their number
 */
struct ktrc_process {
	u32 pid;
	u64 start_ns;
	char comm[32];
	u64 since_ticks;
	struct ktrc_mapping *mappings;
	size_t nr_mappings;
};

/**
 * struct ktrc_code_thread - a thread that was there when its process had been looked into
 * @pid: its process
 * @tid: its id, another one
 * @start_ns: CLOCK_BOOTTIME, no more exact than the kernel shows it
 */
struct ktrc_code_thread {
	u32 pid;
	u32 tid;
	u64 start_ns;
};

/**
 * struct ktrc_unwound - a copied stack that was followed; of a process that is not in @processes, as
 * it has ended, by what was recorded
 * @pid: whose it is
 * @copy: id of the copy
 * @stack: where it leads
 */
struct ktrc_unwound {
	u32 pid;
	u64 copy;
	struct ktrc_stack *stack;
};

/**
 * struct ktrc_code - all of them
 * @processes: in no order
 * @nr_processes: their number
 * @threads: those that recorded something, in no order
 * @nr_threads: their number
 * @files: each once
 * @nr_files: their number
 * @unwound: in no order
 * @nr_unwound: their number
 * @by_pid: index of @processes
 * @by_thread: index of @threads, by process and id
 * @by_copy: index of @unwound, by process and copy
 * @by_number: index of @files
 */
struct ktrc_code {
	struct ktrc_process *processes;
	size_t nr_processes;
	struct ktrc_code_thread *threads;
	size_t nr_threads;
	struct ktrc_code_file *files;
	size_t nr_files;
	struct ktrc_unwound *unwound;
	size_t nr_unwound;
	struct ktrc_index by_pid;
	struct ktrc_index by_thread;
	struct ktrc_index by_copy;
	struct ktrc_index by_number;
};

/**
 * ktrc_code_load() - look into the processes that are alive, and the files of others, from a child that ends
 * @code: empty
 * @seen: which processes, and which addresses
 * @names: of files
 *
 * Return: 0 or -ENOMEM; what cannot be read is left out.
 */
int ktrc_code_load(struct ktrc_code *code, const struct ktrc_seen *seen,
		   const struct ktrc_names *names);
/** ktrc_code_look() - the same, in this process: the files may harm it */
int ktrc_code_look(struct ktrc_code *code, const struct ktrc_seen *seen,
		   const struct ktrc_names *names);
void ktrc_code_release(struct ktrc_code *code);

/**
 * struct ktrc_place - what an address is
 * @file: the file; NULL: not known
 * @offset: where in it
 * @function: the function; NULL: not known
 */
struct ktrc_place {
	const struct ktrc_code_file *file;
	u64 offset;
	const struct ktrc_symbol *function;
};

/**
 * ktrc_code_find() - the place of a frame of a user stack
 * @code: where to look
 * @spaces: what processes had mapped then, as far as it was recorded; NULL: nobody knows
 * @record: whose stack it is
 * @stack: the stack
 * @frame: which of its frames
 *
 * Of a process that has ended since, or runs another program now, only @spaces knows.  That it does is
 * known of a record that is older than the begin of its program, if that was recorded; of a thread
 * that is gone, as all but one are then; of the first thread by its name.
 */
struct ktrc_place ktrc_code_find(const struct ktrc_code *code, const struct ktrc_spaces *spaces,
				 const struct ktrc_record *record, const struct ktrc_stack *stack,
				 u32 frame);

/**
 * ktrc_code_unwound() - the user stack of a record that has a copy of it
 * @code: where to look
 * @record: the record
 *
 * Return: NULL if it was not followed, or by what its process has mapped since it runs another program.
 */
const struct ktrc_stack *ktrc_code_unwound(const struct ktrc_code *code,
					   const struct ktrc_record *record);

json_t *ktrc_code_to_json(const struct ktrc_code *code);
/** ktrc_code_from_json() - the reverse; 0, -EPROTO or -ENOMEM */
int ktrc_code_from_json(struct ktrc_code *code, const json_t *object);

#endif
