// SPDX-License-Identifier: GPL-2.0-or-later
/* Files. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cleanup.h"

int ktrc_write_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;
	ssize_t written;

	while (len > 0) {
		written = TEMP_FAILURE_RETRY(write(fd, p, len));
		if (written <= 0)
			return written < 0 ? -errno : -EIO;
		p += written;
		len -= (size_t)written;
	}
	return 0;
}

/* A block device has its own names for what fails, which mean something else here. */
static int read_error(int errnum)
{
	return errnum == ENODATA || errnum == EILSEQ ? -EIO : -errnum;
}

int ktrc_read_at(int fd, void *bytes, size_t len, u64 at)
{
	char *p = bytes;
	ssize_t got;

	while (len > 0) {
		got = TEMP_FAILURE_RETRY(pread(fd, p, len, (off_t)at));
		if (got == 0)
			return -ENODATA;
		if (got < 0)
			return read_error(errno);
		p += got;
		at += (u64)got;
		len -= (size_t)got;
	}
	return 0;
}

void ktrc_allow_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	files.rlim_cur = files.rlim_max;
	/* where that fails, opening one too many does, and is told */
	setrlimit(RLIMIT_NOFILE, &files);
}

int ktrc_sync_and_close(int fd)
{
	int ret = TEMP_FAILURE_RETRY(fsync(fd)) < 0 ? -errno : 0;

	/* an interrupted close has closed, and what was written is on the disk by then */
	if (close(fd) < 0 && errno != EINTR && ret == 0)
		ret = -errno;
	return ret;
}

#define DRAFT_ROOM 80

/* What a file is called before it takes its name: hidden, as CTF readers pass over that. */
static void name_draft(const char *name, char draft[DRAFT_ROOM])
{
	const char *slash = strrchr(name, '/');
	int dir_len = slash ? (int)(slash + 1 - name) : 0;

	snprintf(draft, DRAFT_ROOM, "%.*s.%s.new", dir_len, name, name + dir_len);
}

/* Where a file is written; @draft receives its name. */
static int open_draft(int dir, const char *path, const char *name, char draft[DRAFT_ROOM],
		      struct ktrc_error *err)
{
	int fd;

	name_draft(name, draft);
	fd = TEMP_FAILURE_RETRY(openat(dir, draft, O_WRONLY | O_CREAT | O_CLOEXEC, 0640));
	return fd < 0 ? ktrc_fail(err, errno, "%s/%s: cannot create", path, name) : fd;
}

void ktrc_file_remove(int dir, const char *name)
{
	char draft[DRAFT_ROOM];

	name_draft(name, draft);
	unlinkat(dir, draft, 0);
	unlinkat(dir, name, 0);
}

int ktrc_file_save(int dir, const char *path, const char *name, const void *bytes, size_t len,
		   struct ktrc_error *err)
{
	char draft[DRAFT_ROOM];
	int fd = open_draft(dir, path, name, draft, err), ret, synced;

	if (fd < 0)
		return fd;
	ret = ktrc_write_all(fd, bytes, len);
	if (ret == 0 && TEMP_FAILURE_RETRY(ftruncate(fd, (off_t)len)) < 0)
		ret = -errno;
	synced = ktrc_sync_and_close(fd);
	if (ret == 0)
		ret = synced;
	if (ret == 0 && renameat(dir, draft, dir, name) < 0)
		ret = -errno;
	if (ret == 0)
		return 0;
	unlinkat(dir, draft, 0);
	return ktrc_fail(err, -ret, "%s/%s: cannot write", path, name);
}

#define RESERVE_BYTES (64u << 10)

/* In pieces: an interrupted one is given back as a whole. */
static int reserve(int fd, size_t len)
{
	size_t at = 0, piece;
	int errnum;

	while (at < len) {
		piece = len - at < RESERVE_BYTES ? len - at : RESERVE_BYTES;
		errnum = posix_fallocate(fd, (off_t)at, (off_t)piece);
		if (errnum && errnum != EINTR)
			return -errnum;
		if (!errnum)
			at += piece;
	}
	return 0;
}

int ktrc_file_reserve(int dir, const char *path, const char *name, size_t len,
		      struct ktrc_error *err)
{
	char draft[DRAFT_ROOM];
	int fd = open_draft(dir, path, name, draft, err), ret;

	if (fd < 0)
		return fd;
	ret = reserve(fd, len);
	if (close(fd) < 0 && errno != EINTR && ret == 0)
		ret = -errno;
	return ret < 0 ? ktrc_fail(err, -ret, "%s/%s: cannot write", path, name) : 0;
}
