/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process has in its memory: /proc/PID/maps, and the files behind it. */
#ifndef KTRC_MAPS_H
#define KTRC_MAPS_H

#include <stdio.h>
#include <sys/stat.h>

#include "names.h"
#include "types.h"

/* What stands behind the path of a file that was deleted. */
#define KTRC_MAP_DELETED " (deleted)"

/**
 * struct ktrc_map_line - a line of /proc/PID/maps
 * @begin: first address
 * @end: the address behind the last
 * @offset: what of the file lies at @begin, in bytes
 * @is_code: it may be executed
 * @is_shared: what is written there others see
 * @path: as the process has it; "": it has none; in the text that was parsed
 */
struct ktrc_map_line {
	u64 begin;
	u64 end;
	u64 offset;
	bool is_code;
	bool is_shared;
	const char *path;
};

/** ktrc_map_parse() - @text is cut up; false if it is no such line */
bool ktrc_map_parse(char *text, struct ktrc_map_line *line);

/**
 * ktrc_map_open() - the file that is mapped, wherever the process sees it, and also when it was deleted
 * @pid: the process
 * @line: one of its lines
 * @stat: set to what fstat() says of it
 *
 * Return: a descriptor, or -1.  What does something when it is opened, or waits for somebody, is
 * not opened.
 */
int ktrc_map_open(u32 pid, const struct ktrc_map_line *line, struct stat *stat);

/**
 * ktrc_name_open() - the file to which the path of a mapped one leads now, which may be another one
 * @name: the name
 *
 * Return: a descriptor, or -1; what does something when it is opened, or waits for somebody, is not
 * opened.
 */
int ktrc_name_open(const struct ktrc_name *name);

/** ktrc_proc_start_unit() - as exactly as /proc shows when a process started, in nanoseconds */
u64 ktrc_proc_start_unit(void);

/**
 * ktrc_proc_identity() - who it is
 * @pid: its number, which may be another's soon
 * @start_ns: set to when it started, CLOCK_BOOTTIME, in whole units
 * @comm: set to its first thread's name
 *
 * Return: false if it cannot be read.
 */
bool ktrc_proc_identity(u32 pid, u64 *start_ns, char comm[32]);

/**
 * ktrc_proc_open() - /proc/@pid/@name, for reading
 *
 * Return: NULL if it cannot be read, or where this process has a namespace in which @pid is somebody else.
 */
FILE *ktrc_proc_open(u32 pid, const char *name);

#endif
