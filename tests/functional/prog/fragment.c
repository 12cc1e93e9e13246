// SPDX-License-Identifier: GPL-2.0
/*
 * fragment MIB: fills MIB of memory with small pages and gives every other page back, so
 * that what is free lies in pieces; says "ready".  Then, for each number that it reads, it
 * touches so many huge pages of 2 MiB in a new mapping, keeps them and prints the number.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096ul
#define HUGE_PAGE (2ul << 20)

static char *map(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

static void advise(char *p, size_t bytes, int advice)
{
	if (madvise(p, bytes, advice))
		err(1, "madvise");
}

static void fragment(size_t bytes)
{
	char *p = map(bytes);
	size_t at;

	advise(p, bytes, MADV_NOHUGEPAGE);
	for (at = 0; at < bytes; at += PAGE)
		p[at] = 1;
	for (at = 0; at < bytes; at += 2 * PAGE)
		advise(p + at, PAGE, MADV_DONTNEED);
}

static void touch_huge(size_t pages)
{
	char *p = map((pages + 1) * HUGE_PAGE);
	size_t i;

	p += HUGE_PAGE - (unsigned long)p % HUGE_PAGE;
	advise(p, pages * HUGE_PAGE, MADV_HUGEPAGE);
	for (i = 0; i < pages; i++)
		p[i * HUGE_PAGE] = 1;
}

int main(int argc, char **argv)
{
	size_t pages;

	setvbuf(stdout, NULL, _IOLBF, 0);
	fragment(argc > 1 ? strtoul(argv[1], NULL, 0) << 20 : 0);
	puts("ready");
	while (scanf("%zu", &pages) == 1) {
		touch_huge(pages);
		printf("%zu\n", pages);
	}
	return 0;
}
