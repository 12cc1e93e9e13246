/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control: the module's generic netlink family.  Every failure carries the
 * kernel's own sentence when it sent one.
 */
#ifndef KTRC_NL_H
#define KTRC_NL_H

#include "error.h"
#include "names.h"
#include "schema.h"

struct ktrc_nl;

/**
 * ktrc_nl_open() - connect to the module
 *
 * Return: 0; -ENODEV with exit code 3 when the module is not loaded (and could
 * not be loaded by asking for it); -EPROTO with exit code 7 when its control
 * interface is not this library's.
 */
int ktrc_nl_open(struct ktrc_nl **nl, struct ktrc_error *err);

/** ktrc_nl_open_any() - that to a module of any ABI: only for ktrc_nl_session_del() */
int ktrc_nl_open_any(struct ktrc_nl **nl, struct ktrc_error *err);
void ktrc_nl_close(struct ktrc_nl *nl);
void ktrc_cleanup_nl(struct ktrc_nl **nl);
#define __ktrc_nl KTRC_CLEANUP(ktrc_cleanup_nl)

/**
 * ktrc_nl_session_new() - make a session, in place of one of that name that is not in use
 * @session: what it shall be; @state RUNNING starts it; zero members mean the module's default
 * @owner: an open file of the device that it is attached and bound to; -1: none
 *
 * Of a failure nothing is changed.
 */
int ktrc_nl_session_new(struct ktrc_nl *nl, const struct ktrc_session *session, int owner,
			struct ktrc_error *err);

/** ktrc_nl_session_set() - start (KTRC_STATE_RUNNING) or stop (KTRC_STATE_STOPPED) */
int ktrc_nl_session_set(struct ktrc_nl *nl, const char *name, u32 state, struct ktrc_error *err);

/** ktrc_nl_session_get() - describe one; -ENOENT with exit code 3 when there is none */
int ktrc_nl_session_get(struct ktrc_nl *nl, const char *name, struct ktrc_session *session,
			struct ktrc_error *err);

/** ktrc_nl_sessions() - describe all; the caller frees *@sessions */
int ktrc_nl_sessions(struct ktrc_nl *nl, struct ktrc_session **sessions, size_t *nr,
		     struct ktrc_error *err);

int ktrc_nl_session_del(struct ktrc_nl *nl, const char *name, struct ktrc_error *err);

/** ktrc_nl_schema() - what the module can record */
int ktrc_nl_schema(struct ktrc_nl *nl, struct ktrc_schema **schema, struct ktrc_error *err);

/** ktrc_nl_counters() - a session's counters; the caller frees @set->rows */
int ktrc_nl_counters(struct ktrc_nl *nl, const char *name, struct ktrc_counter_set *set,
		     struct ktrc_error *err);

/** ktrc_nl_names() - cgroup paths that the module has kept; on success the old @names are gone */
int ktrc_nl_names(struct ktrc_nl *nl, struct ktrc_names *names, struct ktrc_error *err);

/**
 * struct ktrc_notice_message - what happened to a session
 * @kind: enum ktrc_notice
 * @lost: hits it has lost so far
 * @session: as it is after that
 */
struct ktrc_notice_message {
	u32 kind;
	u64 lost;
	struct ktrc_session session;
};

struct ktrc_notices;

/** ktrc_notices_open() - from now on, keep what the module tells of all sessions */
int ktrc_notices_open(struct ktrc_notices **notices, struct ktrc_error *err);
void ktrc_notices_close(struct ktrc_notices *notices);
void ktrc_cleanup_notices(struct ktrc_notices **notices);
#define __ktrc_notices KTRC_CLEANUP(ktrc_cleanup_notices)

/** ktrc_notices_fd() - readable when there is a notice */
int ktrc_notices_fd(const struct ktrc_notices *notices);

/**
 * ktrc_notices_next() - take one, without waiting
 *
 * Return: 1; 0 when there is none; -ENOBUFS when some had to be dropped: the next call goes on.
 */
int ktrc_notices_next(struct ktrc_notices *notices, struct ktrc_notice_message *message,
		      struct ktrc_error *err);

#endif
