/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that records do not carry: cgroup paths by id, paths of files, functions of shrinkers.  They come
 * from the module's table, which keeps those of cgroups that are gone, and are saved beside
 * the records.
 */
#ifndef KTRC_NAMES_H
#define KTRC_NAMES_H

#include <jansson.h>

#include "types.h"

struct nlattr;

/* A build id in hexadecimal, with its NUL. */
#define KTRC_BUILD_ID_ROOM 129

/**
 * struct ktrc_name - a cgroup's, a file's, or a shrinker's
 * @cgid: its id; KTRC_NAME_FILE or KTRC_NAME_SHRINKER + a number
 * @path: from the root of the hierarchy, or of the file system, or the function; only what can be
 *	printed everywhere
 * @build_id: of a file of code, in hexadecimal; "": it has none, or it is not known
 */
struct ktrc_name {
	u64 cgid;
	char *path;
	char build_id[KTRC_BUILD_ID_ROOM];
};

/**
 * struct ktrc_names - all there are
 * @rows: by rising id
 * @nr: their number
 */
struct ktrc_names {
	struct ktrc_name *rows;
	size_t nr;
};

/** ktrc_names_add() - add a copy of a name, of any bytes; an id may be given again; 0 or -ENOMEM */
int ktrc_names_add(struct ktrc_names *names, const struct ktrc_name *name);
/** ktrc_build_id_text() - in hexadecimal; of one that is too long the first bytes */
void ktrc_build_id_text(const u8 *bytes, size_t len, char text[KTRC_BUILD_ID_ROOM]);
/** ktrc_build_id_is_text() - is it one that ktrc_build_id_text() made */
bool ktrc_build_id_is_text(const char *text);

void ktrc_names_release(struct ktrc_names *names);

/**
 * ktrc_names_renew() - take those that are valid now
 * @names: keeps besides the paths of cgroups that are not among them any more, of the newest if they are many
 * @fresh: those; left empty
 */
void ktrc_names_renew(struct ktrc_names *names, struct ktrc_names *fresh);

/** ktrc_names_find() - a cgroup's path; NULL if it is not known */
const char *ktrc_names_find(const struct ktrc_names *names, u64 cgid);

/** ktrc_printable() - a copy with \xNN for each byte that is not printable ASCII; NULL without memory */
char *ktrc_printable(const char *text);

/** ktrc_names_shrinker() - a shrinker's function by its number; NULL if it is not known */
const char *ktrc_names_shrinker(const struct ktrc_names *names, u64 number);

/** ktrc_names_file() - a mapped file's path by its number; NULL if it is not known */
const char *ktrc_names_file(const struct ktrc_names *names, u64 number);

/** ktrc_names_row() - all that is known of an id; NULL if nothing is */
const struct ktrc_name *ktrc_names_row(const struct ktrc_names *names, u64 cgid);

/** ktrc_names_parse() - add what one KTRC_A_NAME nest says; 0, -ENOMEM or -EPROTO */
int ktrc_names_parse(struct nlattr *nest, struct ktrc_names *names);

/** ktrc_names_to_json() - an array of objects; NULL without memory */
json_t *ktrc_names_to_json(const struct ktrc_names *names);

/** ktrc_names_from_json() - the reverse; absent in traces that have none; 0, -ENOMEM or -EPROTO */
int ktrc_names_from_json(struct ktrc_names *names, const json_t *rows);

#endif
