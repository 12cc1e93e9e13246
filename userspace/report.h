/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a capture to a printed view; shared by ktrc-read and ktrc-ctl run. */
#ifndef KTRC_REPORT_H
#define KTRC_REPORT_H

#include "cli.h"

enum ktrc_view {
	KTRC_VIEW_SUMMARY,
	KTRC_VIEW_FAULTS,
	KTRC_VIEW_EVENTS,
	KTRC_VIEW_CHECK,
};

/** ktrc_report() - print a view of a capture; returns the exit code */
int ktrc_report(struct ktrc_capture *capture, enum ktrc_view view, bool with_dictionary,
		const struct ktrc_cli *cli);

/** ktrc_report_faults() - print a view that rests on counted faults; returns the exit code */
int ktrc_report_faults(const struct ktrc_capture *capture, struct ktrc_faults *faults,
		       enum ktrc_view view, const struct ktrc_cli *cli);

/** ktrc_report_loss() - exit code 6 when more was lost than --max-loss allows, else @code */
int ktrc_report_loss(const struct ktrc_capture *capture, const struct ktrc_cli *cli, int code);

#endif
