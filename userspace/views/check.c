// SPDX-License-Identifier: GPL-2.0-or-later
/* Balancing the books. */
#include "check.h"

#include <stdlib.h>

#include "../lib/array.h"
#include "../lib/cleanup.h"
#include "../lib/kernel.h"

void ktrc_check_destroy(struct ktrc_check *check)
{
	if (!check)
		return;
	free(check->rows);
	free(check);
}

void ktrc_cleanup_check(struct ktrc_check **check)
{
	ktrc_check_destroy(*check);
}

/* The session's own counters go with the records only if neither changes any more. */
static bool is_final(const struct ktrc_capture *capture)
{
	return capture->session.state == KTRC_STATE_STOPPED && !capture->is_cut &&
	       capture->session.stop_reason != KTRC_STOP_DELETED;
}

/* Of a CPU whose books were last written down when its newest packet was opened. */
static void take_counted(const struct ktrc_counted *counted, struct ktrc_check_row *row)
{
	row->hits = counted->hits;
	row->written = counted->written;
	row->filtered = counted->filtered;
	row->lost = counted->lost;
	row->read = counted->read;
}

static struct ktrc_check_row make_row(const struct ktrc_check *check,
				      const struct ktrc_capture *capture,
				      const struct ktrc_counters *c)
{
	const struct ktrc_books *books = ktrc_reader_books(capture->reader, c->cpu);
	const struct ktrc_counted *counted = books ? &books->counted[c->event] : NULL;
	struct ktrc_check_row row = {
		.event = ktrc_schema_event(capture->schema, c->event),
		.cpu = c->cpu,
		.hits = c->hits,
		.written = c->written,
		.filtered = c->filtered,
		.lost = ktrc_counters_lost(c),
		.read = books ? books->read[c->event] : 0,
		.absent = books ? books->absent[c->event] : 0,
	};

	if (!check->is_final && !(counted && counted->is_known)) {
		/* nothing to hold them against, and read one by one while they move */
		row.absent = row.written - row.read;
		return row;
	}
	if (!check->is_final)
		take_counted(counted, &row);
	else if (!books && capture->session.mode == KTRC_MODE_STREAM)
		row.absent = row.written; /* nothing is left in the ring: all has been consumed */
	row.unbalanced_hits = (s64)(row.hits - row.written - row.filtered - row.lost);
	row.unbalanced_written = (s64)(row.written - row.read - row.absent);
	return row;
}

/* A damaged trace's counters may be of any size: the sum wraps, as theirs do. */
static s64 sum(s64 a, s64 b)
{
	return (s64)((u64)a + (u64)b);
}

static int add_row(struct ktrc_check *check, const struct ktrc_capture *capture,
		   const struct ktrc_counters *c)
{
	struct ktrc_check_row *row = ktrc_array_push(check->rows, check->nr_rows);

	if (!row)
		return -1;
	*row = make_row(check, capture, c);
	check->total.hits += row->hits;
	check->total.written += row->written;
	check->total.filtered += row->filtered;
	check->total.lost += row->lost;
	check->total.read += row->read;
	check->total.absent += row->absent;
	check->total.unbalanced_hits = sum(check->total.unbalanced_hits, row->unbalanced_hits);
	check->total.unbalanced_written =
		sum(check->total.unbalanced_written, row->unbalanced_written);
	if (row->unbalanced_written || row->unbalanced_hits)
		check->is_balanced = false;
	return 0;
}

/* Until 6.3 pgfault counts every attempt, from 6.4 a fault once, when it is done. */
static bool kernel_counts_attempts(const char *release)
{
	return ktrc_kernel_is_before(release, 6, 4);
}

static const char *why_unknown(const struct ktrc_capture *capture)
{
	if (capture->session.stop_reason == KTRC_STOP_DELETED)
		return "the session was deleted while it was read";
	if (!capture->base.start.is_known)
		return "no base value: started by another tool, or not by root";
	if (!capture->base.stop.is_known)
		return "no end value: the session was not stopped by ktrc-ctl";
	return NULL;
}

/* Of a session that leaves out on purpose, records say nothing about the whole machine. */
static const char *why_records_are_few(const struct ktrc_capture *capture,
				       const struct ktrc_event *event, bool is_complete)
{
	const struct ktrc_session *s = &capture->session;

	if (s->nr_pids || s->cgid || !ktrc_capture_has_all(capture, event))
		return "the session has a filter";
	return is_complete ? NULL : "older records have been overwritten";
}

