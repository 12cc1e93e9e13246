// SPDX-License-Identifier: GPL-2.0
/*
 * maps ROUNDS FILE [32]: maps, unmaps and moves memory in each way, ROUNDS times, and prints what each
 * record has to say: "call page pages error from from_pages flags...".  What it does
 * stands between two calls that cannot succeed, of the first page.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "touch.h"

#define ROOM (8u << 20)

/* nothing that allocates, in between */
static char text[ROOM];
static size_t used;
static int file;
static unsigned long heap_end; /* in pages */

static unsigned long page_of(const void *p)
{
	return (unsigned long)p / PAGE;
}

static const char *name_of(int error)
{
	return error ? strerrorname_np(error) : "none";
}

static __attribute__((format(printf, 1, 2))) void tell(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	used += (size_t)vsnprintf(text + used, ROOM - used, format, arguments);
	va_end(arguments);
}

static void mark(void)
{
	if (syscall(SYS_munmap, NULL, 0) == 0 || errno != EINVAL)
		errx(1, "munmap of nothing");
}

static void *map(void *at, size_t bytes, int prot, int flags, size_t offset, const char *words)
{
	int fd = flags & MAP_ANONYMOUS ? -1 : file;
	void *p = mmap(at, bytes, prot, flags, fd, (off_t)(offset * PAGE));
	int error = p == MAP_FAILED ? errno : 0;

	tell("mmap %lu %lu %s %lu 0 %s\n", page_of(error ? at : p), (bytes + PAGE - 1) / PAGE,
	     name_of(error), offset, words);
	return p;
}

static void unmap(void *p, size_t pages)
{
	int error = munmap(p, pages * PAGE) ? errno : 0;

	tell("munmap %lu %lu %s 0 0 \n", page_of(p), pages, name_of(error));
}

static void *move(void *from, size_t old, size_t new, int flags, void *to, const char *words)
{
	void *p = mremap(from, old * PAGE, new *PAGE, flags, to);
	int error = p == MAP_FAILED ? errno : 0;

	tell("mremap %lu %lu %s %lu %lu %s\n", page_of(error ? from : p), new, name_of(error),
	     page_of(from), old, words);
	return p;
}

static void memory(int i)
{
	size_t pages = (size_t)i % 13 + 1;
	char *p = map(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0,
		      "prot_read prot_write anon");

	map(p, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, 0, "anon fixed");
	map(p, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, 0,
	    "prot_read anon");
	unmap(p, pages);
	p = map(NULL, 3 * PAGE - 1, PROT_READ, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, 0,
		"prot_read anon map_shared populate");
	unmap(p, 3);
	p = map(NULL, PAGE, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, 0,
		"prot_write anon populate locked");
	unmap(p, 1);
	p = map(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_GROWSDOWN,
		0, "prot_read anon noreserve growsdown");
	unmap(p, 1);
	map(NULL, 1ul << 47, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, 0, "prot_read anon");
	map(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, 0, "prot_read anon");
	unmap((void *)(7 * PAGE), 0);
}

static void files(int i)
{
	size_t pages = (size_t)i % 7 + 1;
	char *p = map(NULL, pages * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, 2,
		      "prot_read prot_exec");

	unmap(p, pages);
	p = map(NULL, pages * PAGE, PROT_READ, MAP_SHARED, 5, "prot_read map_shared");
	unmap(p, pages);
}

/* Of no file, though the kernel makes one for it. */
static void huge(void)
{
	const int flags = MAP_ANONYMOUS | MAP_NORESERVE | MAP_HUGETLB;
	const size_t bytes = HUGE_PAGES * PAGE;
	char *p = map(NULL, bytes, PROT_READ, MAP_PRIVATE | flags, 0,
		      "prot_read anon noreserve hugetlb");

	unmap(p, HUGE_PAGES);
	p = map(NULL, bytes, PROT_READ, MAP_SHARED | flags, 0,
		"prot_read anon map_shared noreserve hugetlb");
	unmap(p, HUGE_PAGES);
	/* at no huge page's border */
	map((void *)PAGE, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED | flags, 0,
	    "prot_read anon fixed noreserve hugetlb");
}

static void moves(int i)
{
	size_t pages = (size_t)i % 11 + 2;
	char *p = map(NULL, pages * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, 0,
		      "prot_read anon"),
	     *q;

	q = map(NULL, 64 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, 0, "prot_read anon");
	p = move(p, pages, pages - 1, 0, NULL, "");
	p = move(p, pages - 1, 32, MREMAP_MAYMOVE, NULL, "");
	p = move(p, 32, 32, MREMAP_MAYMOVE | MREMAP_FIXED, q, "fixed");
	q = move(p, 32, 32, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL, "dontunmap");
	move(q, 32, 1ul << 35, MREMAP_MAYMOVE, NULL, "");
	unmap(p, 64);
	unmap(q, 32);
}

/* The end of the heap is not on a page's border. */
static void heap(int i)
{
	char *end = (char *)syscall(SYS_brk, 0);
	size_t bytes = (size_t)i * 1237 % 65536 + 1;
	unsigned long first = page_of(end + PAGE - 1), last = page_of(end + bytes + PAGE - 1);

	heap_end = first;
	tell("brk %lu 0 none 0 0 \n", first);
	if ((char *)syscall(SYS_brk, end + bytes) != end + bytes ||
	    (char *)syscall(SYS_brk, end) != end)
		errx(1, "brk");
	tell("brk %lu %lu none 0 0 \n", first, last - first);
	tell("brk_down %lu %lu none 0 0 \n", first, last - first);
	syscall(SYS_brk, end + (1ul << 46));
	tell("brk %lu %lu ENOMEM 0 0 \n", first, page_of(end + (1ul << 46) + PAGE - 1) - first);
}

/* By the way of a 32-bit program. */
static void by_32(void)
{
	long ret;
	char *p = map(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, 0,
		      "prot_read anon");

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(163), "b"(p), "c"(2 * PAGE), "d"(PAGE), "S"(0), "D"(0)
			 : "memory", "r8", "r9", "r10", "r11");
	if (ret != (long)p)
		errx(1, "mremap of 32 bits: %ld", ret);
	tell("mremap %lu 1 none %lu 2 \n", page_of(p), page_of(p));
	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(45), "b"(0)
			 : "memory", "r8", "r9", "r10", "r11");
	tell("brk %lu 0 none 0 0 \n", heap_end);
	unmap(p, 1);
}

static void sysv(void)
{
	int id = shmget(IPC_PRIVATE, 3 * PAGE, 0600);
	void *p = id < 0 ? (void *)-1 : shmat(id, NULL, 0);

	if (p == (void *)-1 || shmctl(id, IPC_RMID, NULL) || shmdt(p))
		err(1, "shared memory");
	tell("mmap %lu 3 none 0 0 prot_read prot_write map_shared\n", page_of(p));
}

int main(int argc, char **argv)
{
	if (argc != 3 && argc != 4)
		errx(2, "ROUNDS FILE [32]");
	file = open(argv[2], O_RDONLY);
	if (file < 0)
		err(1, "%s", argv[2]);
	mark();
	for (int i = 0; i < atoi(argv[1]); i++) {
		memory(i);
		files(i);
		huge();
		moves(i);
		heap(i);
		if (argc == 4)
			by_32();
		sysv();
	}
	mark();
	for (size_t at = 0; at < used;) {
		ssize_t ret = write(STDOUT_FILENO, text + at, used - at);

		if (ret <= 0)
			err(1, "write");
		at += (size_t)ret;
	}
	return 0;
}
