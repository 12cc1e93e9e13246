// SPDX-License-Identifier: GPL-2.0
/*
 * mmap_life CGROUP: how long a mapping lasts.  Has session "default" replaced, by one that CGROUP pays for, and then deleted, and
 * closes its files: mappings stay what they were.  Prints the number of rows, then "mapped",
 * "piped" (all is unmapped, but pages are left in a pipe) and "drained", and reads a line
 * after each.  Exit status 1 if any row differs.
 * mmap_life document: prints the rows as docs/abi.md has them.
 */
#define _GNU_SOURCE
#include <sys/uio.h>

#include "mmap_rows.h"

#define PIPED (4ul << 20)

static struct reader second; /* of the session that replaces the first */
static char *second_mapping;
static char second_original[PACKET];
static const char *cgroup;

static void run(const char *command)
{
	if (system(command))
		errx(1, "%s", command);
}

/* all that is mapped of the first session is as it was */
static int read_all(const struct row *row)
{
	(void)row;
	return memcmp(mapping, original, RING) ? EIO : 0;
}

static int replace(const struct row *row)
{
	char command[200];

	snprintf(command, sizeof(command),
		 "echo $$ >%s/cgroup.procs && ktrc-ctl start -q --memory=1M && ktrc-ctl stop -q",
		 cgroup);
	run(command);
	reader_open(&second, "", 0);
	second_mapping = reader_map_cpu(&second, 0);
	if (second_mapping == MAP_FAILED)
		err(1, "mmap");
	memcpy(second_original, second_mapping, PACKET);
	if (!memcmp(second.info.uuid, session.info.uuid, sizeof(second.info.uuid)))
		return EEXIST;
	return read_all(row);
}

static int start(const struct row *row)
{
	(void)row;
	return result(ioctl(session.fd, KTRC_IOC_START, 0));
}

/* and it is still the first session that the file is attached to */
static int look(const struct row *row)
{
	struct ktrc_ioc_info info = { .size = sizeof(info) };
	int got = result(ioctl(session.fd, KTRC_IOC_INFO, &info));

	(void)row;
	if (!got && memcmp(info.uuid, session.info.uuid, sizeof(info.uuid)))
		return EIO;
	return got;
}

static int map_again(const struct row *row)
{
	char *p = map_first_cpu(NULL);
	int got = memcmp(p, original, RING) ? EIO : 0;

	(void)row;
	munmap(p, RING);
	return got;
}

static int delete (const struct row *row)
{
	(void)row;
	run("ktrc-ctl reset -q");
	return memcmp(second_mapping, second_original, PACKET) ? EIO : 0;
}

static int attach(const struct row *row)
{
	struct ktrc_ioc_attach a = { .size = sizeof(a) };
	int fd = open(KTRC_DEVICE, O_RDONLY | O_CLOEXEC);
	int got = result(ioctl(fd, KTRC_IOC_ATTACH, &a));

	(void)row;
	close(fd);
	return got;
}

static int close_files(const struct row *row)
{
	close(session.fd);
	close(second.fd);
	if (memcmp(second_mapping, second_original, PACKET))
		return EIO;
	return read_all(row);
}

#define GONE(c, w, e, f) .call = c, w, e, f

static const struct row rows[] = {
	{ GONE("replaced", "read", 0, replace) },
	{ GONE("replaced", "KTRC_IOC_INFO", 0, look) },
	{ GONE("replaced", "mmap again", 0, map_again) },
	{ GONE("replaced", "KTRC_IOC_START", ENOENT, start) },
	{ GONE("deleted", "read", 0, delete) },
	{ GONE("deleted", "KTRC_IOC_ATTACH", ENOENT, attach) },
	{ GONE("file closed", "read", 0, close_files) },
};

static void step(const char *what)
{
	printf("%s\n", what);
	fflush(stdout);
	getchar();
}

/* what a kernel that lets it do so keeps of the ring, once that is unmapped */
static size_t fill_pipe(const int *ends)
{
	struct iovec part = { .iov_base = mapping, .iov_len = PIPED };
	ssize_t bytes;

	if (fcntl(ends[1], F_SETPIPE_SZ, PIPED) < 0)
		err(1, "pipe");
	bytes = vmsplice(ends[1], &part, 1, 0);
	if (bytes < 0 && errno != EFAULT)
		err(1, "vmsplice");
	return bytes < 0 ? 0 : bytes;
}

static void drain_pipe(const int *ends, size_t bytes)
{
	char *copy = malloc(PIPED);
	size_t at;
	ssize_t got;

	if (!copy)
		err(1, "malloc");
	for (at = 0; at < bytes; at += got) {
		got = read(ends[0], copy + at, bytes - at);
		if (got <= 0)
			err(1, "pipe");
	}
	if (memcmp(copy, original, bytes)) {
		rows_failed++;
		printf("# the pages in the pipe are not what they were\n");
	}
	free(copy);
}

int main(int argc, char **argv)
{
	int ends[2];
	size_t bytes, i;

	rows_begin(argc, argv, ROWS(rows));
	if (argc != 2)
		errx(2, "usage: mmap_life CGROUP");
	cgroup = argv[1];
	mapping = map_first_cpu(NULL);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		row_run(&rows[i]);
	printf("%d rows\n", rows_run);
	step("mapped");
	if (pipe2(ends, O_CLOEXEC))
		err(1, "pipe");
	bytes = fill_pipe(ends);
	munmap(mapping, RING);
	munmap(second_mapping, ring_bytes(&second.info));
	printf("%zu bytes\n", bytes);
	step("piped");
	drain_pipe(ends, bytes);
	step("drained");
	return rows_failed != 0;
}
