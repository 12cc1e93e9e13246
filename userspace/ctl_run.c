// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run: record for a time or while a command runs, print the summary, leave
 * nothing behind.  The session is bound to this process's file: whatever happens
 * to the process, the kernel deletes it.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/number.h"
#include "lib/trace.h"
#include "report.h"

#define STEP_NS 50000000ull

struct run {
	struct ktrc_ctl_request request;
	u64 duration_ns;
	char **command;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run *run = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (run->duration_ns)
			ktrc_cli_usage(state, "one DURATION at a time, not also \"%s\"", arg);
		if (!ktrc_parse_duration(arg, &run->duration_ns))
			ktrc_cli_usage(state,
				       "\"%s\" is no duration such as 10s, and a command "
				       "stands after --",
				       arg);
		return 0;
	case ARGP_KEY_END:
		if (!run->duration_ns && !run->command)
			ktrc_cli_usage(state, "a DURATION such as 10s, or -- COMMAND, is missing");
		if (run->duration_ns && run->command)
			ktrc_cli_usage(state, "a DURATION or a COMMAND, not both");
		return 0;
	default:
		return ktrc_ctl_option(key, arg, state, &run->request);
	}
}

/* Cuts "-- COMMAND" off the command line, so that its options stay its own. */
static int split_command(struct run *run, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		if (i + 1 < argc)
			run->command = &argv[i + 1];
		argv[i] = NULL;
		return i;
	}
	return argc;
}

/* Its own maximum time may end it before; what cannot be told is told when it is stopped. */
static bool is_recording(struct ktrc_device *dev)
{
	struct ktrc_error ignored;

	return ktrc_device_info(dev, &ignored) < 0 || dev->info.state == KTRC_STATE_RUNNING;
}

static void wait_for_time(const struct run *run, struct ktrc_device *dev)
{
	bool has_progress = isatty(STDERR_FILENO) && !run->request.cli.is_quiet;
	u64 start_ns = ktrc_now_ns(CLOCK_MONOTONIC), done_ns = 0, left_ns;

	while (done_ns < run->duration_ns && !ktrc_cli_is_interrupted() && is_recording(dev)) {
		left_ns = run->duration_ns - done_ns;
		if (has_progress)
			fprintf(stderr, "\rrecording, %llu s left (Ctrl-C stops early) ",
				(left_ns + NSEC_PER_SEC - 1) / NSEC_PER_SEC);
		ktrc_cli_sleep(left_ns < STEP_NS ? left_ns : STEP_NS);
		done_ns = ktrc_now_ns(CLOCK_MONOTONIC) - start_ns;
	}
	if (has_progress)
		fputs("\r\033[K", stderr);
}

