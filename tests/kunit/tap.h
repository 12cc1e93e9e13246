/* SPDX-License-Identifier: GPL-2.0 */
/* The part of tests/unit/tap.h that the observer uses. */
#ifndef KTRC_TESTS_KUNIT_TAP_H
#define KTRC_TESTS_KUNIT_TAP_H

/**
 * tap_why() - a sentence for a failed case
 * @format: as in printf()
 *
 * Return: the sentence; valid until another is made.
 */
const char *tap_why(const char *format, ...) __printf(1, 2);

/* return from a helper when @condition does not hold */
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

#endif /* KTRC_TESTS_KUNIT_TAP_H */
