/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes had in their memory, as the records of map and process tell it: also of those that
 * have ended.  What was mapped before the first record is known if somebody tells (mapped.h).
 */
#ifndef KTRC_SPACE_H
#define KTRC_SPACE_H

#include "areas.h"
#include "reader.h"

/* Below a stack the kernel leaves more than so many pages for it to grow: the usual RLIMIT_STACK. */
#define KTRC_STACK_ROOM (8 << (20 - KTRC_PAGE_SHIFT))

/** ktrc_stack_reach() - a first thread's stack with the room that it has, down to @least and no further */
static inline void ktrc_stack_reach(struct ktrc_area *stack, u64 least)
{
	stack->begin = stack->begin - least < KTRC_STACK_ROOM ? least :
								stack->begin - KTRC_STACK_ROOM;
}

struct ktrc_spaces;

/**
 * ktrc_spaces_create() - where nothing is known yet
 * @schema: of the records to come
 * @start_ticks: what a record says that is earlier does not count
 *
 * Return: NULL without memory.
 */
struct ktrc_spaces *ktrc_spaces_create(const struct ktrc_schema *schema, u64 start_ticks);
void ktrc_spaces_destroy(struct ktrc_spaces *spaces);

/**
 * ktrc_spaces_add() - look at a record
 * @spaces: what is known so far
 * @record: the next one in order of time
 *
 * A `counts` record says whether any was lost: then nothing is known any more.  Records of other events
 * say nothing.  Return: 0 or -ENOMEM.
 */
int ktrc_spaces_add(struct ktrc_spaces *spaces, const struct ktrc_record *record);

/** ktrc_spaces_is_lossy() - has any record that would say something been lost */
bool ktrc_spaces_is_lossy(const struct ktrc_spaces *spaces);

/** ktrc_spaces_put() - a process has this, whatever was there; 0 or -ENOMEM */
int ktrc_spaces_put(struct ktrc_spaces *spaces, u32 pid, const struct ktrc_area *area);

/** ktrc_spaces_unmap() - what a process has from page @begin to @end is not known any more; 0 or -ENOMEM */
int ktrc_spaces_unmap(struct ktrc_spaces *spaces, u32 pid, u64 begin, u64 end);

/** ktrc_spaces_walk() - call for all that a process has, by rising page, until one does not return 0; that */
int ktrc_spaces_walk(const struct ktrc_spaces *spaces, u32 pid,
		     int (*visit)(const struct ktrc_area *area, void *data), void *data);

/**
 * ktrc_spaces_find() - what a page of a process is now, after the last record
 * @spaces: what is known
 * @task: a thread of the process
 * @page: address >> 12
 *
 * Return: all zero if that is not known; its @begin and @end are then no range.
 */
struct ktrc_area ktrc_spaces_find(const struct ktrc_spaces *spaces, const struct ktrc_task *task,
				  u64 page);

#endif
