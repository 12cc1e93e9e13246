// SPDX-License-Identifier: GPL-2.0-or-later
/* Command line, messages, signals. */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/number.h"
#include "lib/suggest.h"

#define ABORT_WITHIN_NS (2 * NSEC_PER_SEC)

const char *argp_program_version = "ktrc " KTRC_VERSION;

static volatile sig_atomic_t interrupted, aborted, is_saving;

static bool output_is_closed;

/* argp prints its help and exits by itself. */
static void close_output(void)
{
	int code = output_is_closed ? 0 : ktrc_cli_finish(0);

	if (code)
		_exit(code);
}

/* Its default ends the process without a word; a write then fails, and is told. */
static void on_file_limit(int number)
{
	(void)number;
}

void ktrc_cli_init(void)
{
	int fd;

	/* nothing that is opened later becomes a standard stream, and gets what is printed */
	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	close(fd);
	signal(SIGPIPE, SIG_DFL);
	/* a command that is run gets the default again, as of any handler */
	if (signal(SIGXFSZ, on_file_limit) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
	atexit(close_output);
}

void ktrc_cli_begin(struct ktrc_cli *cli)
{
	const char *no_color = getenv("NO_COLOR");

	argp_err_exit_status = KTRC_EXIT_USAGE;
	*cli = (struct ktrc_cli){
		.session = KTRC_DEFAULT_SESSION,
		.color = no_color && *no_color ? 0 : -1,
		.out = { .file = stdout, .has_header = true },
	};
}

static bool output_failed; /* and somebody said so */

int ktrc_cli_flush(struct ktrc_error *err)
{
	if (!ferror(stdout) && fflush(stdout) == 0)
		return 0;
	output_failed = true;
	return ktrc_fail(err, errno ? errno : EIO, "standard output: cannot write");
}

int ktrc_cli_finish(int code)
{
	bool failed = ferror(stdout);
	struct ktrc_error err;
	int errnum;

	output_is_closed = true;
	/* the stream has forgotten why: what could not be written then cannot be now */
	if (failed && !output_failed)
		putchar('\n');
	errnum = fclose(stdout) < 0 ? errno : 0;
	if (output_failed || (!errnum && !failed) || errnum == EPIPE)
		return code;
	if (errnum)
		ktrc_fail(&err, errnum, "standard output: cannot write");
	else
		ktrc_fail_as(&err, EIO, KTRC_EXIT_FAILED,
			     "standard output: something could not be written");
	ktrc_cli_error(&err);
	return KTRC_EXIT_FAILED;
}

int ktrc_cli_error(const struct ktrc_error *err)
{
	fflush(stdout);
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, err->text);
	if (err->hint[0])
		fprintf(stderr, "hint: %s\n", err->hint);
	return err->code;
}

void ktrc_cli_note(const struct ktrc_cli *cli, const char *fmt, ...)
{
	va_list ap;

	if (cli->is_quiet)
		return;
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	putc('\n', stderr);
}

void ktrc_cli_unknown(const char *what, const char *argument, const char *const *words,
		      size_t nr_words)
{
	struct ktrc_suggestion near = { .typed = argument };

	for (size_t i = 0; i < nr_words; i++)
		ktrc_suggest(&near, words[i]);
	fprintf(stderr, "%s: unknown %s \"%s\"\n", program_invocation_short_name, what, argument);
	if (near.best) {
		fprintf(stderr, "hint: did you mean \"%s\"?\n", near.best);
	} else {
		fputs("hint: it is one of", stderr);
		for (size_t i = 0; i < nr_words; i++)
			fprintf(stderr, " %s", words[i]);
		putc('\n', stderr);
	}
	exit(KTRC_EXIT_USAGE);
}

void ktrc_cli_usage(const struct argp_state *state, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", state->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nhint: %s --help\n", state->name);
	exit(KTRC_EXIT_USAGE);
}

#define MAX_OPTIONS 40

/* What a command understands, as it is typed: "--save", "-s". */
struct option_names {
	const char *words[2 * MAX_OPTIONS];
	char room[2 * MAX_OPTIONS][24];
	size_t nr;
};

