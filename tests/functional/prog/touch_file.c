// SPDX-License-Identifier: GPL-2.0
/*
 * touch_file FILE PAGES: loads one byte of each of the first PAGES pages of a file that is
 * not in the page cache, without reading ahead, and prints "tid FIRST_PAGE END_PAGE", pages
 * as address >> 12.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul

int main(int argc, char **argv)
{
	size_t pages = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, i;
	int fd = argc == 3 ? open(argv[1], O_RDONLY) : -1;
	const volatile char *p;

	if (fd < 0 || !pages)
		errx(2, "usage: touch_file FILE PAGES");
	p = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || madvise((void *)p, pages * PAGE, MADV_RANDOM) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		err(1, "%s", argv[1]);
	for (i = 0; i < pages; i++)
		(void)p[i * PAGE];
	printf("%d %lu %lu\n", getpid(), (unsigned long)p / PAGE, (unsigned long)p / PAGE + pages);
	return 0;
}
