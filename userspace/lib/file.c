// SPDX-License-Identifier: GPL-2.0-or-later
/* Files. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

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

int ktrc_file_save(int dir_fd, const char *name, const void *bytes, size_t len,
		   struct ktrc_error *err)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640), ret;

	if (fd < 0)
		return ktrc_fail(err, errno, "%s: cannot create", name);
	ret = ktrc_write_all(fd, bytes, len);
	if (ret == 0 && fsync(fd) < 0)
		ret = -errno;
	if (close(fd) < 0 && ret == 0)
		ret = -errno;
	return ret < 0 ? ktrc_fail(err, -ret, "%s: cannot write", name) : 0;
}
