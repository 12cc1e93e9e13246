// SPDX-License-Identifier: GPL-2.0
/*
 * sampled NS COMMAND [ARGUMENT...]: runs it, and has the kernel follow its user stack each NS of its time on a CPU,
 * as perf does: in an interrupt, by frame pointers.  What that finds is thrown away.  Its exit status.
 */
#include <err.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 16 /* of samples, a power of two */

static void sample(pid_t pid, unsigned long long ns)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = ns,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.exclude_callchain_kernel = 1,
		.disabled = 1,
		.enable_on_exec = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	/* who cannot write there is not waited for: the oldest samples go */
	if (fd < 0 ||
	    mmap(NULL, (size_t)(1 + PAGES) * 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		err(1, "sampled: perf");
}

int main(int argc, char **argv)
{
	int go[2], status;
	char c = 0;
	pid_t pid;

	if (argc < 3)
		errx(2, "usage: sampled NS COMMAND [ARGUMENT...]");
	if (pipe(go) < 0)
		err(1, "sampled: pipe");
	pid = fork();
	if (pid < 0)
		err(1, "sampled: fork");
	if (pid == 0) {
		close(go[1]);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		close(go[0]);
		execvp(argv[2], argv + 2);
		err(1, "sampled: %s", argv[2]);
	}
	sample(pid, strtoull(argv[1], NULL, 10));
	if (write(go[1], &c, 1) != 1 || waitpid(pid, &status, 0) < 0)
		err(1, "sampled: %s", argv[2]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
