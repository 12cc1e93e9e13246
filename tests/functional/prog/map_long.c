// SPDX-License-Identifier: GPL-2.0
/*
 * map_long CALLS: takes memory away that is there, so often by each call that can, so that each takes long: a mapping
 * over it, munmap, mremap to one page, brk; prints its tid.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "touch.h"

#define PAGES 8192ul

static char *map(void *at, int flags)
{
	char *p = mmap(at, PAGES * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

static void shrink_heap(void)
{
	char *end = (char *)syscall(SYS_brk, 0);

	if ((char *)syscall(SYS_brk, end + PAGES * PAGE) != end + PAGES * PAGE)
		errx(1, "brk");
	store(end, PAGES);
	if ((char *)syscall(SYS_brk, end) != end)
		errx(1, "brk");
}

int main(int argc, char **argv)
{
	for (int i = argc == 2 ? atoi(argv[1]) : 0; i > 0; i--) {
		char *p = map(NULL, MAP_POPULATE);

		map(p, MAP_FIXED);
		store(p, PAGES);
		if (munmap(p, PAGES * PAGE))
			err(1, "munmap");
		p = map(NULL, MAP_POPULATE);
		if (mremap(p, PAGES * PAGE, PAGE, 0) != p)
			err(1, "mremap");
		shrink_heap();
	}
	printf("%d\n", getpid());
	return 0;
}
