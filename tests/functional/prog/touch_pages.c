// SPDX-License-Identifier: GPL-2.0
/*
 * touch_pages MODE PAGES: touches each page of a fresh mapping once, in one way, and
 * prints where: "tid FIRST_PAGE END_PAGE", pages as address >> 12.
 *   read      loads (the zero page)       write     stores
 *   pread     the kernel stores, in copy_to_user
 *   populate  MAP_POPULATE: get_user_pages
 *   file      loads from a shared file mapping in the page cache
 *   shmem     stores to shared anonymous memory
 *   cow       stores to a private file mapping
 *   perf      loads from a ring of perf's, which takes 2^n + 1 pages
 *   huge      one store in each 2 MiB of memory advised to be huge
 *   hugetlb   one load in each huge page of MAP_HUGETLB, and one store
 *   hugetlb_shared  the same of memory that is shared
 *   storm     read faults, dropping the pages again and again: PAGES in all
 *   bursts    the same with a moment's sleep after each 512 faults
 *   rename    the same as storm under another name each time: all records need a task record
 */
#define _GNU_SOURCE
#include <err.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "touch.h"

#define STORM_PAGES 512ul

static char *map(size_t pages, int flags, int fd)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

static char *map_anonymous(size_t pages)
{
	char *p = map(pages, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (madvise(p, pages * PAGE, MADV_NOHUGEPAGE))
		err(1, "madvise");
	return p;
}

static int file_of(size_t pages)
{
	char page[PAGE];
	char name[] = "/tmp/touch_pages.XXXXXX";
	int fd = mkstemp(name);
	size_t i;

	if (fd < 0 || unlink(name))
		err(1, "%s", name);
	memset(page, 1, sizeof(page));
	for (i = 0; i < pages; i++) {
		if (write(fd, page, PAGE) != (ssize_t)PAGE)
			err(1, "write");
	}
	return fd;
}

static char *touch_pread(size_t pages)
{
	char *p = map_anonymous(pages);
	int fd = file_of(pages);

	if (pread(fd, p, pages * PAGE, 0) != (ssize_t)(pages * PAGE))
		err(1, "pread");
	return p;
}

static char *touch_huge(size_t pages)
{
	char *p = map(pages + HUGE_PAGES, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	size_t i;

	p += -(unsigned long)p % (HUGE_PAGES * PAGE);
	if (madvise(p, pages * PAGE, MADV_HUGEPAGE))
		err(1, "madvise");
	for (i = 0; i < pages; i += HUGE_PAGES)
		store(p + i * PAGE, 1);
	return p;
}

static char *touch_hugetlb(size_t pages, int flags)
{
	char *p = map(pages, flags | MAP_ANONYMOUS | MAP_HUGETLB, -1);
	size_t i;

	for (i = 0; i < pages; i += HUGE_PAGES)
		load(p + i * PAGE, 1);
	for (i = 0; i < pages; i += HUGE_PAGES)
		store(p + i * PAGE, 1);
	return p;
}

/* without fault-around: one fault a page */
static char *touch_file(size_t pages)
{
	char *p = map(pages, MAP_SHARED, file_of(pages));

	if (madvise(p, pages * PAGE, MADV_RANDOM))
		err(1, "madvise");
	load(p, pages);
	return p;
}

/* no file is mapped, and the mapping's flags say nothing of a driver */
static char *touch_perf(size_t pages)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	char *p;

	if (fd < 0)
		err(1, "perf_event_open");
	p = map(pages, MAP_SHARED, fd);
	load(p, pages);
	return p;
}

static void load_renaming(const char *p, size_t pages)
{
	size_t i;

	for (i = 0; i < pages; i++) {
		if (prctl(PR_SET_NAME, i & 1 ? "odd" : "even"))
			err(1, "prctl");
		load(p + i * PAGE, 1);
	}
}

/* leaves the CPU some time for what it is there to disturb */
static void load_and_sleep(const char *p, size_t pages)
{
	load(p, pages);
	usleep(1000);
}

static char *touch_storm(size_t faults, void (*load_all)(const char *p, size_t pages))
{
	char *p = map_anonymous(STORM_PAGES);
	size_t done;

	for (done = 0; done < faults; done += STORM_PAGES) {
		load_all(p, STORM_PAGES);
		if (madvise(p, STORM_PAGES * PAGE, MADV_DONTNEED))
			err(1, "madvise");
	}
	return p;
}

static char *touch(const char *mode, size_t pages)
{
	char *p;

	if (!strcmp(mode, "populate")) {
		/* the mapping must be populated by mmap itself, in small pages */
		return map(pages, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1);
	}
	if (!strcmp(mode, "pread"))
		return touch_pread(pages);
	if (!strcmp(mode, "huge"))
		return touch_huge(pages);
	if (!strcmp(mode, "hugetlb"))
		return touch_hugetlb(pages, MAP_PRIVATE);
	if (!strcmp(mode, "hugetlb_shared"))
		return touch_hugetlb(pages, MAP_SHARED);
	if (!strcmp(mode, "file"))
		return touch_file(pages);
	if (!strcmp(mode, "perf"))
		return touch_perf(pages);
	if (!strcmp(mode, "storm"))
		return touch_storm(pages, load);
	if (!strcmp(mode, "bursts"))
		return touch_storm(pages, load_and_sleep);
	if (!strcmp(mode, "rename"))
		return touch_storm(pages, load_renaming);
	if (!strcmp(mode, "read")) {
		p = map_anonymous(pages);
		load(p, pages);
		return p;
	}
	if (!strcmp(mode, "write"))
		p = map_anonymous(pages);
	else if (!strcmp(mode, "shmem"))
		p = map(pages, MAP_SHARED | MAP_ANONYMOUS, -1);
	else if (!strcmp(mode, "cow"))
		p = map(pages, MAP_PRIVATE, file_of(pages));
	else
		errx(2, "unknown mode %s", mode);
	store(p, pages);
	return p;
}

int main(int argc, char **argv)
{
	size_t pages;
	char *p;

	if (argc != 3)
		errx(2, "usage: touch_pages MODE PAGES");
	pages = strtoul(argv[2], NULL, 10);
	p = touch(argv[1], pages);
	printf("%d %lu %lu\n", getpid(), (unsigned long)p / PAGE, (unsigned long)p / PAGE + pages);
	return 0;
}
