// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

#define CASE_SECONDS 600 /* a case that takes longer hangs: the signal ends the program */

static _Thread_local char why[512];

const char *tap_why(const char *format, ...)
{
	char text[sizeof(why)]; /* an argument may be the last sentence */
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	strcpy(why, text);
	return why;
}

void tap_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int tap_run(const struct tap_case *cases, unsigned int nr)
{
	unsigned int i, failed = 0;

	for (i = 0; i < nr; i++) {
		double start = now_s();
		const char *wrong;

		alarm(CASE_SECONDS);
		wrong = cases[i].run();
		if (wrong) {
			failed++;
			printf("# %s\n", wrong);
		}
		printf("%s %u - %s # %.2f s\n", wrong ? "not ok" : "ok", i + 1, cases[i].name,
		       now_s() - start);
		fflush(stdout);
	}
	printf("1..%u\n%u passed, %u failed\n", nr, nr - failed, failed);
	return failed || !nr;
}
