// SPDX-License-Identifier: GPL-2.0
/*
 * mmap_abuse: what the calls that change mappings do to one of the stopped session
 * "default", by a file opened to read and write and by one opened to read.  Prints the number
 * of rows; exit status 1 if any differs.
 * mmap_abuse document: prints the rows as docs/abi.md has them.
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <linux/userfaultfd.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>

#include "mmap_rows.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define RD PROT_READ
#define WR PROT_WRITE
#define EX PROT_EXEC
#define MOVE (MREMAP_MAYMOVE | MREMAP_FIXED)
#define OVER (MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED)
#define RING_OVER (MAP_SHARED | MAP_FIXED)

static int try_mprotect(const struct row *row)
{
	int got = result(mprotect(mapping + row->at, row->bytes, row->arg));

	if (!got)
		mprotect(mapping, RING, PROT_READ);
	return got;
}

static int try_pkey_mprotect(const struct row *row)
{
	return result(syscall(SYS_pkey_mprotect, mapping + row->at, row->bytes, row->arg, -1));
}

static int try_munmap(const struct row *row)
{
	return result(munmap(mapping + row->at, row->bytes));
}

static int try_mremap(const struct row *row)
{
	char *to = row->flags & MREMAP_FIXED ? take_memory(NULL, RING) : NULL;
	char *p = mremap(mapping, row->arg, row->bytes, row->flags, to);
	int got = map_result(p);

	if (to)
		munmap(to, RING);
	return got;
}

static int map_over(const struct row *row)
{
	int fd = row->flags & MAP_ANONYMOUS ? -1 : device;

	return map_result(mmap(mapping + row->at, row->bytes, PROT_READ, row->flags, fd, 0));
}

static int try_mlock(const struct row *row)
{
	int got = result(mlock2(mapping + row->at, row->bytes, row->flags));

	return got ? got : result(munlock(mapping + row->at, row->bytes));
}

static int try_mlockall(const struct row *row)
{
	int got = result(mlockall(row->flags));

	munlockall();
	return got;
}

static int try_madvise(const struct row *row)
{
	return result(madvise(mapping + row->at, row->bytes, row->arg));
}

static sigjmp_buf before_load;

static void on_sigbus(int number)
{
	siglongjmp(before_load, number);
}

static int is_sigbus(const volatile char *p)
{
	struct sigaction old, mine = { .sa_handler = on_sigbus };
	int number;

	sigaction(SIGBUS, &mine, &old);
	number = sigsetjmp(before_load, 1);
	if (!number)
		(void)*p;
	sigaction(SIGBUS, &old, NULL);
	return number == SIGBUS;
}

/* what is dropped comes back with another mapping only */
static int read_after_madvise(const struct row *row)
{
	int ends[2], got = try_madvise(row);

	if (pipe(ends))
		err(1, "pipe");
	if (!got)
		got = result(write(ends[1], mapping + row->at, 1));
	if (got == EFAULT && !is_sigbus(mapping + row->at))
		got = 0;
	close(ends[0]);
	close(ends[1]);
	map_first_cpu(mapping);
	return got;
}

static int open_userfaultfd(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		err(1, "userfaultfd");
	return fd;
}

static int try_userfaultfd(const struct row *row)
{
	struct uffdio_register watch = {
		.range = { .start = (uintptr_t)mapping, .len = RING },
		.mode = row->arg,
	};
	int fd = open_userfaultfd(), got = result(ioctl(fd, UFFDIO_REGISTER, &watch));

	close(fd);
	return got;
}

static int copy_by_userfaultfd(const struct row *row)
{
	char *other = take_memory(NULL, row->bytes);
	struct uffdio_copy copy = {
		.dst = (uintptr_t)mapping + row->at,
		.src = (uintptr_t)other,
		.len = row->bytes,
	};
	int fd = open_userfaultfd(), got = result(ioctl(fd, UFFDIO_COPY, &copy));

	close(fd);
	munmap(other, row->bytes);
	return got;
}

static int try_mbind(const struct row *row)
{
	unsigned long nodes = 1;

	return result(syscall(SYS_mbind, mapping + row->at, row->bytes, row->arg, &nodes, 64,
			      row->flags));
}

