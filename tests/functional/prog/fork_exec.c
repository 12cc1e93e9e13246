// SPDX-License-Identifier: GPL-2.0
/*
 * fork_exec: maps the rings of session "default" as its consumer, then forks children that
 * look for the mapping, consume through the inherited file, and execute this program
 * again.  Exits with 0 when each saw what it should.
 */
#include <signal.h>
#include <sys/wait.h>

#include "ring.h"

static int wait_for(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		err(1, "child");
	return status;
}

/* the child's access is a fault that nothing serves */
static void child_has_no_mapping(const struct ring *ring)
{
	pid_t child = fork();
	int status;

	if (!child) {
		if (is_mapped())
			_exit(2);
		signal(SIGSEGV, SIG_DFL);
		_exit(ring_head(ring) ? 3 : 4);
	}
	status = wait_for(child);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
		errx(1, "a child reads the parent's mapping: status %#x", status);
}

static int consume(int fd, uint64_t position)
{
	struct ktrc_ioc_consume c = { .size = sizeof(c), .cpu = 0, .position = position };

	return ioctl(fd, KTRC_IOC_CONSUME, &c) ? errno : 0;
}

/* one open file is one consumer, whoever holds it; positions stay monotone */
static void child_is_the_same_consumer(const struct reader *r)
{
	uint64_t head = ring_head(&r->rings[0]);
	pid_t child = fork();

	if (!child)
		_exit(consume(r->fd, head));
	if (wait_for(child))
		errx(1, "a child cannot consume through the inherited file");
	if (consume(r->fd, head - 1) != EINVAL)
		errx(1, "the position ran back after the child's");
	if (r->rings[0].st->cons != head)
		errx(1, "the child's consumption is not seen");
}

/* without close-on-exec the file lives on in another program, which has no mapping */
static void executed(char *self, int fd)
{
	char number[16];
	pid_t child = fork();

	snprintf(number, sizeof(number), "%d", fd);
	if (!child) {
		fcntl(fd, F_SETFD, 0);
		execl(self, self, number, NULL);
		_exit(127);
	}
	if (wait_for(child))
		errx(1, "the executed program did not find what it should");
}

static int as_executed(int fd)
{
	struct ktrc_ioc_info info = { .size = sizeof(info) };
	struct reader r = { .fd = fd };

	if (is_mapped() || ioctl(fd, KTRC_IOC_INFO, &info))
		return 1;
	r.info = info;
	reader_map(&r);
	return !is_mapped() || !ring_head(&r.rings[0]);
}

int main(int argc, char **argv)
{
	struct reader r;

	if (argc > 1)
		return as_executed(atoi(argv[1]));
	reader_open(&r, "", KTRC_ATTACH_CONSUME);
	reader_map(&r);
	if (!is_mapped())
		errx(1, "no mapping");
	child_has_no_mapping(&r.rings[0]);
	child_is_the_same_consumer(&r);
	executed("/proc/self/exe", r.fd);
	return 0;
}
