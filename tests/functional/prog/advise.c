// SPDX-License-Identifier: GPL-2.0
/*
 * advise MODE...: gives advice about memory.
 *   each CALLS      each advice that this kernel knows so often, of a different number of pages
 *                   each, and by process_madvise once more so often those that may be given to
 *                   another process; prints "tid", then a line "advice pages calls" for each, with
 *                   the one more that asks whether it is known
 *   odd             calls that do and do not succeed, by all ways there are; prints what each
 *                   record has to say
 *   populate CALLS PAGES   MADV_POPULATE_WRITE of new memory; prints "tid"
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <linux/mman.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096ul
#define LAST_ADVICE 127
#define MAX_PAGES 23ul
#define WIDEST ((1ull << 40) - 1) /* what fits the record */

static char *map(size_t pages, int flags)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

static bool is_known(int advice)
{
	return !madvise(NULL, 0, advice);
}

/* Of memory that is not there, so that no page is taken from the kernel. */
static bool is_harmful(int advice)
{
	return advice == MADV_HWPOISON || advice == MADV_SOFT_OFFLINE;
}

/* as of Linux 6.1 */
static bool is_for_others(int advice)
{
	return advice == MADV_WILLNEED || advice == MADV_COLD || advice == MADV_PAGEOUT ||
	       advice == MADV_COLLAPSE;
}

static int pidfd_of(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		err(1, "pidfd_open");
	return fd;
}

static void each(size_t calls)
{
	char *anon = map(MAX_PAGES, MAP_PRIVATE), *shared = map(MAX_PAGES, MAP_SHARED);
	char *nothing = map(MAX_PAGES, MAP_PRIVATE);
	int own = pidfd_of(getpid());

	munmap(nothing, MAX_PAGES * PAGE);
	printf("%d\n", getpid());
	for (int advice = 0; advice <= LAST_ADVICE; advice++) {
		size_t pages = advice % MAX_PAGES + 1, others = is_for_others(advice) ? calls : 0;
		/* the last byte counts as a page */
		struct iovec range = { anon, pages * PAGE - PAGE + 1 };

		if (!is_known(advice))
			continue;
		printf("%d %zu %zu\n", advice, pages, 1 + calls + others);
		if (is_harmful(advice))
			range.iov_base = nothing;
		else if (advice == MADV_REMOVE)
			range.iov_base = shared;
		for (size_t i = 0; i < calls; i++)
			madvise(range.iov_base, range.iov_len, advice);
		for (size_t i = 0; i < others; i++)
			syscall(SYS_process_madvise, own, &range, 1, advice, 0);
	}
}

struct odd {
	const char *start;
	size_t bytes;
	unsigned int advice;
	const char *name;
};

static void print_record(const struct odd *o, const char *error, pid_t target, const char *call)
{
	unsigned long long pages = o->bytes / PAGE + !!(o->bytes % PAGE);

	printf("page=0x%lx error=%s pages=%llu target_pid=%d call=%s advice=%s\n",
	       (unsigned long)o->start / PAGE, error, pages < WIDEST ? pages : WIDEST, target, call,
	       o->name);
}

static const char *error_name(int error)
{
	return error ? strerrorname_np(error) : "none";
}

static void give(const struct odd *o)
{
	int error = madvise((void *)o->start, o->bytes, (int)o->advice) ? errno : 0;

	print_record(o, error_name(error), getpid(), "madvise");
}

/* The kernel goes from range to range until one fails: @error is what the last one says. */
static void give_process(pid_t pid, const struct odd *odd, size_t nr, const char *error)
{
	struct iovec vec[8];
	size_t i;

	for (i = 0; i < nr; i++)
		vec[i] = (struct iovec){ (void *)odd[i].start, odd[i].bytes };
	syscall(SYS_process_madvise, pidfd_of(pid), vec, nr, odd[0].advice, 0);
	for (i = 0; i < nr; i++)
		print_record(&odd[i], i + 1 < nr ? "none" : error, pid, "process_madvise");
}

/* It has nothing to advise on, and says so by success. */
static void give_nothing(int fd, const struct odd *o, size_t nr)
{
	const struct odd none = { .advice = o->advice, .name = o->name };
	const struct iovec vec[2] = { { (void *)o->start, 0 }, { (void *)o->start, 0 } };

	if (syscall(SYS_process_madvise, fd, vec, nr, o->advice, 0))
		errx(1, "process_madvise fails");
	print_record(&none, "none", 0, "process_madvise");
}

/* Before it comes to a range. */
static void fail_process(int fd, const struct odd *o, unsigned int flags, const char *error)
{
	const struct odd none = { .advice = o->advice, .name = o->name };
	struct iovec vec = { (void *)o->start, o->bytes };

	if (syscall(SYS_process_madvise, fd, &vec, 1, o->advice, flags) >= 0)
		errx(1, "process_madvise does not fail");
	print_record(&none, error, 0, "process_madvise");
}