static void add_name(struct option_names *names, const char *dashes, const char *name, size_t len)
{
	if (names->nr == ARRAY_SIZE(names->words))
		return;
	snprintf(names->room[names->nr], sizeof(names->room[0]), "%s%.*s", dashes, (int)len, name);
	names->words[names->nr] = names->room[names->nr];
	names->nr++;
}

static void collect_names(const struct argp *argp, struct option_names *names)
{
	static const char *const added[] = { "help", "usage", "version" };

	names->nr = 0;
	for (size_t i = 0; i < ARRAY_SIZE(added); i++)
		add_name(names, "--", added[i], strlen(added[i]));
	add_name(names, "-", "?", 1);
	add_name(names, "-", "V", 1);
	for (const struct argp_option *o = argp->options; o && o->name; o++) {
		char key = (char)o->key;

		add_name(names, "--", o->name, strlen(o->name));
		if (o->key < 0x80)
			add_name(names, "-", &key, 1);
	}
}

/* Whether the first @len bytes of @typed are an option, or the unique beginning of a long one. */
static bool is_option(const struct option_names *names, const char *typed, size_t len)
{
	size_t matches = 0;

	for (size_t i = 0; i < names->nr; i++) {
		if (strncmp(names->words[i], typed, len) != 0)
			continue;
		if (names->words[i][len] == '\0')
			return true;
		matches += len > 2;
	}
	return matches == 1;
}

static bool takes_argument(const struct argp *argp, const char *typed, size_t len)
{
	for (const struct argp_option *o = argp->options; o && o->name; o++)
		if (typed[1] == '-' ? strncmp(o->name, typed + 2, len - 2) == 0 :
				      o->key == typed[1])
			return o->arg;
	return false;
}

/* @value: what stands behind it in its own word, or NULL; returns whether the next word is one */
static bool check_argument(const struct argp *argp, const char *typed, size_t len,
			   const char *value, bool is_last)
{
	bool takes = takes_argument(argp, typed, len);

	if (takes ? value || !is_last : !value)
		return takes && !value;
	fprintf(stderr, "%s: option \"%.*s\" %s an argument\nhint: %s --help\n",
		program_invocation_short_name, (int)len, typed,
		takes ? "requires" : "does not take", program_invocation_short_name);
	exit(KTRC_EXIT_USAGE);
}

static bool check_long(const struct argp *argp, const struct option_names *names, char *word,
		       bool is_last)
{
	size_t len = strcspn(word, "=");
	const char *value = word[len] ? word + len + 1 : NULL;

	if (is_option(names, word, len))
		return check_argument(argp, word, len, value, is_last);
	word[len] = '\0';
	ktrc_cli_unknown("option", word, names->words, names->nr);
}

/* Several may share a word; one that takes an argument has the rest of it. */
static bool check_short(const struct argp *argp, const struct option_names *names, const char *word,
			bool is_last)
{
	for (size_t i = 1; word[i]; i++) {
		const char option[] = { '-', word[i], '\0' };

		if (!is_option(names, option, 2))
			ktrc_cli_unknown("option", option, names->words, names->nr);
		if (takes_argument(argp, option, 2))
			return check_argument(argp, option, 2, word[i + 1] ? &word[i + 1] : NULL,
					      is_last);
	}
	return false;
}

/* argp would refuse the same, but in other words and without naming the nearest. */
static void check_options(const struct argp *argp, int argc, char **argv)
{
	struct option_names names;
	bool is_value = false;

	collect_names(argp, &names);
	for (int i = 1; i < argc && (is_value || strcmp(argv[i], "--") != 0); i++) {
		bool is_last = i + 1 == argc;

		if (is_value || argv[i][0] != '-' || !argv[i][1])
			is_value = false;
		else if (argv[i][1] == '-')
			is_value = check_long(argp, &names, argv[i], is_last);
		else
			is_value = check_short(argp, &names, argv[i], is_last);
	}
}

