// SPDX-License-Identifier: GPL-2.0
/* map_files DIR FILES: makes so many files there and maps each of them once, to be read. */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul

static int make(int dir, int i)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "data%d", i);
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL, 0644);
	if (fd < 0 || close(fd))
		err(1, "%s", name);
	fd = openat(dir, name, O_RDONLY);
	if (fd < 0)
		err(1, "%s", name);
	return fd;
}

int main(int argc, char **argv)
{
	int dir = argc == 3 ? open(argv[1], O_RDONLY | O_DIRECTORY) : -1;
	int i, fd, nr = argc == 3 ? atoi(argv[2]) : 0;
	void *p;

	if (dir < 0)
		errx(2, "usage: map_files DIR FILES");
	for (i = 0; i < nr; i++) {
		fd = make(dir, i);
		p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED || munmap(p, PAGE) || close(fd))
			err(1, "mmap");
	}
	return 0;
}
