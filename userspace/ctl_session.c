// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a session: start, stop, reset. */
#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>

#include "../uapi/ktrc_events.h"
#include "ctl.h"
#include "lib/capture.h"
#include "lib/cleanup.h"
#include "lib/device.h"
#include "lib/vmstat.h"

extern char **environ;

static void load_module(void)
{
	char *argv[] = { "modprobe", "-q", "ktrc", NULL };
	pid_t child;

	if (posix_spawnp(&child, argv[0], NULL, NULL, argv, environ) == 0)
		waitpid(child, NULL, 0);
}

int ktrc_ctl_connect(struct ktrc_nl **nl, struct ktrc_error *err)
{
	int ret = ktrc_nl_open(nl, err);

	if (ret != -ENODEV)
		return ret;
	load_module();
	ret = ktrc_nl_open(nl, err);
	/* a verb that wants to record has failed; it does not merely find nothing */
	if (ret == -ENODEV)
		err->code = KTRC_EXIT_FAILED;
	return ret;
}

/* Keeps /proc/vmstat for `check`; without it only that comparison is missing. */
static void store_base(const struct ktrc_cli *cli, const char *name,
		       const struct ktrc_vmstat *start, const struct ktrc_vmstat *stop)
{
	__ktrc_device struct ktrc_device *dev = NULL;
	struct ktrc_base base = { 0 };
	struct ktrc_error err;

	if (ktrc_device_open(name, 0, &dev, &err) == 0) {
		base = ktrc_base_load(name, dev->info.uuid);
		if (start)
			base.start = *start;
		if (stop)
			base.stop = *stop;
		if (ktrc_base_store(name, dev->info.uuid, &base, &err) == 0)
			return;
	}
	ktrc_cli_note(cli, "check will not know the kernel's own counters: %s", err.text);
}

bool ktrc_ctl_needs_quotas(const struct ktrc_ctl_request *request)
{
	return request->session.events >> KTRC_EV_throttle & 1;
}

/* Keeps the CPU quotas as they are now; without them the view says that they are unknown. */
static void store_quotas(const char *name, bool is_start)
{
	__ktrc_device struct ktrc_device *dev = NULL;
	struct ktrc_quotas quotas = { 0 };
	struct ktrc_error err;

	if (ktrc_device_open(name, 0, &dev, &err) == 0 &&
	    (ktrc_quotas_load(&quotas, name, dev->info.uuid) == 0 || is_start) &&
	    ktrc_quotas_scan(&quotas, true) == 0)
		ktrc_quotas_store(&quotas, name, dev->info.uuid, &err);
	ktrc_quotas_release(&quotas);
}

/* Keeps what processes have mapped; without it the view says that it is unknown. */
static void keep_mapped(struct ktrc_nl *nl, const char *name)
{
	__ktrc_device struct ktrc_device *dev = NULL;
	struct ktrc_error err;

	if (ktrc_device_open(name, 0, &dev, &err) == 0)
		ktrc_capture_keep_mapped(nl, dev, &err);
}

/* The kernel's counters are read at once when it records: hooking in takes longer than that. */
static int record(struct ktrc_nl *nl, struct ktrc_ctl_request *request, struct ktrc_error *err)
{
	struct ktrc_vmstat start;
	int ret = ktrc_ctl_make(nl, request, KTRC_STATE_RUNNING, -1, err);

	if (ret < 0)
		return ret;
	start = ktrc_vmstat_read();
	store_base(&request->cli, request->session.name, &start, NULL);
	if (ktrc_ctl_needs_quotas(request))
		store_quotas(request->session.name, true);
	return 0;
}

static error_t parse_start(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		ktrc_cli_usage(state, "start takes no argument \"%s\"", arg);
	return ktrc_ctl_option(key, arg, state, state->input);
}

