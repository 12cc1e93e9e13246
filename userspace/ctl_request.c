// SPDX-License-Identifier: GPL-2.0-or-later
/* What start and run ask for: from options to a session. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "lib/cleanup.h"
#include "lib/number.h"

/* all rings together; on large machines what the module takes for each CPU by itself */
#define DEFAULT_MEMORY (64ull << 20)
#define DEFAULT_MEMORY_CPUS 16

#define MAX_TIME_SECONDS (30ull * 24 * 3600)

void ktrc_ctl_request_init(struct ktrc_ctl_request *request)
{
	*request = (struct ktrc_ctl_request){ .events = "fault" };
	ktrc_cli_begin(&request->cli);
	if (sysconf(_SC_NPROCESSORS_ONLN) <= DEFAULT_MEMORY_CPUS)
		request->session.memory_bytes = DEFAULT_MEMORY;
}

static u64 parse_time(const struct argp_state *state, const char *option, const char *arg)
{
	u64 ns;

	if (!ktrc_parse_duration(arg, &ns))
		ktrc_cli_usage(state, "%s: \"%s\" is not a duration such as 10m or 1ms", option,
			       arg);
	return ns;
}

static void parse_max_time(const struct argp_state *state, const char *arg,
			   struct ktrc_session *session)
{
	u64 ns = parse_time(state, "--max-time", arg);

	if (ns % NSEC_PER_SEC)
		ktrc_cli_usage(state, "--max-time: \"%s\" is not a number of whole seconds", arg);
	if (ns / NSEC_PER_SEC > MAX_TIME_SECONDS)
		ktrc_cli_usage(state, "--max-time: \"%s\" is more than 30 days", arg);
	session->max_seconds = (u32)(ns / NSEC_PER_SEC);
}

static void parse_pids(const struct argp_state *state, char *list, struct ktrc_session *session)
{
	const char *item;
	u64 pid;

	while ((item = strsep(&list, ",")) != NULL) {
		if (!ktrc_parse_number(item, INT_MAX, &pid) || !pid)
			ktrc_cli_usage(state, "--pid: \"%s\" is not the number of a process", item);
		if (session->nr_pids == KTRC_MAX_PIDS)
			ktrc_cli_usage(state, "--pid: more than %d processes", KTRC_MAX_PIDS);
		session->pids[session->nr_pids++] = (u32)pid;
	}
}

static u64 parse_size(const struct argp_state *state, const char *option, const char *example,
		      const char *arg, u64 max)
{
	u64 bytes;

	if (!ktrc_parse_bytes(arg, &bytes) || bytes > max)
		ktrc_cli_usage(state, "%s: \"%s\" is not a size such as %s", option, arg, example);
	return bytes;
}

/* Those that say which hits become records. */
static error_t filter_option(int key, char *arg, struct argp_state *state,
			     struct ktrc_ctl_request *request)
{
	switch (key) {
	case KTRC_OPT_PID:
		parse_pids(state, arg, &request->session);
		return 0;
	case KTRC_OPT_CGROUP:
		request->cgroup = arg;
		return 0;
	case KTRC_OPT_MIN:
		request->rule.min_ns = parse_time(state, "--min", arg);
		return 0;
	case KTRC_OPT_MAJOR:
		request->rule.flags |= KTRC_RULE_MAJOR;
		return 0;
	case KTRC_OPT_USER:
		request->rule.flags |= KTRC_RULE_USER;
		return 0;
	case KTRC_OPT_KERNEL:
		request->rule.flags |= KTRC_RULE_KERNEL;
		return 0;
	case KTRC_OPT_COUNT:
		request->rule.flags |= KTRC_RULE_COUNT;
		return 0;
	case KTRC_OPT_SAMPLE:
		if (!ktrc_parse_sample(arg, &request->rule.sample))
			ktrc_cli_usage(state,
				       "--sample: \"%s\" is not one in so many, such as 1/64", arg);
		return 0;
	default:
		return ktrc_cli_option(key, arg, state, &request->cli);
	}
}

error_t ktrc_ctl_option(int key, char *arg, struct argp_state *state,
			struct ktrc_ctl_request *request)
{
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
		request->session.memory_bytes = parse_size(state, "--memory", "64M", arg, ~0ull);
		request->has_memory = true;
		return 0;
	case KTRC_OPT_WINDOW:
		request->window_ns = parse_time(state, "--window", arg);
		return 0;
	case KTRC_OPT_PACKET:
		request->session.packet_bytes =
			(u32)parse_size(state, "--packet", "64K", arg, UINT_MAX);
		return 0;
	case KTRC_OPT_MAX_TIME:
		parse_max_time(state, arg, &request->session);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (request->has_memory && request->window_ns)
			ktrc_cli_usage(state, "--memory or --window, not both");
		return 0;
	default:
		return filter_option(key, arg, state, request);
	}
}

