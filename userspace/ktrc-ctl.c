// SPDX-License-Identifier: GPL-2.0-or-later
/* ktrc-ctl: start, stop and inspect recordings.  One verb, one function. */
#include <string.h>

#include "ctl.h"

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
} verbs[] = {
	{ "run", ktrc_ctl_run, "record for a time or a command, then print the summary" },
	{ "start", ktrc_ctl_start, "start recording and return" },
	{ "stop", ktrc_ctl_stop, "stop recording; the data stays readable" },
	{ "snapshot", ktrc_ctl_snapshot, "save what is recorded; recording goes on" },
	{ "status", ktrc_ctl_status, "what is recorded, how far back it reaches, what was lost" },
	{ "stats", ktrc_ctl_stats, "counters for each event and CPU, durations" },
	{ "monitor", ktrc_ctl_monitor, "tell of sessions that start, stop, lose or go" },
	{ "reset", ktrc_ctl_reset, "stop, and delete the session with its data" },
	{ "list", ktrc_ctl_list, "events, and whether this kernel can record them" },
	{ "doctor", ktrc_ctl_doctor, "why it does not work, and what to type next" },
};

static void print_help(FILE *file)
{
	fputs("Usage: ktrc-ctl VERB [OPTION...]\n"
	      "Record what the kernel does to a service.\n\n"
	      "  sudo ktrc-ctl run 10s                 record 10 s of page faults, then say why\n"
	      "  sudo ktrc-ctl run -- make -j4         the same while a command runs\n"
	      "  sudo ktrc-ctl start; sudo ktrc-read   a flight recorder, and what it holds\n\n",
	      file);
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		fprintf(file, "  %-8s %s\n", verbs[i].name, verbs[i].what);
	fputs("\nktrc-ctl VERB --help lists a verb's options.\n"
	      "Exit: 0 done, 1 failed, 2 usage, 3 not recording, 4 permission,\n"
	      "5 event unavailable, 6 loss above --max-loss, 7 wrong module, 130 aborted.\n",
	      file);
}

static error_t show_option(int key, char *arg, struct argp_state *state)
{
	struct ktrc_ctl_show *show = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		ktrc_cli_usage(state, "no argument \"%s\" is expected", arg);
	case KTRC_OPT_VERBOSE:
		show->is_verbose = true;
		return 0;
	case KTRC_OPT_SESSION:
		show->has_session = true;
		/* fall through */
	default:
		return ktrc_cli_option(key, arg, state, &show->cli);
	}
}

void ktrc_ctl_parse_show(const struct argp_option *options, const char *doc, int argc, char **argv,
			 struct ktrc_ctl_show *show)
{
	const struct argp argp = { options, show_option, NULL, doc, NULL, NULL, NULL };

	*show = (struct ktrc_ctl_show){ 0 };
	ktrc_cli_begin(&show->cli);
	ktrc_cli_parse(&argp, argc, argv, show);
}

const char *ktrc_ctl_avail_text(u32 avail)
{
	static const char *const names[] = { "available", "degraded", "unavailable" };

	return avail < ARRAY_SIZE(names) ? names[avail] : "unknown";
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	return NULL;
}

static void __attribute__((noreturn)) unknown_verb(const char *name)
{
	const char *names[ARRAY_SIZE(verbs)];

	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		names[i] = verbs[i].name;
	ktrc_cli_unknown("verb", name, names, ARRAY_SIZE(names));
}

static bool is_one_of(const char *arg, const char *a, const char *b)
{
	return strcmp(arg, a) == 0 || strcmp(arg, b) == 0;
}

int main(int argc, char **argv)
{
	static char help[] = "--help";
	const struct verb *verb;
	char name[32];

	ktrc_cli_init();
	if (argc < 2) {
		print_help(stderr);
		return KTRC_EXIT_USAGE;
	}
	if (is_one_of(argv[1], "--help", "-h") || (argc == 2 && strcmp(argv[1], "help") == 0)) {
		print_help(stdout);
		return ktrc_cli_finish(0);
	}
	if (is_one_of(argv[1], "--version", "-V")) {
		puts(argp_program_version);
		return ktrc_cli_finish(0);
	}
	if (strcmp(argv[1], "help") == 0) {
		/* "help VERB" is "VERB --help" */
		argv[1] = argv[2];
		argv[2] = help;
	}
	verb = find_verb(argv[1]);
	if (!verb)
		unknown_verb(argv[1]);
	snprintf(name, sizeof(name), "ktrc-ctl %s", verb->name);
	argv[1] = name;
	return ktrc_cli_finish(verb->run(argc - 1, argv + 1));
}
