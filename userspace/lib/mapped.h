/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes had mapped when the window began, as far as it can be told later: what /proc shows
 * of those that were alive then and still are, and what records say that others gave up in the window,
 * without all that changed until then by records that are read after /proc: those of a session that
 * records.
 */
#ifndef KTRC_MAPPED_H
#define KTRC_MAPPED_H

#include <jansson.h>

#include "child.h"
#include "names.h"
#include "seen.h"
#include "space.h"

/* What is added to the place of a path to be the number of a file; no file of the module's has it. */
#define KTRC_MAPPED_FILE (1u << 16)

/**
 * struct ktrc_mapped_row - something that a process had mapped
 * @area: what; its file is the module's number, or KTRC_MAPPED_FILE + a place
 * @pid: whose
 * @is_left: it gave that up in the window, so that /proc does not tell it any more
 */
struct ktrc_mapped_row {
	struct ktrc_area area;
	u32 pid;
	bool is_left;
};

/**
 * struct ktrc_mapped - all there was
 * @rows: in no order
 * @nr: their number
 * @paths: of files that the module has not numbered
 * @nr_paths: their number
 */
struct ktrc_mapped {
	struct ktrc_mapped_row *rows;
	size_t nr;
	char **paths;
	size_t nr_paths;
};

struct ktrc_mapped_look;

/**
 * ktrc_mapped_look() - look at the processes that are alive
 * @pids: at these; NULL: at all, to keep all that they have
 * @schema: of their records
 * @names: of files and cgroups
 * @cgid: of the cgroup to which what is recorded is confined; 0: of none
 * @start_ns: when the window began, CLOCK_BOOTTIME
 * @patience: look no longer than that
 *
 * Return: NULL without memory; what cannot be read, or not in time, is left out.
 */
struct ktrc_mapped_look *ktrc_mapped_look(const struct ktrc_index *pids,
					  const struct ktrc_schema *schema,
					  const struct ktrc_names *names, u64 cgid, u64 start_ns,
					  const struct ktrc_patience *patience);
/** ktrc_mapped_look_at_nothing() - the same of a look that nobody took */
struct ktrc_mapped_look *ktrc_mapped_look_at_nothing(const struct ktrc_schema *schema,
						     const struct ktrc_names *names);
void ktrc_mapped_look_destroy(struct ktrc_mapped_look *look);
void ktrc_cleanup_mapped_look(struct ktrc_mapped_look **look);
#define __ktrc_mapped_look KTRC_CLEANUP(ktrc_cleanup_mapped_look)

/** ktrc_mapped_look_to_json() - what lies near to faults and stacks of @seen; NULL without memory */
json_t *ktrc_mapped_look_to_json(struct ktrc_mapped_look *look, const struct ktrc_seen *seen);
/** ktrc_mapped_look_from_json() - the reverse, of the same session; NULL if it is none, or without memory */
struct ktrc_mapped_look *ktrc_mapped_look_from_json(const json_t *object,
						    const struct ktrc_schema *schema,
						    const struct ktrc_names *names);
/** ktrc_mapped_look_is_kept() - was it made before its session was stopped */
bool ktrc_mapped_look_is_kept(const struct ktrc_mapped_look *look);

/**
 * ktrc_mapped_load() - what of that they had when the window began
 * @mapped: this is added to it; empty if @look was at anything
 * @look: made before the records were read
 * @seen: of the whole window, with its mappings
 *
 * Only what lies near to a fault or a frame of a stack is kept, unless all was looked at.
 * Return: 0 or -ENOMEM.
 */
int ktrc_mapped_load(struct ktrc_mapped *mapped, struct ktrc_mapped_look *look,
		     const struct ktrc_seen *seen);
/** ktrc_mapped_keep_near() - of all only what lies near to a fault or a frame of a stack; 0 or -ENOMEM */
int ktrc_mapped_keep_near(struct ktrc_mapped *mapped, const struct ktrc_seen *seen);
/** ktrc_mapped_renumber() - what has a path that the module has numbered since has that number too */
void ktrc_mapped_renumber(struct ktrc_mapped *mapped, const struct ktrc_names *names);
void ktrc_mapped_release(struct ktrc_mapped *mapped);

/**
 * ktrc_mapped_put() - to begin with it, before any record
 * @mapped: what there was
 * @spaces: where nothing is known yet
 * @is_left: only what /proc does not tell any more
 *
 * Return: 0 or -ENOMEM.
 */
int ktrc_mapped_put(const struct ktrc_mapped *mapped, struct ktrc_spaces *spaces, bool is_left);

/** ktrc_mapped_path() - of a file by its number; NULL if it is not known */
const char *ktrc_mapped_path(const struct ktrc_mapped *mapped, const struct ktrc_names *names,
			     u32 file);

json_t *ktrc_mapped_to_json(const struct ktrc_mapped *mapped);
/** ktrc_mapped_from_json() - the reverse; absent in traces that have none; 0, -EPROTO or -ENOMEM */
int ktrc_mapped_from_json(struct ktrc_mapped *mapped, const json_t *object);

#endif
