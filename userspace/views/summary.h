/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is going on: one verdict, and the views it rests on. */
#ifndef KTRC_SUMMARY_H
#define KTRC_SUMMARY_H

#include "check.h"
#include "faults.h"

/* From this share of one CPU on, a process that faults is worth a verdict. */
#define KTRC_VERDICT_CPU_PERCENT 5.0
/* Where durations are not recorded: from this many faults a second on. */
#define KTRC_VERDICT_FAULTS_PER_S 5000.0
/* From this share of the window on, waiting in major faults is worth one. */
#define KTRC_VERDICT_WAIT_PERCENT 10.0

enum ktrc_verdict {
	KTRC_VERDICT_QUIET, /* nothing reaches a threshold */
	KTRC_VERDICT_FAULT_CPU, /* a process burns CPU in faults */
	KTRC_VERDICT_FAULT_WAIT, /* a process waits in major faults */
	KTRC_VERDICT_FAULT_RATE, /* a process faults often; its cost is not recorded */
};

/**
 * struct ktrc_summary - the view
 * @verdict: what is going on
 * @culprit: the process it names; NULL when nothing faulted
 * @percent: of one CPU or of the window, as the verdict says
 * @faults_per_s: of the culprit
 * @mode: index of who raised most of its faults
 * @mode_percent: that share of them
 * @faults: the evidence
 * @check: and whether to trust it
 */
struct ktrc_summary {
	enum ktrc_verdict verdict;
	const struct ktrc_fault_row *culprit;
	double percent;
	double faults_per_s;
	enum ktrc_fault_mode_index mode;
	double mode_percent;
	const struct ktrc_faults *faults;
	const struct ktrc_check *check;
};

/** ktrc_verdict_name() - as a word */
const char *ktrc_verdict_name(enum ktrc_verdict verdict);

/** ktrc_summarize() - judge; @faults must be sorted */
struct ktrc_summary ktrc_summarize(const struct ktrc_faults *faults,
				   const struct ktrc_check *check);

#endif
