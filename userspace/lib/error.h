/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the library says when something fails: one sentence, one hint, one exit
 * code.  The library fills it in; only the mains print it.
 */
#ifndef KTRC_ERROR_H
#define KTRC_ERROR_H

/* what to do without the right, without the module, or with one of another ABI */
#define KTRC_HINT_RIGHTS "run it as root (sudo), or with CAP_PERFMON"
#define KTRC_HINT_LOAD "sudo modprobe ktrc    or, from a build tree,    sudo insmod ./ktrc.ko"
#define KTRC_HINT_ABI \
	"the module of this tool's release: sudo ktrc-ctl reset; sudo rmmod ktrc; sudo modprobe ktrc"

enum ktrc_exit {
	KTRC_EXIT_DONE = 0,
	KTRC_EXIT_FAILED = 1,
	KTRC_EXIT_USAGE = 2,
	KTRC_EXIT_NOTHING = 3, /* not recording, or nothing matched */
	KTRC_EXIT_PERMISSION = 4,
	KTRC_EXIT_UNAVAILABLE = 5, /* this kernel lacks the event or its hook */
	KTRC_EXIT_LOSS = 6, /* more lost than --max-loss */
	KTRC_EXIT_ABI = 7, /* module and tool do not fit */
	KTRC_EXIT_ABORTED = 130,
};

/**
 * struct ktrc_error - why an operation failed
 * @code: the exit code it deserves
 * @text: "on what: why", without the program's name
 * @hint: what to do next, "" if nothing can be advised
 */
struct ktrc_error {
	enum ktrc_exit code;
	char text[400];
	char hint[300];
};

/**
 * ktrc_fail() - an operation failed with an errno value
 * @err: filled in
 * @errnum: positive errno; EPERM and EACCES mean exit code 4, others 1; some have a hint
 * @fmt: on what; ": " and the errno's text are appended
 *
 * Return: -@errnum, so that a caller can return it at once.
 */
int ktrc_fail(struct ktrc_error *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * ktrc_fail_as() - an operation failed for a reason the caller can name
 * @err: filled in
 * @errnum: positive errno, for the caller's caller
 * @code: exit code
 * @fmt: the whole sentence
 *
 * Return: -@errnum.
 */
int ktrc_fail_as(struct ktrc_error *err, int errnum, enum ktrc_exit code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** ktrc_hint() - add what to do next to a failure */
void ktrc_hint(struct ktrc_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** ktrc_fail_in() - put where it is in front of what failed: "@path/" */
void ktrc_fail_in(struct ktrc_error *err, const char *path);

#endif