static int try_move_pages(const struct row *row)
{
	void *page = mapping + row->at;
	int node = 0, status = 0;

	if (syscall(SYS_move_pages, 0, 1, &page, &node, &status, row->flags) < 0)
		return errno;
	return -status;
}

static int try_msync(const struct row *row)
{
	return result(msync(mapping, RING, row->flags));
}

static int try_mincore(const struct row *row)
{
	unsigned char is_there = 0;

	if (mincore(mapping + row->at, PAGE, &is_there))
		return errno;
	return is_there & 1 ? 0 : ENODATA;
}

#define CALL(c, w, e) .call = #c, w, e, try_##c
#define MMAP_OVER(w, e) .call = "mmap over it", w, e, map_over
#define MADVISE(a, e) .call = "madvise", "MADV_" #a, e, try_madvise, MADV_##a, 0
#define READ_AFTER(w, a) .call = "madvise, then read", w, EFAULT, read_after_madvise, a, 0

static const struct row rows[] = {
	{ CALL(mprotect, "PROT_READ", 0), RD, 0, WHOLE },
	{ CALL(mprotect, "PROT_NONE", 0), PROT_NONE, 0, WHOLE },
	{ CALL(mprotect, "PROT_WRITE", EACCES), WR, 0, WHOLE },
	{ CALL(mprotect, "PROT_READ, PROT_WRITE", EACCES), RD | WR, 0, WHOLE },
	{ CALL(mprotect, "PROT_EXEC", EACCES), EX, 0, WHOLE },
	{ CALL(mprotect, "PROT_READ, PROT_EXEC", EACCES), RD | EX, 0, WHOLE },
	{ CALL(mprotect, "all three", EACCES), RD | WR | EX, 0, WHOLE },
	{ CALL(mprotect, "PROT_WRITE of a page", EACCES), RD | WR, 0, PART },
	{ CALL(mprotect, "PROT_NONE of the first page", EINVAL), PROT_NONE, 0, FIRST },
	{ CALL(mprotect, "of the last", EINVAL), PROT_NONE, 0, LAST },
	{ CALL(mprotect, "of one between", EINVAL), PROT_NONE, 0, PART },
	{ CALL(mprotect, "PROT_GROWSDOWN", EINVAL), RD | PROT_GROWSDOWN, 0, WHOLE },
	{ CALL(pkey_mprotect, "PROT_READ", 0), RD, 0, WHOLE },
	{ CALL(pkey_mprotect, "PROT_WRITE", EACCES), RD | WR, 0, WHOLE },
	{ CALL(pkey_mprotect, "PROT_EXEC", EACCES), RD | EX, 0, WHOLE },
	{ CALL(pkey_mprotect, "PROT_NONE of a page", EINVAL), PROT_NONE, 0, PART },
	{ CALL(munmap, "the first page", EINVAL), 0, 0, FIRST },
	{ CALL(munmap, "the last", EINVAL), 0, 0, LAST },
	{ CALL(munmap, "one between", EINVAL), 0, 0, PART },
	{ CALL(munmap, "the first and other memory before it", EINVAL), 0, 0, -PAGE, 2 * PAGE },
	{ CALL(mremap, "to the same size", 0), RING, 0, WHOLE },
	{ CALL(mremap, "grow", EFAULT), RING, 0, 0, RING + PAGE },
	{ CALL(mremap, "grow, MREMAP_MAYMOVE", EFAULT), RING, MREMAP_MAYMOVE, 0, RING + PAGE },
	{ CALL(mremap, "from size 0, to have it twice", EFAULT), 0, MREMAP_MAYMOVE, WHOLE },
	{ CALL(mremap, "move", EINVAL), RING, MOVE, WHOLE },
	{ CALL(mremap, "move a page", EINVAL), PAGE, MOVE, FIRST },
	{ CALL(mremap, "MREMAP_DONTUNMAP", EINVAL), RING, MOVE | MREMAP_DONTUNMAP, WHOLE },
	{ CALL(mremap, "of a page", EINVAL), PAGE, MOVE | MREMAP_DONTUNMAP, FIRST },
	{ CALL(mremap, "shrink", EINVAL), RING, 0, 0, RING - PAGE },
	{ CALL(mremap, "shrink and move", EINVAL), RING, MOVE, 0, PAGE },
	{ MMAP_OVER("another ring over all of it", 0), 0, RING_OVER, WHOLE },
	{ MMAP_OVER("over the first page", ENOMEM), 0, OVER, FIRST, .newer = EINVAL },
	{ MMAP_OVER("over the last", ENOMEM), 0, OVER, LAST, .newer = EINVAL },
	{ MMAP_OVER("over one between", ENOMEM), 0, OVER, PART, .newer = EINVAL },
	{ MMAP_OVER("another ring over a part", ENOMEM), 0, RING_OVER, PAGE, RING,
	  .newer = EINVAL },
	{ MMAP_OVER("MAP_FIXED_NOREPLACE", EEXIST), 0, OVER | MAP_FIXED_NOREPLACE, PART },
	{ CALL(mlock, "all, and munlock", 0), 0, 0, WHOLE },
	{ CALL(mlock, "a page", 0), 0, 0, PART },
	{ CALL(mlock, "MLOCK_ONFAULT", 0), 0, MLOCK_ONFAULT, WHOLE },
	{ CALL(mlockall, "MCL_CURRENT", 0), 0, MCL_CURRENT },
	{ MADVISE(NORMAL, 0), WHOLE },
	{ MADVISE(RANDOM, 0), WHOLE },
	{ MADVISE(SEQUENTIAL, 0), WHOLE },
	{ MADVISE(WILLNEED, 0), WHOLE },
	{ MADVISE(COLD, 0), WHOLE },
	{ MADVISE(PAGEOUT, 0), WHOLE },
	{ MADVISE(DONTFORK, 0), WHOLE },
	{ MADVISE(KEEPONFORK, 0), WHOLE },
	{ MADVISE(DONTDUMP, 0), WHOLE },
	{ MADVISE(MERGEABLE, 0), WHOLE },
	{ MADVISE(UNMERGEABLE, 0), WHOLE },
	{ MADVISE(HUGEPAGE, 0), WHOLE },
	{ MADVISE(NOHUGEPAGE, 0), WHOLE },
	{ MADVISE(DOFORK, EINVAL), WHOLE },
	{ MADVISE(WIPEONFORK, EINVAL), WHOLE },
	{ MADVISE(DODUMP, EINVAL), WHOLE },
	{ MADVISE(FREE, EINVAL), WHOLE },
	{ MADVISE(COLLAPSE, EINVAL), WHOLE },
	{ MADVISE(POPULATE_READ, EINVAL), WHOLE },
	{ MADVISE(POPULATE_WRITE, EINVAL), WHOLE },
	{ CALL(madvise, "MADV_RANDOM for a page", EINVAL), MADV_RANDOM, 0, PART },
	{ MADVISE(REMOVE, EACCES), WHOLE },
	{ READ_AFTER("MADV_DONTNEED", MADV_DONTNEED), WHOLE },
	{ READ_AFTER("of a page", MADV_DONTNEED), PART },
	{ READ_AFTER("MADV_DONTNEED_LOCKED", MADV_DONTNEED_LOCKED), WHOLE },
	{ CALL(userfaultfd, "missing pages", EINVAL), UFFDIO_REGISTER_MODE_MISSING },
	{ CALL(userfaultfd, "write-protected ones", EINVAL), UFFDIO_REGISTER_MODE_WP },
	{ CALL(userfaultfd, "minor faults", EINVAL), UFFDIO_REGISTER_MODE_MINOR },
	{ .call = "userfaultfd", "UFFDIO_COPY", ENOENT, copy_by_userfaultfd, 0, 0, FIRST },
	{ CALL(mbind, "all", 0), MPOL_BIND, MPOL_MF_MOVE, WHOLE },
	{ CALL(mbind, "a page", EINVAL), MPOL_BIND, MPOL_MF_MOVE, PART },
	{ CALL(move_pages, "a page", EFAULT), 0, MPOL_MF_MOVE, PART },
	{ CALL(msync, "MS_ASYNC", 0), 0, MS_ASYNC },
	{ CALL(mincore, "a page: it is there", 0), 0, 0, PART },
};

int main(int argc, char **argv)
{
	rows_begin(argc, argv, ROWS(rows));
	return rows_try(ROWS(rows));
}
