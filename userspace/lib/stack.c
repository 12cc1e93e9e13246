// SPDX-License-Identifier: GPL-2.0-or-later
/* An open-addressed hash table of all stacks; of each CPU, what its packet's slots hold. */
#include "stack.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "hash.h"

#define NR_SLOTS 4096 /* user ones, and as many of the kernel */
#define MAX_FRAMES 255
#define PART_FRAMES 4

struct ktrc_stacks {
	const struct ktrc_getter *slot, *frames, *first, *kernel, *end, *frame[PART_FRAMES];
	const struct ktrc_getter *user_ref, *kernel_ref;
	struct ktrc_stack **slots;
	size_t nr_slots;
	size_t nr;
};

struct slot {
	u32 packet;
	const struct ktrc_stack *stack;
};

struct ktrc_stack_slots {
	struct slot slot[2][NR_SLOTS];
	u32 packet;
	/* the stack whose parts are coming in, and how many of its frames are there */
	u64 slot_in;
	u32 got;
	union {
		struct ktrc_stack in;
		u8 room[sizeof(struct ktrc_stack) + MAX_FRAMES * sizeof(u64)];
	};
};

static u64 stack_hash(const struct ktrc_stack *s)
{
	u64 hash = ktrc_hash(s->nr, s->is_kernel << 8 | s->end);

	for (u32 i = 0; i < s->nr; i++)
		hash = ktrc_hash(hash, s->frames[i]);
	return hash;
}

static bool same_stack(const struct ktrc_stack *a, const struct ktrc_stack *b)
{
	return a->nr == b->nr && a->is_kernel == b->is_kernel && a->end == b->end &&
	       memcmp(a->frames, b->frames, a->nr * sizeof(a->frames[0])) == 0;
}

/* The slot that holds @stack, or the empty one where it belongs. */
static struct ktrc_stack **find_slot(struct ktrc_stack **slots, size_t nr_slots,
				     const struct ktrc_stack *stack)
{
	size_t i = stack_hash(stack) & (nr_slots - 1);

	while (slots[i] && !same_stack(slots[i], stack))
		i = (i + 1) & (nr_slots - 1);
	return &slots[i];
}

static int grow(struct ktrc_stacks *stacks)
{
	size_t nr_slots = stacks->nr_slots ? 2 * stacks->nr_slots : 256;
	struct ktrc_stack **slots = calloc(nr_slots, sizeof(struct ktrc_stack *));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < stacks->nr_slots; i++)
		if (stacks->slots[i])
			*find_slot(slots, nr_slots, stacks->slots[i]) = stacks->slots[i];
	free(stacks->slots);
	stacks->slots = slots;
	stacks->nr_slots = nr_slots;
	return 0;
}

/* NULL without memory */
static const struct ktrc_stack *intern(struct ktrc_stacks *stacks, const struct ktrc_stack *wanted)
{
	size_t bytes = sizeof(*wanted) + wanted->nr * sizeof(wanted->frames[0]);
	struct ktrc_stack **slot, *stack;

	if (2 * stacks->nr >= stacks->nr_slots && grow(stacks) < 0)
		return NULL;
	slot = find_slot(stacks->slots, stacks->nr_slots, wanted);
	if (*slot)
		return *slot;
	stack = malloc(bytes);
	if (!stack)
		return NULL;
	memcpy(stack, wanted, bytes);
	stacks->nr++;
	*slot = stack;
	return stack;
}

struct ktrc_stacks *ktrc_stacks_create(const struct ktrc_schema *schema)
{
	static const char *const frame_names[PART_FRAMES] = { "frame0", "frame1", "frame2",
							      "frame3" };
	const struct ktrc_event *stack = ktrc_schema_find(schema, "stack");
	const struct ktrc_event *ref = ktrc_schema_find(schema, "stack_ref");
	struct ktrc_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->slot = ktrc_event_getter(stack, "slot");
	stacks->frames = ktrc_event_getter(stack, "nr_frames");
	stacks->first = ktrc_event_getter(stack, "first");
	stacks->kernel = ktrc_event_getter(stack, "is_kernel");
	stacks->end = ktrc_event_getter(stack, "stack_end");
	for (size_t i = 0; i < PART_FRAMES; i++)
		stacks->frame[i] = ktrc_event_getter(stack, frame_names[i]);
	stacks->user_ref = ktrc_event_getter(ref, "user_slot");
	stacks->kernel_ref = ktrc_event_getter(ref, "kernel_slot");
	return stacks;
}

void ktrc_stacks_destroy(struct ktrc_stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < stacks->nr_slots; i++)
		free(stacks->slots[i]);
	free(stacks->slots);
	free(stacks);
}

size_t ktrc_stacks_nr(const struct ktrc_stacks *stacks)
{
	return stacks->nr;
}

