// SPDX-License-Identifier: GPL-2.0
/*
 * touch_mappings FILE [wait]: touches pages of a file of 64 pages and of other memory that it maps, unmaps, moves and
 * replaces, and prints how many it touched of what: "COUNT MAPPING", as ktrc-read names them, for itself and, after a
 * line "child PID", for a child that it makes and that ends.  Nothing else of the kind is touched; of the heap, by the
 * child.  It has 41 pages beyond its file, which it touches as well.
 * wait: maps all of it, waits for a line, and touches it then, as long as it is what was mapped; then it is replaced by
 *       other memory of the kind.  The child has what it had.  It does not end.
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

/* shared memory of no file, two huge pages of it */
static char *map_huge(void)
{
	return map(NULL, 2 * HUGE_PAGES, MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB, -1);
}

static void touch_huge(char *p)
{
	store(p, 1);
	store(p + HUGE_PAGES * PAGE, 1);
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

static void touch_stack(void)
{
	char room[64 * PAGE];

	store(room, 64);
}

/* what was there before: 31 + 7 pages of the file, 23 + 2 shared anonymous ones, 53 of the heap, its stack */
static void touch_old(const char *path, int fd)
{
	char *file = map(NULL, 64, MAP_SHARED, fd);
	char *anon = map(NULL, 64, MAP_SHARED | MAP_ANONYMOUS, -1);
	char *huge = map_huge();
	char *lost = map(NULL, 64, MAP_SHARED, fd);
	char *top = sbrk(54 * PAGE);
	char line[2], text[512];
	pid_t pid;
	int len;

	dprintf(1, "%d\n", getpid());
	if (read(0, line, 2) <= 0)
		errx(1, "nobody says go");
	load(file, 31);
	store(anon, 23);
	touch_huge(huge);
	store((char *)(((uintptr_t)top + PAGE - 1) & ~(PAGE - 1)), 53);
	touch_stack();
	/* what these pages were nobody can tell later */
	load(lost, 11);
	map(lost, 64, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1);
	store(lost, 5);
	map(anon + 32 * PAGE, 16, MAP_SHARED | MAP_FIXED, fd);
	load(anon + 33 * PAGE, 7);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		load(file + 32 * PAGE, 13);
		store(anon + 48 * PAGE, 3);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	/* without a library that uses the heap */
	len = snprintf(text, sizeof(text),
		       "%d %s\n%d [anon_shmem]\n%d [heap]\nchild %d\n%d %s\n%d [anon_shmem]\nend\n",
		       31 + 7, path, 23 + 2 + 5, 53, pid, 13, path, 3);
	if (write(1, text, (size_t)len) != len)
		err(1, "write");
	for (;;)
		pause();
}

static char bss[41 * PAGE];

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1, i;
	char *inherited;
	pid_t pid;

	if (fd < 0)
		errx(2, "usage: touch_mappings FILE [wait]");
	store(bss, sizeof(bss) / PAGE);
	if (argc > 2)
		touch_old(argv[1], fd);
	for (i = 0; i < WAYS; i++)
		once(fd);
	touch_huge(map_huge());
	inherited = map(NULL, 64, MAP_SHARED, fd);
	dprintf(1, "%d %s\n%d [anon_shmem]\n", WAYS * 8, argv[1], WAYS * 9 + 2);
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
