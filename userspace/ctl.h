/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ktrc-ctl's verbs. */
#ifndef KTRC_CTL_H
#define KTRC_CTL_H

#include "cli.h"
#include "lib/nl.h"

/** Each takes the command line from its verb on, and returns the exit code. */
int ktrc_ctl_list(int argc, char **argv);
int ktrc_ctl_start(int argc, char **argv);
int ktrc_ctl_stop(int argc, char **argv);
int ktrc_ctl_status(int argc, char **argv);
int ktrc_ctl_stats(int argc, char **argv);
int ktrc_ctl_reset(int argc, char **argv);
int ktrc_ctl_run(int argc, char **argv);
int ktrc_ctl_doctor(int argc, char **argv);

/**
 * struct ktrc_ctl_request - options of start and run
 * @cli: shared options
 * @events: --events
 * @session: what to create; name and events are filled in by ktrc_ctl_make()
 */
struct ktrc_ctl_request {
	struct ktrc_cli cli;
	const char *events;
	struct ktrc_session session;
};

enum {
	KTRC_OPT_EVENTS = 'e',
	KTRC_OPT_MEMORY = 'm',
	KTRC_OPT_VERBOSE = 'v',
	KTRC_OPT_MODE = KTRC_OPT_OWN,
	KTRC_OPT_PACKET,
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

/** ktrc_ctl_make() - create the session; one of that name that does not run is replaced */
int ktrc_ctl_make(struct ktrc_nl *nl, struct ktrc_ctl_request *request, struct ktrc_error *err);

#endif
