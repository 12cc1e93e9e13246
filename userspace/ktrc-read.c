// SPDX-License-Identifier: GPL-2.0-or-later
/* ktrc-read: show or save what a session has recorded, or what a saved trace holds. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/trace.h"
#include "read.h"

#define OPT_ALL 'a'
#define OPT_FOLLOW 'f'
#define OPT_ZONES 'z'
#define OPT_TIMESTAMP 'T'
#define OPT_COMPAT KTRC_OPT_OWN
#define OPT_STACKS (KTRC_OPT_OWN + 1)

static const char doc[] =
	"Show what a session has recorded, or what a saved TRACE holds.\n"
	"\n"
	"  ktrc-read                    summary: a verdict, then evidence\n"
	"  ktrc-read faults --top=10    page faults by process\n"
	"  ktrc-read reclaim            stalls in reclaim, kswapd\n"
	"  ktrc-read compaction --zones stalls in compaction, each with its zones\n"
	"  ktrc-read events | head      every record\n"
	"  ktrc-read check              do the books balance? against /proc/vmstat?\n"
	"  ktrc-read --save=DIR         copy the records to a CTF trace\n"
	"  ktrc-read faults DIR         a view of a saved trace\n"
	"\n"
	"VIEW is summary (default), faults, reclaim, compaction, frag, madvise,\n"
	"throttle, events or check.\v"
	"Exit: 0 done, 1 failed (check: unbalanced), 2 usage, 3 nothing recorded,\n"
	"4 permission, 6 loss above --max-loss, 7 wrong module, 130 aborted.";

static const struct argp_option options[] = {
	KTRC_ARGP_SESSION,
	KTRC_ARGP_SAVE,
	KTRC_ARGP_SUMMARY_FORMAT,
	{ "follow", OPT_FOLLOW, NULL, 0, "consume a stream session and show it as it comes", 0 },
	KTRC_ARGP_TOP,
	{ "all", OPT_ALL, NULL, 0, "events: show dictionary records as well", 0 },
	{ "compat", OPT_COMPAT, "TOOL", 0, "as it prints: drsnoop, compactsnoop", 0 },
	{ "timestamp", OPT_TIMESTAMP, NULL, 0, "with --compat: the column TIME(s)", 0 },
	{ "stacks", OPT_STACKS, NULL, 0, "events: show the call stacks of each", 0 },
	{ "zones", OPT_ZONES, NULL, 0, "compaction: each stall with its zones", 0 },
	KTRC_ARGP_NO_HEADER,
	KTRC_ARGP_COLOR,
	KTRC_ARGP_QUIET,
	KTRC_ARGP_FAIL_ON_LOSS,
	KTRC_ARGP_MAX_LOSS,
	{ 0 },
};

static const char *const view_names[] = {
	[KTRC_VIEW_SUMMARY] = "summary",   [KTRC_VIEW_FAULTS] = "faults",
	[KTRC_VIEW_RECLAIM] = "reclaim",   [KTRC_VIEW_COMPACTION] = "compaction",
	[KTRC_VIEW_FRAG] = "frag",	   [KTRC_VIEW_MADVISE] = "madvise",
	[KTRC_VIEW_THROTTLE] = "throttle", [KTRC_VIEW_EVENTS] = "events",
	[KTRC_VIEW_CHECK] = "check",
};

static bool find_view(const char *name, enum ktrc_view *view)
{
	for (size_t i = 0; i < ARRAY_SIZE(view_names); i++) {
		if (strcmp(view_names[i], name) != 0)
			continue;
		*view = (enum ktrc_view)i;
		return true;
	}
	return false;
}

/* The first argument is a view or a trace, the second a trace. */
static error_t take_argument(struct argp_state *state, char *arg, struct ktrc_read *read)
{
	if (state->arg_num == 0 && find_view(arg, &read->view)) {
		read->has_view = true;
		return 0;
	}
	if (read->trace)
		ktrc_cli_usage(state, "one TRACE at a time, not also \"%s\"", arg);
	if (!read->has_view && !strchr(arg, '/') && access(arg, F_OK) < 0)
		ktrc_cli_unknown("view", arg, view_names, ARRAY_SIZE(view_names));
	read->trace = arg;
	return 0;
}

static const char *const tool_names[] = {
	[KTRC_COMPAT_NONE] = "",
	[KTRC_COMPAT_COMPACTSNOOP] = "compactsnoop",
	[KTRC_COMPAT_DRSNOOP] = "drsnoop",
};

static void take_tool(const char *tool, struct ktrc_read *read)
{
	for (size_t i = 1; i < ARRAY_SIZE(tool_names); i++)
		if (strcmp(tool, tool_names[i]) == 0)
			read->cli.compat = i;
	if (!read->cli.compat)
		ktrc_cli_unknown("tool", tool, tool_names + 1, ARRAY_SIZE(tool_names) - 1);
}

