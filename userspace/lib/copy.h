/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of user stacks, as they come in in `stack_copy` records. */
#ifndef KTRC_COPY_H
#define KTRC_COPY_H

#include "schema.h"

/* Words of a copy, at most: what its record can number. */
#define KTRC_COPY_MAX_WORDS 511

/**
 * struct ktrc_copy - registers and memory of a user stack
 * @id: of its words: equal copies have equal ones, in every trace
 * @nr: words, 1 or more
 * @regs: how many of them are registers, in DWARF's order; the rest is memory from the stack
 *        pointer upwards
 * @words: they
 */
struct ktrc_copy {
	u64 id;
	u32 nr;
	u32 regs;
	u64 words[KTRC_COPY_MAX_WORDS];
};

struct ktrc_copy_slots;

/** ktrc_copies_create() - what the slots of one CPU's packets hold; NULL without memory */
struct ktrc_copy_slots *ktrc_copies_create(const struct ktrc_schema *schema);
void ktrc_copies_destroy(struct ktrc_copy_slots *slots);

/** ktrc_copies_reset() - a new packet begins; @slots may be NULL */
void ktrc_copies_reset(struct ktrc_copy_slots *slots);

/**
 * ktrc_copies_take() - a `stack_copy` record: the next part of a copy
 *
 * Its slot holds the copy when all parts are there; one that does not fit to those before it
 * leaves the slot empty.
 * Return: the copy, if this was its last part, until the next call; else NULL.
 */
const struct ktrc_copy *ktrc_copies_take(struct ktrc_copy_slots *slots, const u8 *payload);

/** ktrc_copies_find() - the id of the copy that a `stack_ref` record names; 0: none */
u64 ktrc_copies_find(const struct ktrc_copy_slots *slots, const u8 *payload);

#endif
