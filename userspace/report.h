/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a capture to a printed view; shared by ktrc-read and ktrc-ctl run. */
#ifndef KTRC_REPORT_H
#define KTRC_REPORT_H

#include "cli.h"
#include "format/format.h"

enum ktrc_view {
	KTRC_VIEW_SUMMARY,
	KTRC_VIEW_FAULTS,
	KTRC_VIEW_RECLAIM,
	KTRC_VIEW_MADVISE,
	KTRC_VIEW_THROTTLE,
	KTRC_VIEW_COMPACTION,
	KTRC_VIEW_FRAG,
	KTRC_VIEW_EVENTS,
	KTRC_VIEW_CHECK,
};

/**
 * struct ktrc_views - everything that is counted in one pass over the records
 * @capture: what they are views of
 * @faults: page faults
 * @reclaim: stalls in reclaim
 * @madvise: advice about memory
 * @throttle: what CPU quotas keep off CPUs
 * @compaction: stalls in compaction
 * @volume: what recording it took
 * @bcc: what was printed with --compat
 */
struct ktrc_views {
	const struct ktrc_capture *capture;
	struct ktrc_faults *faults;
	struct ktrc_reclaim *reclaim;
	struct ktrc_madvise *madvise;
	struct ktrc_throttle *throttle;
	struct ktrc_compaction *compaction;
	struct ktrc_volume volume;
	struct ktrc_bcc bcc;
};

/** ktrc_views_create() - empty views, which keep what the options ask for; NULL without memory */
struct ktrc_views *ktrc_views_create(const struct ktrc_capture *capture,
				     const struct ktrc_cli *cli);
void ktrc_views_destroy(struct ktrc_views *views);
void ktrc_cleanup_views(struct ktrc_views **views);
#define __ktrc_views KTRC_CLEANUP(ktrc_cleanup_views)

/** ktrc_views_add() - look at a record; 0 or -ENOMEM */
int ktrc_views_add(struct ktrc_views *views, const struct ktrc_record *record);

/** ktrc_report_compat() - print the rows of --compat that have come since */
void ktrc_report_compat(struct ktrc_views *views, const struct ktrc_cli *cli);

/** ktrc_report_prepare() - what a view needs to know beside the records; 0 or -ENOMEM */
int ktrc_report_prepare(struct ktrc_capture *capture, enum ktrc_view view,
			const struct ktrc_cli *cli);

/** ktrc_report() - print a view of a capture; returns the exit code */
int ktrc_report(struct ktrc_capture *capture, enum ktrc_view view, bool with_dictionary,
		const struct ktrc_cli *cli);

/** ktrc_report_views() - print one of them, or what rests on them; returns the exit code */
int ktrc_report_views(struct ktrc_views *views, enum ktrc_view view, const struct ktrc_cli *cli);

/**
 * ktrc_report_damage() - tell what of the records is damaged, missing or was left unread
 * @capture: what was read
 * @cli: options
 *
 * Return: 0, or the exit code for what could not be read, which it has told.
 */
int ktrc_report_damage(const struct ktrc_capture *capture, const struct ktrc_cli *cli);

/**
 * ktrc_report_loss() - tell what was lost
 * @capture: of what
 * @cli: options
 * @is_stated: what was printed says how much
 * @code: exit code so far
 *
 * Return: 6 when more was lost than --max-loss allows, or nobody knows how much, as the capture is cut or
 * damaged; else @code.
 */
int ktrc_report_loss(const struct ktrc_capture *capture, const struct ktrc_cli *cli, bool is_stated,
		     int code);

#endif
