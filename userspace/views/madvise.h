/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Advice about memory: by what was advised, by who gave it, by its cgroup; which calls
 * failed, and which were about another process's memory.
 */
#ifndef KTRC_MADVISE_H
#define KTRC_MADVISE_H

#include "../lib/capture.h"
#include "stalls.h"

/**
 * struct ktrc_madvise - the view
 * @capture: what it is a view of
 * @event: the event counted; NULL when the session records no advice
 * @start_ticks: calls that ended before it are left out, because some CPU's are missing
 * @left_out: records left out for that
 * @all: everything
 * @advices: by advice and how it was given
 * @processes: by process and advice
 * @cgroups: by cgroup of who gave it, and advice
 * @failures: by process, and advice and errno
 * @others: by process, and advice and whose memory it was, where that is another's
 */
struct ktrc_madvise {
	const struct ktrc_capture *capture;
	const struct ktrc_event *event;
	u64 start_ticks;
	u64 left_out;
	struct ktrc_stall_row *all;
	struct ktrc_stalls advices;
	struct ktrc_stalls processes;
	struct ktrc_stalls cgroups;
	struct ktrc_stalls failures;
	struct ktrc_stalls others;
	struct ktrc_madvise_private *priv;
};

/** ktrc_madvise_create() - an empty view; NULL without memory */
struct ktrc_madvise *ktrc_madvise_create(const struct ktrc_capture *capture);
void ktrc_madvise_destroy(struct ktrc_madvise *view);

/** ktrc_madvise_add() - look at a record; 0 or -ENOMEM */
int ktrc_madvise_add(struct ktrc_madvise *view, const struct ktrc_record *record);

/** ktrc_madvise_sort() - the longest time first; more records may follow */
void ktrc_madvise_sort(struct ktrc_madvise *view);

/*
 * The second number of a key of @failures and @others: an advice, and a number beside it.
 */
static inline u64 ktrc_madvise_pair(u64 advice, u64 beside)
{
	return beside << 32 | advice;
}

static inline u64 ktrc_madvise_advice(u64 pair)
{
	return pair & 0xffffffff;
}

static inline u64 ktrc_madvise_beside(u64 pair)
{
	return pair >> 32;
}

/** ktrc_madvise_name() - a number of one of the event's fields by its name; NULL: it has none */
const char *ktrc_madvise_name(const struct ktrc_madvise *view, const char *field, u64 number);

#endif
