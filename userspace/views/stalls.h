/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stalls, or other calls that take time, counted by something: rows, found by a key of two numbers. */
#ifndef KTRC_STALLS_H
#define KTRC_STALLS_H

#include "../lib/index.h"
#include "../lib/names.h"
#include "../lib/task.h"
#include "hist.h"

/** struct ktrc_stall_key - what a table counts by: kind, order and gfp, process and advice, ... */
struct ktrc_stall_key {
	u64 a;
	u64 b;
};

/**
 * struct ktrc_stall_row - stalls that have a key in common
 * @key: the key
 * @comm: of a process: its main thread's name, or that of the thread seen first; of a thread:
 *	its own
 * @cgid: of a process: its cgroup
 * @pid: id of a process, or of a thread's process; another one may have had it before
 * @tid: id of a thread
 * @records: records of stalls that ended in the window
 * @stalls: stalls that they stand for
 * @failed: those of them that failed; of what can fail
 * @pages: pages reclaimed or moved in them, or that they are about
 * @total_ticks: time in them, of all threads together
 * @max_ticks: the longest
 * @late_ticks: time after them until the thread ran, of all together
 * @run: the longest run of periods that one of them ended
 * @threads: of a limiter: threads that it kept off
 * @hist: their durations
 */
struct ktrc_stall_row {
	struct ktrc_stall_key key;
	char comm[32];
	u64 cgid;
	u32 pid;
	u32 tid;
	u64 records;
	u64 stalls;
	u64 failed;
	u64 pages;
	u64 total_ticks;
	u64 max_ticks;
	u64 late_ticks;
	u64 run;
	u64 threads;
	struct ktrc_hist hist;
};

/**
 * struct ktrc_stalls - rows
 * @rows: in order of first sight, or sorted
 * @nr: their number
 * @index: their places by key
 */
struct ktrc_stalls {
	struct ktrc_stall_row **rows;
	size_t nr;
	struct ktrc_index index;
};

/** ktrc_stalls_get() - the row of a key, a new one if there is none; NULL without memory */
struct ktrc_stall_row *ktrc_stalls_get(struct ktrc_stalls *stalls, u64 a, u64 b);

/** ktrc_stalls_find() - the row of a key; NULL if there is none */
const struct ktrc_stall_row *ktrc_stalls_find(const struct ktrc_stalls *stalls, u64 a, u64 b);

/**
 * ktrc_stalls_get_process() - the row of a task's process, and of @b; NULL without memory
 *
 * It keeps the name and the cgroup.
 */
struct ktrc_stall_row *ktrc_stalls_get_process(struct ktrc_stalls *stalls,
					       const struct ktrc_task *task, u64 b);

/** ktrc_stalls_add_unnamed() - a row for a cgroup if it has no name; 0 or -ENOMEM */
int ktrc_stalls_add_unnamed(struct ktrc_stalls *unnamed, const struct ktrc_names *names, u64 cgid);

void ktrc_stalls_release(struct ktrc_stalls *stalls);

/** ktrc_stall_destroy() - release a row; NULL is fine */
void ktrc_stall_destroy(struct ktrc_stall_row *row);

/** ktrc_stalls_sort() - the longest time first; rows can still be found and added */
void ktrc_stalls_sort(struct ktrc_stalls *stalls);

/** ktrc_stall_add() - count @weight stalls alike; 0 or -ENOMEM */
int ktrc_stall_add(struct ktrc_stall_row *row, u64 ticks, u64 pages, u32 weight);

/** ktrc_stall_percentile_ticks() - of a row's durations */
u64 ktrc_stall_percentile_ticks(const struct ktrc_stall_row *row, u32 percent);

#endif
