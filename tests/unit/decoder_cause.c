// SPDX-License-Identifier: GPL-2.0-or-later
/* What an allocation was for, by who led to it, or, without a stack, by its order and flags. */
#include <stdio.h>
#include <string.h>

#include "../../userspace/lib/kernel.h"
#include "../../userspace/views/cause.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

#define FUNCTION_BYTES 0x100
#define MOST_FRAMES 8

static struct ktrc_capture *capture;

/* The address to which a call in it returns; it is known from here on. */
static u64 in_function(const char *name)
{
	const u64 begin = FUNCTION_BYTES * (capture->symbols.nr + 1);
	const struct ktrc_symbol symbol = { begin, begin + FUNCTION_BYTES, (char *)name, NULL };

	if (ktrc_symbols_add(&capture->symbols, &symbol) < 0)
		abort();
	return begin + 0x10;
}

/* @callers: innermost first, up to NULL */
static bool is_for(const char *cause, const char *const *callers)
{
	struct ktrc_stack *stack = calloc(1, sizeof(*stack) + MOST_FRAMES * sizeof(u64));
	const struct ktrc_record record = { .stacks.kernel = stack };
	enum ktrc_cause found;

	while (*callers)
		stack->frames[stack->nr++] = in_function(*callers++);
	stack->end =
		(u32)ktrc_enum_value(ktrc_schema_find_enum(capture->schema, "stack_end"), "whole");
	found = ktrc_cause_of(capture, &record, 9, 0);
	free(stack);
	return strcmp(ktrc_cause_name(found), cause) == 0;
}

#define IS_FOR(cause, ...) is_for(cause, (const char *const[]){ __VA_ARGS__, NULL })

/* @flags: names, up to NULL */
static bool asks_for(const char *cause, u32 order, const char *const *flags)
{
	const struct ktrc_record record = { 0 };
	u32 gfp = 0;

	while (*flags)
		gfp |= ktrc_gfp_bits(capture->kernel, *flags++);
	return ktrc_cause_is_guess(capture, &record) &&
	       strcmp(ktrc_cause_name(ktrc_cause_of(capture, &record, order, gfp)), cause) == 0;
}

#define ASKS_FOR(cause, order, ...) \
	asks_for(cause, order, (const char *const[]){ __VA_ARGS__, NULL })

static void test_flags(void)
{
	ok(ASKS_FOR("thp", 9, "__GFP_COMP", "__GFP_NOMEMALLOC", "__GFP_MOVABLE", "__GFP_HIGHMEM"),
	   "flags of a huge page");
	ok(ASKS_FOR("other", 9, "__GFP_COMP", "__GFP_MOVABLE", "__GFP_HIGHMEM"),
	   "of a movable page that may take all there is");
	ok(ASKS_FOR("network", 3, "__GFP_COMP", "__GFP_NOMEMALLOC"), "of a packet's data");
	ok(ASKS_FOR("slab", 3, "__GFP_COMP", "__GFP_NOMEMALLOC", "__GFP_NORETRY"),
	   "of what slab tries first");
	ok(ASKS_FOR("slab", 3, "__GFP_COMP"), "of kmalloc");
	ok(ASKS_FOR("other", 3, "__GFP_COMP", "__GFP_HIGHMEM"), "of no memory of the kernel's own");
	ok(ASKS_FOR("other", 3, "__GFP_NOMEMALLOC") && ASKS_FOR("other", 0, "__GFP_COMP"),
	   "of single pages");
}

int main(void)
{
	struct ktrc_ev_task task = { .tid = 100, .pid = 100, .comm = "task" };
	struct synth_stream stream = { 0 };

	synth_open(&stream, 1ull << 40, &task);
	synth_close(&stream);
	capture = synth_capture(&stream, 1);
	ok(IS_FOR("thp", "try_to_compact_pages", "do_huge_pmd_anonymous_page", "handle_mm_fault"),
	   "a huge page at first touch");
	ok(IS_FOR("thp", "try_to_compact_pages", "alloc_charge_hpage", "collapse_huge_page",
		  "khugepaged"),
	   "one that anonymous memory is collapsed to");
	ok(IS_FOR("thp", "try_to_compact_pages", "alloc_charge_hpage", "collapse_file",
		  "khugepaged"),
	   "one that a file's pages are");
	ok(IS_FOR("thp", "try_to_compact_pages", "alloc_charge_hpage.constprop.0",
		  "madvise_collapse"),
	   "also where the compiler put one function into another");
	ok(IS_FOR("network", "try_to_compact_pages", "___slab_alloc", "__alloc_skb",
		  "sock_write_iter"),
	   "a packet's data come from slab too");
	ok(IS_FOR("other", "try_to_compact_pages", "pte_alloc_one", "collapse_file_of_no_kernel"),
	   "nobody known");
	test_flags();
	ktrc_capture_destroy(capture);
	return end_of_tests();
}
