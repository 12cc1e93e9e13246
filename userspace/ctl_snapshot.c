// SPDX-License-Identifier: GPL-2.0-or-later
/* snapshot: what a session holds now, as a trace; the session does not notice. */
#include "ctl.h"
#include "lib/cleanup.h"
#include "lib/trace.h"
#include "report.h"

struct snapshot {
	struct ktrc_cli cli;
	const char *directory;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct snapshot *snapshot = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (snapshot->directory)
			ktrc_cli_usage(state, "one DIR at a time, not also \"%s\"", arg);
		if (!*arg)
			ktrc_cli_usage(state, "DIR is empty");
		snapshot->directory = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!snapshot->directory)
			ktrc_cli_usage(state, "DIR, where the trace shall be, is missing");
		return 0;
	default:
		return ktrc_cli_option(key, arg, state, &snapshot->cli);
	}
}

static int take(const struct snapshot *snapshot, struct ktrc_error *err)
{
	__ktrc_capture struct ktrc_capture *capture = NULL;
	__ktrc_device struct ktrc_device *dev = NULL;
	__ktrc_nl struct ktrc_nl *nl = NULL;
	int ret;

	ret = ktrc_nl_open(&nl, err);
	if (ret == 0)
		ret = ktrc_trace_probe(snapshot->directory, err);
	if (ret == 0)
		ret = ktrc_device_open(snapshot->cli.session, 0, &dev, err);
	if (ret == 0)
		ret = ktrc_capture_live(nl, dev, true, &capture, err);
	if (ret < 0)
		return ret;
	ktrc_cli_set_saving(true);
	ret = ktrc_trace_save(snapshot->directory, capture, ktrc_cli_is_interrupted, err);
	if (ret == 0)
		ktrc_report_loss(capture, &snapshot->cli, false, 0);
	return ret;
}

int ktrc_ctl_snapshot(int argc, char **argv)
{
	static const struct argp_option options[] = { KTRC_ARGP_SESSION, KTRC_ARGP_QUIET, { 0 } };
	static const char doc[] =
		"Save what a session holds now; it goes on, and nothing is consumed.\n\n"
		"  ktrc-ctl snapshot DIR && ktrc-read DIR\n"
		"  ktrc-ctl snapshot /var/tmp/ktrc-$(date +%s) --session=web\v"
		"DIR must not exist; it appears when the trace is whole.";
	static const struct argp argp = { options, parse, "DIR", doc, NULL, NULL, NULL };
	struct snapshot snapshot = { 0 };
	struct ktrc_error err;

	ktrc_cli_begin(&snapshot.cli);
	ktrc_cli_parse(&argp, argc, argv, &snapshot);
	ktrc_cli_catch_signals();
	if (take(&snapshot, &err) < 0)
		return ktrc_cli_error(&err);
	ktrc_cli_note(&snapshot.cli, "session %s: saved to %s", snapshot.cli.session,
		      snapshot.directory);
	return 0;
}
