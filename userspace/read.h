/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ktrc-read's request, and its way of following a session. */
#ifndef KTRC_READ_H
#define KTRC_READ_H

#include "report.h"

/**
 * struct ktrc_read - what was asked for
 * @cli: options shared with other commands
 * @view: what to show
 * @has_view: it was named
 * @with_dictionary: events: dictionary records as well
 * @follow: consume a stream session
 * @trace: saved trace to read instead of a session, or NULL
 */
struct ktrc_read {
	struct ktrc_cli cli;
	enum ktrc_view view;
	bool has_view;
	bool with_dictionary;
	bool follow;
	const char *trace;
};

/** ktrc_read_follow() - consume a stream session until it stops or a signal comes */
int ktrc_read_follow(struct ktrc_read *read);

#endif
