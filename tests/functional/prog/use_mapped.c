// SPDX-License-Identifier: GPL-2.0
/*
 * use_mapped DIR NUMBER: so many files are made, mapped, closed, and at once used again: locked, leased,
 * run.  First they are opened for writing, then for reading, and locked in either way.  Prints how often each was
 * refused.
 * use_mapped secret NUMBER: maps memory that the kernel itself cannot see, filled, so often.
 */
#define _GNU_SOURCE /* F_SETLEASE */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096ul
#define SCRIPT "#!/bin/true\n"

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

static int locked, leased, busy;
static const struct flock read_lock = { .l_type = F_RDLCK }, write_lock = { .l_type = F_WRLCK };

static char *map(int fd, int prot)
{
	char *page = mmap(NULL, PAGE, prot, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		err(1, "mmap");
	return page;
}

static void make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);

	if (fd < 0 || write(fd, SCRIPT, strlen(SCRIPT)) != (ssize_t)strlen(SCRIPT) || close(fd))
		err(1, "%s", path);
}

static void run(const char *path)
{
	int status;
	pid_t pid;

	if (chmod(path, 0755))
		err(1, "%s", path);
	pid = fork();
	if (pid == 0) {
		execl(path, path, NULL);
		_exit(errno == ETXTBSY ? 99 : 98);
	}
	if (waitpid(pid, &status, 0) != pid || (status && WEXITSTATUS(status) != 99))
		errx(1, "%s: cannot be run", path);
	busy += status != 0;
}

static void use(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		err(1, "%s", path);
	locked += flock(fd, LOCK_EX | LOCK_NB) != 0;
	close(fd);
	fd = open(path, O_RDWR);
	if (fd < 0)
		err(1, "%s", path);
	locked += fcntl(fd, F_OFD_SETLK, &write_lock) != 0;
	close(fd);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(1, "%s", path);
	if (fcntl(fd, F_SETLEASE, F_RDLCK))
		leased++;
	close(fd);
	run(path);
}

/* each lock alone: any one keeps it from being held */
static void use_files(const char *dir, int nr, int flags, bool is_flock)
{
	char path[4096];
	int fd;

	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		make(path);
		fd = open(path, flags);
		if (fd < 0 ||
		    (flags == O_RDONLY &&
		     (is_flock ? flock(fd, LOCK_EX) : fcntl(fd, F_OFD_SETLK, &read_lock))))
			err(1, "%s", path);
		munmap(map(fd, PROT_READ), PAGE);
		close(fd);
		use(path);
		if (unlink(path))
			err(1, "%s", path);
	}
	printf("%d locked, %d leased, %d busy\n", locked, leased, busy);
}

/* its owner changes it, so that it is another file for whoever looks at when it was changed */
static void map_secret(void)
{
	int fd = (int)syscall(SYS_memfd_secret, 0);

	if (fd < 0 || ftruncate(fd, PAGE))
		err(1, "memfd_secret");
	memset(map(fd, PROT_READ | PROT_WRITE), 1, PAGE);
	usleep(10000);
	if (fchmod(fd, 0600))
		err(1, "fchmod");
	map(fd, PROT_READ | PROT_WRITE);
	usleep(10000);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		errx(2, "usage: use_mapped DIR|secret NUMBER");
	if (strcmp(argv[1], "secret") == 0) {
		for (int i = atoi(argv[2]); i > 0; i--)
			map_secret();
		return 0;
	}
	use_files(argv[1], atoi(argv[2]), O_RDWR, false);
	use_files(argv[1], atoi(argv[2]), O_RDONLY, true);
	use_files(argv[1], atoi(argv[2]), O_RDONLY, false);
	return 0;
}
