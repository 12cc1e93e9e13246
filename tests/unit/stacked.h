/* SPDX-License-Identifier: GPL-2.0 */
/* A hit with stacks, by the writer for its size; for the rigs of both worlds. */
#ifndef KTRC_TESTS_UNIT_STACKED_H
#define KTRC_TESTS_UNIT_STACKED_H

#include "../../kmod/emit.h"
#include "observer.h"

static inline void emit_stacked(struct ktrc_cpu *c, u32 event, const struct payload *p,
				const struct ktrc_rule *rule)
{
	u64 word;

	memcpy(&word, p, sizeof(word));
	if (payload_bytes(event) == sizeof(word))
		ktrc_emit_word_with_stacks(c, event, word, rule);
	else
		ktrc_emit_with_stacks(c, event, p, payload_bytes(event), rule);
}

#endif /* KTRC_TESTS_UNIT_STACKED_H */
