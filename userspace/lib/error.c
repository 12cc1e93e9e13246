// SPDX-License-Identifier: GPL-2.0-or-later
/* Filling in a struct ktrc_error. */
#include "error.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the control character that @text begins with, in ASCII or UTF-8; 0: it is none. */
static size_t control_bytes(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;

	if (bytes[0] == 0xc2 && bytes[1] >= 0x80 && bytes[1] < 0xa0)
		return 2;
	return iscntrl(bytes[0]) != 0;
}

/* One line: what a file says may move the cursor. */
static void keep_to_one_line(char *text)
{
	for (size_t bytes; *text; text += bytes ? bytes : 1) {
		bytes = control_bytes(text);
		memset(text, '?', bytes);
	}
}

static void fill(struct ktrc_error *err, enum ktrc_exit code, const char *fmt, va_list ap)
{
	err->code = code;
	err->hint[0] = '\0';
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	keep_to_one_line(err->text);
}

/* What to do about it, wherever it happens. */
static const char *hint_of(int errnum)
{
	switch (errnum) {
	case ENOSPC:
	case EDQUOT:
		return "free some space there, or name a place that has more";
	case EFBIG:
		return "ulimit -f limits the size of a file: raise it";
	case EROFS:
		return "name a place that can be written";
	case EIO:
		return "dmesg may say more about the device";
	default:
		return "";
	}
}

int ktrc_fail(struct ktrc_error *err, int errnum, const char *fmt, ...)
{
	bool denied = errnum == EPERM || errnum == EACCES;
	size_t used;
	va_list ap;

	va_start(ap, fmt);
	fill(err, denied ? KTRC_EXIT_PERMISSION : KTRC_EXIT_FAILED, fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(errnum));
	ktrc_hint(err, "%s", hint_of(errnum));
	return -errnum;
}

int ktrc_fail_as(struct ktrc_error *err, int errnum, enum ktrc_exit code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, code, fmt, ap);
	va_end(ap);
	return -errnum;
}

void ktrc_hint(struct ktrc_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
}

void ktrc_fail_in(struct ktrc_error *err, const char *path)
{
	char text[sizeof(err->text)];

	strcpy(text, err->text);
	snprintf(err->text, sizeof(err->text), "%.199s/%.199s", path, text);
}
