// SPDX-License-Identifier: GPL-2.0
/*
 * touch_mappings FILE: touches pages of a file of 64 pages and of other memory that it maps, unmaps, moves and
 * replaces, and prints how many it touched of what: "COUNT MAPPING", as ktrc-read names them, for itself and, after a
 * line "child PID", for a child that it makes and that ends.  Nothing else of the kind is touched; of the heap, by the
 * child.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "touch.h"

#define WAYS 101

static char *map(void *at, size_t pages, int flags, int fd)
{
	char *p = mmap(at, pages * PAGE, fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ, flags, fd, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

static void check(int ret)
{
	if (ret)
		err(1, "touch_mappings");
}

/* each page touched once while it is there: 3 + 5 pages of the file, 2 + 7 shared anonymous ones */
static void once(int fd)
{
	char *p = map(NULL, 32, MAP_SHARED | MAP_ANONYMOUS, -1), *q;

	store(p, 2);
	map(p + 8 * PAGE, 8, MAP_SHARED | MAP_FIXED, fd); /* in the middle */
	load(p + 9 * PAGE, 3);
	store(p + 20 * PAGE, 7);
	check(munmap(p + 4 * PAGE, 8 * PAGE)); /* over a border */
	q = mremap(p + 12 * PAGE, 4 * PAGE, 6 * PAGE, MREMAP_MAYMOVE);
	if (q == MAP_FAILED)
		err(1, "mremap");
	load(q, 5);
	check(munmap(p, 32 * PAGE));
	check(munmap(q, 6 * PAGE));
}

/* the heap's pages are there for as long as it does not shrink; no library uses it */
static void heap(size_t pages)
{
	char *p = sbrk((intptr_t)(pages * PAGE));

	if (p == (void *)-1)
		err(1, "sbrk");
	p = (char *)(((uintptr_t)p + PAGE - 1) & ~(PAGE - 1));
	store(p, pages - 1);
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1, i;
	char *inherited;
	pid_t pid;

	if (fd < 0)
		errx(2, "usage: touch_mappings FILE");
	for (i = 0; i < WAYS; i++)
		once(fd);
	inherited = map(NULL, 64, MAP_SHARED, fd);
	dprintf(1, "%d %s\n%d [anon_shmem]\n", WAYS * 8, argv[1], WAYS * 9);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		load(inherited, 61);
		check(munmap(inherited, 64 * PAGE));
		store(map(NULL, 43, MAP_SHARED | MAP_ANONYMOUS, -1), 43);
		heap(54);
		_exit(0);
	}
	dprintf(1, "child %d\n%d %s\n%d [anon_shmem]\n%d [heap]\n", pid, 61, argv[1], 43, 53);
	waitpid(pid, NULL, 0);
	return 0;
}
