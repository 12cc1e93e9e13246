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

/* a slot's number is one more than its place: 0 names no stack; powers of two */
#define KTRC_USER_SLOTS 512
#define KTRC_KERNEL_SLOTS 256

/* frames in one `stack` record */
#define KTRC_STACK_PART 4
#define KTRC_MAX_PARTS (KTRC_MAX_FRAMES / KTRC_STACK_PART)

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
 * @kernel: of the record at hand
 * @known_user: by slot
 * @known_kernel: by slot
 */
struct ktrc_stacks {
	struct ktrc_frames user;
	struct ktrc_frames kernel;
	struct ktrc_known_stack known_user[KTRC_USER_SLOTS];
	struct ktrc_known_stack known_kernel[KTRC_KERNEL_SLOTS];
};

/**
 * ktrc_stacks_take() - take the current task's stacks
 * @s: the CPU's
 * @rule: how many frames of which
 */
static __always_inline void ktrc_stacks_take(struct ktrc_stacks *s, const struct ktrc_rule *rule)
{
	s->user.nr = 0;
	s->kernel.nr = 0;
	if (rule->user_frames)
		ktrc_walk_user(&s->user, rule->user_frames);
	if (rule->kernel_frames)
		ktrc_walk_kernel(&s->kernel, rule->kernel_frames);
}

/* the payload of stack_ref; 0: no stack was taken */
static __always_inline u32 ktrc_stacks_slots(const struct ktrc_stacks *s)
{
	const struct ktrc_ev_stack_ref ref = {
		.user = s->user.nr ? s->user.hash % KTRC_USER_SLOTS + 1 : 0,
		.kernel = s->kernel.nr ? s->kernel.hash % KTRC_KERNEL_SLOTS + 1 : 0,
	};
	u32 word;

	BUILD_BUG_ON(sizeof(ref) != sizeof(word));
	memcpy(&word, &ref, sizeof(word));
	return word;
}

static __always_inline bool ktrc_stack_is_known(const struct ktrc_frames *f,
						const struct ktrc_known_stack *known, u64 packet)
{
	return !f->nr || (known->packet == packet + 1 && known->hash == f->hash);
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
	if (ktrc_stack_is_known(&s->user, &s->known_user[s->user.hash % KTRC_USER_SLOTS], packet) &&
	    ktrc_stack_is_known(&s->kernel, &s->known_kernel[s->kernel.hash % KTRC_KERNEL_SLOTS],
				packet))
		return ktrc_stacks_slots(s);
	return 0;
}

u32 ktrc_stacks_bytes(struct ktrc_stacks *s, u64 packet);
void ktrc_stacks_write(struct ktrc_stacks *s, u64 packet, struct ktrc_pen *pen);

#endif /* KTRC_STACK_H */
