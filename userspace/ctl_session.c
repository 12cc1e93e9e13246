// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a session: start, stop, reset. */
#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include "ctl.h"
#include "lib/cleanup.h"
#include "lib/device.h"
#include "lib/vmstat.h"

/* all rings together; on large machines what the module takes for each CPU by itself */
#define DEFAULT_MEMORY (64ull << 20)
#define DEFAULT_MEMORY_CPUS 16

extern char **environ;

void ktrc_ctl_request_init(struct ktrc_ctl_request *request)
{
	*request = (struct ktrc_ctl_request){ .events = "fault" };
	ktrc_cli_begin(&request->cli);
	if (sysconf(_SC_NPROCESSORS_ONLN) <= DEFAULT_MEMORY_CPUS)
		request->session.memory_bytes = DEFAULT_MEMORY;
}

error_t ktrc_ctl_option(int key, char *arg, struct argp_state *state,
			struct ktrc_ctl_request *request)
{
	u64 bytes;
	int mode;

	switch (key) {
	case KTRC_OPT_EVENTS:
		request->events = arg;
		return 0;
	case KTRC_OPT_MODE:
		mode = ktrc_word_number(&ktrc_modes, arg);
		if (mode < 0)
			ktrc_cli_usage(state, "--mode: \"%s\" is neither flight nor stream", arg);
		request->session.mode = (u32)mode;
		return 0;
	case KTRC_OPT_MEMORY:
		if (!ktrc_cli_bytes(arg, &request->session.memory_bytes))
			ktrc_cli_usage(state, "--memory: \"%s\" is not a size such as 64M", arg);
		return 0;
	case KTRC_OPT_PACKET:
		if (!ktrc_cli_bytes(arg, &bytes) || bytes > UINT32_MAX)
			ktrc_cli_usage(state, "--packet: \"%s\" is not a size such as 64K", arg);
		request->session.packet_bytes = (u32)bytes;
		return 0;
	default:
		return ktrc_cli_option(key, arg, state, &request->cli);
	}
}

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

static int already_running(const char *name, struct ktrc_error *err)
{
	int ret = ktrc_fail_as(err, EBUSY, KTRC_EXIT_FAILED, "session %s: it is already recording",
			       name);

	ktrc_hint(err, "ktrc-read shows it; ktrc-ctl stop --session=%s ends it; or --session=OTHER",
		  name);
	return ret;
}

static void note_degraded(const struct ktrc_schema *schema, const struct ktrc_ctl_request *request)
{
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		const struct ktrc_event *event = ktrc_schema_event(schema, id);

		if (event && request->session.events >> id & 1 &&
		    event->avail == KTRC_AVAIL_DEGRADED)
			ktrc_cli_note(&request->cli, "event %s: degraded: %s", event->label,
				      event->reason ? event->reason : "a fallback hook is in use");
	}
}

/* The sessions that leave no room for another, and how to end the first of them. */
static void name_others(struct ktrc_nl *nl, struct ktrc_error *err)
{
	__ktrc_free struct ktrc_session *sessions = NULL;
	struct ktrc_error ignored;
	size_t nr = 0;

	if (ktrc_nl_sessions(nl, &sessions, &nr, &ignored) < 0 || nr == 0)
		return;
	ktrc_hint(err, "%s is %s; ktrc-ctl reset --session=%s ends it and drops its data",
		  sessions[0].name, ktrc_word(&ktrc_states, sessions[0].state), sessions[0].name);
}

static int new_session(struct ktrc_nl *nl, const struct ktrc_ctl_request *request,
		       struct ktrc_error *err)
{
	int ret = ktrc_nl_session_new(nl, &request->session, err);

	if (ret == -EINVAL)
		err->code = KTRC_EXIT_USAGE;
	if (ret == -EBUSY)
		name_others(nl, err);
	return ret;
}

int ktrc_ctl_make(struct ktrc_nl *nl, struct ktrc_ctl_request *request, struct ktrc_error *err)
{
	__ktrc_schema struct ktrc_schema *schema = NULL;
	struct ktrc_session old;
	int ret;

	ret = ktrc_nl_schema(nl, &schema, err);
	if (ret < 0)
		return ret;
	ret = ktrc_schema_parse_events(schema, request->events, &request->session.events, err);
	if (ret < 0)
		return ret;
	snprintf(request->session.name, sizeof(request->session.name), "%s", request->cli.session);
	note_degraded(schema, request);
	if (ktrc_nl_session_get(nl, request->session.name, &old, err) < 0)
		old.state = KTRC_STATE_NEW;
	if (old.state == KTRC_STATE_RUNNING)
		return already_running(request->session.name, err);
	ret = new_session(nl, request, err);
	if (ret == 0 && old.state == KTRC_STATE_STOPPED)
		ktrc_cli_note(&request->cli, "session %s: the stopped recording is dropped",
			      request->session.name);
	/* with the sizes that the module chose */
	return ret < 0 ? ret :
			 ktrc_nl_session_get(nl, request->cli.session, &request->session, err);
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

static int record(struct ktrc_nl *nl, struct ktrc_ctl_request *request, struct ktrc_error *err)
{
	struct ktrc_error ignored;
	struct ktrc_vmstat start;
	int ret;

	ret = ktrc_ctl_make(nl, request, err);
	if (ret < 0)
		return ret;
	start = ktrc_vmstat_read();
	ret = ktrc_nl_session_set(nl, request->session.name, KTRC_STATE_RUNNING, err);
	if (ret < 0) {
		ktrc_nl_session_del(nl, request->session.name, &ignored);
		return ret;
	}
	store_base(&request->cli, request->session.name, &start, NULL);
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
		{ "mode", KTRC_OPT_MODE, "MODE", 0,
		  "flight (default): keep the newest; stream: for --follow", 0 },
		KTRC_ARGP_MEMORY,
		KTRC_ARGP_PACKET,
		KTRC_ARGP_QUIET,
		{ 0 },
	};
	static const char doc[] =
		"Start recording and return; ktrc-read shows what was recorded.\n\n"
		"  ktrc-ctl start\n"
		"  ktrc-ctl start --events=fault,fault.light --memory=256M\n"
		"  ktrc-ctl start --mode=stream && ktrc-read events --follow";
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
	ret = ktrc_nl_session_set(nl, cli->session, KTRC_STATE_STOPPED, err);
	if (ret < 0)
		return ret;
	stop = ktrc_vmstat_read();
	store_base(cli, cli->session, NULL, &stop);
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
	struct ktrc_session session;
	int ret;

	ret = ktrc_nl_session_get(nl, cli->session, &session, err);
	if (ret == 0 && session.state == KTRC_STATE_RUNNING)
		ret = ktrc_nl_session_set(nl, cli->session, KTRC_STATE_STOPPED, err);
	if (ret == 0)
		ret = ktrc_nl_session_del(nl, cli->session, err);
	if (ret == 0)
		ktrc_base_forget(cli->session);
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
	if (ktrc_nl_open(&nl, &err) < 0 || reset(nl, &show.cli, &err) < 0)
		return ktrc_cli_error(&err);
	return 0;
}
