// SPDX-License-Identifier: GPL-2.0
/*
 * blocked TASKS [populate]: so many threads that each take a page fault that nobody serves, with
 * `populate` inside MADV_POPULATE_READ; prints a line when all of them wait inside the kernel's
 * handler.  Then it waits for a line, serves them all, and fails unless each has its page and ends.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ul
#define STACK_BYTES 65536

static char *area;

static void *populate(void *page)
{
	return (void *)(long)(madvise(page, PAGE, MADV_POPULATE_READ) == 0);
}

static void *touch(void *page)
{
	return (void *)(long)(*(volatile char *)page == 0);
}

static int guard(size_t bytes)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { (unsigned long)area, bytes },
				       .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg))
		err(1, "userfaultfd");
	return fd;
}

static void await(int fd, size_t nr)
{
	struct uffd_msg message;

	while (nr--)
		if (read(fd, &message, sizeof(message)) != sizeof(message))
			err(1, "userfaultfd: read");
}

static void serve(int fd, size_t bytes)
{
	struct uffdio_zeropage zero = { .range = { (unsigned long)area, bytes } };

	if (ioctl(fd, UFFDIO_ZEROPAGE, &zero))
		err(1, "UFFDIO_ZEROPAGE");
}

int main(int argc, char **argv)
{
	size_t nr = argc == 2 || argc == 3 ? strtoul(argv[1], NULL, 0) : 0, i;
	void *(*block)(void *page) = argc == 3 ? populate : touch;
	pthread_t *threads = calloc(nr, sizeof(*threads));
	pthread_attr_t attr;
	void *ok;
	int fd;

	if (!nr || !threads)
		errx(2, "usage: blocked TASKS [populate]");
	area = mmap(NULL, nr * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || pthread_attr_init(&attr) ||
	    pthread_attr_setstacksize(&attr, STACK_BYTES))
		err(1, "mmap");
	fd = guard(nr * PAGE);
	for (i = 0; i < nr; i++)
		if (pthread_create(&threads[i], &attr, block, area + i * PAGE))
			err(1, "pthread_create");
	await(fd, nr);
	puts("blocked");
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	serve(fd, nr * PAGE);
	for (i = 0; i < nr; i++)
		if (pthread_join(threads[i], &ok) || !ok)
			errx(1, "thread %zu", i);
	return 0;
}
