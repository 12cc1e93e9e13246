// SPDX-License-Identifier: GPL-2.0
/*
 * swapped FAULTS: has one of its pages swapped out, prints "PID ADDRESS" of it, waits for a
 * line, and then takes so many read faults, each under another name; says at the end "TID
 * FAULTS" and fails if that page has come back meanwhile.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "swap.h"
#include "touch.h"

#define TOUCHED 512ul

static volatile char *map(size_t pages)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED || madvise(p, pages * PAGE, MADV_NOHUGEPAGE))
		err(1, "mmap");
	return p;
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
	if (!is_page(out, IS_SWAPPED))
		errx(1, "the page has come back");
	printf("%d %lu\n", gettid(), nr);
	return 0;
}
