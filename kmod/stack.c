// SPDX-License-Identifier: GPL-2.0
/*
 * The stack dictionary.  Called by emit.c's slow path, task context, preemption disabled,
 * by the outermost writer alone.
 */
#include "stack.h"

/* a stack and its place in the dictionary */
struct entry {
	const struct ktrc_frames *frames;
	struct ktrc_known_stack *known;
	u32 slot;
	bool is_kernel;
};

static struct entry user_entry(struct ktrc_stacks *s)
{
	u32 place = s->user.hash % KTRC_USER_SLOTS;

	return (struct entry){ &s->user, &s->known_user[place], place + 1, false };
}

static struct entry kernel_entry(struct ktrc_stacks *s)
{
	u32 place = s->kernel.hash % KTRC_KERNEL_SLOTS;

	return (struct entry){ &s->kernel, &s->known_kernel[place], place + 1, true };
}

static u32 parts_of(const struct ktrc_frames *f)
{
	return (f->nr + KTRC_STACK_PART - 1) / KTRC_STACK_PART;
}

static u32 entry_bytes(const struct entry *e, u64 packet)
{
	if (ktrc_stack_is_known(e->frames, e->known, packet))
		return 0;
	return parts_of(e->frames) * ktrc_record_bytes(sizeof(struct ktrc_ev_stack));
}

/**
 * ktrc_stacks_bytes() - size of the records that name the stacks at hand
 * @s: the CPU's
 * @packet: number of the packet where they shall stand
 */
u32 ktrc_stacks_bytes(struct ktrc_stacks *s, u64 packet)
{
	const struct entry user = user_entry(s), kernel = kernel_entry(s);

	if (!ktrc_stacks_slots(s))
		return 0;
	return ktrc_record_bytes(sizeof(struct ktrc_ev_stack_ref)) + entry_bytes(&user, packet) +
	       entry_bytes(&kernel, packet);
}

static u64 frame_at(const struct ktrc_frames *f, u32 i)
{
	return i < f->nr ? f->frame[i] : 0;
}

static void write_entry(const struct entry *e, u64 packet, struct ktrc_pen *pen)
{
	const struct ktrc_frames *f = e->frames;
	u32 i;

	if (ktrc_stack_is_known(f, e->known, packet))
		return;
	for (i = 0; i < KTRC_MAX_PARTS && i < parts_of(f); i++) {
		u32 first = i * KTRC_STACK_PART;
		const struct ktrc_ev_stack rec = {
			.slot = e->slot,
			.frames = f->nr,
			.first = first,
			.kernel = e->is_kernel,
			.end = f->end,
			.frame0 = frame_at(f, first),
			.frame1 = frame_at(f, first + 1),
			.frame2 = frame_at(f, first + 2),
			.frame3 = frame_at(f, first + 3),
		};

		ktrc_record_put(pen, KTRC_EV_stack, &rec, sizeof(rec));
	}
	*e->known = (struct ktrc_known_stack){ .hash = f->hash, .packet = packet + 1 };
}

/**
 * ktrc_stacks_write() - name the stacks at hand, and remember that their packet knows them
 * @s: the CPU's
 * @packet: number of the packet
 * @pen: at ktrc_stacks_bytes() reserved bytes
 */
void ktrc_stacks_write(struct ktrc_stacks *s, u64 packet, struct ktrc_pen *pen)
{
	const struct entry user = user_entry(s), kernel = kernel_entry(s);
	u32 slots = ktrc_stacks_slots(s);

	if (!slots)
		return;
	write_entry(&user, packet, pen);
	write_entry(&kernel, packet, pen);
	ktrc_record_put(pen, KTRC_EV_stack_ref, &slots, sizeof(slots));
}
