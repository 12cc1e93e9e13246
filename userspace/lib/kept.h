/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tools keep of a session between their runs: documents in files
 * KTRC_RUN_DIR/<session>.<kind>, each with the uuid of the session that it is of.
 */
#ifndef KTRC_KEPT_H
#define KTRC_KEPT_H

#include <jansson.h>

#include "error.h"
#include "types.h"

#define KTRC_RUN_DIR "/run/ktrc"

/** ktrc_kept_load() - a session's document; NULL if there is none of that uuid */
json_t *ktrc_kept_load(const char *session, const char *kind, const u8 uuid[16]);

/** ktrc_kept_store() - keep it; @document has a member uuid; NULL stands for lack of memory */
int ktrc_kept_store(const char *session, const char *kind, const json_t *document,
		    struct ktrc_error *err);

/** ktrc_kept_forget() - the session is gone */
void ktrc_kept_forget(const char *session, const char *kind);

#endif
