// SPDX-License-Identifier: GPL-2.0
/*
 * processes NR PROGRAM: NR children, one after the other, of which each makes a thread that runs
 * PROGRAM in place of all of it; that ends with a status of its own, or by a signal.  Prints for each "pid status" as
 * waitpid tells it.
 * processes end NUMBER: what PROGRAM is for.
 */
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *program, number[16];

static void *run(void *path)
{
	char *const argv[] = { path, "end", number, NULL };

	execv(path, argv);
	_exit(127);
}

static void child(int i)
{
	pthread_t thread;

	snprintf(number, sizeof(number), "%d", i);
	if (pthread_create(&thread, NULL, run, program))
		_exit(126);
	for (;;)
		pause();
}

static int end(int i)
{
	if (i % 10 == 3)
		kill(getpid(), SIGTERM);
	return i % 251;
}

int main(int argc, char **argv)
{
	int status;

	if (argc == 3 && strcmp(argv[1], "end") == 0)
		return end(atoi(argv[2]));
	if (argc != 3)
		errx(2, "NR PROGRAM, or end NUMBER");
	program = argv[2];
	for (int i = 0; i < atoi(argv[1]); i++) {
		pid_t pid = fork();

		if (pid == 0)
			child(i);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			err(1, "fork");
		printf("%d %d\n", pid, status);
		fflush(stdout);
	}
	return 0;
}
