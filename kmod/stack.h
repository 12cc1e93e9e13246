/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of a record: walked once, written in full on first use in each packet, named
 * by a short reference after that.  Only the outermost writer of a task takes them:
 * what is kept here has one user at a time.
 */
#ifndef KTRC_STACK_H
#define KTRC_STACK_H

#include "env.h"
#include "filter.h"
#include "record.h"
#include "walk.h"
#include "../uapi/ktrc_events.h"

/* bits of a slot's place; its number is one more: 0 names no stack */
#define KTRC_USER_BITS 9
#define KTRC_KERNEL_BITS 8
#define KTRC_COPY_BITS 7

/* frames in one `stack` record */
#define KTRC_STACK_PART 4
#define KTRC_MAX_PARTS (KTRC_MAX_FRAMES / KTRC_STACK_PART)
KTRC_BOUND(KTRC_MAX_PARTS);

/* words in one `stack_copy` record */
#define KTRC_COPY_PART 16
#define KTRC_MAX_COPY_PARTS DIV_ROUND_UP(KTRC_COPY_WORDS, KTRC_COPY_PART)
KTRC_BOUND(KTRC_MAX_COPY_PARTS);

/**
 * struct ktrc_known_stack - a stack whose frames stand in a packet
 * @hash: see struct ktrc_frames
 * @packet: the packet's number + 1
 */
struct ktrc_known_stack {
	u64 hash;
	u64 packet;
};

/**
 * struct ktrc_stacks - stacks on one CPU of a session
 * @user: of the record at hand
 * @has_more: so are the two below; else they are a former record's
 * @kernel: of the record at hand
 * @copy: of the record at hand
 * @known_user: by slot
 * @known_kernel: by slot
 * @known_copy: by slot
 */
struct ktrc_stacks {
	struct ktrc_frames user;
	bool has_more;
	struct ktrc_frames kernel;
	struct ktrc_copy copy;
	struct ktrc_known_stack known_user[1 << KTRC_USER_BITS];
	struct ktrc_known_stack known_kernel[1 << KTRC_KERNEL_BITS];
	struct ktrc_known_stack known_copy[1 << KTRC_COPY_BITS];
};

u32 ktrc_stacks_ref_more(const struct ktrc_stacks *s, u64 packet);

/* inlined: each frame of this module's own costs 600 instructions of the kernel stack's walk */
static __always_inline void ktrc_stacks_take_more(struct ktrc_stacks *s,
						  const struct ktrc_rule *rule)
{
	s->has_more = true;
	s->kernel.nr = 0;
	s->copy.nr = 0;
	if (rule->kernel_frames)
		ktrc_walk_kernel(&s->kernel, rule->kernel_frames);
	if (rule->user_bytes)
		ktrc_copy_user(&s->copy, rule->user_bytes);
}

/**
 * ktrc_stacks_take() - take the current task's stacks
 * @s: the CPU's
 * @rule: how much of which
 */
static __always_inline void ktrc_stacks_take(struct ktrc_stacks *s, const struct ktrc_rule *rule)
{
	s->has_more = false;
	if (rule->user_frames)
		ktrc_walk_user(&s->user, rule->user_frames);
	else
		s->user.nr = 0;
	if (rule->kernel_frames || rule->user_bytes)
		ktrc_stacks_take_more(s, rule);
}

/* by the bits of the hash that depend on the whole stack */
static __always_inline u32 ktrc_user_place(const struct ktrc_stacks *s)
{
	return s->user.hash >> (64 - KTRC_USER_BITS);
}

static __always_inline u32 ktrc_user_slot(const struct ktrc_stacks *s)
{
	return s->user.nr ? ktrc_user_place(s) + 1 : 0;
}

/* @nr: its frames or words: there is nothing to know of a stack without */
static __always_inline bool ktrc_stack_is_known(u32 nr, u64 hash,
						const struct ktrc_known_stack *known, u64 packet)
{
	return !nr || (known->packet == packet + 1 && known->hash == hash);
}

/**
 * ktrc_stacks_ref() - name the stacks at hand, if a packet knows them
 * @s: the CPU's
 * @packet: number of the packet
 *
 * Return: the payload of stack_ref; 0: there is no stack, or one that is not known there.
 */
static __always_inline u32 ktrc_stacks_ref(const struct ktrc_stacks *s, u64 packet)
{
	const struct ktrc_known_stack *known = &s->known_user[ktrc_user_place(s)];
	struct ktrc_ev_stack_ref ref = { .user_slot = ktrc_user_slot(s) };
	u32 word;

	BUILD_BUG_ON(sizeof(ref) != sizeof(word));
	if (!ktrc_stack_is_known(s->user.nr, s->user.hash, known, packet))
		return 0;
	if (s->has_more)
		return ktrc_stacks_ref_more(s, packet);
	memcpy(&word, &ref, sizeof(word));
	return word;
}

u32 ktrc_stacks_bytes(struct ktrc_stacks *s, u64 packet);
void ktrc_stacks_write(struct ktrc_stacks *s, u64 packet, struct ktrc_pen *pen);

#endif /* KTRC_STACK_H */
