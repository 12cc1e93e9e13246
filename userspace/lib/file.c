// SPDX-License-Identifier: GPL-2.0-or-later
/* Files. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cleanup.h"

int ktrc_write_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;
	ssize_t written;

	while (len > 0) {
		written = write(fd, p, len);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? -errno : -EIO;
		p += written;
		len -= (size_t)written;
	}
	return 0;
}

static int open_for_writing(int dir, const char *path, const char *name, struct ktrc_error *err)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0640);

	return fd < 0 ? ktrc_fail(err, errno, "%s/%s: cannot create", path, name) : fd;
}

int ktrc_file_save(int dir, const char *path, const char *name, const void *bytes, size_t len,
		   struct ktrc_error *err)
{
	int fd = open_for_writing(dir, path, name, err), ret;

	if (fd < 0)
		return fd;
	ret = ktrc_write_all(fd, bytes, len);
	if (ret == 0 && (ftruncate(fd, (off_t)len) < 0 || fsync(fd) < 0))
		ret = -errno;
	if (close(fd) < 0 && ret == 0)
		ret = -errno;
	return ret < 0 ? ktrc_fail(err, -ret, "%s/%s: cannot write", path, name) : 0;
}

int ktrc_file_reserve(int dir, const char *path, const char *name, size_t len,
		      struct ktrc_error *err)
{
	__ktrc_fd int fd = open_for_writing(dir, path, name, err);
	int errnum;

	if (fd < 0)
		return fd;
	errnum = posix_fallocate(fd, 0, (off_t)len);
	return errnum ? ktrc_fail(err, errnum, "%s/%s: cannot write", path, name) : 0;
}
