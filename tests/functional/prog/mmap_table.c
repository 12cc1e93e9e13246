// SPDX-License-Identifier: GPL-2.0
/*
 * mmap_table: what can be mapped of the stopped session "default", and what of "late", which
 * was made while CPU 1 was offline; it is brought up in the end.  Prints the number of rows;
 * exit status 1 if any differs.
 * mmap_table document: prints the rows as docs/abi.md has them.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "mmap_rows.h"

#define RD PROT_READ
#define WR PROT_WRITE
#define EX PROT_EXEC
#define SHARED MAP_SHARED
#define PRIVATE MAP_PRIVATE
#define VALIDATE MAP_SHARED_VALIDATE
#define FIXED (MAP_SHARED | MAP_FIXED)
#define NOREPLACE (MAP_SHARED | MAP_FIXED_NOREPLACE)
#define CPU(n) ((uint64_t)(n) << KTRC_MMAP_CPU_SHIFT)
#define LATE_RING (PAGE + (1ul << 20)) /* --memory=1M, of the one CPU that is online */

enum file { RDWR, RDONLY, WRONLY, PATH, NOT_ATTACHED, LATE, NR_FILES };

static int files[NR_FILES];

static void open_files(void)
{
	files[RDWR] = session.fd;
	files[RDONLY] = open_attached("", O_RDONLY);
	files[WRONLY] = open_attached("", O_WRONLY);
	files[PATH] = open(KTRC_DEVICE, O_PATH | O_CLOEXEC);
	files[NOT_ATTACHED] = open(KTRC_DEVICE, O_RDWR | O_CLOEXEC);
	files[LATE] = open_attached("late", O_RDWR);
	if (files[PATH] < 0 || files[NOT_ATTACHED] < 0)
		err(1, KTRC_DEVICE);
}

/* by the system call, as libc looks at the offset itself */
static int map_at(const struct row *row, void *where)
{
	struct ktrc_status *st = (void *)syscall(SYS_mmap, where, row->bytes, row->arg, row->flags,
						 files[row->file], row->at);
	int got = map_result(st);

	if (!got && row->arg & PROT_READ &&
	    (st->magic != KTRC_STATUS_MAGIC || st->cpu != row->at >> KTRC_MMAP_CPU_SHIFT))
		got = EIO;
	if (st != MAP_FAILED && munmap(st, row->bytes))
		err(1, "munmap");
	return got;
}

static int map(const struct row *row)
{
	return map_at(row, NULL);
}

static int map_at_odd_address(const struct row *row)
{
	return map_at(row, mapping + 1);
}

static int map_over_memory(const struct row *row)
{
	char *p = take_memory(NULL, RING);
	int got = map_at(row, p);

	munmap(p, RING);
	return got;
}

static int bring_up_and_map(const struct row *row)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "1", 1) != 1)
		err(1, "CPU 1");
	close(fd);
	return map_at(row, NULL);
}

#define MMAP_BY(f, w, e) .call = "mmap", w, e, f
#define MMAP(w, e) MMAP_BY(map, w, e)

