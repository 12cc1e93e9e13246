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

static u32 kernel_place(const struct ktrc_stacks *s)
{
	return s->kernel.hash >> (64 - KTRC_KERNEL_BITS);
}

static u32 copy_place(const struct ktrc_stacks *s)
{
	return s->copy.hash >> (64 - KTRC_COPY_BITS);
}

static struct entry user_entry(struct ktrc_stacks *s)
{
	u32 place = ktrc_user_place(s);

	return (struct entry){ &s->user, &s->known_user[place], place + 1, false };
}

static struct entry kernel_entry(struct ktrc_stacks *s)
{
	u32 place = kernel_place(s);

	return (struct entry){ &s->kernel, &s->known_kernel[place], place + 1, true };
}

static bool is_known(const struct entry *e, u64 packet)
{
	return ktrc_stack_is_known(e->frames->nr, e->frames->hash, e->known, packet);
}

static bool copy_is_known(const struct ktrc_stacks *s, u64 packet)
{
	return ktrc_stack_is_known(s->copy.nr, s->copy.hash, &s->known_copy[copy_place(s)], packet);
}

static u32 copy_slot(const struct ktrc_stacks *s)
{
	return s->copy.nr ? copy_place(s) + 1 : 0;
}

/* the payload of stack_ref; 0: no stack was taken */
static u32 slots_of(const struct ktrc_stacks *s)
{
	struct ktrc_ev_stack_ref ref = { .user_slot = ktrc_user_slot(s) };
	u32 word;

	if (s->has_more && s->kernel.nr)
		ref.kernel_slot = kernel_place(s) + 1;
	if (s->has_more)
		ref.copy_slot = copy_slot(s);
	memcpy(&word, &ref, sizeof(word));
	return word;
}

/**
 * ktrc_stacks_ref_more() - ktrc_stacks_ref() of a packet that knows the user stack
 * @s: the CPU's; it has more than that
 * @packet: number of the packet
 */
u32 ktrc_stacks_ref_more(const struct ktrc_stacks *s, u64 packet)
{
	const struct ktrc_known_stack *known = &s->known_kernel[kernel_place(s)];

	if (ktrc_stack_is_known(s->kernel.nr, s->kernel.hash, known, packet) &&
	    copy_is_known(s, packet))
		return slots_of(s);
	return 0;
}

static u32 parts_of(const struct ktrc_frames *f)
{
	return (f->nr + KTRC_STACK_PART - 1) / KTRC_STACK_PART;
}

static u32 entry_bytes(const struct entry *e, u64 packet)
{
	if (is_known(e, packet))
		return 0;
	return parts_of(e->frames) * ktrc_record_bytes(sizeof(struct ktrc_ev_stack));
}

static u32 copy_bytes(const struct ktrc_stacks *s, u64 packet)
{
	if (copy_is_known(s, packet))
		return 0;
	return (s->copy.nr + KTRC_COPY_PART - 1) / KTRC_COPY_PART *
	       ktrc_record_bytes(sizeof(struct ktrc_ev_stack_copy));
}

/**
 * ktrc_stacks_bytes() - size of the records that name the stacks at hand
 * @s: the CPU's
 * @packet: number of the packet where they shall stand
 */
u32 ktrc_stacks_bytes(struct ktrc_stacks *s, u64 packet)
{
	const struct entry user = user_entry(s), kernel = kernel_entry(s);
	u32 bytes = ktrc_record_bytes(sizeof(struct ktrc_ev_stack_ref));

	if (!slots_of(s))
		return 0;
	bytes += entry_bytes(&user, packet);
	if (s->has_more)
		bytes += entry_bytes(&kernel, packet) + copy_bytes(s, packet);
	return bytes;
}

static u64 frame_at(const struct ktrc_frames *f, u32 i)
{
	return i < f->nr ? f->frame[i] : 0;
}

static void write_entry(const struct entry *e, u64 packet, struct ktrc_pen *pen)
{
	const struct ktrc_frames *f = e->frames;
	u32 i;

	if (is_known(e, packet))
		return;
	for (i = 0; i < KTRC_MAX_PARTS && i < parts_of(f); i++) {
		u32 first = i * KTRC_STACK_PART;
		const struct ktrc_ev_stack rec = {
			.slot = e->slot,
			.nr_frames = f->nr,
			.first = first,
			.is_kernel = e->is_kernel,
			.stack_end = f->end,
			.frame0 = frame_at(f, first),
			.frame1 = frame_at(f, first + 1),
			.frame2 = frame_at(f, first + 2),
			.frame3 = frame_at(f, first + 3),
		};

		ktrc_record_put(pen, KTRC_EV_stack, &rec, sizeof(rec));
	}
	*e->known = (struct ktrc_known_stack){ .hash = f->hash, .packet = packet + 1 };
}

union copy_head {
	struct ktrc_ev_stack_copy rec;
	u32 word;
};

/* the unit of a field in the first word of a `stack_copy` record */
#define COPY_ONE(field) (((const union copy_head){ .rec = { .field = 1 } }).word)

/* the words go from where they are to the ring: a record is too large for a probe's stack */
static void write_copy(struct ktrc_stacks *s, u64 packet, struct ktrc_pen *pen)
{
	const struct ktrc_copy *copy = &s->copy;
	u32 i;

	BUILD_BUG_ON(sizeof(struct ktrc_ev_stack_copy) !=
		     sizeof(u32) + KTRC_COPY_PART * sizeof(u64));
	if (copy_is_known(s, packet))
		return;
	for (i = 0; i < KTRC_MAX_COPY_PARTS && i * KTRC_COPY_PART < copy->nr; i++) {
		u32 first = i * KTRC_COPY_PART;
		u32 head = copy_slot(s) * COPY_ONE(slot) | copy->nr * COPY_ONE(words) |
			   first * COPY_ONE(first) | copy->regs * COPY_ONE(regs);
		u32 nr = min_t(u32, copy->nr - first, KTRC_COPY_PART);

		ktrc_record_put(pen, KTRC_EV_stack_copy, &head, sizeof(head));
		memcpy(pen->w, &copy->word[first], nr * sizeof(u64));
		memset(pen->w + 2 * nr, 0, (KTRC_COPY_PART - nr) * sizeof(u64));
		pen->w += 2 * KTRC_COPY_PART;
	}
	s->known_copy[copy_place(s)] =
		(struct ktrc_known_stack){ .hash = copy->hash, .packet = packet + 1 };
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
	u32 slots = slots_of(s);

	if (!slots)
		return;
	write_entry(&user, packet, pen);
	if (s->has_more) {
		write_entry(&kernel, packet, pen);
		write_copy(s, packet, pen);
	}
	ktrc_record_put(pen, KTRC_EV_stack_ref, &slots, sizeof(slots));
}
