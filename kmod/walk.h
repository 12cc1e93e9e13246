/* SPDX-License-Identifier: GPL-2.0 */
/* Walking a stack: who called whom, innermost first. */
#ifndef KTRC_WALK_H
#define KTRC_WALK_H

#include "env.h"
#include "../uapi/ktrc.h"

/* frames of the tracing itself that may lie above those of a kernel stack that is asked for */
#define KTRC_OWN_FRAMES 16

/**
 * struct ktrc_frames - a stack that was walked
 * @hash: of its frames: equal stacks have equal ones
 * @nr: its frames; 0: none was taken
 * @end: KTRC_stack_end_*
 * @frame: addresses, innermost first
 */
struct ktrc_frames {
	u64 hash;
	u32 nr;
	u32 end;
	unsigned long frame[KTRC_MAX_FRAMES + KTRC_OWN_FRAMES];
};

/**
 * struct ktrc_text - where code of the kernel lies
 * @start: its first byte
 * @bytes: its length
 */
struct ktrc_text {
	unsigned long start;
	unsigned long bytes;
};

extern struct ktrc_text ktrc_own_text; /* this module's; set when it is loaded */

/* multiplicative hashing, with 2^64 / golden ratio */
static __always_inline u64 ktrc_frame_hash(u64 hash, u64 frame)
{
	return rol64((hash ^ frame) * 0x9e3779b97f4a7c15ull, 29);
}

void ktrc_walk_user(struct ktrc_frames *f, u32 nr);
void ktrc_walk_kernel(struct ktrc_frames *f, u32 nr);

#endif /* KTRC_WALK_H */
