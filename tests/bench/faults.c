// SPDX-License-Identifier: GPL-2.0
/*
 * faults read|pread|deep PASSES: raises page faults and prints what one costs its task.
 *
 * read:   touches every page of a dropped anonymous region by reading.  Read, because a
 *         write fault's cost moves with the state of the page allocator.
 * pread:  reads a page of a file into a page that was just dropped, so that the kernel
 *         raises the fault, and drops it again.
 * deep:   as read, with ten callers that all keep frame pointers: the build sees to that.
 *
 * Where an instruction takes a nanosecond, the task's CPU time counts instructions.
 * Output: the median of the passes, faults of all passes, and the slowest less the fastest.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "passes.h"

#define NR_PAGES 10000
#define DEPTH 11

static size_t page_bytes;
static char *region;
static int file;

static long nr_faults(void)
{
	struct rusage r;

	if (getrusage(RUSAGE_SELF, &r))
		fail("getrusage");
	return r.ru_minflt + r.ru_majflt;
}

static void drop(char *from, size_t bytes)
{
	if (madvise(from, bytes, MADV_DONTNEED))
		fail("madvise");
}

static void touch_by_read(void)
{
	for (size_t i = 0; i < NR_PAGES; i++)
		((volatile char *)region)[i * page_bytes];
}

static void touch_by_pread(void)
{
	for (size_t i = 0; i < NR_PAGES; i++) {
		char *page = region + i * page_bytes;

		if (pread(file, page, page_bytes, 0) != (ssize_t)page_bytes)
			fail("pread");
		drop(page, page_bytes);
	}
}

static __attribute__((noinline)) void touch_below(int callers)
{
	if (callers)
		touch_below(callers - 1);
	else
		touch_by_read();
}

static void touch_deep(void)
{
	touch_below(DEPTH - 4); /* touch_by_read() is inlined; main() and who called it are there */
}

static void set_up(void)
{
	page_bytes = sysconf(_SC_PAGESIZE);
	region = mmap(NULL, NR_PAGES * page_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region == MAP_FAILED)
		fail("mmap");
	if (madvise(region, NR_PAGES * page_bytes, MADV_NOHUGEPAGE))
		fail("madvise");
	file = memfd_create("faults", 0);
	if (file < 0 || write(file, region, page_bytes) != (ssize_t)page_bytes)
		fail("memfd");
}

static void (*touch_as(const char *name))(void)
{
	if (!strcmp(name, "read"))
		return touch_by_read;
	if (!strcmp(name, "pread"))
		return touch_by_pread;
	return strcmp(name, "deep") ? NULL : touch_deep;
}

int main(int argc, char **argv)
{
	int passes = argc == 3 ? atoi(argv[2]) : 0;
	void (*touch)(void) = argc == 3 ? touch_as(argv[1]) : NULL;
	double cost[MAX_PASSES];
	long faults, all_faults = 0;

	if (passes < 1 || passes > MAX_PASSES || !touch) {
		fprintf(stderr, "usage: faults read|pread|deep PASSES (1-%d)\n", MAX_PASSES);
		return 2;
	}
	set_up();
	for (int i = 0; i < passes; i++) {
		long long begin;

		drop(region, NR_PAGES * page_bytes);
		faults = nr_faults();
		begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		touch();
		cost[i] = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
		faults = nr_faults() - faults;
		cost[i] /= faults;
		all_faults += faults;
	}
	print_passes(cost, passes, all_faults);
	return 0;
}
