/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Can the recording be trusted?  The books of every event and CPU must balance,
 * and the totals are held against the kernel's own counters.
 *
 * Of a stopped session these are the books that the module hands out.  While it
 * records they would be older or newer than the records: then they are those
 * that the module wrote between the records when it opened each CPU's newest packet.
 */
#ifndef KTRC_CHECK_H
#define KTRC_CHECK_H

#include "compaction.h"
#include "faults.h"
#include "reclaim.h"

/**
 * struct ktrc_check_row - one event on one CPU
 * @event: the event
 * @cpu: the CPU, or KTRC_CPU_NONE
 * @hits: times the hook was hit
 * @written: records written
 * @filtered: hits rejected by a filter
 * @lost: hits lost, all reasons
 * @read: records read for this check, of those written
 * @absent: records overwritten or consumed before
 * @unbalanced_hits: hits - written - filtered - lost
 * @unbalanced_written: written - read - absent
 */
struct ktrc_check_row {
	const struct ktrc_event *event;
	u32 cpu;
	u64 hits;
	u64 written;
	u64 filtered;
	u64 lost;
	u64 read;
	u64 absent;
	s64 unbalanced_hits;
	s64 unbalanced_written;
};

/**
 * struct ktrc_reconciled - a total beside the kernel's own counter of it
 * @why_unknown: why the two cannot be compared, or NULL
 * @traced: what was recorded
 * @kernel: by how much the kernel's counter grew
 */
struct ktrc_reconciled {
	const char *why_unknown;
	u64 traced;
	u64 kernel;
};

/**
 * struct ktrc_check - the view
 * @rows: by event and CPU
 * @nr_rows: their number
 * @total: of all rows
 * @is_stopped: the session is
 * @is_final: the books are those of the end; else of each CPU's newest packet
 * @has_faults: the session records page faults
 * @is_balanced: no difference in any row
 * @is_cut: reading ended before the session's records did
 * @damage: what could not be decoded, or is missing at the ends of the trace's files
 * @pgfault: faults or attempts, as this kernel counts them
 * @pgmajfault: attempts that begin I/O, as the kernel counts them
 * @allocstall: stalls in global direct reclaim; the kernel counts one that has to start
 *	over again
 * @compact_stall: stalls in compaction that the kernel counts
 * @user_stacks: user stacks in the window of which more than one frame was asked for
 * @one_frame: those of them that ended at once, as code without frame pointers makes them do
 * @copied: user stacks in the window that were to be copied, not followed
 * @unwound: those of them whose callers were found
 */
struct ktrc_check {
	struct ktrc_check_row *rows;
	size_t nr_rows;
	struct ktrc_check_row total;
	bool is_stopped;
	bool is_final;
	bool has_faults;
	bool is_balanced;
	bool is_cut;
	struct ktrc_damage damage;
	struct ktrc_reconciled pgfault;
	struct ktrc_reconciled pgmajfault;
	struct ktrc_reconciled allocstall;
	struct ktrc_reconciled compact_stall;
	u64 user_stacks;
	u64 one_frame;
	u64 copied;
	u64 unwound;
};

/**
 * ktrc_check_create() - compute it
 * @capture: all of whose records have been read
 * @faults: view of the same records
 *
 * Return: the view, NULL without memory.
 */
struct ktrc_check *ktrc_check_create(const struct ktrc_capture *capture,
				     const struct ktrc_faults *faults);
/** ktrc_check_stalls() - hold stalls against the kernel's counter as well; @reclaim: finished */
void ktrc_check_stalls(struct ktrc_check *check, const struct ktrc_reclaim *reclaim);
/** ktrc_check_compaction() - and stalls in compaction; @compaction: finished */
void ktrc_check_compaction(struct ktrc_check *check, const struct ktrc_compaction *compaction);
void ktrc_check_destroy(struct ktrc_check *check);
void ktrc_cleanup_check(struct ktrc_check **check);
#define __ktrc_check KTRC_CLEANUP(ktrc_cleanup_check)

/** ktrc_reconciled_percent() - how much of the kernel's count, of which there is some, was recorded */
double ktrc_reconciled_percent(const struct ktrc_reconciled *r);

#endif
