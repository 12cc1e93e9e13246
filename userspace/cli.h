/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two mains share: messages, options, signals, waiting. */
#ifndef KTRC_CLI_H
#define KTRC_CLI_H

#include <argp.h>

#include "format/format.h"
#include "lib/error.h"

#define KTRC_DEFAULT_SESSION "default"

/** enum ktrc_compat - the tool whose output is printed instead of a view's own */
enum ktrc_compat {
	KTRC_COMPAT_NONE,
	KTRC_COMPAT_COMPACTSNOOP,
	KTRC_COMPAT_DRSNOOP,
};

/**
 * struct ktrc_cli - options that several commands have
 * @session: --session
 * @save: --save, or NULL
 * @format: --format
 * @compat: --compat
 * @color: --color: 0 never, 1 always, -1 when standard output is a terminal
 * @out: where and how to print
 * @max_loss: --max-loss; NULL: any loss is fine
 * @max_loss_value: what it points to
 * @is_quiet: -q
 * @with_zones: --zones
 * @has_markdown: --format=markdown is possible
 */
struct ktrc_cli {
	const char *session;
	const char *save;
	enum ktrc_output_format format;
	enum ktrc_compat compat;
	int color;
	struct ktrc_output out;
	const u64 *max_loss;
	u64 max_loss_value;
	bool is_quiet;
	bool with_zones;
	bool has_markdown;
};

/** ktrc_cli_init() - the first of all: signals; what is printed is got out whoever exits */
void ktrc_cli_init(void);

/** ktrc_cli_begin() - defaults of the options, and exit codes of argp */
void ktrc_cli_begin(struct ktrc_cli *cli);

/**
 * ktrc_cli_flush() - get out what was printed
 *
 * errno is as the first print that failed left it.  ktrc_cli_finish() does not tell
 * a failure again.
 */
int ktrc_cli_flush(struct ktrc_error *err);

/** ktrc_cli_finish() - flush standard output; a closed pipe is no failure */
int ktrc_cli_finish(int code);

/**
 * ktrc_cli_parse() - argp_parse() that names the nearest option to an unknown one
 *
 * Prints and exits on a usage error, on --help and on --version.
 */
void ktrc_cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* The options themselves: ktrc_cli_option() handles those an argp table lists. */
enum {
	KTRC_OPT_SESSION = 's',
	KTRC_OPT_FORMAT = 'o',
	KTRC_OPT_TOP = 'n',
	KTRC_OPT_QUIET = 'q',
	KTRC_OPT_SAVE = 0x100,
	KTRC_OPT_COLOR,
	KTRC_OPT_NO_HEADER,
	KTRC_OPT_MAX_LOSS,
	KTRC_OPT_FAIL_ON_LOSS,
	KTRC_OPT_OWN, /* the first number for a command's own options */
};
#define KTRC_ARGP_SESSION                                                               \
	{                                                                               \
		"session", KTRC_OPT_SESSION, "NAME", 0, "session (default: default)", 0 \
	}
#define KTRC_ARGP_FORMAT                                                               \
	{                                                                              \
		"format", KTRC_OPT_FORMAT, "FMT", 0, "text (default), json, ndjson", 0 \
	}
#define KTRC_ARGP_SUMMARY_FORMAT                                                     \
	{                                                                            \
		"format", KTRC_OPT_FORMAT, "FMT", 0,                                 \
			"text (default), json, ndjson; the summary also markdown", 0 \
	}
#define KTRC_ARGP_SAVE                                                                \
	{                                                                             \
		"save", KTRC_OPT_SAVE, "DIR", 0, "save the records as a CTF trace", 0 \
	}
#define KTRC_ARGP_COLOR                                                                \
	{                                                                              \
		"color", KTRC_OPT_COLOR, "WHEN", 0, "auto (default), always, never", 0 \
	}
#define KTRC_ARGP_NO_HEADER                                                \
	{                                                                  \
		"no-header", KTRC_OPT_NO_HEADER, NULL, 0, "no headings", 0 \
	}
#define KTRC_ARGP_TOP                                                           \
	{                                                                       \
		"top", KTRC_OPT_TOP, "N", 0, "at most N rows (default: all)", 0 \
	}
#define KTRC_ARGP_QUIET                                                     \
	{                                                                   \
		"quiet", KTRC_OPT_QUIET, NULL, 0, "no progress or notes", 0 \
	}
#define KTRC_ARGP_MAX_LOSS                                                               \
	{                                                                                \
		"max-loss", KTRC_OPT_MAX_LOSS, "N", 0, "exit with 6 if more was lost", 0 \
	}
#define KTRC_ARGP_FAIL_ON_LOSS                                                                \
	{                                                                                     \
		"fail-on-loss", KTRC_OPT_FAIL_ON_LOSS, NULL, 0, "the same as --max-loss=0", 0 \
	}

/** ktrc_cli_option() - handle one of them; ARGP_ERR_UNKNOWN if @key is another */
error_t ktrc_cli_option(int key, char *arg, struct argp_state *state, struct ktrc_cli *cli);

/** ktrc_cli_error() - print what failed and what to do; returns the exit code */
int ktrc_cli_error(const struct ktrc_error *err);

/** ktrc_cli_unknown() - a word is none of @words: name the nearest, or all; exits with 2 */
void ktrc_cli_unknown(const char *what, const char *argument, const char *const *words,
		      size_t nr_words) __attribute__((noreturn));

/** ktrc_cli_usage() - any other usage error of the command being parsed; exits with 2 */
void ktrc_cli_usage(const struct argp_state *state, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/** ktrc_cli_note() - something worth knowing, on standard error, unless -q */
void ktrc_cli_note(const struct ktrc_cli *cli, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** ktrc_cli_catch_signals() - from now on SIGINT and SIGTERM end waiting; a second SIGINT
 * within two seconds aborts
 */
void ktrc_cli_catch_signals(void);

/** ktrc_cli_release_signals() - they end the process again */
void ktrc_cli_release_signals(void);

/** ktrc_cli_set_saving() - while it saves, an abort only is noted, so that it can tidy up */
void ktrc_cli_set_saving(bool saving);

/** ktrc_cli_is_aborted() - one was noted */
bool ktrc_cli_is_aborted(void);

/** ktrc_cli_is_interrupted() - one has come */
bool ktrc_cli_is_interrupted(void);

/** ktrc_cli_sleep() - until the time is over, or a signal comes */
void ktrc_cli_sleep(u64 ns);

#endif
