/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the text and the JSON of a summary say alike. */
#ifndef KTRC_VERDICT_H
#define KTRC_VERDICT_H

#include "format.h"
#include "page.h"

/* Columns for a cgroup's path inside a sentence. */
#define KTRC_PATH_COLUMNS 40

/** ktrc_text_verdict() - the first line: what is wrong, where, how much */
void ktrc_text_verdict(const struct ktrc_summary *s, char line[KTRC_LINE_ROOM]);

/**
 * ktrc_summary_kept_away() - hits of an event of which none became a record, as the filter asked
 *
 * Return: their number; 0 if one should have become a record.
 */
u64 ktrc_summary_kept_away(const struct ktrc_summary *s, const struct ktrc_event *event);

/** ktrc_summary_unjudged() - hits of an event that no verdict is about; of others, and of NULL, 0 */
u64 ktrc_summary_unjudged(const struct ktrc_summary *s, const struct ktrc_event *event);

/** ktrc_fault_mode_name() - one word */
const char *ktrc_fault_mode_name(enum ktrc_fault_mode_index mode);

/** ktrc_text_cgroup() - a cgroup as a sentence can name it */
const char *ktrc_text_cgroup(const struct ktrc_capture *capture, u64 cgid, size_t columns,
			     char room[KTRC_SHORT_ROOM]);

/** ktrc_text_kind() - of a stall */
const char *ktrc_text_kind(const struct ktrc_reclaim *reclaim, u64 kind);

/** ktrc_text_ticks() - a time with its unit */
const char *ktrc_text_ticks(const struct ktrc_reclaim *reclaim, u64 ticks,
			    char room[KTRC_TEXT_ROOM]);

/** ktrc_summary_to_json() - the document ktrc.summary/1 */
json_t *ktrc_summary_to_json(const struct ktrc_summary *s, const struct ktrc_output *out);

#endif