void ktrc_cli_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	error_t ret;

	check_options(argp, argc, argv);
	ret = argp_parse(argp, argc, argv, 0, NULL, input);
	if (ret == 0)
		return;
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, strerror(ret));
	exit(KTRC_EXIT_USAGE);
}

/* One of a few words, by its place; a usage error if it is none of them. */
static int word_index(const char *what, const char *arg, const char *const *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (strcmp(words[i], arg) == 0)
			return (int)i;
	ktrc_cli_unknown(what, arg, words, nr);
}

static u64 parse_number(const struct argp_state *state, const char *option, const char *arg)
{
	u64 number;

	if (!ktrc_parse_number(arg, ~0ull, &number))
		ktrc_cli_usage(state, "%s: \"%s\" is not a number", option, arg);
	return number;
}

static bool is_session_name(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_.-", name[i]))
			return false;
	return len > 0 && len < KTRC_NAME_LEN;
}

error_t ktrc_cli_option(int key, char *arg, struct argp_state *state, struct ktrc_cli *cli)
{
	static const char *const formats[] = { "text", "json", "ndjson", "markdown" };
	static const char *const colors[] = { "never", "always", "auto" };

	switch (key) {
	case KTRC_OPT_SESSION:
		if (!is_session_name(arg))
			ktrc_cli_usage(state, "--session: \"%s\" is not 1 to %d of A-Za-z0-9_.-",
				       arg, KTRC_NAME_LEN - 1);
		cli->session = arg;
		return 0;
	case KTRC_OPT_SAVE:
		if (!*arg)
			ktrc_cli_usage(state, "--save: a directory's name is missing");
		cli->save = arg;
		return 0;
	case KTRC_OPT_FORMAT:
		if (strcmp(arg, "markdown") == 0 && !cli->has_markdown)
			ktrc_cli_usage(state, "--format=markdown is for the summary only");
		cli->format = (enum ktrc_output_format)word_index(
			"format", arg, formats, ARRAY_SIZE(formats) - !cli->has_markdown);
		return 0;
	case KTRC_OPT_COLOR:
		cli->color = word_index("colour mode", arg, colors, ARRAY_SIZE(colors));
		return 0;
	case KTRC_OPT_NO_HEADER:
		cli->out.has_header = false;
		return 0;
	case KTRC_OPT_TOP:
		cli->out.top = parse_number(state, "--top", arg);
		return 0;
	case KTRC_OPT_QUIET:
		cli->is_quiet = true;
		return 0;
	case KTRC_OPT_MAX_LOSS:
		cli->max_loss_value = parse_number(state, "--max-loss", arg);
		cli->max_loss = &cli->max_loss_value;
		return 0;
	case KTRC_OPT_FAIL_ON_LOSS:
		cli->max_loss_value = 0;
		cli->max_loss = &cli->max_loss_value;
		return 0;
	case ARGP_KEY_FINI:
		cli->out.has_color = cli->color == 1 || (cli->color != 0 && isatty(STDOUT_FILENO));
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void on_signal(int number)
{
	static u64 first_ns;

	if (number == SIGINT && interrupted &&
	    ktrc_now_ns(CLOCK_MONOTONIC) - first_ns < ABORT_WITHIN_NS) {
		if (!is_saving)
			_exit(KTRC_EXIT_ABORTED);
		aborted = 1;
	}
	first_ns = ktrc_now_ns(CLOCK_MONOTONIC);
	interrupted = 1;
}

void ktrc_cli_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

void ktrc_cli_release_signals(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

void ktrc_cli_set_saving(bool saving)
{
	is_saving = saving;
}

bool ktrc_cli_is_aborted(void)
{
	return aborted;
}

bool ktrc_cli_is_interrupted(void)
{
	return interrupted;
}

void ktrc_cli_sleep(u64 ns)
{
	struct timespec left = { (time_t)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC) };

	/* a signal between the check and the sleep costs one wait: callers wait in short steps */
	if (!interrupted)
		nanosleep(&left, NULL);
}
