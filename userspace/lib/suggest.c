// SPDX-License-Identifier: GPL-2.0-or-later
/* Levenshtein distance over short words. */
#include "suggest.h"

#include <string.h>

#define MAX_WORD 40

static size_t smallest(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static size_t distance(const char *a, size_t alen, const char *b, size_t blen)
{
	size_t row[MAX_WORD + 1], diagonal, above, i, j;

	for (j = 0; j <= blen; j++)
		row[j] = j;
	for (i = 1; i <= alen; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= blen; j++) {
			above = row[j];
			row[j] = smallest(above + 1, row[j - 1] + 1,
					  diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[blen];
}

void ktrc_suggest(struct ktrc_suggestion *s, const char *word)
{
	size_t typed_len = strlen(s->typed), word_len = strlen(word), d;

	/* of words this short any other is near */
	if (word_len <= 2 || typed_len > MAX_WORD || word_len > MAX_WORD)
		return;
	d = distance(s->typed, typed_len, word, word_len);
	if (d > (word_len + 1) / 2 || (s->best && d >= s->distance))
		return;
	s->best = word;
	s->distance = d;
}
