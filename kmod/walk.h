/* SPDX-License-Identifier: GPL-2.0 */
/* Walking a stack: who called whom, innermost first. */
#ifndef KTRC_WALK_H
#define KTRC_WALK_H

#include "env.h"
#include "../uapi/ktrc.h"

/* frames of the tracing itself that may lie above those of a kernel stack that is asked for */
#define KTRC_OWN_FRAMES 16
KTRC_BOUND(KTRC_OWN_FRAMES);
KTRC_BOUND(KTRC_MAX_FRAMES);

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

/* at most, of any machine */
#define KTRC_USER_REGS 33
#define KTRC_MAX_STACK_WORDS (KTRC_MAX_STACK_BYTES / sizeof(u64))
#define KTRC_COPY_WORDS (KTRC_USER_REGS + KTRC_MAX_STACK_WORDS)
KTRC_BOUND(KTRC_USER_REGS);
KTRC_BOUND(KTRC_MAX_STACK_WORDS);

/**
 * struct ktrc_copy - a user stack that was copied
 * @hash: of its words: equal copies have equal ones
 * @nr: its words; 0: nothing was copied
 * @regs: how many of them are registers
 * @word: registers, then memory from the stack pointer upwards
 */
struct ktrc_copy {
	u64 hash;
	u32 nr;
	u32 regs;
	u64 word[KTRC_COPY_WORDS];
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

/*
 * Multiplicative hashing, with 2^64 / golden ratio: the upper bits depend on all that went in, lower ones
 * on the lower ones alone.  For addresses of user mode: an uppermost bit would change that bit alone.
 */
static __always_inline u64 ktrc_frame_hash(u64 hash, u64 frame)
{
	return (hash ^ frame) * 0x9e3779b97f4a7c15ull;
}

/* for any words */
static __always_inline u64 ktrc_word_hash(u64 hash, u64 word)
{
	return rol64(ktrc_frame_hash(hash, word), 29);
}

/* this CPU reads a user stack: the exceptions that it raises are ktrc's own */
DECLARE_PER_CPU(u32, ktrc_reads_user);

/**
 * ktrc_is_own_read() - was the exception at hand raised by ktrc, as it followed a user stack
 *
 * Context: any; preemption disabled.
 */
static __always_inline bool ktrc_is_own_read(void)
{
	return unlikely(this_cpu_read(ktrc_reads_user)) &&
	       !(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET));
}

void ktrc_walk_user(struct ktrc_frames *f, u32 nr);
void ktrc_walk_kernel(struct ktrc_frames *f, u32 nr);
void ktrc_copy_user(struct ktrc_copy *copy, u32 bytes);

#endif /* KTRC_WALK_H */
