/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a recording holds no record, or none of some event. */
#ifndef KTRC_EMPTY_H
#define KTRC_EMPTY_H

#include "../lib/capture.h"

/**
 * ktrc_explain_empty() - say why nothing was read
 * @capture: a capture that yielded no record of @events
 * @events: bit i: the event with id i; those that the session does not record are ignored
 * @err: filled in, with exit code 3
 */
void ktrc_explain_empty(const struct ktrc_capture *capture, u64 events, struct ktrc_error *err);

/**
 * ktrc_explain_unrecorded() - say that a view's event is not recorded
 * @capture: of a session that does not record it
 * @label: the event's
 * @err: filled in, with exit code 3
 */
void ktrc_explain_unrecorded(const struct ktrc_capture *capture, const char *label,
			     struct ktrc_error *err);

/* Room for why an event is not recorded. */
#define KTRC_WHY_ROOM 300

/**
 * ktrc_why_not_recorded() - why a capture has no record of an event, and what to record
 * @label: the event's; a part's while what it is a part of is recorded
 *
 * Return: NULL if the session records it.
 */
const char *ktrc_why_not_recorded(const struct ktrc_capture *capture, const char *label,
				  char room[KTRC_WHY_ROOM]);

/** ktrc_explain_unknown() - say why a view that takes no record has nothing to show */
void ktrc_explain_unknown(const struct ktrc_capture *capture, const char *why,
			  struct ktrc_error *err);

/** ktrc_needs_no_record() - that there is none is an answer: the counters say why */
bool ktrc_needs_no_record(const struct ktrc_capture *capture);

#endif
