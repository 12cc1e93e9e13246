/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process has in its memory: /proc/PID/maps, and the files behind it. */
#ifndef KTRC_MAPS_H
#define KTRC_MAPS_H

#include <stdio.h>
#include <sys/stat.h>

#include "types.h"

/**
 * struct ktrc_map_line - a line of /proc/PID/maps
 * @begin: first address
 * @end: the address behind the last
 * @offset: what of the file lies at @begin, in bytes
 * @is_code: it may be executed
 * @path: as the process has it; in the text that was parsed
 */
struct ktrc_map_line {
	u64 begin;
	u64 end;
	u64 offset;
	bool is_code;
	const char *path;
};

/** ktrc_map_parse() - @text is cut up; false if it names nothing that is mapped there */
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

/** ktrc_proc_open() - /proc/@pid/@name, for reading; NULL if it cannot be read */
FILE *ktrc_proc_open(u32 pid, const char *name);

#endif
