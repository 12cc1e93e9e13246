/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nearest known word to a mistyped one. */
#ifndef KTRC_SUGGEST_H
#define KTRC_SUGGEST_H

#include <stddef.h>

/**
 * struct ktrc_suggestion - the best of the words offered so far
 * @typed: what the user wrote
 * @best: the nearest word, NULL while none is near enough
 * @distance: edits between the two
 */
struct ktrc_suggestion {
	const char *typed;
	const char *best;
	size_t distance;
};

/** ktrc_suggest() - offer a word */
void ktrc_suggest(struct ktrc_suggestion *s, const char *word);

#endif
