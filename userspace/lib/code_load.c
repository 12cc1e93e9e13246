// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of processes may be made to do harm, or be on a file system that does not answer: a child
 * with little memory and time looks at them.
 */
#include "code.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "json.h"

#define MAX_MEMORY (1ull << 30) /* more than the parent has */
#define MAX_CPU_S 20
#define MAX_WAIT_NS (60 * NSEC_PER_SEC)

/* What the parent holds, a session perhaps, does not outlive it for this one's sake. */
static void close_others(int fd)
{
	if (fd > STDERR_FILENO + 1)
		syscall(SYS_close_range, STDERR_FILENO + 1, fd - 1, 0);
	syscall(SYS_close_range, fd + 1, ~0u, 0);
}

/* What the parent has read it has as well. */
static u64 memory_now(void)
{
	__ktrc_file FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (!file || fscanf(file, "%llu", &pages) != 1)
		return 0;
	return pages * (u64)sysconf(_SC_PAGESIZE);
}

/* Says what it finds, as JSON, and ends. */
static void be_child(const struct ktrc_seen *seen, const struct ktrc_names *names, int fd)
{
	const u64 bytes = memory_now() + MAX_MEMORY;
	const struct rlimit memory = { bytes, bytes }, cpu = { MAX_CPU_S, MAX_CPU_S };
	const struct rlimit none = { 0, 0 };
	struct ktrc_code code = { 0 };
	json_t *document;

	close_others(fd);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (setrlimit(RLIMIT_AS, &memory) < 0 || setrlimit(RLIMIT_CPU, &cpu) < 0 ||
	    setrlimit(RLIMIT_CORE, &none) < 0 || setrlimit(RLIMIT_FSIZE, &none) < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || ktrc_code_look(&code, seen, names) < 0)
		_exit(1);
	document = ktrc_code_to_json(&code);
	_exit(document && json_dumpfd(document, fd, JSON_COMPACT) == 0 ? 0 : 1);
}

/* All that comes until the child has ended, or its time is over; NULL: nothing of use. */
static char *read_all(int fd, size_t *len)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	u64 end_ns = ktrc_now_ns(CLOCK_MONOTONIC) + MAX_WAIT_NS;
	s64 left_ms;
	char *text = NULL, *grown;
	size_t room = 0;
	ssize_t got = 1;

	while (got > 0) {
		if (*len == room) {
			room = room ? 2 * room : 1u << 16;
			grown = realloc(text, room);
			if (!grown)
				break;
			text = grown;
		}
		left_ms = (s64)(end_ns - ktrc_now_ns(CLOCK_MONOTONIC)) / (s64)NSEC_PER_MSEC;
		if (left_ms <= 0 || TEMP_FAILURE_RETRY(poll(&poll_fd, 1, (int)left_ms)) <= 0)
			break;
		got = TEMP_FAILURE_RETRY(read(fd, text + *len, room - *len));
		*len += got > 0 ? (size_t)got : 0;
	}
	if (got == 0)
		return text;
	free(text);
	return NULL;
}

/* What the child says; without it, or when it was stopped, there are no names. */
static int be_parent(struct ktrc_code *code, pid_t child, int fd)
{
	__ktrc_free char *text = NULL;
	__ktrc_json json_t *document = NULL;
	size_t len = 0;
	int status, ret;

	text = read_all(fd, &len);
	kill(child, SIGKILL); /* it has ended, or hangs */
	waitpid(child, &status, text ? 0 : WNOHANG);
	document = text ? json_loadb(text, len, 0, NULL) : NULL;
	ret = document ? ktrc_code_from_json(code, document) : 0;
	if (ret == 0)
		return 0;
	ktrc_code_release(code);
	return ret == -ENOMEM ? ret : 0;
}

int ktrc_code_load(struct ktrc_code *code, const struct ktrc_seen *seen,
		   const struct ktrc_names *names)
{
	int fds[2], ret = 0;
	pid_t child;

	if ((!seen->user.nr && !seen->copied.nr) || pipe2(fds, O_CLOEXEC) < 0)
		return 0;
	child = fork();
	if (child == 0)
		be_child(seen, names, fds[1]);
	close(fds[1]);
	if (child > 0)
		ret = be_parent(code, child, fds[0]);
	close(fds[0]);
	return ret;
}
