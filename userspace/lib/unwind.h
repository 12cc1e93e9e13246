/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of user stacks are followed by what files say of their own code, by elfutils. */
#ifndef KTRC_UNWIND_H
#define KTRC_UNWIND_H

#include "copy.h"
#include "names.h"
#include "seen.h"
#include "stack.h"

struct ktrc_unwinder;

/**
 * ktrc_unwinder_create() - look at what a process has in its memory
 * @pid: a process that is alive
 *
 * Its files may be made to do harm: to be called where they can do none.
 * Return: NULL if it cannot be read, or without memory.
 */
struct ktrc_unwinder *ktrc_unwinder_create(u32 pid);

/**
 * ktrc_unwinder_create_recorded() - the same of a process that has ended, by what it had mapped
 * @pid: the process
 * @seen: what was recorded
 * @names: of files
 *
 * Return: also NULL if nothing was recorded of it, or at one place two different things.
 */
struct ktrc_unwinder *ktrc_unwinder_create_recorded(u32 pid, const struct ktrc_seen *seen,
						    const struct ktrc_names *names);
void ktrc_unwinder_destroy(struct ktrc_unwinder *unwinder);

/**
 * ktrc_unwind() - who called whom
 * @unwinder: of the process
 * @copy: of a stack of one of its threads
 *
 * It is broken where no file says how to go on, and ends for its depth where the copy does.
 * Return: the stack, to be freed; NULL without memory, or of another machine.
 */
struct ktrc_stack *ktrc_unwind(struct ktrc_unwinder *unwinder, const struct ktrc_copy *copy);

#endif