static void reconcile(struct ktrc_check *check, const struct ktrc_capture *capture,
		      const struct ktrc_faults *faults)
{
	const struct ktrc_vmstat *start = &capture->base.start, *stop = &capture->base.stop;
	bool is_complete = check->total.absent == 0 && faults->left_out == 0;
	struct ktrc_counters all;

	check->pgfault.why_unknown = faults->event ? why_unknown(capture) :
						     "the session does not record --events=fault";
	check->pgmajfault.why_unknown = check->pgfault.why_unknown;
	if (check->pgfault.why_unknown)
		return;
	all = ktrc_counter_set_total(&capture->after, faults->event->id);
	/* also those that a filter rejected were seen */
	check->pgfault.traced = all.hits - ktrc_counters_lost(&all);
	if (!kernel_counts_attempts(capture->kernel) && is_complete)
		check->pgfault.traced -= faults->all->attempts - faults->all->faults;
	check->pgfault.kernel = stop->pgfault - start->pgfault;
	check->pgmajfault.traced = faults->io_begun;
	check->pgmajfault.kernel = stop->pgmajfault - start->pgmajfault;
	if (!faults->has_duration)
		check->pgmajfault.why_unknown =
			"the hook of fault.light does not see it: --events=fault does";
	else if (!faults->tells_io)
		check->pgmajfault.why_unknown = "the older module did not tell who began I/O";
	else
		check->pgmajfault.why_unknown =
			why_records_are_few(capture, faults->event, is_complete);
}

static u64 absent(const struct ktrc_check *check, const struct ktrc_event *event)
{
	u64 sum = 0;

	for (size_t i = 0; i < check->nr_rows; i++)
		if (check->rows[i].event == event)
			sum += check->rows[i].absent;
	return sum;
}

/* Why stalls cannot be held against the kernel's own counter; NULL: they can. */
static const char *why_stalls_unknown(const struct ktrc_check *check,
				      const struct ktrc_capture *capture,
				      const struct ktrc_event *event, bool has_counter,
				      u64 left_out)
{
	const char *why = why_unknown(capture);

	if (why)
		return why;
	if (!has_counter)
		return "no base value: the trace is of an older tool";
	return why_records_are_few(capture, event, !absent(check, event) && !left_out);
}

/* The kernel counts a stall when it begins, so those under way count too. */
void ktrc_check_stalls(struct ktrc_check *check, const struct ktrc_reclaim *reclaim)
{
	const struct ktrc_capture *capture = reclaim->capture;
	const struct ktrc_vmstat *start = &capture->base.start, *stop = &capture->base.stop;
	u64 kind = ktrc_reclaim_kind_number(reclaim, "direct");
	const struct ktrc_stall_row *direct = ktrc_stalls_find(&reclaim->kinds, kind, 0);
	struct ktrc_reconciled *r = &check->allocstall;

	r->why_unknown = "the session does not record --events=reclaim";
	if (reclaim->event)
		r->why_unknown = why_stalls_unknown(check, capture, reclaim->event,
						    start->has_allocstall && stop->has_allocstall,
						    reclaim->left_out);
	if (r->why_unknown)
		return;
	r->kernel = stop->allocstall - start->allocstall;
	r->traced = direct ? direct->stalls : 0;
	for (size_t i = 0; i < reclaim->under_way.nr; i++)
		r->traced += reclaim->under_way.nows[i].kind == kind;
}

/* The kernel counts a stall when it has ended, and only some: the record says which. */
void ktrc_check_compaction(struct ktrc_check *check, const struct ktrc_compaction *compaction)
{
	const struct ktrc_capture *capture = compaction->capture;
	const struct ktrc_vmstat *start = &capture->base.start, *stop = &capture->base.stop;
	struct ktrc_reconciled *r = &check->compact_stall;

	r->why_unknown = "the session does not record --events=compaction";
	if (compaction->event)
		r->why_unknown = why_stalls_unknown(
			check, capture, compaction->event,
			start->has_compact_stall && stop->has_compact_stall, compaction->left_out);
	if (r->why_unknown)
		return;
	r->kernel = stop->compact_stall - start->compact_stall;
	r->traced = compaction->counted;
}

struct ktrc_check *ktrc_check_create(const struct ktrc_capture *capture,
				     const struct ktrc_faults *faults)
{
	__ktrc_check struct ktrc_check *check = calloc(1, sizeof(*check));

	if (!check)
		return NULL;
	check->has_faults = faults->event;
	check->is_balanced = true;
	check->is_stopped = capture->session.state == KTRC_STATE_STOPPED;
	check->is_final = is_final(capture);
	check->is_cut = capture->is_cut;
	check->damage = ktrc_capture_damage(capture);
	for (size_t i = 0; i < capture->after.nr; i++)
		if (add_row(check, capture, &capture->after.rows[i]) < 0)
			return NULL;
	if (check->damage.bad_packets || check->damage.cut_bytes)
		check->is_balanced = false;
	reconcile(check, capture, faults);
	return ktrc_steal(check);
}

double ktrc_reconciled_percent(const struct ktrc_reconciled *r)
{
	return 100.0 * (double)r->traced / (double)r->kernel;
}