int ktrc_ctl_start(int argc, char **argv)
{
	static const struct argp_option options[] = {
		KTRC_ARGP_EVENTS,
		KTRC_ARGP_SESSION,
		{ "mode", KTRC_OPT_MODE, "MODE", 0, "flight (default), or stream for --follow", 0 },
		KTRC_ARGP_MEMORY,
		KTRC_ARGP_WINDOW,
		KTRC_ARGP_PACKET,
		KTRC_ARGP_MAX_TIME,
		KTRC_ARGP_FILTERS,
		KTRC_ARGP_QUIET,
		{ 0 },
	};
	static const char doc[] =
		"Start recording and return; ktrc-read shows what was recorded.\n\n"
		"  ktrc-ctl start\n"
		"  ktrc-ctl start --events=fault:min=1ms:major,reclaim --cgroup=web.slice\n"
		"  ktrc-ctl start --events=fault:1/64 --window=60s --max-time=10m\n"
		"  ktrc-ctl start --mode=stream && ktrc-read events --follow\v" KTRC_RULES_DOC;
	static const struct argp argp = { options, parse_start, NULL, doc, NULL, NULL, NULL };
	__ktrc_nl struct ktrc_nl *nl = NULL;
	struct ktrc_ctl_request request;
	struct ktrc_error err;
	char room[KTRC_TEXT_ROOM];

	ktrc_ctl_request_init(&request);
	ktrc_cli_parse(&argp, argc, argv, &request);
	if (ktrc_ctl_connect(&nl, &err) < 0 || record(nl, &request, &err) < 0)
		return ktrc_cli_error(&err);
	ktrc_cli_note(&request.cli, "session %s: recording %s (%s, %s)", request.session.name,
		      request.events, ktrc_word(&ktrc_modes, request.session.mode),
		      ktrc_text_bytes(request.session.memory_bytes, room));
	return 0;
}

static const struct argp_option plain_options[] = { KTRC_ARGP_SESSION, KTRC_ARGP_QUIET, { 0 } };

static int stop(struct ktrc_nl *nl, const struct ktrc_cli *cli, struct ktrc_error *err)
{
	struct ktrc_session session;
	struct ktrc_vmstat stop;
	int ret;

	ret = ktrc_nl_session_get(nl, cli->session, &session, err);
	if (ret < 0)
		return ret;
	if (session.state != KTRC_STATE_RUNNING) {
		ret = ktrc_fail_as(err, EALREADY, KTRC_EXIT_NOTHING, "session %s: not recording",
				   cli->session);
		ktrc_hint(err, "ktrc-read shows what it holds; ktrc-ctl reset deletes it");
		return ret;
	}
	ktrc_cli_catch_signals(); /* who asks for a stop gets it */
	if (session.events >> KTRC_EV_map & 1)
		keep_mapped(nl, cli->session);
	stop = ktrc_vmstat_read();
	ret = ktrc_nl_session_set(nl, cli->session, KTRC_STATE_STOPPED, err);
	if (ret < 0)
		return ret;
	store_base(cli, cli->session, NULL, &stop);
	store_quotas(cli->session, false);
	return 0;
}

int ktrc_ctl_stop(int argc, char **argv)
{
	static const char doc[] =
		"Stop recording.  The data stays readable until start or reset.\n\n"
		"  ktrc-ctl stop && ktrc-read";
	__ktrc_nl struct ktrc_nl *nl = NULL;
	struct ktrc_error err;
	struct ktrc_ctl_show show;

	ktrc_ctl_parse_show(plain_options, doc, argc, argv, &show);
	if (ktrc_nl_open(&nl, &err) < 0 || stop(nl, &show.cli, &err) < 0)
		return ktrc_cli_error(&err);
	ktrc_cli_note(&show.cli, "session %s: stopped; its data stays until start or reset",
		      show.cli.session);
	return 0;
}

static int reset(struct ktrc_nl *nl, const struct ktrc_cli *cli, struct ktrc_error *err)
{
	int ret = ktrc_nl_session_del(nl, cli->session, err);

	if (ret == 0) {
		ktrc_base_forget(cli->session);
		ktrc_quotas_forget(cli->session);
		ktrc_capture_forget_mapped(cli->session);
	}
	return ret;
}

int ktrc_ctl_reset(int argc, char **argv)
{
	static const char doc[] = "Stop recording, and delete the session with its data.\n\n"
				  "  ktrc-ctl reset && sudo rmmod ktrc";
	__ktrc_nl struct ktrc_nl *nl = NULL;
	struct ktrc_error err;
	struct ktrc_ctl_show show;

	ktrc_ctl_parse_show(plain_options, doc, argc, argv, &show);
	/* after an upgrade too: else nothing could end what holds the module */
	if (ktrc_nl_open_any(&nl, &err) < 0 || reset(nl, &show.cli, &err) < 0)
		return ktrc_cli_error(&err);
	return 0;
}
