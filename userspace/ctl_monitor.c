// SPDX-License-Identifier: GPL-2.0-or-later
/* monitor: what happens to sessions, a line each, until Ctrl-C. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

/* how soon it sees a signal that came between two waits, or that the module is gone */
#define WAIT_MS 500

static const char *const kind_names[] = {
	[KTRC_NOTICE_STARTED] = "started",
	[KTRC_NOTICE_STOPPED] = "stopped",
	[KTRC_NOTICE_LOSS] = "loss",
	[KTRC_NOTICE_GONE] = "gone",
};

static const char *kind_name(u32 kind)
{
	return kind < ARRAY_SIZE(kind_names) && kind_names[kind] ? kind_names[kind] : "unknown";
}

static void print_text(const struct ktrc_notice_message *message, FILE *file)
{
	char time[KTRC_TEXT_ROOM];

	fprintf(file, "%s  %s: %s", ktrc_text_stamp(ktrc_now_ns(CLOCK_REALTIME), time),
		message->session.name, kind_name(message->kind));
	if (message->kind == KTRC_NOTICE_STOPPED)
		fprintf(file, " (%s)", ktrc_word(&ktrc_stop_reasons, message->session.stop_reason));
	if (message->lost || message->kind == KTRC_NOTICE_LOSS)
		fprintf(file, ", %llu hits lost so far", message->lost);
	putc('\n', file);
}

static void print_ndjson(const struct ktrc_notice_message *message, const struct ktrc_output *out)
{
	u64 ns = ktrc_now_ns(CLOCK_REALTIME);
	char time[KTRC_TEXT_ROOM];
	json_t *object = json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:I}", "real_ns", (json_int_t)ns,
				   "time", ktrc_text_stamp(ns, time), "notice",
				   kind_name(message->kind), "session", message->session.name,
				   "state", ktrc_word(&ktrc_states, message->session.state),
				   "stop_reason",
				   ktrc_word(&ktrc_stop_reasons, message->session.stop_reason),
				   "lost", (json_int_t)message->lost);

	ktrc_print_json_line(object, out);
}

static void print(const struct ktrc_ctl_show *show, const struct ktrc_notice_message *message)
{
	FILE *file = show->cli.out.file;

	if (show->has_session && strcmp(show->cli.session, message->session.name) != 0)
		return;
	if (show->cli.format == KTRC_OUT_TEXT)
		print_text(message, file);
	else
		print_ndjson(message, &show->cli.out);
}

/* All that have come; 0, or a failure that is not only a gap. */
static int print_all(const struct ktrc_ctl_show *show, struct ktrc_notices *notices,
		     struct ktrc_error *err)
{
	struct ktrc_notice_message message;
	int ret;

	do {
		ret = ktrc_notices_next(notices, &message, err);
		if (ret > 0)
			print(show, &message);
		if (ret > 0 && ktrc_cli_flush(err) < 0)
			return -EIO;
		if (ret == -ENOBUFS)
			ktrc_cli_note(&show->cli, "too slow: some notices were dropped");
	} while (ret > 0 || ret == -ENOBUFS);
	return ret;
}

static int module_gone(struct ktrc_error *err)
{
	return ktrc_fail_as(err, ENODEV, KTRC_EXIT_NOTHING, "the module ktrc was unloaded");
}

/* Until a signal comes or nobody reads what is printed. */
static int watch(const struct ktrc_ctl_show *show, struct ktrc_notices *notices,
		 struct ktrc_error *err)
{
	int ret = 0;

	while (ret == 0 && !ktrc_cli_is_interrupted()) {
		struct pollfd fds[] = {
			{ .fd = ktrc_notices_fd(notices), .events = POLLIN },
			{ .fd = STDOUT_FILENO }, /* POLLERR: the other end of a pipe has gone */
		};

		poll(fds, ARRAY_SIZE(fds), WAIT_MS);
		ret = print_all(show, notices, err);
		if (fds[1].revents & POLLERR)
			return 0;
		if (ret == 0 && access("/sys/module/ktrc", F_OK) < 0)
			ret = module_gone(err);
	}
	return ret;
}

int ktrc_ctl_monitor(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "session", KTRC_OPT_SESSION, "NAME", 0, "one session (default: all)", 0 },
		{ "format", KTRC_OPT_FORMAT, "FMT", 0, "text (default), ndjson", 0 },
		KTRC_ARGP_QUIET,
		{ 0 },
	};
	static const char doc[] =
		"Print a line when a session starts, stops, loses hits or is deleted.\n\n"
		"  ktrc-ctl monitor\n"
		"  ktrc-ctl monitor --format=ndjson | jq 'select(.notice == \"loss\")'\v"
		"Ctrl-C ends it.";
	__ktrc_notices struct ktrc_notices *notices = NULL;
	__ktrc_nl struct ktrc_nl *nl = NULL;
	struct ktrc_ctl_show show;
	struct ktrc_error err;

	ktrc_ctl_parse_show(options, doc, argc, argv, &show);
	if (show.cli.format == KTRC_OUT_JSON) {
		ktrc_fail_as(&err, EINVAL, KTRC_EXIT_USAGE,
			     "--format: notices have no end, so they are no JSON document");
		ktrc_hint(&err, "--format=ndjson    is a document a line");
		return ktrc_cli_error(&err);
	}
	ktrc_cli_catch_signals();
	if (ktrc_nl_open(&nl, &err) < 0 || ktrc_notices_open(&notices, &err) < 0)
		return ktrc_cli_error(&err);
	ktrc_cli_note(&show.cli, "waiting for notices (Ctrl-C ends it)");
	if (watch(&show, notices, &err) < 0)
		return ktrc_cli_error(&err);
	return 0;
}
