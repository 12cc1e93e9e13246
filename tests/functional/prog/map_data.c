// SPDX-License-Identifier: GPL-2.0
/*
 * map_data FILE MODE: makes the file, with this mode, maps a page of it to be written, and another one
 * when it has no name any more.
 */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul

static void map(int fd)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		err(1, "mmap");
	*page = 1;
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 3)
		errx(2, "usage: map_data FILE MODE");
	fd = open(argv[1], O_RDWR | O_CREAT | O_EXCL, strtoul(argv[2], NULL, 8));
	if (fd < 0 || ftruncate(fd, PAGE))
		err(1, "%s", argv[1]);
	map(fd);
	if (unlink(argv[1]))
		err(1, "%s", argv[1]);
	map(fd);
	return 0;
}
