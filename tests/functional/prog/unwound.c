// SPDX-License-Identifier: GPL-2.0
/*
 * unwound NR [huge|FILE TEXT]: gives advice (MADV_NORMAL), or has 2 MiB more made present at once, or
 * writes TEXT to FILE, from code without frame pointers, NR times by way of the C library's qsort(),
 * NR times under callers that have much on their stacks.  Prints of each the callers of the function
 * that does it, innermost first, as the compiler's runtime finds them, and the process's end is that
 * of its standard input.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "touch.h"

#define MAX_FRAMES 64
#define DEPTH 20

static char *page;
static char *huge; /* or NULL */
static const char *text; /* or NULL */
static int fd;
static void *frames[MAX_FRAMES];
static int nr_frames;

static __attribute__((noinline)) void advise(void)
{
	if (huge) {
		if (madvise(huge, HUGE_PAGES * PAGE, MADV_POPULATE_WRITE))
			abort();
		huge += HUGE_PAGES * PAGE;
	} else if (text) {
		/* there may be less to reclaim than was asked for */
		if (write(fd, text, strlen(text)) < 0 && errno != EAGAIN)
			abort();
	} else if (madvise(page, PAGE, MADV_NORMAL)) {
		abort();
	}
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

static int map_huge(int nr)
{
	size_t bytes = (nr + 1) * HUGE_PAGES * PAGE;

	huge = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (huge == MAP_FAILED)
		return -1;
	huge += -(unsigned long)huge % (HUGE_PAGES * PAGE);
	return madvise(huge, bytes - HUGE_PAGES * PAGE, MADV_HUGEPAGE);
}

int main(int argc, char **argv)
{
	int is_huge = argc == 3 && !strcmp(argv[2], "huge");
	char byte;

	page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	text = argc == 4 ? argv[3] : NULL;
	fd = text ? open(argv[2], O_WRONLY | O_CLOEXEC) : -1;
	if ((argc != 2 && !is_huge && !text) || page == MAP_FAILED || (text && fd < 0) ||
	    (is_huge && map_huge(2 * atoi(argv[1]) + 1))) {
		fputs("usage: unwound NR [huge|FILE TEXT]\n", stderr);
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
