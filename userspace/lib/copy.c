// SPDX-License-Identifier: GPL-2.0-or-later
/* Of each slot only the id of what it holds; who wants the words takes them as they come in. */
#include "copy.h"

#include <stdio.h>
#include <stdlib.h>

#define NR_SLOTS 256
#define PART_WORDS 16

struct ktrc_copy_slots {
	const struct ktrc_getter *slot, *nr, *first, *regs, *word[PART_WORDS];
	const struct ktrc_getter *ref;
	u64 held[NR_SLOTS]; /* ids; 0: nothing */
	/* what is coming in, and how many of its words are there */
	u64 slot_in;
	u32 got;
	struct ktrc_copy in;
};

struct ktrc_copy_slots *ktrc_copies_create(const struct ktrc_schema *schema)
{
	const struct ktrc_event *copy = ktrc_schema_find(schema, "stack_copy");
	const struct ktrc_event *ref = ktrc_schema_find(schema, "stack_ref");
	struct ktrc_copy_slots *slots = calloc(1, sizeof(*slots));
	char name[16];

	if (!slots)
		return NULL;
	slots->slot = ktrc_event_getter(copy, "slot");
	slots->nr = ktrc_event_getter(copy, "words");
	slots->first = ktrc_event_getter(copy, "first");
	slots->regs = ktrc_event_getter(copy, "regs");
	for (u32 i = 0; i < PART_WORDS; i++) {
		snprintf(name, sizeof(name), "word%u", i);
		slots->word[i] = ktrc_event_getter(copy, name);
	}
	slots->ref = ktrc_event_getter(ref, "copy_slot");
	return slots;
}

void ktrc_copies_destroy(struct ktrc_copy_slots *slots)
{
	free(slots);
}

void ktrc_copies_reset(struct ktrc_copy_slots *slots)
{
	if (!slots)
		return;
	slots->got = 0;
	memset(slots->held, 0, sizeof(slots->held));
}

/* A part that goes on where the last one ended, or begins a copy. */
static bool fits(struct ktrc_copy_slots *slots, const u8 *payload)
{
	u64 slot = ktrc_get_or_0(slots->slot, payload), nr = ktrc_get_or_0(slots->nr, payload);
	u64 regs = ktrc_get_or_0(slots->regs, payload);

	if (slot == 0 || slot >= NR_SLOTS || nr == 0 || nr > KTRC_COPY_MAX_WORDS || regs > nr)
		return false;
	if (ktrc_get_or_0(slots->first, payload) == 0) {
		slots->slot_in = slot;
		slots->got = 0;
		slots->in.nr = (u32)nr;
		slots->in.regs = (u32)regs;
	}
	return slot == slots->slot_in && nr == slots->in.nr && regs == slots->in.regs &&
	       ktrc_get_or_0(slots->first, payload) == slots->got;
}

/* FNV-1a's mixing, a word at a time; never 0. */
static u64 id_of(const struct ktrc_copy *copy)
{
	u64 id = 0xcbf29ce484222325ull ^ ((u64)copy->nr << 32 | copy->regs);

	for (u32 i = 0; i < copy->nr; i++) {
		id = (id ^ copy->words[i]) * 0x100000001b3ull;
		id ^= id >> 32;
	}
	return id ? id : 1;
}

const struct ktrc_copy *ktrc_copies_take(struct ktrc_copy_slots *slots, const u8 *payload)
{
	struct ktrc_copy *in = &slots->in;

	if (!fits(slots, payload)) {
		slots->got = ~0u; /* nothing goes on there */
		return NULL;
	}
	for (u32 i = 0; i < PART_WORDS && slots->got < in->nr; i++)
		in->words[slots->got++] = ktrc_get_or_0(slots->word[i], payload);
	slots->held[slots->slot_in] = 0;
	if (slots->got < in->nr)
		return NULL;
	in->id = id_of(in);
	slots->held[slots->slot_in] = in->id;
	return in;
}

u64 ktrc_copies_find(const struct ktrc_copy_slots *slots, const u8 *payload)
{
	u64 slot = ktrc_get_or_0(slots->ref, payload);

	return slot < NR_SLOTS ? slots->held[slot] : 0;
}
