/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call stacks of records.  Each distinct one is kept once, so that it can be compared by its
 * address.
 */
#ifndef KTRC_STACK_H
#define KTRC_STACK_H

#include "index.h"
#include "schema.h"

/**
 * struct ktrc_stack - who called whom
 * @is_kernel: it is of the kernel; else of user mode
 * @end: why it ends where it ends, as the schema's enumeration stack_end numbers it
 * @nr: frames, 1 or more
 * @frames: addresses, innermost first
 */
struct ktrc_stack {
	bool is_kernel;
	u32 end;
	u32 nr;
	u64 frames[];
};

/** ktrc_stack_end_text() - "whole", "depth", "broken"; "?" for one that the schema does not know */
const char *ktrc_stack_end_text(const struct ktrc_schema *schema, const struct ktrc_stack *stack);

struct ktrc_stacks;

/** ktrc_stacks_create() - an empty table; NULL without memory */
struct ktrc_stacks *ktrc_stacks_create(const struct ktrc_schema *schema);
void ktrc_stacks_destroy(struct ktrc_stacks *stacks);

/** ktrc_stacks_nr() - how many are kept */
size_t ktrc_stacks_nr(const struct ktrc_stacks *stacks);
/** ktrc_stacks_drop() - give back all but those whose addresses are @used; 0 or -ENOMEM: then all are kept */
int ktrc_stacks_drop(struct ktrc_stacks *stacks, const struct ktrc_index *used);

struct ktrc_stack_slots;

/** ktrc_slots_create() - what the slots of one CPU's packets hold; NULL without memory */
struct ktrc_stack_slots *ktrc_slots_create(void);
void ktrc_slots_destroy(struct ktrc_stack_slots *slots);

/** ktrc_slots_reset() - a new packet begins; @slots may be NULL */
void ktrc_slots_reset(struct ktrc_stack_slots *slots);
/** ktrc_slots_use() - add those of this packet to the used ones; @slots may be NULL; 0 or -ENOMEM */
int ktrc_slots_use(const struct ktrc_stack_slots *slots, struct ktrc_index *used);

/**
 * ktrc_slots_take() - a `stack` record: the next part of a stack
 *
 * Its slot holds the stack when all parts are there; one that does not fit to those before it
 * leaves the slot empty.
 */
void ktrc_slots_take(struct ktrc_stack_slots *slots, struct ktrc_stacks *stacks, const u8 *payload);

/**
 * struct ktrc_stack_pair - the stacks of a record; NULL: not recorded
 * @user: in user mode
 * @kernel: in the kernel
 * @copy: id of a copy of the one in user mode; 0: not recorded
 */
struct ktrc_stack_pair {
	const struct ktrc_stack *user;
	const struct ktrc_stack *kernel;
	u64 copy;
};

/** ktrc_slots_find() - the stacks, but no copy, that a `stack_ref` record names */
struct ktrc_stack_pair ktrc_slots_find(const struct ktrc_stack_slots *slots,
				       const struct ktrc_stacks *stacks, const u8 *payload);

#endif
