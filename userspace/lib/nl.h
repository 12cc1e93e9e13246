/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control: the module's generic netlink family.  Every failure carries the
 * kernel's own sentence when it sent one.
 */
#ifndef KTRC_NL_H
#define KTRC_NL_H

#include "error.h"
#include "schema.h"
#include "session.h"

struct ktrc_nl;

/**
 * ktrc_nl_open() - connect to the module
 *
 * Return: 0; -ENODEV with exit code 3 when the module is not loaded (and could
 * not be loaded by asking for it); -EPROTO with exit code 7 when its control
 * interface is not this library's.
 */
int ktrc_nl_open(struct ktrc_nl **nl, struct ktrc_error *err);
void ktrc_nl_close(struct ktrc_nl *nl);
void ktrc_cleanup_nl(struct ktrc_nl **nl);
#define __ktrc_nl KTRC_CLEANUP(ktrc_cleanup_nl)

/**
 * ktrc_nl_session_new() - make a session, in place of one of that name that does not run
 *
 * Zero members mean the module's default.  Of a failure nothing is changed.
 */
int ktrc_nl_session_new(struct ktrc_nl *nl, const struct ktrc_session *session,
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

#endif
