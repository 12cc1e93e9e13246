// SPDX-License-Identifier: GPL-2.0
/*
 * map_data FILE: makes the file, maps a page of it to be written, twice; and one to be read when
 * it has no name any more.
 */
#include <err.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul

static void map(int fd, int prot)
{
	if (mmap(NULL, PAGE, prot, MAP_SHARED, fd, 0) == MAP_FAILED)
		err(1, "mmap");
}

int main(int argc, char **argv)
{
	int written, read;

	if (argc != 2)
		errx(2, "usage: map_data FILE");
	written = open(argv[1], O_RDWR | O_CREAT | O_EXCL, 0644);
	if (written < 0 || ftruncate(written, PAGE))
		err(1, "%s", argv[1]);
	map(written, PROT_READ | PROT_WRITE);
	map(written, PROT_READ | PROT_WRITE);
	read = open(argv[1], O_RDONLY);
	if (read < 0 || unlink(argv[1]))
		err(1, "%s", argv[1]);
	map(read, PROT_READ);
	return 0;
}
