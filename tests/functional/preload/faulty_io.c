// SPDX-License-Identifier: GPL-2.0
/*
 * LD_PRELOAD=faulty_io.so: what a tool does to files goes wrong, as KTRC_IO says:
 *   fail:N:ERRNO  the Nth call fails with this number
 *   fail:N:ERRNO:CALL  the Nth of this name does
 *   kill:N        SIGKILL in the middle of the Nth call
 *   short:N       a write gets rid of 1, 2, ... N bytes, and again
 *   eintr         calls that a signal may interrupt are, every second one
 *   ticks         a signal each millisecond, whose handler does not restart calls
 * Calls are those that make, write, bring to the disk, close and rename files and open directories, and "pread" where that
 * name is given, counted from 1.  KTRC_IO_HIT names a file that gets the name of the call that was hit.  What the tool
 * starts is left alone, and what it keeps beside sessions.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define MAX_FDS 1024
#define KTRC_RUN_DIR "/run/ktrc"

static enum { NOTHING, FAIL, KILL, SHORT, EINTR_OFTEN } plan;
static unsigned int nr_calls, which, errnum;
static char only[16]; /* the one name that counts, if any */
static bool is_ours[MAX_FDS]; /* file that the tool writes */
static const char *hit_file;

/* the real function of this name */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void on_tick(int number)
{
	(void)number;
}

static void tick(void)
{
	struct sigaction action = { .sa_handler = on_tick };
	struct itimerval each = { { 0, 1000 }, { 0, 1000 } };

	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &each, NULL))
		err(99, "faulty_io: ticks");
}

/* a child looks at other processes and their files: what fails there is left out */
static void leave_alone(void)
{
	plan = NOTHING;
}

__attribute__((constructor)) static void read_plan(void)
{
	const char *text = getenv("KTRC_IO");

	hit_file = getenv("KTRC_IO_HIT");
	if (!text)
		return;
	if (sscanf(text, "fail:%u:%u:%15s", &which, &errnum, only) >= 2)
		plan = FAIL;
	else if (sscanf(text, "kill:%u", &which) == 1)
		plan = KILL;
	else if (sscanf(text, "short:%u", &which) == 1)
		plan = SHORT;
	else if (!strcmp(text, "eintr"))
		plan = EINTR_OFTEN;
	else if (!strcmp(text, "ticks"))
		tick();
	else
		errx(99, "faulty_io: KTRC_IO=%s", text);
	unsetenv("LD_PRELOAD");
	if (pthread_atfork(NULL, NULL, leave_alone))
		errx(99, "faulty_io: atfork");
}

static void note_hit(const char *call)
{
	int fd = hit_file ? syscall(SYS_openat, AT_FDCWD, hit_file, O_WRONLY | O_CREAT, 0600) : -1;

	if (fd < 0 || syscall(SYS_write, fd, call, strlen(call)) < 0)
		err(99, "faulty_io: %s", hit_file ? hit_file : "KTRC_IO_HIT");
	syscall(SYS_close, fd);
}

/* Whether this call fails; errno is then what it fails with. */
static bool fails(const char *call, bool can_be_interrupted)
{
	if (plan == EINTR_OFTEN && can_be_interrupted && nr_calls++ % 2 == 0) {
		errno = EINTR;
		return true;
	}
	if ((plan != FAIL && plan != KILL) || (only[0] && strcmp(call, only)) ||
	    ++nr_calls != which)
		return false;
	note_hit(call);
	if (plan == KILL)
		raise(SIGKILL);
	errno = (int)errnum;
	return true;
}

/* The first half of what is written has got there before the process is killed. */
static size_t shortened(int fd, const void *bytes, size_t len)
{
	if (plan == KILL && nr_calls + 1 == which)
		syscall(SYS_write, fd, bytes, len / 2);
	if (plan != SHORT)
		return len;
	nr_calls = nr_calls % which + 1;
	return len < nr_calls ? len : nr_calls;
}

/* the directory of what is kept beside sessions, or in it */
static bool is_kept(int fd)
{
	char link[32], path[sizeof(KTRC_RUN_DIR) + 1] = "";
	size_t len = strlen(KTRC_RUN_DIR);

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return readlink(link, path, sizeof(path) - 1) > 0 && !strncmp(path, KTRC_RUN_DIR, len) &&
	       (!path[len] || path[len] == '/');
}

static bool is_file(int fd)
{
	return fd >= 0 && fd < MAX_FDS && is_ours[fd];
}

int openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;
	int fd;

	if (!(flags & O_CREAT)) /* of a directory, to write into it or to bring it to the disk */
		return (flags & O_DIRECTORY) && fails("open", true) ?
			       -1 :
			       REAL(openat)(dir, path, flags);
	va_start(ap, flags);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	if (is_kept(dir))
		return REAL(openat)(dir, path, flags, mode);
	if (fails("open", true))
		return -1;
	fd = REAL(openat)(dir, path, flags, mode);
	if (fd >= 0 && fd < MAX_FDS)
		is_ours[fd] = true;
	return fd;
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	if (!is_file(fd))
		return syscall(SYS_write, fd, bytes, len);
	len = shortened(fd, bytes, len);
	if (fails("write", true))
		return -1;
	return syscall(SYS_write, fd, bytes, len);
}

/* Nothing that writes reads so: it counts by its name alone. */
ssize_t pread(int fd, void *bytes, size_t len, off_t at)
{
	return !strcmp(only, "pread") && fails("pread", true) ? -1 :
								REAL(pread)(fd, bytes, len, at);
}

int fsync(int fd)
{
	return !is_kept(fd) && fails("fsync", true) ? -1 : REAL(fsync)(fd);
}

int ftruncate(int fd, off_t len)
{
	return !is_kept(fd) && fails("ftruncate", true) ? -1 : REAL(ftruncate)(fd, len);
}

int posix_fallocate(int fd, off_t offset, off_t len)
{
	return fails("fallocate", true) ? errno : REAL(posix_fallocate)(fd, offset, len);
}

/* A close that fails has closed. */
int close(int fd)
{
	bool failed = is_file(fd) && fails("close", true);
	int errnum_was = errno, ret = REAL(close)(fd);

	if (fd >= 0 && fd < MAX_FDS)
		is_ours[fd] = false;
	if (!failed)
		return ret;
	errno = errnum_was;
	return -1;
}

int mkdir(const char *path, mode_t mode)
{
	bool is_other = !strcmp(path, KTRC_RUN_DIR);

	return !is_other && fails("mkdir", false) ? -1 : REAL(mkdir)(path, mode);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
	return fails("mkdirat", false) ? -1 : REAL(mkdirat)(dir, path, mode);
}

int rename(const char *from, const char *to)
{
	return fails("rename", false) ? -1 : REAL(rename)(from, to);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	bool is_other = is_kept(from_dir);

	return !is_other && fails("renameat", false) ? -1 :
						       REAL(renameat)(from_dir, from, to_dir, to);
}
