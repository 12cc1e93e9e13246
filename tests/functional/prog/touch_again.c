// SPDX-License-Identifier: GPL-2.0
/*
 * touch_again MODE PAGES [huge]: touches pages that are there a second time, each once, so that it
 * faults for another reason than that there is nothing; prints where: "tid FIRST_PAGE
 * END_PAGE", pages as address >> 12.  With "huge" memory is advised to be huge.
 *   rewrite  stores, where it has loaded before (the zero page)
 *   fork     a child stores, where its parent has stored before
 *   reuse    stores, where it has stored before a child was forked that has ended since
 *   swap     loads what was swapped out since
 *   balance  loads from CPU 0 what CPU 1 has stored, again and again, for ten seconds
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run_on.h"
#include "touch.h"

#define IS_SWAPPED (1ull << 62) /* of /proc/PID/pagemap */
#define TRIES 1000
#define SECONDS 10

static size_t nr_swapped(const char *p, size_t pages)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	size_t i, nr = 0;
	uint64_t entry;

	if (fd < 0)
		err(1, "pagemap");
	for (i = 0; i < pages; i++) {
		off_t at = ((unsigned long)p / PAGE + i) * sizeof(entry);

		if (pread(fd, &entry, sizeof(entry), at) != sizeof(entry))
			err(1, "pagemap");
		nr += !!(entry & IS_SWAPPED);
	}
	close(fd);
	return nr;
}

static void swap_out(char *p, size_t pages)
{
	int tries;

	for (tries = 0; nr_swapped(p, pages) < pages; tries++) {
		if (tries == TRIES)
			errx(1, "%zu pages are not swapped out", pages - nr_swapped(p, pages));
		if (madvise(p, pages * PAGE, MADV_PAGEOUT))
			err(1, "MADV_PAGEOUT");
		usleep(1000);
	}
}

static void balance(char *p, size_t pages)
{
	time_t end;

	run_on(1);
	store(p, pages);
	run_on(0);
	for (end = time(NULL) + SECONDS; time(NULL) < end;)
		load(p, pages);
}

static void touch(const char *mode, char *p, size_t pages)
{
	if (!strcmp(mode, "rewrite")) {
		load(p, pages);
		store(p, pages);
	} else if (!strcmp(mode, "fork")) {
		store(p, pages);
		if (fork()) {
			wait(NULL);
			exit(0);
		}
		store(p, pages);
	} else if (!strcmp(mode, "reuse")) {
		store(p, pages);
		if (!fork())
			_exit(0);
		wait(NULL);
		store(p, pages);
	} else if (!strcmp(mode, "swap")) {
		run_on(0); /* what another CPU has not handed on yet cannot be swapped out */
		store(p, pages);
		swap_out(p, pages);
		load(p, pages);
	} else if (!strcmp(mode, "balance")) {
		balance(p, pages);
	} else {
		errx(2, "unknown mode %s", mode);
	}
}

static char *map(size_t pages, int is_huge)
{
	char *p = mmap(NULL, (pages + HUGE_PAGES) * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	p += -(unsigned long)p % (HUGE_PAGES * PAGE);
	if (madvise(p, pages * PAGE, is_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
		err(1, "madvise");
	return p;
}

int main(int argc, char **argv)
{
	size_t pages = argc == 3 || argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	int is_huge = argc == 4 && !strcmp(argv[3], "huge");
	char *p;

	if (!pages || (argc == 4 && !is_huge))
		errx(2, "usage: touch_again MODE PAGES [huge]");
	p = map(pages, is_huge);
	touch(argv[1], p, pages);
	printf("%d %lu %lu\n", getpid(), (unsigned long)p / PAGE, (unsigned long)p / PAGE + pages);
	return 0;
}