static const struct row rows[] = {
	{ MMAP("PROT_READ, MAP_SHARED", 0), RD, SHARED, WHOLE },
	{ MMAP("PROT_NONE", 0), PROT_NONE, SHARED, WHOLE },
	{ MMAP("O_RDONLY", 0), RD, SHARED, WHOLE, RDONLY },
	{ MMAP("MAP_SHARED_VALIDATE", 0), RD, VALIDATE, WHOLE },
	{ MMAP("MAP_POPULATE", 0), RD, SHARED | MAP_POPULATE, WHOLE },
	{ MMAP("MAP_LOCKED", 0), RD, SHARED | MAP_LOCKED, WHOLE },
	{ MMAP("MAP_NORESERVE", 0), RD, SHARED | MAP_NORESERVE, WHOLE },
	{ MMAP("MAP_32BIT", 0), RD, SHARED | MAP_32BIT, WHOLE },
	{ MMAP_BY(map_over_memory, "MAP_FIXED over other memory", 0), RD, FIXED, WHOLE },
	{ MMAP("a byte less: it is rounded up", 0), RD, SHARED, 0, RING - 1 },
	{ MMAP("a CPU that went offline", 0), RD, SHARED, CPU(1), RING },
	{ MMAP("not attached", ENOTCONN), RD, SHARED, WHOLE, NOT_ATTACHED },
	{ MMAP("not attached, PROT_WRITE", ENOTCONN), WR, SHARED, WHOLE, NOT_ATTACHED },
	{ MMAP("PROT_WRITE", EPERM), WR, SHARED, WHOLE },
	{ MMAP("PROT_READ, PROT_WRITE", EPERM), RD | WR, SHARED, WHOLE },
	{ MMAP("PROT_EXEC", EPERM), EX, SHARED, WHOLE },
	{ MMAP("PROT_READ, PROT_EXEC", EPERM), RD | EX, SHARED, WHOLE },
	{ MMAP("all three", EPERM), RD | WR | EX, SHARED, WHOLE },
	{ MMAP("PROT_WRITE, MAP_PRIVATE", EPERM), RD | WR, PRIVATE, WHOLE },
	{ MMAP("PROT_WRITE of a part", EPERM), WR, SHARED, PART },
	{ MMAP("PROT_WRITE of CPU 1", EPERM), RD | WR, SHARED, CPU(1), RING },
	{ MMAP("PROT_WRITE of CPU nr_cpus", EPERM), WR, SHARED, CPU(2), RING },
	{ MMAP("PROT_WRITE, O_RDONLY", EACCES), WR, SHARED, WHOLE, RDONLY },
	{ MMAP("O_WRONLY", EACCES), RD, SHARED, WHOLE, WRONLY },
	{ MMAP("PROT_WRITE, O_WRONLY", EACCES), WR, SHARED, WHOLE, WRONLY },
	{ MMAP("MAP_PRIVATE", EINVAL), RD, PRIVATE, WHOLE },
	{ MMAP("MAP_PRIVATE, PROT_NONE", EINVAL), PROT_NONE, PRIVATE, WHOLE },
	{ MMAP("MAP_PRIVATE, O_RDONLY", EINVAL), RD, PRIVATE, WHOLE, RDONLY },
	{ MMAP("MAP_PRIVATE of CPU 1", EINVAL), RD, PRIVATE, CPU(1), RING },
	{ MMAP("neither MAP_SHARED nor MAP_PRIVATE", EINVAL), RD, 0, WHOLE },
	{ MMAP("MAP_GROWSDOWN", EINVAL), RD, SHARED | MAP_GROWSDOWN, WHOLE },
	{ MMAP("MAP_HUGETLB", EINVAL), RD, SHARED | MAP_HUGETLB, WHOLE },
	{ MMAP_BY(map_at_odd_address, "MAP_FIXED within a page", EINVAL), RD, FIXED, WHOLE },
	{ MMAP("length 0", EINVAL), RD, SHARED, 0, 0 },
	{ MMAP("the status page alone", EINVAL), RD, SHARED, FIRST },
	{ MMAP("the data alone", EINVAL), RD, SHARED, PAGE, RING - PAGE },
	{ MMAP("a packet", EINVAL), RD, SHARED, PAGE, PACKET },
	{ MMAP("half a ring", EINVAL), RD, SHARED, 0, RING / 2 },
	{ MMAP("a page less", EINVAL), RD, SHARED, 0, RING - PAGE },
	{ MMAP("a byte more", EINVAL), RD, SHARED, 0, RING + 1 },
	{ MMAP("a page more", EINVAL), RD, SHARED, 0, RING + PAGE },
	{ MMAP("as much as two rings", EINVAL), RD, SHARED, 0, 2 * RING },
	{ MMAP("from the second page on", EINVAL), RD, SHARED, PAGE, RING },
	{ MMAP("an offset within a page", EINVAL), RD, SHARED, 1, RING },
	{ MMAP("a page before CPU 1", EINVAL), RD, SHARED, CPU(1) - PAGE, RING },
	{ MMAP("half of CPU 1", EINVAL), RD, SHARED, CPU(1), RING / 2 },
	{ MMAP("the data of CPU 1", EINVAL), RD, SHARED, CPU(1) + PAGE, RING - PAGE },
	{ MMAP("CPU nr_cpus", EINVAL), RD, SHARED, CPU(2), RING },
	{ MMAP("CPU 4095", EINVAL), RD, SHARED, CPU(4095), RING },
	{ MMAP("offset 2^63", EINVAL), RD, SHARED, 1ull << 63, RING },
	{ MMAP("a page before 2^63", EINVAL), RD, SHARED, (1ull << 63) - PAGE, RING },
	{ MMAP("offset 2^64 less a page", EOVERFLOW), RD, SHARED, -PAGE, RING },
	{ MMAP("length 2^63", ENOMEM), RD, SHARED, 0, 1ull << 63 },
	{ MMAP("length 2^64 less a byte", ENOMEM), RD, SHARED, 0, ~0ull },
	{ MMAP("MAP_SYNC", EOPNOTSUPP), RD, VALIDATE | MAP_SYNC, WHOLE },
	{ MMAP_BY(map_over_memory, "MAP_FIXED_NOREPLACE", EEXIST), RD, NOREPLACE, WHOLE },
	{ MMAP("O_PATH", EBADF), RD, SHARED, WHOLE, PATH },
	{ MMAP("a CPU that was never online", ENXIO), RD, SHARED, CPU(1), LATE_RING, LATE },
	{ MMAP_BY(bring_up_and_map, "a CPU that came up since", 0), RD, SHARED, CPU(1), LATE_RING,
	  LATE },
};

int main(int argc, char **argv)
{
	rows_begin(argc, argv, ROWS(rows));
	open_files();
	rows_run_with(files[RDWR], ROWS(rows));
	printf("%d rows\n", rows_run);
	return rows_failed != 0;
}