/* The command's own exit code is only told; run succeeds when recording did. */
static int wait_for_command(const struct run *run, struct ktrc_error *err)
{
	pid_t child, ended = 0;
	int status = 0, errnum;

	errnum = posix_spawnp(&child, run->command[0], NULL, NULL, run->command, environ);
	if (errnum)
		return ktrc_fail(err, errnum, "%s: cannot run", run->command[0]);
	while (ended == 0 && !ktrc_cli_is_interrupted()) {
		ended = waitpid(child, &status, WNOHANG);
		if (ended == 0)
			ktrc_cli_sleep(STEP_NS / 5);
	}
	if (ended == 0)
		kill(child, SIGTERM);
	if (ended == child && status)
		ktrc_cli_note(&run->request.cli, "%s: ended with %s %d", run->command[0],
			      WIFEXITED(status) ? "exit code" : "signal",
			      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return 0;
}

/* From start to stop. */
static int record(struct run *run, struct ktrc_nl *nl, struct ktrc_device *dev,
		  struct ktrc_base *base, struct ktrc_error *err)
{
	struct ktrc_error unknown;
	int ret;

	base->start = ktrc_vmstat_read();
	ret = ktrc_device_start(dev, err);
	if (ret < 0)
		return ret;
	if (run->command)
		ret = wait_for_command(run, err);
	else
		wait_for_time(run, dev);
	if (ret < 0)
		return ret;
	if (run->request.cli.save)
		ktrc_capture_keep_mapped(nl, dev, &unknown); /* or it is not known */
	ret = ktrc_device_stop(dev, err);
	if (ret == 0)
		base->stop = ktrc_vmstat_read();
	return ret;
}

static int scan_quotas(const struct run *run, struct ktrc_quotas *quotas, struct ktrc_error *err)
{
	if (!ktrc_ctl_needs_quotas(&run->request) || ktrc_quotas_scan(quotas, true) == 0)
		return 0;
	return ktrc_fail(err, ENOMEM, "CPU quotas");
}

/* From a bound session to a capture of what it recorded, with the quotas that changed meanwhile. */
static int capture_run(struct run *run, struct ktrc_nl *nl, struct ktrc_device *dev,
		       struct ktrc_capture **capture, struct ktrc_error *err)
{
	KTRC_CLEANUP(ktrc_quotas_release) struct ktrc_quotas quotas = { 0 };
	struct ktrc_base base;
	int ret;

	ret = scan_quotas(run, &quotas, err);
	if (ret == 0)
		ret = record(run, nl, dev, &base, err);
	if (ret == 0)
		ret = scan_quotas(run, &quotas, err);
	if (ret == 0)
		ret = ktrc_capture_live(nl, dev, run->request.cli.save != NULL, capture, err);
	ktrc_capture_forget_mapped(dev->info.name);
	if (ret < 0)
		return ret;
	(*capture)->base = base;
	ktrc_quotas_release(&(*capture)->quotas);
	(*capture)->quotas = quotas;
	quotas = (struct ktrc_quotas){ 0 };
	return 0;
}

/* A session that dies with this process. */
static int make_bound(struct run *run, struct ktrc_nl *nl, struct ktrc_device **dev,
		      struct ktrc_error *err)
{
	int ret = ktrc_device_create(dev, err);

	if (ret == 0)
		ret = ktrc_ctl_make(nl, &run->request, KTRC_STATE_NEW, (*dev)->fd, err);
	return ret < 0 ? ret : ktrc_device_info(*dev, err);
}

static int run_and_report(struct run *run)
{
	__ktrc_capture struct ktrc_capture *capture = NULL;
	__ktrc_device struct ktrc_device *dev = NULL;
	__ktrc_nl struct ktrc_nl *nl = NULL;
	const char *save = run->request.cli.save;
	struct ktrc_error err;
	int saved = 0, shown;

	if (ktrc_ctl_connect(&nl, &err) < 0)
		return ktrc_cli_error(&err);
	ktrc_cli_catch_signals();
	if ((save && ktrc_trace_probe(save, &err) < 0) || make_bound(run, nl, &dev, &err) < 0 ||
	    capture_run(run, nl, dev, &capture, &err) < 0)
		return ktrc_cli_error(&err);
	capture->trace = "";
	ktrc_cli_set_saving(save);
	if (save && ktrc_trace_rescue(save, capture, ktrc_cli_is_aborted, &err) < 0) {
		/* the records end with this process: show at least what they amount to */
		saved = ktrc_cli_error(&err);
	} else if (save) {
		ktrc_cli_note(&run->request.cli, "saved to %s", save);
		capture->trace = save;
	}
	ktrc_cli_set_saving(false);
	if (ktrc_cli_is_aborted())
		return KTRC_EXIT_ABORTED;
	shown = ktrc_report(capture, KTRC_VIEW_SUMMARY, false, &run->request.cli);
	return saved ? saved : shown;
}

int ktrc_ctl_run(int argc, char **argv)
{
	static const struct argp_option options[] = {
		KTRC_ARGP_EVENTS,
		KTRC_ARGP_SAVE,
		KTRC_ARGP_SUMMARY_FORMAT,
		{ "session", KTRC_OPT_SESSION, "NAME", 0, "name while it runs (default: run)", 0 },
		KTRC_ARGP_MEMORY,
		KTRC_ARGP_WINDOW,
		KTRC_ARGP_PACKET,
		KTRC_ARGP_MAX_TIME,
		KTRC_ARGP_FILTERS,
		KTRC_ARGP_TOP,
		KTRC_ARGP_NO_HEADER,
		KTRC_ARGP_COLOR,
		KTRC_ARGP_QUIET,
		KTRC_ARGP_FAIL_ON_LOSS,
		KTRC_ARGP_MAX_LOSS,
		{ 0 },
	};
	static const char doc[] =
		"Record for a time, or while COMMAND runs, and print the summary.\n\n"
		"  ktrc-ctl run 10s\n"
		"  ktrc-ctl run --events=fault:major,reclaim --save=DIR -- make -j4\v"
		"Ctrl-C stops early and prints the summary; twice aborts.\n" KTRC_RULES_DOC;
	static const struct argp argp = { options, parse, "DURATION\n-- COMMAND [ARG...]",
					  doc,	   NULL,  NULL,
					  NULL };
	struct run run = { 0 };

	ktrc_ctl_request_init(&run.request);
	run.request.cli.session = "run";
	run.request.cli.has_markdown = true;
	argc = split_command(&run, argc, argv);
	ktrc_cli_parse(&argp, argc, argv, &run);
	return run_and_report(&run);
}
