/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of the table in docs/abi.md that says what can be mapped of a ring and what can be
 * done to the mapping.  Each row tries one thing and wants one errno.  They are said once,
 * here in C: the document has what a program prints that is called with "document".
 */
#ifndef KTRC_TEST_MMAP_ROWS_H
#define KTRC_TEST_MMAP_ROWS_H

#include <sys/utsname.h>

#include "ring.h"

#define ROWS(table) table, sizeof(table) / sizeof(*(table))

#define PAGE 4096ul
#define PACKET (64ul << 10)
#define RING (PAGE + (8ul << 20)) /* of each of two CPUs: --memory=16M --packet=64K */

/* offset and length */
#define WHOLE 0, RING
#define FIRST 0, PAGE
#define LAST RING - PAGE, PAGE
#define PART PAGE, PAGE

struct row {
	const char *call, *what;
	int want; /* errno; 0: it works */
	int (*attempt)(const struct row *row); /* returns what it got */
	long arg, flags; /* protection, advice, flags: as the call takes them */
	uint64_t at, bytes; /* offset in the file or in the mapping, length */
	int file; /* number of another file to map */
	int newer; /* errno that kernels after 6.1 may give instead; 0: none */
};

static struct reader session;
static int device; /* the file that is mapped */
static char *mapping; /* of CPU 0; a new one for each row */
static char *original; /* what it held at first */
static int rows_run, rows_failed;

static inline int result(long ret)
{
	return ret < 0 ? errno : 0;
}

static inline int map_result(const void *p)
{
	return p == MAP_FAILED ? errno : 0;
}

/* a file of that session, or dies */
static inline int open_attached(const char *name, int flags)
{
	struct ktrc_ioc_attach a = { .size = sizeof(a) };
	int fd = open(KTRC_DEVICE, flags | O_CLOEXEC);

	snprintf(a.name, sizeof(a.name), "%s", name);
	if (fd < 0 || ioctl(fd, KTRC_IOC_ATTACH, &a))
		err(1, KTRC_DEVICE);
	return fd;
}

/* @where is NULL, or somewhere to put it whatever is there */
static inline char *map_first_cpu(void *where)
{
	char *p = mmap(where, RING, PROT_READ, MAP_SHARED | (where ? MAP_FIXED : 0), device, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

/* other memory, at @where whatever is there, or anywhere */
static inline char *take_memory(char *where, size_t bytes)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0);
	char *p = mmap(where, bytes, PROT_READ, flags, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

/* it is mapped as it was, nothing else of the device is, and it holds what it held */
static inline int is_intact(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096], start[64];
	int found = 0, of_device = 0;

	if (!maps)
		err(1, "maps");
	snprintf(start, sizeof(start), "%lx-%lx r--s ", (long)mapping, (long)(mapping + RING));
	while (fgets(line, sizeof(line), maps)) {
		found += !strncmp(line, start, strlen(start));
		of_device += strstr(line, KTRC_DEVICE) != NULL;
	}
	fclose(maps);
	return found == 1 && of_device == 1 && !memcmp(mapping, original, PACKET) &&
	       !memcmp(mapping + RING - PAGE, original + RING - PAGE, PAGE);
}

static inline const char *name_of(int error)
{
	return error ? strerrorname_np(error) : "works";
}

static inline void row_complain(const struct row *row, const char *got, const char *wanted)
{
	rows_failed++;
	printf("# row: %s: %s: got %s, wanted %s\n", row->call, row->what, got, wanted);
}

static inline int is_kernel_of_the_table(void)
{
	struct utsname name;

	if (uname(&name))
		err(1, "uname");
	return !strncmp(name.release, "6.1.", 4);
}

static inline void row_run(const struct row *row)
{
	int got = row->attempt(row);
	int is_newer = row->newer && got == row->newer && !is_kernel_of_the_table();

	rows_run++;
	if (got != row->want && !is_newer)
		row_complain(row, name_of(got), name_of(row->want));
}

/* each with a mapping of file @fd between other memory, which it leaves as it was */
static inline void rows_run_with(int fd, const struct row *rows, size_t nr)
{
	char *room = take_memory(NULL, 3 * RING);
	size_t i;

	device = fd;
	for (i = 0; i < nr; i++) {
		mapping = map_first_cpu(room + RING);
		row_run(&rows[i]);
		if (!is_intact())
			row_complain(&rows[i], "another mapping", "that of before");
		munmap(mapping, RING);
		take_memory(room, 3 * RING);
	}
	munmap(room, 3 * RING);
}

static inline void answer_document(const struct row *row)
{
	const char *mark = row->want ? "`" : "";

	printf("| %s | %s%s%s", row->call, mark, name_of(row->want), mark);
	if (row->newer)
		printf(" (`%s`)", name_of(row->newer));
}

/* Rows that follow each other with the same call and answer are one line. */
static inline void rows_document(const struct row *rows, size_t nr)
{
	const struct row *before = NULL, *row;

	for (row = rows; row < rows + nr; before = row++) {
		if (before && !strcmp(row->call, before->call) && row->want == before->want &&
		    row->newer == before->newer) {
			printf("; %s", row->what);
			continue;
		}
		if (before)
			printf(" |\n");
		answer_document(row);
		printf(" | %s", row->what);
	}
	printf(" |\n");
}

/* prints the rows and ends if the program is called with "document"; otherwise makes ready what
 * each of them needs, stopped session "default" */
static inline void rows_begin(int argc, char **argv, const struct row *rows, size_t nr)
{
	if (argc > 1 && !strcmp(argv[1], "document")) {
		rows_document(rows, nr);
		exit(0);
	}
	setlinebuf(stdout);
	reader_open(&session, "", 0);
	if (ring_bytes(&session.info) != RING || session.info.nr_cpus != 2)
		errx(1, "the rings of %u CPUs have %zu bytes", session.info.nr_cpus,
		     ring_bytes(&session.info));
	device = session.fd;
	mapping = map_first_cpu(NULL);
	original = malloc(RING);
	if (!original)
		err(1, "malloc");
	memcpy(original, mapping, RING);
	munmap(mapping, RING);
}

/* tries all with a file that may write and with one that may only read; returns main()'s exit
 * status */
static inline int rows_try(const struct row *rows, size_t nr)
{
	rows_run_with(session.fd, rows, nr);
	printf("%d rows\n", rows_run);
	rows_run_with(open_attached("", O_RDONLY), rows, nr);
	return rows_failed != 0;
}

#endif
