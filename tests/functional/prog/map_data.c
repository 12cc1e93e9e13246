// SPDX-License-Identifier: GPL-2.0
/*
 * map_data FILE: makes the file, maps a page of it to be written, twice; and one to be read when
 * it has no name any more; and memory of each other kind; a heap of 5 pages, 3 that are locked, and 2 that are once they are
 * touched; and a page of /dev/zero, to be shared.  Prints what it has, as /proc says it, and ends at once.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul

static void map(int fd, int prot)
{
	if (mmap(NULL, PAGE, prot, MAP_SHARED, fd, 0) == MAP_FAILED)
		err(1, "mmap");
}

static void map_anon(int flags)
{
	size_t bytes = flags & MAP_HUGETLB ? 2ul << 20 : 3 * PAGE;

	if (mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		err(1, "mmap");
}

static void grow_heap(intptr_t pages)
{
	if (sbrk(pages * (intptr_t)PAGE) == (void *)-1)
		err(1, "sbrk");
}

static void lock_future(int flags)
{
	if (mlockall(flags))
		err(1, "mlockall");
}

/* without memory of its own */
static void tell_and_end(void)
{
	static char text[65536];
	int fd = open("/proc/self/maps", O_RDONLY);
	ssize_t len = 0, got;

	while ((got = read(fd, text + len, sizeof(text) - (size_t)len)) > 0)
		len += got;
	if (got < 0 || write(1, text, (size_t)len) != len)
		err(1, "/proc/self/maps");
	_exit(0);
}

int main(int argc, char **argv)
{
	int written, read, zero = open("/dev/zero", O_RDWR);

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
	map(zero, PROT_READ | PROT_WRITE);
	map_anon(MAP_PRIVATE | MAP_LOCKED);
	map_anon(MAP_SHARED | MAP_NORESERVE);
	map_anon(MAP_PRIVATE | MAP_GROWSDOWN);
	map_anon(MAP_SHARED | MAP_HUGETLB);
	map_anon(MAP_PRIVATE | MAP_HUGETLB);
	grow_heap(5);
	lock_future(MCL_FUTURE);
	grow_heap(3);
	lock_future(MCL_FUTURE | MCL_ONFAULT);
	grow_heap(2);
	tell_and_end();
}
