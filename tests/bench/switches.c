// SPDX-License-Identifier: GPL-2.0
/*
 * switches PASSES: two processes wake each other in turn, and what one turn costs is printed: a
 * wake-up, a switch and the system calls for it.
 *
 * On one CPU on which an instruction takes a nanosecond, time counts instructions.
 * Output: the median of the passes, turns of all passes, and the slowest less the fastest.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "passes.h"

#define NR_ROUNDS 10000

static void wake(int fd)
{
	if (write(fd, "", 1) != 1)
		fail("write");
}

/* whether somebody woke us; else the other end is gone */
static int wait_at(int fd)
{
	char byte;

	return read(fd, &byte, 1) == 1;
}

static void answer(int from, int to)
{
	while (wait_at(from))
		wake(to);
	exit(0);
}

static double pass(int from, int to)
{
	long long begin = clock_ns(CLOCK_MONOTONIC);

	for (int i = 0; i < NR_ROUNDS; i++) {
		wake(to);
		if (!wait_at(from))
			fail("read");
	}
	return (double)(clock_ns(CLOCK_MONOTONIC) - begin) / (2 * NR_ROUNDS);
}

int main(int argc, char **argv)
{
	int passes = argc == 2 ? atoi(argv[1]) : 0, there[2], back[2];
	double cost[MAX_PASSES];
	pid_t pid;

	if (passes < 1 || passes > MAX_PASSES) {
		fprintf(stderr, "usage: switches PASSES (1-%d)\n", MAX_PASSES);
		return 2;
	}
	if (pipe(there) || pipe(back))
		fail("pipe");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		close(there[1]);
		answer(there[0], back[1]);
	}
	for (int i = 0; i < passes; i++)
		cost[i] = pass(back[0], there[1]);
	close(there[1]);
	waitpid(pid, NULL, 0);
	print_passes(cost, passes, passes * 2L * NR_ROUNDS);
	return 0;
}
