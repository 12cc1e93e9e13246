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
#include <time.h>
#include <unistd.h>

#define NR_ROUNDS 10000
#define MAX_PASSES 101

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static long long now_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t))
		fail("clock_gettime");
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

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
	long long begin = now_ns();

	for (int i = 0; i < NR_ROUNDS; i++) {
		wake(to);
		if (!wait_at(from))
			fail("read");
	}
	return (double)(now_ns() - begin) / (2 * NR_ROUNDS);
}

static int by_value(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return (d > 0) - (d < 0);
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
	qsort(cost, (size_t)passes, sizeof(cost[0]), by_value);
	printf("%.2f %d %.2f\n", cost[passes / 2], passes * 2 * NR_ROUNDS,
	       cost[passes - 1] - cost[0]);
	return 0;
}
