// SPDX-License-Identifier: GPL-2.0
/*
 * touch_both MODE PAGES: stores to so many pages, says where, "PID FIRST_PAGE END_PAGE" as address >> 12, and waits for
 * a line. Then two threads, each on a CPU of its own, touch each page at once. Says of each
 * thread "TID MINOR MAJOR": the faults of these touches, as the kernel counts them for it. All else of its memory is
 * locked.
 *   load   both load
 *   store  both store
 *   mixed  one loads and the other one stores, by turns, what a child has as well
 */
#define _GNU_SOURCE
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_on.h"
#include "touch.h"

#define NR_THREADS 2

struct toucher {
	pthread_t thread;
	int nr; /* its CPU too */
	pid_t tid;
	long minor;
	long major;
};

static const char *mode;
static char *area;
static size_t pages;
static atomic_ulong nr_arrived;

/* until all are there for the nth time */
static void meet(size_t nth)
{
	atomic_fetch_add(&nr_arrived, 1);
	while (atomic_load(&nr_arrived) < nth * NR_THREADS)
		;
}

static int stores(const struct toucher *t, size_t page)
{
	return strcmp(mode, "mixed") ? !strcmp(mode, "store") : (t->nr + page) % NR_THREADS;
}

static void *touch_all(void *arg)
{
	struct toucher *t = arg;
	struct rusage before, after;
	size_t i;

	run_on(t->nr);
	t->tid = gettid();
	for (i = 0; i < pages; i++) {
		getrusage(RUSAGE_THREAD, &before);
		meet(i + 1);
		if (stores(t, i))
			store(area + i * PAGE, 1);
		else
			load(area + i * PAGE, 1);
		getrusage(RUSAGE_THREAD, &after);
		t->minor += after.ru_minflt - before.ru_minflt;
		t->major += after.ru_majflt - before.ru_majflt;
	}
	return NULL;
}

static void touch_at_once(void)
{
	struct toucher touchers[NR_THREADS] = { { .nr = 0 }, { .nr = 1 } };
	int i;

	for (i = 0; i < NR_THREADS; i++)
		if (pthread_create(&touchers[i].thread, NULL, touch_all, &touchers[i]))
			errx(1, "pthread_create");
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(touchers[i].thread, NULL);
	for (i = 0; i < NR_THREADS; i++)
		printf("%d %ld %ld\n", touchers[i].tid, touchers[i].minor, touchers[i].major);
}

int main(int argc, char **argv)
{
	pid_t child = 0;

	mode = argv[1];
	pages = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	if (!pages || (strcmp(mode, "load") && strcmp(mode, "store") && strcmp(mode, "mixed")))
		errx(2, "usage: touch_both load|store|mixed PAGES");
	run_on(0); /* what another CPU has not handed on yet cannot be swapped out */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		err(1, "mlockall");
	area = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || madvise(area, pages * PAGE, MADV_NOHUGEPAGE) ||
	    munlock(area, pages * PAGE))
		err(1, "mmap");
	store(area, pages);
	printf("%d %lu %lu\n", getpid(), (unsigned long)area / PAGE,
	       (unsigned long)area / PAGE + pages);
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	if (!strcmp(mode, "mixed")) {
		child = fork();
		if (!child)
			pause();
	}
	touch_at_once();
	if (child) {
		kill(child, SIGKILL);
		wait(NULL);
	}
	return 0;
}
