// SPDX-License-Identifier: GPL-2.0-or-later
/* By the functions that led to an allocation where they are known, else by its flags. */
#include "cause.h"

#include <string.h>

#include "../lib/kernel.h"

/* What a function that leads to an allocation says about it. */
static const struct {
	const char *name;
	enum ktrc_cause cause;
} allocators[] = {
	{ "do_huge_pmd_anonymous_page", KTRC_CAUSE_THP },
	{ "do_huge_pmd_wp_page", KTRC_CAUSE_THP },
	{ "collapse_huge_page", KTRC_CAUSE_THP },
	{ "collapse_file", KTRC_CAUSE_THP },
	{ "alloc_charge_hpage", KTRC_CAUSE_THP },
	{ "shmem_alloc_hugefolio", KTRC_CAUSE_THP },
	{ "alloc_anon_folio", KTRC_CAUSE_THP },
	{ "__alloc_skb", KTRC_CAUSE_NETWORK },
	{ "__napi_alloc_skb", KTRC_CAUSE_NETWORK },
	{ "__netdev_alloc_skb", KTRC_CAUSE_NETWORK },
	{ "alloc_skb_with_frags", KTRC_CAUSE_NETWORK },
	{ "pskb_expand_head", KTRC_CAUSE_NETWORK },
	{ "skb_page_frag_refill", KTRC_CAUSE_NETWORK },
	{ "page_frag_alloc_align", KTRC_CAUSE_NETWORK },
	{ "___slab_alloc", KTRC_CAUSE_SLAB },
	{ "__kmalloc_large_node", KTRC_CAUSE_SLAB },
	{ "___kmalloc_large_node", KTRC_CAUSE_SLAB },
	{ "kmalloc_order", KTRC_CAUSE_SLAB },
};

static enum ktrc_cause cause_of_function(const struct ktrc_symbol *symbol)
{
	/* a compiler's variant has a suffix */
	size_t len = symbol ? strcspn(symbol->name, ".") : 0;

	for (size_t i = 0; symbol && !symbol->module && i < ARRAY_SIZE(allocators); i++)
		if (strncmp(symbol->name, allocators[i].name, len) == 0 && !allocators[i].name[len])
			return allocators[i].cause;
	return KTRC_CAUSE_OTHER;
}

/* By the outermost function that tells: a packet's data comes from slab as well. */
static bool stack_tells(const struct ktrc_capture *capture, const struct ktrc_stack *stack,
			enum ktrc_cause *cause)
{
	enum ktrc_cause found;

	*cause = KTRC_CAUSE_OTHER;
	if (!stack || !capture->symbols.nr)
		return false;
	for (u32 i = 0; i < stack->nr; i++) {
		found = cause_of_function(ktrc_symbols_caller(&capture->symbols, stack->frames[i]));
		if (found != KTRC_CAUSE_OTHER)
			*cause = found;
	}
	/* of all callers none is known for it */
	return *cause != KTRC_CAUSE_OTHER ||
	       strcmp(ktrc_stack_end_text(capture->schema, stack), "whole") == 0;
}

/*
 * 6.1: vma_thp_gfp_mask() begins with GFP_TRANSHUGE; kmalloc_reserve() adds __GFP_NOMEMALLOC
 * to what kmalloc() asks for; both, and slab, ask for one compound page.
 */
static enum ktrc_cause cause_of_flags(const char *release, u32 order, u32 gfp)
{
	bool is_compound = gfp & ktrc_gfp_bits(release, "__GFP_COMP");
	bool is_spare = gfp & ktrc_gfp_bits(release, "__GFP_NOMEMALLOC");

	if (!order || !is_compound)
		return KTRC_CAUSE_OTHER;
	if (gfp & ktrc_gfp_bits(release, "__GFP_MOVABLE"))
		return is_spare ? KTRC_CAUSE_THP : KTRC_CAUSE_OTHER;
	if (gfp & ktrc_gfp_bits(release, "__GFP_HIGHMEM"))
		return KTRC_CAUSE_OTHER;
	if (is_spare && !(gfp & ktrc_gfp_bits(release, "__GFP_NORETRY")))
		return KTRC_CAUSE_NETWORK;
	return KTRC_CAUSE_SLAB;
}

enum ktrc_cause ktrc_cause_of(const struct ktrc_capture *capture, const struct ktrc_record *record,
			      u32 order, u32 gfp)
{
	enum ktrc_cause cause;

	if (stack_tells(capture, record->stacks.kernel, &cause))
		return cause;
	return cause_of_flags(capture->kernel, order, gfp);
}

bool ktrc_cause_is_guess(const struct ktrc_capture *capture, const struct ktrc_record *record)
{
	enum ktrc_cause cause;

	return !stack_tells(capture, record->stacks.kernel, &cause);
}

const char *ktrc_cause_name(enum ktrc_cause cause)
{
	switch (cause) {
	case KTRC_CAUSE_THP:
		return "thp";
	case KTRC_CAUSE_SLAB:
		return "slab";
	case KTRC_CAUSE_NETWORK:
		return "network";
	default:
		return "other";
	}
}
