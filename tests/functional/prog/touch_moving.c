// SPDX-License-Identifier: GPL-2.0
/*
 * touch_moving DIR PAGES...: in turn in each of these cgroups touches so many pages of a mapping once, and
 * comes back to the one it was in.  Apart from that nothing faults in these cgroups.
 */
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "touch.h"

/* opened before, as a path has to be looked up */
static int open_cgroup(const char *dir)
{
	char path[PATH_MAX];
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/cgroup.procs", dir) >= sizeof(path))
		errx(1, "%s: too long", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void enter(int fd)
{
	if (pwrite(fd, "0", 1, 0) != 1)
		err(1, "cgroup.procs");
}

int main(int argc, char **argv)
{
	int home = open_cgroup("/sys/fs/cgroup"), fd[16];
	size_t pages[16], bytes = 0;
	int i, nr = (argc - 1) / 2;
	char *p;

	if (nr < 1 || nr > 16)
		errx(2, "usage: touch_moving DIR PAGES...");
	for (i = 0; i < nr; i++) {
		fd[i] = open_cgroup(argv[1 + 2 * i]);
		pages[i] = strtoul(argv[2 + 2 * i], NULL, 10);
		bytes += pages[i] * PAGE;
	}
	if (mlockall(MCL_CURRENT))
		err(1, "mlockall");
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		err(1, "mmap");
	enter(home);
	for (i = 0; i < nr; i++) {
		enter(fd[i]);
		store(p, pages[i]);
		p += pages[i] * PAGE;
	}
	enter(home);
	return 0;
}
