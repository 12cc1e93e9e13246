// SPDX-License-Identifier: GPL-2.0
/*
 * touch_file FILE PAGES [cached|ahead]: loads one byte of each of the first PAGES pages of a file,
 * which are not in the page cache then, unless they shall stay; the kernel reads none ahead, unless
 * it shall.  Prints "tid FIRST_PAGE END_PAGE", pages as address >> 12.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul

int main(int argc, char **argv)
{
	bool is_cached = argc == 4 && strcmp(argv[3], "cached") == 0;
	bool is_ahead = argc == 4 && strcmp(argv[3], "ahead") == 0;
	size_t pages = argc == 3 + is_cached + is_ahead ? strtoul(argv[2], NULL, 10) : 0, i;
	int fd = pages ? open(argv[1], O_RDONLY) : -1;
	const volatile char *p;

	if (fd < 0)
		errx(2, "usage: touch_file FILE PAGES [cached|ahead]");
	p = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED ||
	    madvise((void *)p, pages * PAGE, is_ahead ? MADV_NORMAL : MADV_RANDOM) ||
	    (!is_cached && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)))
		err(1, "%s", argv[1]);
	for (i = 0; i < pages; i++)
		(void)p[i * PAGE];
	printf("%d %lu %lu\n", getpid(), (unsigned long)p / PAGE, (unsigned long)p / PAGE + pages);
	return 0;
}
