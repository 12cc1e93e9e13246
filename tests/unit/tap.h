/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TAP for test programs: each case is a function that returns NULL, or what is wrong.
 * The observer takes its macros into the kernel too.
 */
#ifndef KTRC_TESTS_UNIT_TAP_H
#define KTRC_TESTS_UNIT_TAP_H

typedef const char *(*tap_case_fn)(void);

struct tap_case {
	const char *name;
	tap_case_fn run;
};

/**
 * tap_why() - a sentence for a failed case
 * @format: as in printf()
 *
 * Return: the sentence; valid until the thread makes another.
 */
const char *tap_why(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* a line of figures under the case at hand */
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* run all cases, print TAP and "N passed, N failed"; return main()'s exit status */
int tap_run(const struct tap_case *cases, unsigned int nr);

/* return from a case, or from a helper that passes it on, when @condition does not hold */
#define TAP_NEED(condition, ...)                     \
	do {                                         \
		if (!(condition))                    \
			return tap_why(__VA_ARGS__); \
	} while (0)

#define TAP_TRY(call)                      \
	do {                               \
		const char *why_ = (call); \
                                           \
		if (why_)                  \
			return why_;       \
	} while (0)

#endif /* KTRC_TESTS_UNIT_TAP_H */
