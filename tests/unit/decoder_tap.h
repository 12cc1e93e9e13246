/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TAP for a program that is one case after the other: a line for each statement that has to hold. */
#ifndef KTRC_TESTS_UNIT_DECODER_TAP_H
#define KTRC_TESTS_UNIT_DECODER_TAP_H

#include <stdbool.h>
#include <stdio.h>

static int nr_tests, nr_failed;

static inline void ok(bool passed, const char *what)
{
	nr_tests++;
	nr_failed += !passed;
	printf("%sok %d - %s\n", passed ? "" : "not ", nr_tests, what);
}

/* the last line; main()'s exit status */
static inline int end_of_tests(void)
{
	printf("1..%d\n", nr_tests);
	return nr_failed > 0;
}

/* in the place of all tests; main()'s exit status, with which tap.sh skips it */
static inline int not_run(const char *why)
{
	printf("# %s\n", why);
	return 77;
}

#endif
