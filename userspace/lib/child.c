// SPDX-License-Identifier: GPL-2.0-or-later
/* A fork, which has all that it is asked about, and a pipe back. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"

#define MAX_MEMORY (1ull << 30) /* more than the parent has */
#define MAX_CPU_S 20
#define MAX_TEXT (1u << 28)
#define LOOK_MS 5 /* whether it is enough */

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

static bool is_limited(void)
{
	const u64 bytes = memory_now() + MAX_MEMORY;
	const struct rlimit memory = { bytes, bytes }, cpu = { MAX_CPU_S, MAX_CPU_S };
	const struct rlimit none = { 0, 0 };

	return setrlimit(RLIMIT_AS, &memory) == 0 && setrlimit(RLIMIT_CPU, &cpu) == 0 &&
	       setrlimit(RLIMIT_CORE, &none) == 0 && setrlimit(RLIMIT_FSIZE, &none) == 0 &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
}

static void be_child(int (*answer)(const void *question, FILE *out), const void *question, int fd)
{
	FILE *out;

	close_others(fd);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	out = is_limited() ? fdopen(fd, "w") : NULL;
	_exit(out && answer(question, out) == 0 && fflush(out) == 0 ? 0 : 1);
}

/* Waits until something comes; false: that is over. */
static bool await(int fd, const struct ktrc_patience *patience, u64 end_ns)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int got = 0;

	while (got == 0) {
		s64 left_ms = (s64)(end_ns - ktrc_now_ns(CLOCK_MONOTONIC)) / (s64)NSEC_PER_MSEC;

		if (left_ms <= 0 || (patience->is_over && patience->is_over(patience->data)))
			return false;
		if (patience->is_over && left_ms > LOOK_MS)
			left_ms = LOOK_MS;
		got = TEMP_FAILURE_RETRY(poll(&poll_fd, 1, (int)left_ms));
	}
	return got > 0;
}

/* What comes next, @room bytes at most; 0: the child has ended, -1: nobody waits any more. */
static ssize_t read_some(int fd, char *text, size_t room, const struct ktrc_patience *patience,
			 u64 end_ns)
{
	return await(fd, patience, end_ns) ? TEMP_FAILURE_RETRY(read(fd, text, room)) : -1;
}

/* All that comes; @has_ended: as it came to its end. */
static char *read_all(int fd, const struct ktrc_patience *patience, bool *has_ended)
{
	u64 end_ns = ktrc_now_ns(CLOCK_MONOTONIC) + patience->max_ns;
	size_t room = 1u << 16, len = 0;
	char *text = malloc(room), *grown;
	ssize_t got = 1;

	while (text && got > 0 && len < MAX_TEXT) {
		got = read_some(fd, text + len, room - len - 1, patience, end_ns);
		len += got > 0 ? (size_t)got : 0;
		if (len < room - 1)
			continue;
		grown = realloc(text, 2 * room);
		if (!grown)
			break;
		text = grown;
		room *= 2;
	}
	if (text)
		text[len] = '\0';
	*has_ended = got == 0;
	return text;
}

char *ktrc_child_ask(int (*answer)(const void *question, FILE *out), const void *question,
		     const struct ktrc_patience *patience)
{
	char *text = NULL;
	bool has_ended;
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return NULL;
	child = fork();
	if (child == 0)
		be_child(answer, question, fds[1]);
	close(fds[1]);
	if (child > 0) {
		text = read_all(fds[0], patience, &has_ended);
		kill(child, SIGKILL); /* it has ended, or hangs */
		waitpid(child, NULL, has_ended ? 0 : WNOHANG);
	}
	close(fds[0]);
	return text;
}