static int already_running(const char *name, struct ktrc_error *err)
{
	int ret = ktrc_fail_as(err, EBUSY, KTRC_EXIT_FAILED, "session %s: it is already recording",
			       name);

	ktrc_hint(err, "ktrc-read shows it; ktrc-ctl stop --session=%s ends it; or --session=OTHER",
		  name);
	return ret;
}

static int belongs_to_run(const char *name, struct ktrc_error *err)
{
	int ret = ktrc_fail_as(err, EBUSY, KTRC_EXIT_FAILED,
			       "session %s: another process has it, such as ktrc-ctl run", name);

	ktrc_hint(err, "it is gone when that ends; or --session=OTHER");
	return ret;
}

static void note_event(const struct ktrc_ctl_request *request, const struct ktrc_event *event)
{
	const char *why = event->reason ? event->reason : "a fallback hook is in use";
	bool is_recorded = request->session.events >> event->id & 1;

	if (is_recorded && event->avail == KTRC_AVAIL_DEGRADED)
		ktrc_cli_note(&request->cli, "event %s: degraded: %s", event->label, why);
}

/* What comes out other than it was asked for. */
static void note_events(const struct ktrc_schema *schema, const struct ktrc_ctl_request *request)
{
	u64 events = request->session.events;

	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		const struct ktrc_event *event = ktrc_schema_event(schema, id);

		if (!event)
			continue;
		note_event(request, event);
		for (u32 part = 0; events >> id & 1 && part < KTRC_MAX_EVENTS; part++)
			if (schema->events[part].name && !(events >> part & 1) &&
			    ktrc_event_is_part_of(&schema->events[part], event))
				ktrc_cli_note(&request->cli, "event %s: left out: %s",
					      schema->events[part].label,
					      schema->events[part].reason ?
						      schema->events[part].reason :
						      "no hook");
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

/* 0 if it may be replaced */
static int in_use(struct ktrc_nl *nl, const char *name, struct ktrc_session *old,
		  struct ktrc_error *err)
{
	if (ktrc_nl_session_get(nl, name, old, err) < 0)
		*old = (struct ktrc_session){ .state = KTRC_STATE_NEW };
	if (old->is_bound)
		return belongs_to_run(name, err);
	return old->state == KTRC_STATE_RUNNING ? already_running(name, err) : 0;
}

static int new_session(struct ktrc_nl *nl, const struct ktrc_ctl_request *request, int owner,
		       struct ktrc_error *err)
{
	int ret = ktrc_nl_session_new(nl, &request->session, owner, err);
	struct ktrc_session other;
	struct ktrc_error why;

	if (ret == -EEXIST && in_use(nl, request->session.name, &other, &why) < 0)
		*err = why; /* since we looked */
	if (ret == -EINVAL || ret == -ERANGE)
		err->code = KTRC_EXIT_USAGE;
	if (ret == -ENOSPC || ret == -E2BIG)
		name_others(nl, err);
	return ret;
}

/* All that the request leaves to the schema and to this machine. */
static int complete(struct ktrc_nl *nl, struct ktrc_ctl_request *request,
		    const struct ktrc_schema *schema, struct ktrc_error *err)
{
	struct ktrc_session *session = &request->session;
	int ret = ktrc_session_parse_events(schema, request->events, session, err);

	if (ret == 0)
		ret = ktrc_session_apply_rule(schema, &request->rule, session, err);
	if (ret == 0 && request->cgroup)
		ret = ktrc_ctl_cgroup_id(request->cgroup, &session->cgid, err);
	if (ret == 0 && request->window_ns)
		ret = ktrc_ctl_size_window(nl, request, schema, err);
	if (ret < 0)
		return ret;
	snprintf(session->name, sizeof(session->name), "%s", request->cli.session);
	note_events(schema, request);
	return 0;
}

int ktrc_ctl_make(struct ktrc_nl *nl, struct ktrc_ctl_request *request, u32 state, int owner,
		  struct ktrc_error *err)
{
	__ktrc_schema struct ktrc_schema *schema = NULL;
	struct ktrc_session old;
	int ret;

	ret = ktrc_nl_schema(nl, &schema, err);
	if (ret == 0)
		ret = complete(nl, request, schema, err);
	if (ret < 0)
		return ret;
	ret = in_use(nl, request->session.name, &old, err);
	if (ret < 0)
		return ret;
	request->session.state = state;
	ret = new_session(nl, request, owner, err);
	if (ret == 0 && old.state == KTRC_STATE_STOPPED)
		ktrc_cli_note(&request->cli, "session %s: the stopped recording is dropped",
			      request->session.name);
	/* with the sizes that the module chose */
	return ret < 0 ? ret :
			 ktrc_nl_session_get(nl, request->cli.session, &request->session, err);
}
