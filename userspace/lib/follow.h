/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Consuming a stream session as it is written. */
#ifndef KTRC_FOLLOW_H
#define KTRC_FOLLOW_H

#include "capture.h"
#include "trace.h"

struct ktrc_follow;

/**
 * ktrc_follow_open() - become the session's consumer
 * @with_mapped: look first at what processes have mapped
 *
 * Fails with a hint when the session is a flight recorder or has a consumer.
 */
int ktrc_follow_open(struct ktrc_nl *nl, const char *session, bool with_mapped,
		     struct ktrc_follow **follow, struct ktrc_error *err);
void ktrc_follow_close(struct ktrc_follow *follow);
void ktrc_cleanup_follow(struct ktrc_follow **follow);
#define __ktrc_follow KTRC_CLEANUP(ktrc_cleanup_follow)

/** ktrc_follow_capture() - describes the session; its reader yields the records */
struct ktrc_capture *ktrc_follow_capture(const struct ktrc_follow *follow);

/**
 * ktrc_follow_fill() - feed the reader with what was written since
 *
 * Every record the reader then yields must have been taken before the next call.
 * Return: 1; 0 when the session has stopped and all has been fed; negative on failure.
 */
int ktrc_follow_fill(struct ktrc_follow *follow, struct ktrc_error *err);

/**
 * ktrc_follow_save() - append to a trace what was written since, in whole packets
 * @is_last: also the open packet
 *
 * Return: as ktrc_follow_fill().
 */
int ktrc_follow_save(struct ktrc_follow *follow, struct ktrc_trace_writer *writer, bool is_last,
		     struct ktrc_error *err);

/** ktrc_follow_wait() - until there is more, at most 100 ms */
void ktrc_follow_wait(struct ktrc_follow *follow);

/** ktrc_follow_finish() - bring the capture's description up to date */
int ktrc_follow_finish(struct ktrc_follow *follow, struct ktrc_error *err);

/** ktrc_follow_cut() - the same where reading failed: as far as that is possible, and not all was read */
void ktrc_follow_cut(struct ktrc_follow *follow);

#endif
