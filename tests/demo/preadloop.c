// SPDX-License-Identifier: GPL-2.0
/*
 * preadloop SECONDS [keep]: what an allocator does that gives memory back too eagerly.
 * Reads a file into a buffer and drops the buffer's pages again, over and over, so that
 * every pread faults them in anew, inside the kernel's copy to user space.  With `keep`
 * it drops nothing and is quiet.
 * After one round says "ready", waits for a line, works, says how many faults that made
 * (pages a round times rounds), and waits for another line before it ends, so that
 * what it counts is all it does in between.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_PAGES 127u

static size_t buffer_bytes;
static bool is_keeping;

static int make_file(void)
{
	int fd = memfd_create("data", 0);
	char *block = calloc(1, buffer_bytes);

	if (fd < 0 || !block || pwrite(fd, block, buffer_bytes, 0) != (ssize_t)buffer_bytes)
		err(1, "cannot make the file to read");
	free(block);
	return fd;
}

static char *map_buffer(void)
{
	char *buffer = mmap(NULL, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (buffer == MAP_FAILED || madvise(buffer, buffer_bytes, MADV_NOHUGEPAGE) != 0)
		err(1, "cannot map the buffer");
	return buffer;
}

/* Returns the number of faults. */
static size_t one_round(int fd, char *buffer)
{
	if (pread(fd, buffer, buffer_bytes, 0) != (ssize_t)buffer_bytes)
		err(1, "pread");
	if (is_keeping)
		return 0;
	if (madvise(buffer, buffer_bytes, MADV_DONTNEED) != 0)
		err(1, "madvise");
	return BUFFER_PAGES;
}

static size_t work(int fd, char *buffer, time_t seconds)
{
	time_t end = time(NULL) + seconds;
	size_t nr_faults = 0;

	do
		nr_faults += one_round(fd, buffer);
	while (time(NULL) < end);
	return nr_faults;
}

static void say_and_wait(const char *what, size_t number)
{
	char line[8];

	printf("%s %zu\n", what, number);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		err(1, "no line to go on");
}

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 0;
	char *buffer;
	int fd;

	if (seconds <= 0)
		errx(2, "usage: preadloop SECONDS [keep]");
	is_keeping = argc > 2 && strcmp(argv[2], "keep") == 0;
	buffer_bytes = BUFFER_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	fd = make_file();
	buffer = map_buffer();

	say_and_wait("ready", work(fd, buffer, 0));
	say_and_wait("faults", work(fd, buffer, seconds));
	return 0;
}
