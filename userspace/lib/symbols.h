/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's functions by address: all of the kernel that runs, or those that were saved with
 * a trace.
 */
#ifndef KTRC_SYMBOLS_H
#define KTRC_SYMBOLS_H

#include <jansson.h>

#include "index.h"
#include "stack.h"

/**
 * struct ktrc_symbol - a function
 * @begin: its first address
 * @end: the address behind it; of the last one of its kind a guess
 * @name: what it is called
 * @module: whose it is; NULL: the kernel's own
 */
struct ktrc_symbol {
	u64 begin;
	u64 end;
	char *name;
	char *module;
};

/**
 * struct ktrc_symbols - functions by rising address
 * @rows: the functions; none overlaps another
 * @nr: their number
 */
struct ktrc_symbols {
	struct ktrc_symbol *rows;
	size_t nr;
};

/**
 * ktrc_symbols_load() - the functions of the kernel that runs
 * @symbols: empty
 *
 * None where the kernel hides them (kernel.kptr_restrict=2, or no CAP_SYSLOG).
 * Return: 0 or -ENOMEM.
 */
int ktrc_symbols_load(struct ktrc_symbols *symbols);
void ktrc_symbols_release(struct ktrc_symbols *symbols);

/**
 * ktrc_symbols_add() - add a function
 * @symbols: where to; to be sorted before it is searched
 * @function: copied
 *
 * Return: 0 or -ENOMEM.
 */
int ktrc_symbols_add(struct ktrc_symbols *symbols, const struct ktrc_symbol *function);

/** ktrc_symbols_sort() - by address; of those that begin at the same one the first is kept */
void ktrc_symbols_sort(struct ktrc_symbols *symbols);

/**
 * ktrc_symbols_caller() - the function that makes a call
 * @symbols: where to look
 * @address: where it goes on after the call
 *
 * Return: NULL if it is not known.
 */
const struct ktrc_symbol *ktrc_symbols_caller(const struct ktrc_symbols *symbols, u64 address);

/**
 * ktrc_symbols_skip() - frames of a kernel stack that belong to the hook and not to the hooked
 *
 * Return: how many of the innermost ones; 0 if the functions are not known.
 */
u32 ktrc_symbols_skip(const struct ktrc_symbols *symbols, const struct ktrc_stack *stack);

/**
 * ktrc_symbols_to_json() - as rows
 * @symbols: all of them
 * @callers: addresses as ktrc_symbols_caller() takes them: only functions in which one lies;
 *	NULL: all
 */
json_t *ktrc_symbols_to_json(const struct ktrc_symbols *symbols, const struct ktrc_index *callers);

/** ktrc_symbols_from_json() - the reverse; 0, -EPROTO or -ENOMEM */
int ktrc_symbols_from_json(struct ktrc_symbols *symbols, const json_t *rows);

#endif
