/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What recorded stacks lead through, to be named; and copies of stacks, to be unwound. */
#ifndef KTRC_SEEN_H
#define KTRC_SEEN_H

#include "copy.h"
#include "index.h"
#include "schema.h"

/**
 * struct ktrc_seen - what recorded stacks lead through
 * @kernel: addresses in the kernel
 * @user: addresses in user mode, of any process
 * @pids: processes that recorded something
 * @copies: copies of user stacks, each once; of @words only those that there are
 * @nr_copies: their number
 * @copied: places of @copies, by process and id
 * @nr_of: how many are of a process
 */
struct ktrc_seen {
	struct ktrc_index kernel;
	struct ktrc_index user;
	struct ktrc_index pids;
	struct ktrc_copy **copies;
	size_t nr_copies;
	struct ktrc_index copied;
	struct ktrc_index nr_of;
};

/**
 * ktrc_seen_add() - look through packets
 * @seen: what has been seen so far
 * @schema: of their records
 * @bytes: whole packets
 * @len: their length
 *
 * Without memory what has no place in it gets no name.
 */
void ktrc_seen_add(struct ktrc_seen *seen, const struct ktrc_schema *schema, const u8 *bytes,
		   size_t len);
void ktrc_seen_release(struct ktrc_seen *seen);

#endif
