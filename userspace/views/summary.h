/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is going on: one verdict, and the views it rests on. */
#ifndef KTRC_SUMMARY_H
#define KTRC_SUMMARY_H

#include "check.h"
#include "faults.h"
#include "reclaim.h"
#include "tally.h"

/* From this share of one CPU on, a process that faults is worth a verdict. */
#define KTRC_VERDICT_CPU_PERCENT 5
/* Where durations are not recorded: from this many faults a second on. */
#define KTRC_VERDICT_FAULTS_PER_S 5000
/* From this share of the window on, waiting in major faults is worth one. */
#define KTRC_VERDICT_WAIT_PERCENT 10
/* From this share of the window on, all threads together, stalls in reclaim are worth one. */
#define KTRC_VERDICT_STALL_PERCENT 5
/* And so is a single stall of this length. */
#define KTRC_VERDICT_STALL_MS 100
/* A stall under way for so long is one that hangs. */
#define KTRC_VERDICT_STUCK_MS 1000

enum ktrc_verdict {
	KTRC_VERDICT_QUIET, /* nothing reaches a threshold */
	KTRC_VERDICT_COUNTED, /* something was only counted, so nobody can be named */
	KTRC_VERDICT_FAULT_CPU, /* a process burns CPU in faults */
	KTRC_VERDICT_FAULT_WAIT, /* a process waits in major faults */
	KTRC_VERDICT_FAULT_RATE, /* a process faults often; its cost is not recorded */
	KTRC_VERDICT_RECLAIM_STUCK, /* a stall in reclaim does not end */
	KTRC_VERDICT_RECLAIM_MEMCG, /* a cgroup is short of memory: its tasks stall */
	KTRC_VERDICT_RECLAIM_DIRECT, /* the machine, or a node, is: tasks stall */
};

/**
 * struct ktrc_volume - what was written for the records in the window
 * @records: their number
 * @bytes: their size in the rings, dictionary included
 * @user_stacks: as in struct ktrc_check
 * @one_frame: likewise
 * @copied: likewise
 * @unwound: likewise
 */
struct ktrc_volume {
	u64 records;
	u64 bytes;
	u64 user_stacks;
	u64 one_frame;
	u64 copied;
	u64 unwound;
};

/* Events that a summary takes numbers from, at most. */
#define KTRC_SUMMARY_NEEDS 6

/**
 * struct ktrc_summary - the view
 * @verdict: what is going on
 * @culprit: the process that faults most, or that the verdict names; NULL when nothing faulted
 * @percent: of one CPU or of the window, as the verdict says
 * @faults_per_s: of the culprit; 0 also where the window has no length, so that nothing is known by the second
 * @mode: index of who raised most of its faults
 * @mode_percent: that share of them
 * @stalled: with verdict RECLAIM_MEMCG the cgroup's stalls, with RECLAIM_DIRECT the kind's
 * @sufferer: the process that stalled longest, if most of all that is what @stalled is of; else NULL
 * @stuck: with verdict RECLAIM_STUCK the stall that hangs
 * @stall_percent: of the window, in @stalled
 * @faults: the evidence
 * @reclaim: the evidence
 * @tallies: what the counters say where there is no record
 * @check: and whether to trust it
 * @volume: what recording it took
 * @needs: events that it takes numbers from, up to NULL
 */
struct ktrc_summary {
	enum ktrc_verdict verdict;
	const struct ktrc_fault_row *culprit;
	double percent;
	double faults_per_s;
	enum ktrc_fault_mode_index mode;
	double mode_percent;
	const struct ktrc_stall_row *stalled;
	const struct ktrc_stall_row *sufferer;
	const struct ktrc_stall_now *stuck;
	double stall_percent;
	const struct ktrc_faults *faults;
	const struct ktrc_reclaim *reclaim;
	const struct ktrc_tallies *tallies;
	const struct ktrc_check *check;
	struct ktrc_volume volume;
	const char *needs[KTRC_SUMMARY_NEEDS + 1];
};

/** ktrc_verdict_name() - as a word */
const char *ktrc_verdict_name(enum ktrc_verdict verdict);

/** ktrc_verdict_rule() - what must hold for it, threshold included */
const char *ktrc_verdict_rule(enum ktrc_verdict verdict);

/** ktrc_verdict_is_reclaim() - it is about stalls in reclaim */
bool ktrc_verdict_is_reclaim(enum ktrc_verdict verdict);

/** ktrc_summarize() - judge; @faults must be sorted, @reclaim finished */
struct ktrc_summary ktrc_summarize(const struct ktrc_faults *faults,
				   const struct ktrc_reclaim *reclaim,
				   const struct ktrc_tallies *tallies,
				   const struct ktrc_check *check, struct ktrc_volume volume);

#endif