static void *map_ring(int fd, size_t bytes, off_t what)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, what);

	if (p == MAP_FAILED)
		err(1, "io_uring: mmap");
	return p;
}

/* One request, of a ring with room for one. */
static void give_io_uring(const struct odd *o)
{
	struct io_uring_params params = { 0 };
	int fd = (int)syscall(SYS_io_uring_setup, 1, &params);
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	char *sq, *cq;

	if (fd < 0)
		err(1, "io_uring_setup");
	sq = map_ring(fd, PAGE, IORING_OFF_SQ_RING);
	cq = map_ring(fd, PAGE, IORING_OFF_CQ_RING);
	sqe = map_ring(fd, PAGE, IORING_OFF_SQES);
	*sqe = (struct io_uring_sqe){ .opcode = IORING_OP_MADVISE,
				      .fd = -1,
				      .addr = (uintptr_t)o->start,
				      .len = (uint32_t)o->bytes,
				      .fadvise_advice = o->advice };
	*(uint32_t *)(sq + params.sq_off.array) = 0;
	__atomic_store_n((uint32_t *)(sq + params.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		err(1, "io_uring_enter");
	cqe = (void *)(cq + params.cq_off.cqes);
	print_record(o, error_name(-cqe->res), getpid(), "io_uring");
}

static void odd(void)
{
	char *p = map(MAX_PAGES, MAP_PRIVATE), *hole = p + 7 * PAGE;
	const struct odd here[] = {
		{ p, 3 * PAGE, MADV_DONTNEED, "MADV_DONTNEED" },
		{ p, 0, MADV_FREE, "MADV_FREE" },
		{ p + 1, PAGE, MADV_COLD, "MADV_COLD" },
		{ p, 5 * PAGE, 5, "5" },
		{ p, 2 * PAGE, 102, "MADV_GUARD_INSTALL" },
		{ p, 2 * PAGE, 103, "MADV_GUARD_REMOVE" },
		{ p, PAGE, 65534, "65534" },
		{ p, PAGE, 65537, "65535" },
		{ p, PAGE, -1u, "65535" },
		{ p, 13 * PAGE, MADV_WILLNEED, "MADV_WILLNEED" },
		{ p, -1ul, MADV_RANDOM, "MADV_RANDOM" },
		{ (char *)-PAGE, 2 * PAGE, MADV_NORMAL, "MADV_NORMAL" },
		{ hole, PAGE, MADV_HWPOISON, "MADV_HWPOISON" },
	};
	const struct odd there[] = {
		{ p, 2 * PAGE, MADV_COLD, "MADV_COLD" },
		{ p + 3 * PAGE, 1, MADV_COLD, "MADV_COLD" },
		{ hole, PAGE, MADV_COLD, "MADV_COLD" },
	};
	const struct odd queued[] = {
		{ p, 11 * PAGE, MADV_HUGEPAGE, "MADV_HUGEPAGE" },
		{ p, PAGE, MADV_NOHUGEPAGE, "MADV_NOHUGEPAGE" },
	};
	pid_t child;

	munmap(hole, PAGE);
	child = fork();
	if (child == 0)
		pause();
	for (size_t i = 0; i < sizeof(here) / sizeof(*here); i++)
		give(&here[i]);
	give_process(getpid(), there, 2, "none");
	give_process(child, there, 3, "ENOMEM");
	give_process(child, &there[2], 1, "ENOMEM");
	fail_process(-1, &there[0], 0, "EBADF");
	fail_process(pidfd_of(child), &there[0], 1, "EINVAL");
	fail_process(pidfd_of(child), &here[0], 0, "EINVAL");
	give_nothing(pidfd_of(child), &there[0], 0);
	give_nothing(pidfd_of(child), &there[0], 2);
	for (size_t i = 0; i < sizeof(queued) / sizeof(*queued); i++)
		give_io_uring(&queued[i]);
	kill(child, SIGKILL);
}

static void populate(size_t calls, size_t pages)
{
	for (size_t i = 0; i < calls; i++) {
		char *p = map(pages, MAP_PRIVATE);

		if (madvise(p, pages * PAGE, MADV_NOHUGEPAGE) ||
		    madvise(p, pages * PAGE, MADV_POPULATE_WRITE))
			err(1, "madvise");
		munmap(p, pages * PAGE);
	}
	printf("%d\n", getpid());
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "each"))
		each(strtoul(argv[2], NULL, 10));
	else if (argc == 2 && !strcmp(argv[1], "odd"))
		odd();
	else if (argc == 4 && !strcmp(argv[1], "populate"))
		populate(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
	else
		errx(2, "usage: advise each CALLS | odd | populate CALLS PAGES");
	return 0;
}
