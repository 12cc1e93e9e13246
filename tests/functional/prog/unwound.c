// SPDX-License-Identifier: GPL-2.0
/*
 * unwound NR: gives advice (MADV_NORMAL) from code without frame pointers, NR times by way of the C
 * library's qsort(), NR times under callers that have much on their stacks.  Prints of each the
 * callers of the function that advises, innermost first, as the compiler's runtime finds them, and
 * the process's end is that of its standard input.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "touch.h"

#define MAX_FRAMES 64
#define DEPTH 20

static char *page;
static void *frames[MAX_FRAMES];
static int nr_frames;

static __attribute__((noinline)) void advise(void)
{
	if (madvise(page, PAGE, MADV_NORMAL))
		abort();
	nr_frames = backtrace(frames, MAX_FRAMES);
}

static int compare(const void *a, const void *b)
{
	if (*(const int *)a != *(const int *)b)
		advise();
	return 0;
}

static __attribute__((noinline)) void sort(void)
{
	int numbers[] = { 1, 2 };

	qsort(numbers, 2, sizeof(numbers[0]), compare);
	__asm__ volatile("");
}

static __attribute__((noinline)) void call_below(int depth)
{
	char room[256];
	register char *base __asm__("rbp") = room; /* what others take for a frame */

	memset(room, depth, sizeof(room));
	__asm__ volatile("" : "+r"(base) : : "memory");
	if (depth > 1)
		call_below(depth - 1);
	else
		advise();
	__asm__ volatile("" : : "r"(base), "r"(room) : "memory");
}

static __attribute__((noinline)) void deep(void)
{
	call_below(DEPTH);
	__asm__ volatile("");
}

static void many(int nr, void (*function)(void))
{
	int i;

	while (nr--)
		function();
	/* the first is in the function that advises */
	for (i = 1; i < nr_frames; i++)
		printf("%s%p", i > 1 ? " " : "", frames[i]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	char byte;

	page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (argc != 2 || page == MAP_FAILED) {
		fputs("usage: unwound NR\n", stderr);
		return 2;
	}
	advise(); /* the runtime loads what it needs */
	many(atoi(argv[1]), sort);
	many(atoi(argv[1]), deep);
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
