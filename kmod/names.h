/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths of cgroups by id, also of those that are gone, and functions of shrinkers.  Records
 * hold ids only; here the names are kept while there is a session.  Process context, but for
 * probe_names.c and probe_slab.c.
 */
#ifndef KTRC_NAMES_H
#define KTRC_NAMES_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/types.h>

#include "bound.h"
#include "build_id.h"

#define KTRC_NAME_BYTES 512 /* a path with its NUL; a longer one is missed */
#define KTRC_NR_NEW_NAMES 128 /* power of two */
#define KTRC_NR_SHRINKERS 256 /* power of two; their numbers fit the field of reclaim.slab */
KTRC_BOUND(KTRC_NAME_BYTES);

/**
 * struct ktrc_name - a cgroup's, a file's, or a shrinker's
 * @cgid: cgroup v2 id; KTRC_NAME_FILE or KTRC_NAME_SHRINKER + a number
 * @build_id: of a file of code
 * @path: from the root of the hierarchy, or of the file system; or the function
 */
struct ktrc_name {
	u64 cgid;
	struct ktrc_build_id build_id;
	char path[KTRC_NAME_BYTES];
};

/**
 * struct ktrc_new_names - cgroups just made: from the tracepoint, whose calls the kernel
 *	serialises, to a worker
 * @head: names put in; release by the probe
 * @tail: names taken out; release by the worker
 * @missed: names that did not fit
 * @wake: gets the worker going, out of the probe's context
 * @at: name i lies at i % KTRC_NR_NEW_NAMES
 */
struct ktrc_new_names {
	u32 head;
	u32 tail;
	atomic_long_t missed;
	struct irq_work wake;
	struct ktrc_name at[KTRC_NR_NEW_NAMES];
};

/* probe_names.c */
int ktrc_names_attach(struct ktrc_new_names *to);
void ktrc_names_detach(void);

/* probe_slab.c */
const void *ktrc_shrinker_function(u32 number);

void ktrc_names_get(void);
void ktrc_names_put(void);
bool ktrc_names_next(struct ktrc_name *name);
u64 ktrc_names_missed(void);

#endif /* KTRC_NAMES_H */
