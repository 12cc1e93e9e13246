/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ktrc-ctl's verbs. */
#ifndef KTRC_CTL_H
#define KTRC_CTL_H

#include "cli.h"
#include "lib/nl.h"
#include "lib/session_rules.h"

#define KTRC_PATH_ROOM 1024

/** Each takes the command line from its verb on, and returns the exit code. */
int ktrc_ctl_list(int argc, char **argv);
int ktrc_ctl_start(int argc, char **argv);
int ktrc_ctl_stop(int argc, char **argv);
int ktrc_ctl_status(int argc, char **argv);
int ktrc_ctl_stats(int argc, char **argv);
int ktrc_ctl_reset(int argc, char **argv);
int ktrc_ctl_run(int argc, char **argv);
int ktrc_ctl_doctor(int argc, char **argv);
int ktrc_ctl_snapshot(int argc, char **argv);
int ktrc_ctl_monitor(int argc, char **argv);

/**
 * struct ktrc_ctl_request - options of start and run
 * @cli: shared options
 * @events: --events
 * @cgroup: --cgroup, or NULL
 * @window_ns: --window; 0: the memory is given, or left to the module
 * @has_memory: --memory was given
 * @rule: for every event that can follow it
 * @session: what to create; name, events, rules and cgid are filled in by ktrc_ctl_make()
 */
struct ktrc_ctl_request {
	struct ktrc_cli cli;
	const char *events;
	const char *cgroup;
	u64 window_ns;
	bool has_memory;
	struct ktrc_rule rule;
	struct ktrc_session session;
};

enum {
	KTRC_OPT_EVENTS = 'e',
	KTRC_OPT_MEMORY = 'm',
	KTRC_OPT_VERBOSE = 'v',
	KTRC_OPT_PID = 'p',
	KTRC_OPT_CGROUP = 'G',
	KTRC_OPT_WINDOW = 'w',
	KTRC_OPT_MODE = KTRC_OPT_OWN,
	KTRC_OPT_PACKET,
	KTRC_OPT_MAX_TIME,
	KTRC_OPT_MIN,
	KTRC_OPT_MAJOR,
	KTRC_OPT_USER,
	KTRC_OPT_KERNEL,
	KTRC_OPT_COUNT,
	KTRC_OPT_SAMPLE,
};
#define KTRC_ARGP_EVENTS                                                                          \
	{                                                                                         \
		"events", KTRC_OPT_EVENTS, "LIST", 0, "events, comma-separated (default: fault)", \
			0                                                                         \
	}
#define KTRC_ARGP_MEMORY                                                                     \
	{                                                                                    \
		"memory", KTRC_OPT_MEMORY, "SIZE", 0, "all rings together (default: 64M)", 0 \
	}
#define KTRC_ARGP_PACKET                                                                           \
	{                                                                                          \
		"packet", KTRC_OPT_PACKET, "SIZE", 0, "unit of overwriting, 4K-1M (default: 64K)", \
			0                                                                          \
	}

#define KTRC_ARGP_WINDOW                                                                      \
	{                                                                                     \
		"window", KTRC_OPT_WINDOW, "TIME", 0, "memory for so long at today's rate", 0 \
	}
#define KTRC_ARGP_MAX_TIME                                                     \
	{                                                                      \
		"max-time", KTRC_OPT_MAX_TIME, "TIME", 0, "stop after that", 0 \
	}
/* applied in the kernel, to all events that can */
#define KTRC_ARGP_FILTERS                                                                        \
	{ "pid", KTRC_OPT_PID, "LIST", 0, "only these processes, at most 16", 0 },               \
		{ "cgroup", KTRC_OPT_CGROUP, "PATH", 0, "only this cgroup and those below", 0 }, \
		{ "min", KTRC_OPT_MIN, "TIME", 0, "only what lasts at least so long", 0 },       \
		{ "major", KTRC_OPT_MAJOR, NULL, 0, "only faults that wait for I/O", 0 },        \
		{ "user", KTRC_OPT_USER, NULL, 0, "only those raised in user mode", 0 },         \
		{ "kernel", KTRC_OPT_KERNEL, NULL, 0, "only those raised by the kernel", 0 },    \
		{ "count", KTRC_OPT_COUNT, NULL, 0, "only count; write no record", 0 },          \
	{                                                                                        \
		"sample", KTRC_OPT_SAMPLE, "1/N", 0, "record one of N on each CPU", 0            \
	}
#define KTRC_RULES_DOC                                                              \
	"For one event: EVENT:min=TIME:major:user:kernel:count:1/N, what it can.\n" \
	"TIME: 500us, 1ms, 10s, 5m, 2h."

/** ktrc_ctl_request_init() - the defaults */
void ktrc_ctl_request_init(struct ktrc_ctl_request *request);

/** ktrc_ctl_option() - handle an option of start or run */
error_t ktrc_ctl_option(int key, char *arg, struct argp_state *state,
			struct ktrc_ctl_request *request);

/**
 * struct ktrc_ctl_show - options of all verbs but start and run
 * @cli: shared options
 * @is_verbose: -v
 * @has_session: --session was given
 */
struct ktrc_ctl_show {
	struct ktrc_cli cli;
	bool is_verbose;
	bool has_session;
};

/** ktrc_ctl_parse_show() - the command line of such a verb; exits when it is wrong */
void ktrc_ctl_parse_show(const struct argp_option *options, const char *doc, int argc, char **argv,
			 struct ktrc_ctl_show *show);

/** ktrc_ctl_avail_text() - enum ktrc_avail as a word */
const char *ktrc_ctl_avail_text(u32 avail);

/** ktrc_ctl_connect() - connect to the module, loading it if need be and possible */
int ktrc_ctl_connect(struct ktrc_nl **nl, struct ktrc_error *err);

/**
 * ktrc_ctl_make() - create the session; one of that name that is not in use is replaced
 * @state: what it shall be at once: KTRC_STATE_NEW or KTRC_STATE_RUNNING
 * @owner: an open file of the device that it is attached and bound to; -1: none
 */
int ktrc_ctl_make(struct ktrc_nl *nl, struct ktrc_ctl_request *request, u32 state, int owner,
		  struct ktrc_error *err);

/** ktrc_ctl_needs_quotas() - the session that was made records throttling, but no quota */
bool ktrc_ctl_needs_quotas(const struct ktrc_ctl_request *request);

/** ktrc_ctl_size_window() - @request->session.memory_bytes from --window; says what was assumed */
int ktrc_ctl_size_window(struct ktrc_nl *nl, struct ktrc_ctl_request *request,
			 const struct ktrc_schema *schema, struct ktrc_error *err);

/** ktrc_ctl_cgroup_id() - the id of a cgroup by its path, absolute or in the hierarchy */
int ktrc_ctl_cgroup_id(const char *path, u64 *cgid, struct ktrc_error *err);

/** ktrc_ctl_cgroup_path() - the reverse: its path in the hierarchy; NULL if it cannot be told */
const char *ktrc_ctl_cgroup_path(u64 cgid, char room[KTRC_PATH_ROOM]);

#endif
