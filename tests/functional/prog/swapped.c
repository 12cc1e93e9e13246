// SPDX-License-Identifier: GPL-2.0
/*
 * swapped FAULTS: has one of its pages swapped out, prints "PID ADDRESS" of it, waits for a
 * line, and then takes so many read faults, each under another name; says at the end "TID
 * FAULTS" and fails if that page has come back meanwhile.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PAGE 4096ul
#define TOUCHED 512ul
#define IS_SWAPPED (1ull << 62) /* of /proc/PID/pagemap */
#define TRIES 1000

static volatile char *map(size_t pages)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED || madvise(p, pages * PAGE, MADV_NOHUGEPAGE))
		err(1, "mmap");
	return p;
}

static bool is_swapped(volatile char *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry;

	if (fd < 0 || pread(fd, &entry, sizeof(entry), (uintptr_t)page / PAGE * sizeof(entry)) !=
			      sizeof(entry))
		err(1, "pagemap");
	close(fd);
	return entry & IS_SWAPPED;
}

static void swap_out(volatile char *page)
{
	int i;

	*page = 1;
	for (i = 0; i < TRIES && !is_swapped(page); i++) {
		if (madvise((char *)page, PAGE, MADV_PAGEOUT))
			err(1, "MADV_PAGEOUT");
		usleep(1000);
	}
	if (i == TRIES)
		errx(1, "the page stays");
}

int main(int argc, char **argv)
{
	unsigned long nr = argc == 2 ? strtoul(argv[1], NULL, 0) : 0, i;
	volatile char *out = map(1), *area = map(TOUCHED);
	char name[16];

	if (nr == 0)
		errx(2, "usage: swapped FAULTS");
	swap_out(out);
	printf("%d %#lx\n", getpid(), (unsigned long)out);
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	for (i = 0; i < nr; i++) {
		if (i % TOUCHED == 0 && madvise((char *)area, TOUCHED * PAGE, MADV_DONTNEED))
			err(1, "madvise");
		snprintf(name, sizeof(name), "swapped-%lu", i % 1000);
		prctl(PR_SET_NAME, name);
		(void)area[i % TOUCHED * PAGE];
	}
	if (!is_swapped(out))
		errx(1, "the page has come back");
	printf("%d %lu\n", gettid(), nr);
	return 0;
}