/* Another tool's output is that of one view, and text. */
static void settle_tool(const struct argp_state *state, struct ktrc_read *read)
{
	static const enum ktrc_view views[] = {
		[KTRC_COMPAT_COMPACTSNOOP] = KTRC_VIEW_COMPACTION,
		[KTRC_COMPAT_DRSNOOP] = KTRC_VIEW_RECLAIM,
	};
	const char *tool = tool_names[read->cli.compat];
	enum ktrc_view view = views[read->cli.compat];

	if (!read->cli.compat && read->cli.out.has_timestamp)
		ktrc_cli_usage(state, "--timestamp is for --compat; views have times as they are");
	if (!read->cli.compat)
		return;
	if (read->has_view && read->view != view)
		ktrc_cli_usage(state, "--compat=%s is for the view %s", tool, view_names[view]);
	if (read->cli.format != KTRC_OUT_TEXT)
		ktrc_cli_usage(state, "--compat=%s prints text", tool);
	read->view = view;
	read->has_view = true;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct ktrc_read *read = state->input;

	switch (key) {
	case OPT_ALL:
		read->with_dictionary = true;
		return 0;
	case OPT_COMPAT:
		take_tool(arg, read);
		return 0;
	case OPT_TIMESTAMP:
		read->cli.out.has_timestamp = true;
		return 0;
	case OPT_STACKS:
		read->cli.out.has_stacks = true;
		return 0;
	case OPT_ZONES:
		read->cli.with_zones = true;
		return 0;
	case OPT_FOLLOW:
		read->follow = true;
		return 0;
	case ARGP_KEY_ARG:
		return take_argument(state, arg, read);
	case ARGP_KEY_END:
		settle_tool(state, read);
		if (read->cli.format == KTRC_OUT_MARKDOWN && read->view != KTRC_VIEW_SUMMARY)
			ktrc_cli_usage(state, "--format=markdown is for the summary only");
		if (read->trace && (read->follow || read->cli.save))
			ktrc_cli_usage(state,
				       "--follow and --save are for a session, not for a TRACE");
		if (read->follow && read->cli.save && read->has_view)
			ktrc_cli_usage(state,
				       "--follow shows a view, or saves with --save, not both");
		return 0;
	default:
		return ktrc_cli_option(key, arg, state, &read->cli);
	}
}

static int read_trace(struct ktrc_read *read)
{
	__ktrc_capture struct ktrc_capture *capture = NULL;
	struct ktrc_error err;

	if (ktrc_trace_open(read->trace, &capture, &err) < 0)
		return ktrc_cli_error(&err);
	capture->trace = read->trace;
	return ktrc_report(capture, read->view, read->with_dictionary, &read->cli);
}

/* Of an interrupted save nothing is left. */
static int save(struct ktrc_read *read, const struct ktrc_capture *capture)
{
	struct ktrc_error err;
	int ret;

	ktrc_cli_set_saving(true);
	ktrc_cli_catch_signals();
	ret = ktrc_trace_save(read->cli.save, capture, ktrc_cli_is_interrupted, &err);
	ktrc_cli_release_signals();
	if (ret < 0)
		return ktrc_cli_error(&err);
	ktrc_cli_note(&read->cli, "saved to %s", read->cli.save);
	return 0;
}

static int read_session(struct ktrc_read *read)
{
	__ktrc_capture struct ktrc_capture *capture = NULL;
	__ktrc_device struct ktrc_device *dev = NULL;
	__ktrc_nl struct ktrc_nl *nl = NULL;
	bool with_mapped = read->cli.save || read->view == KTRC_VIEW_FAULTS ||
			   read->cli.out.has_stacks;
	struct ktrc_error err;
	int code;

	if (ktrc_nl_open(&nl, &err) < 0 || ktrc_device_open(read->cli.session, 0, &dev, &err) < 0 ||
	    ktrc_capture_live(nl, dev, with_mapped, &capture, &err) < 0)
		return ktrc_cli_error(&err);
	if (!read->cli.save)
		return ktrc_report(capture, read->view, read->with_dictionary, &read->cli);
	/* what was saved is shown only when a view was asked for */
	code = save(read, capture);
	if (code || !read->has_view)
		return code ? code : ktrc_report_loss(capture, &read->cli, false, 0);
	return ktrc_report(capture, read->view, read->with_dictionary, &read->cli);
}

int main(int argc, char **argv)
{
	static const struct argp argp = { options, parse, "[VIEW] [TRACE]", doc, NULL, NULL, NULL };
	struct ktrc_read read = { .view = KTRC_VIEW_SUMMARY };
	int code;

	ktrc_cli_init();
	ktrc_cli_begin(&read.cli);
	read.cli.has_markdown = true;
	ktrc_cli_parse(&argp, argc, argv, &read);
	if (read.trace)
		code = read_trace(&read);
	else if (read.follow)
		code = ktrc_read_follow(&read);
	else
		code = read_session(&read);
	return ktrc_cli_finish(code);
}
