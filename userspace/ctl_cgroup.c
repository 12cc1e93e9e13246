// SPDX-License-Identifier: GPL-2.0-or-later
/* Cgroups by path and by id, which is the inode number of the directory. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "ctl.h"
#include "lib/cleanup.h"

#define KERNFS_HANDLE 0xfe
#define NOT_CGROUP2 ENODEV

/* where cgroup v2 is mounted alone, and beside v1 */
static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

/* A directory of cgroup v2; -1 with errno set. */
static int open_cgroup(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || (fstatfs(fd, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC))
		return fd;
	close(fd);
	errno = NOT_CGROUP2;
	return -1;
}

static int open_in_hierarchy(const char *path)
{
	char whole[KTRC_PATH_ROOM];
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < ARRAY_SIZE(roots); i++) {
		int len = snprintf(whole, sizeof(whole), "%s/%s", roots[i], path);

		if (len > 0 && (size_t)len < sizeof(whole))
			fd = open_cgroup(whole);
		else
			errno = ENAMETOOLONG;
	}
	return fd;
}

int ktrc_ctl_cgroup_id(const char *path, u64 *cgid, struct ktrc_error *err)
{
	__ktrc_fd int fd = *path == '/' ? open_cgroup(path) : -1;
	struct stat st;
	int ret;

	if (fd < 0 && *path)
		fd = open_in_hierarchy(path);
	if (fd >= 0 && fstat(fd, &st) == 0) {
		*cgid = st.st_ino;
		return 0;
	}
	if (errno == EACCES)
		return ktrc_fail(err, errno, "--cgroup: %s", path);
	ret = ktrc_fail_as(err, ENOENT, KTRC_EXIT_USAGE,
			   "--cgroup: %s: no such cgroup of cgroup v2", path);
	ktrc_hint(err, "a directory below %s, such as system.slice; systemd-cgls shows them",
		  roots[0]);
	return ret;
}

/* Where a directory is, as seen from here; its length, -1 if that cannot be told. */
static ssize_t path_of(int fd, char room[KTRC_PATH_ROOM])
{
	char link[40];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = fd < 0 ? -1 : readlink(link, room, KTRC_PATH_ROOM - 1);
	if (len >= 0)
		room[len] = '\0';
	return len;
}

const char *ktrc_ctl_cgroup_path(u64 cgid, char room[KTRC_PATH_ROOM])
{
	union {
		struct file_handle head;
		char room[sizeof(struct file_handle) + sizeof(cgid)];
	} handle = { .head = { .handle_bytes = sizeof(cgid), .handle_type = KERNFS_HANDLE } };
	char base[KTRC_PATH_ROOM];

	memcpy(handle.head.f_handle, &cgid, sizeof(cgid));
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		__ktrc_fd int root = open_cgroup(roots[i]);
		__ktrc_fd int fd =
			root < 0 ? -1 : open_by_handle_at(root, &handle.head, O_RDONLY | O_CLOEXEC);
		ssize_t skip = path_of(root, base);

		if (skip >= 0 && path_of(fd, room) >= skip &&
		    strncmp(room, base, (size_t)skip) == 0)
			return room[skip] ? room + skip : "/";
	}
	return NULL;
}
