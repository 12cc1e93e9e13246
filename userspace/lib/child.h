/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What may do harm, or never end, is left to a child: files that are made to do so, a file system that
 * does not answer, a process whose memory somebody holds.
 */
#ifndef KTRC_CHILD_H
#define KTRC_CHILD_H

#include <stdio.h>

#include "types.h"

/**
 * struct ktrc_patience - how long somebody waits
 * @max_ns: at most
 * @is_over: asked every now and then, says whether that is enough; NULL: it is not
 * @data: for @is_over
 */
struct ktrc_patience {
	u64 max_ns;
	bool (*is_over)(const void *data);
	const void *data;
};

/**
 * ktrc_child_ask() - have a child with little memory and time find something out
 * @answer: called in the child, which ends then: to write text to @out, and to flush what is of use even
 *	if nothing follows; 0 or -errno
 * @question: for it
 * @patience: as long is waited for it
 *
 * Return: what it wrote until it ended, or was stopped, to be freed; NULL if nothing can be asked.
 */
char *ktrc_child_ask(int (*answer)(const void *question, FILE *out), const void *question,
		     const struct ktrc_patience *patience);

#endif