int ktrc_stacks_drop(struct ktrc_stacks *stacks, const struct ktrc_index *used)
{
	struct ktrc_stack **slots;

	if (!stacks->nr)
		return 0;
	slots = calloc(stacks->nr_slots, sizeof(struct ktrc_stack *));
	if (!slots)
		return -ENOMEM;
	stacks->nr = 0;
	for (size_t i = 0; i < stacks->nr_slots; i++) {
		struct ktrc_stack *stack = stacks->slots[i];

		if (!stack)
			continue;
		if (ktrc_index_has(used, stack)) {
			*find_slot(slots, stacks->nr_slots, stack) = stack;
			stacks->nr++;
		} else {
			free(stack);
		}
	}
	free(stacks->slots);
	stacks->slots = slots;
	return 0;
}

const char *ktrc_stack_end_text(const struct ktrc_schema *schema, const struct ktrc_stack *stack)
{
	const char *name = ktrc_enum_name(ktrc_schema_find_enum(schema, "stack_end"), stack->end);

	return name ? name : "?";
}

struct ktrc_stack_slots *ktrc_slots_create(void)
{
	struct ktrc_stack_slots *slots = calloc(1, sizeof(*slots));

	if (slots)
		slots->packet = 1;
	return slots;
}

void ktrc_slots_destroy(struct ktrc_stack_slots *slots)
{
	free(slots);
}

void ktrc_slots_reset(struct ktrc_stack_slots *slots)
{
	if (!slots)
		return;
	slots->got = 0;
	/* a stamp that no slot carries empties the table at once */
	if (++slots->packet == 0) {
		memset(slots->slot, 0, sizeof(slots->slot));
		slots->packet = 1;
	}
}

int ktrc_slots_use(const struct ktrc_stack_slots *slots, struct ktrc_index *used)
{
	int ret = 0;

	for (u32 kind = 0; slots && kind < ARRAY_SIZE(slots->slot); kind++)
		for (u32 i = 0; ret == 0 && i < NR_SLOTS; i++) {
			const struct slot *slot = &slots->slot[kind][i];

			if (slot->packet == slots->packet && slot->stack)
				ret = ktrc_index_add(used, slot->stack);
		}
	return ret;
}

/* A part that goes on where the last one ended, or begins a stack. */
static bool fits(struct ktrc_stack_slots *slots, const struct ktrc_stacks *stacks,
		 const u8 *payload)
{
	struct ktrc_stack *in = &slots->in;
	u64 slot = ktrc_get_or_0(stacks->slot, payload),
	    nr = ktrc_get_or_0(stacks->frames, payload);
	bool is_kernel = ktrc_get_or_0(stacks->kernel, payload);

	if (slot == 0 || slot >= NR_SLOTS || nr == 0 || nr > MAX_FRAMES)
		return false;
	if (ktrc_get_or_0(stacks->first, payload) == 0) {
		slots->slot_in = slot;
		slots->got = 0;
		*in = (struct ktrc_stack){
			.is_kernel = is_kernel,
			.end = (u32)ktrc_get_or_0(stacks->end, payload),
			.nr = (u32)nr,
		};
	}
	return slot == slots->slot_in && is_kernel == in->is_kernel && nr == in->nr &&
	       ktrc_get_or_0(stacks->first, payload) == slots->got;
}

void ktrc_slots_take(struct ktrc_stack_slots *slots, struct ktrc_stacks *stacks, const u8 *payload)
{
	struct slot *slot;

	if (!fits(slots, stacks, payload)) {
		slots->got = ~0u; /* nothing goes on there */
		return;
	}
	for (size_t i = 0; i < PART_FRAMES && slots->got < slots->in.nr; i++)
		slots->in.frames[slots->got++] = ktrc_get_or_0(stacks->frame[i], payload);
	slot = &slots->slot[slots->in.is_kernel][slots->slot_in];
	*slot = (struct slot){ slots->packet, NULL };
	if (slots->got == slots->in.nr)
		slot->stack = intern(stacks, &slots->in);
}

static const struct ktrc_stack *find(const struct ktrc_stack_slots *slots, bool is_kernel, u64 slot)
{
	const struct slot *s;

	if (slot >= NR_SLOTS)
		return NULL;
	s = &slots->slot[is_kernel][slot];
	return s->packet == slots->packet ? s->stack : NULL;
}

struct ktrc_stack_pair ktrc_slots_find(const struct ktrc_stack_slots *slots,
				       const struct ktrc_stacks *stacks, const u8 *payload)
{
	return (struct ktrc_stack_pair){
		.user = find(slots, false, ktrc_get_or_0(stacks->user_ref, payload)),
		.kernel = find(slots, true, ktrc_get_or_0(stacks->kernel_ref, payload)),
	};
}
