/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page faults by process, by cgroup, by class and by what is mapped there.  A fault that had to
 * wait is several attempts in the trace (result `retry`, then one with `tried`); here it is one
 * fault whose duration is the sum and which counts as major.
 */
#ifndef KTRC_FAULTS_H
#define KTRC_FAULTS_H

#include "../lib/capture.h"
#include "../lib/index.h"
#include "../lib/space.h"
#include "hist.h"

enum ktrc_fault_mode_index {
	KTRC_FAULT_USER,
	KTRC_FAULT_KERNEL,
	KTRC_FAULT_GUP,
	KTRC_FAULT_OTHER,
	KTRC_NR_FAULT_MODES
};

/**
 * struct ktrc_fault_row - faults of one process, cgroup or class, of what one process has mapped, or all
 * @key: number of the process, cgroup id, or number of the class
 * @pid: of a process, and of what it has mapped: its id, which another one may have had before
 * @area: of what is mapped: its kind and file
 * @comm: of a process: name of its main thread, or of the thread seen first
 * @cgid: of a process: its cgroup; of a cgroup: it
 * @class: of a class: its name; NULL: it has none
 * @records: records of faults that ended in the window
 * @faults: faults that they stand for
 * @attempts: attempts, of which a fault that waited has several
 * @unfinished: attempts that ended in `retry` and were not taken up again in the window
 * @by_mode: faults by who raised them
 * @writes: faults on a write access
 * @majors: faults that waited for I/O or were tried again
 * @failed: faults that ended in a signal
 * @ended_ticks: time in faults that ended in the window, waiting included
 * @total_ticks: time in all attempts, those of faults that did not end among them
 * @busy_ticks: time in attempts that did not wait: CPU time, but for preemption
 * @max_ticks: longest fault
 * @hist: durations
 */
struct ktrc_fault_row {
	u64 key;
	u32 pid;
	struct ktrc_area area;
	char comm[32];
	u64 cgid;
	const char *class;
	u64 records;
	u64 faults;
	u64 attempts;
	u64 unfinished;
	u64 by_mode[KTRC_NR_FAULT_MODES];
	u64 writes;
	u64 majors;
	u64 failed;
	u64 ended_ticks;
	u64 total_ticks;
	u64 busy_ticks;
	u64 max_ticks;
	struct ktrc_hist hist;
};

/**
 * struct ktrc_fault_rows - all processes, cgroups, classes, or files and the like that processes have mapped
 * @at: the costliest first, after ktrc_faults_sort()
 * @nr: their number
 * @places: in @at, by key, kind and file
 */
struct ktrc_fault_rows {
	struct ktrc_fault_row **at;
	size_t nr;
	struct ktrc_index places;
};

/**
 * struct ktrc_faults - the view
 * @capture: what it is a view of
 * @event: the event counted; NULL when the session records no faults
 * @has_duration: the event carries duration and result
 * @start_ticks: records before it are left out, because some CPU's are missing
 * @left_out: records left out for that
 * @nr_short: faults whose last attempt, shorter than what is to be recorded, whose waits are not there: so were those, or
 *	their records are gone
 * @saturated: attempts that took as long as a record can say, or longer: their time is that
 * @weight: faults that a record stands for
 * @io_begun: attempts that began I/O, as the kernel counts major faults
 * @tells_io: so the trace says; one of an older module does not
 * @all: everything
 * @processes: by process
 * @cgroups: by cgroup id
 * @classes: by class; of an event that does not see it: one row
 * @mappings: by process and what is mapped there, kind and file
 * @why_no_mappings: why @mappings is empty; NULL: it is known what was mapped
 */
struct ktrc_faults {
	const struct ktrc_capture *capture;
	const struct ktrc_event *event;
	bool has_duration;
	u64 start_ticks;
	u64 left_out;
	u64 nr_short;
	u64 saturated;
	u32 weight;
	u64 io_begun;
	bool tells_io;
	struct ktrc_fault_row *all;
	struct ktrc_fault_rows processes;
	struct ktrc_fault_rows cgroups;
	struct ktrc_fault_rows classes;
	struct ktrc_fault_rows mappings;
	const char *why_no_mappings;
	struct ktrc_faults_private *priv;
};

/** ktrc_faults_create() - an empty view; NULL without memory */
struct ktrc_faults *ktrc_faults_create(const struct ktrc_capture *capture);
void ktrc_faults_destroy(struct ktrc_faults *view);
void ktrc_cleanup_faults(struct ktrc_faults **view);
#define __ktrc_faults KTRC_CLEANUP(ktrc_cleanup_faults)

/** ktrc_faults_add() - look at a record; 0 or -ENOMEM */
int ktrc_faults_add(struct ktrc_faults *view, const struct ktrc_record *record);

/** ktrc_faults_sort() - the costliest first, and no mapping if a change of one was lost; more records may follow */
void ktrc_faults_sort(struct ktrc_faults *view);

/** ktrc_faults_why_no_durations() - nor results; NULL: they are known */
const char *ktrc_faults_why_no_durations(const struct ktrc_faults *view);

/** ktrc_faults_window_ticks() - length of the window the view covers */
u64 ktrc_faults_window_ticks(const struct ktrc_faults *view);

/** ktrc_faults_cpu_percent() - a row's busy time as a share of one CPU */
double ktrc_faults_cpu_percent(const struct ktrc_faults *view, const struct ktrc_fault_row *row);

/** ktrc_faults_percentile_ticks() - of a row's durations */
u64 ktrc_faults_percentile_ticks(const struct ktrc_fault_row *row, u32 percent);

#endif
