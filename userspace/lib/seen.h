/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What recorded stacks lead through, to be named; copies of stacks, to be unwound; where faults were,
 * where the memory of processes changed, and what they had when they gave it up.
 */
#ifndef KTRC_SEEN_H
#define KTRC_SEEN_H

#include "areas.h"
#include "copy.h"
#include "index.h"
#include "schema.h"

/**
 * struct ktrc_mapping - a part of a file in the memory of a process
 * @begin: its first address
 * @end: the address behind it
 * @offset: what of the file lies at @begin, in bytes
 * @ticks: since when it is there; 0: nobody saw it come
 * @file: which: as records number it, or the index in struct ktrc_code
 */
struct ktrc_mapping {
	u64 begin;
	u64 end;
	u64 offset;
	u64 ticks;
	u32 file;
};

/* Faults are near to each other that are in one block of so many pages, as a power of two. */
#define KTRC_BLOCK_SHIFT 9

/**
 * struct ktrc_change - a range of memory that was mapped, unmapped or moved
 * @begin: its first page, address >> 12
 * @end: the page behind it
 * @ticks: when
 * @pid: whose
 */
struct ktrc_change {
	u64 begin;
	u64 end;
	u64 ticks;
	u32 pid;
};

/**
 * struct ktrc_left - a part of the memory that a process gave up, as it ended or began another program
 * @area: the part
 * @ticks: when the first part of it was told: the same of all of them
 * @pid: whose
 */
struct ktrc_left {
	struct ktrc_area area;
	u64 ticks;
	u32 pid;
};

/**
 * struct ktrc_leaver - whose memory a CPU's records tell, part by part
 * @ticks: when they began to
 * @pid: whose; KTRC_INDEX_NONE: nobody's
 */
struct ktrc_leaver {
	u64 ticks;
	u32 pid;
};

/**
 * struct ktrc_renewal - when a process began to run a program, in ticks; 0: not that anybody saw
 * @first: for the first time from @start_ticks of struct ktrc_seen on
 * @last: for the last time of all
 */
struct ktrc_renewal {
	u64 first;
	u64 last;
};

/**
 * struct ktrc_seen_code - an executable mapping of a file, as a record of map tells it when it comes or goes
 * @mapping: its file as records number it
 * @pid: whose it is
 * @next: place of another one of the same process, or KTRC_INDEX_NONE
 */
struct ktrc_seen_code {
	struct ktrc_mapping mapping;
	u32 pid;
	u32 next;
};

/**
 * struct ktrc_seen - what was recorded
 * @kernel: addresses in the kernel
 * @user: addresses in user mode, of any process
 * @pids: processes that recorded something
 * @threads: their threads but the first ones, by process and id
 * @code: executable mappings of files, as records of map tell them
 * @nr_code: their number
 * @code_of: place in @code of one of each process
 * @with_changes: to be set before: @changes, @left and @blocks are wanted
 * @start_ticks: to be set before: of what was before, @left, @born and when programs began for the first time tell nothing
 * @end_ticks: to be set: what came later in @left may not be whole
 * @changes: of the memory of processes
 * @nr_changes: their number
 * @left: of the memory of processes, when they gave it up
 * @nr_left: their number
 * @leavers: who gives it up, by CPU
 * @nr_leavers: their number
 * @leaver_on: places of @leavers, by CPU
 * @lost_changes: there were more of @changes or @born
 * @is_partial: there were more that were renewed or are code, or it is not known of whom
 * @renewed: places of @renewals, by process
 * @renewals: of processes that began to run a program
 * @nr_renewals: their number
 * @born: processes that were made
 * @blocks: with a fault, of any process
 * @copies: copies of user stacks, each once; of @words only those that there are
 * @nr_copies: their number
 * @copied: places of @copies, by process and id
 * @nr_of: how many are of a process
 */
struct ktrc_seen {
	struct ktrc_index kernel;
	struct ktrc_index user;
	struct ktrc_index pids;
	struct ktrc_index threads;
	struct ktrc_seen_code *code;
	size_t nr_code;
	struct ktrc_index code_of;
	bool with_changes;
	u64 start_ticks;
	u64 end_ticks;
	struct ktrc_change *changes;
	size_t nr_changes;
	struct ktrc_left *left;
	size_t nr_left;
	struct ktrc_leaver *leavers;
	size_t nr_leavers;
	struct ktrc_index leaver_on;
	bool lost_changes;
	bool is_partial;
	struct ktrc_index renewed;
	struct ktrc_renewal *renewals;
	size_t nr_renewals;
	struct ktrc_index born;
	struct ktrc_index blocks;
	struct ktrc_copy **copies;
	size_t nr_copies;
	struct ktrc_index copied;
	struct ktrc_index nr_of;
};

/**
 * ktrc_seen_add() - look through packets
 * @seen: what has been seen so far
 * @schema: of their records
 * @bytes: whole packets
 * @len: their length
 *
 * Without memory what has no place in it gets no name.
 */
void ktrc_seen_add(struct ktrc_seen *seen, const struct ktrc_schema *schema, const u8 *bytes,
		   size_t len);
/** ktrc_seen_is_empty() - is there nothing to be named */
bool ktrc_seen_is_empty(const struct ktrc_seen *seen);
/** ktrc_seen_renewed() - when a process began to run a program */
struct ktrc_renewal ktrc_seen_renewed(const struct ktrc_seen *seen, u32 pid);
/** ktrc_seen_is_born() - was a process made in the window: records tell all that it has */
bool ktrc_seen_is_born(const struct ktrc_seen *seen, u32 pid);

/** ktrc_seen_mapped() - when a process last mapped code within a range of addresses, in ticks; 0: not that anybody saw */
u64 ktrc_seen_mapped(const struct ktrc_seen *seen, u32 pid, u64 begin, u64 end);
void ktrc_seen_release(struct ktrc_seen *seen);

#endif
