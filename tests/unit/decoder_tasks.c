// SPDX-License-Identifier: GPL-2.0-or-later
/* Ids of processes and threads are given again: rows are of one process, or one thread, all the same. */
#include <stdio.h>

#include "../../userspace/views/faults.h"
#include "../../userspace/views/stalls.h"
#include "../../userspace/views/throttle.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

#define START_TICKS (1ull << 40)

/*
 * Who had the ids 100 and 101 one after the other; threads come before their first thread, too.  One
 * starts as late as a number can say.
 */
static const struct ktrc_ev_task old_thread = { .tid = 101,
						.pid = 100,
						.start_ns = 2000,
						.comm = "old_thread",
						.cgid = 5 };
static const struct ktrc_ev_task old = { .tid = 100,
					 .pid = 100,
					 .start_ns = 1000,
					 .comm = "old",
					 .cgid = 5 };
static const struct ktrc_ev_task new = { .tid = 100,
					 .pid = 100,
					 .start_ns = 9000,
					 .comm = "new",
					 .cgid = 6 };
static const struct ktrc_ev_task new_thread = { .tid = 101,
						.pid = 100,
						.start_ns = ~0ull,
						.comm = "new_thread",
						.cgid = 6 };
static const struct ktrc_ev_task renamed = { .tid = 100,
					     .pid = 100,
					     .start_ns = 9000,
					     .comm = "renamed",
					     .cgid = 6 };

/* Each has one fault more than the one before it, and one gap. */
static const struct ktrc_ev_task *const orders[][5] = {
	{ &old_thread, &old, &new, &new_thread, &renamed },
	{ &new, &old_thread, &new_thread, &old, &renamed },
	{ &new_thread, &new, &renamed, &old_thread, &old },
	{ &old_thread, &new, &new_thread, &old, &renamed },
};

static u64 nr_faults(const struct ktrc_ev_task *const order[5], const struct ktrc_ev_task *task)
{
	for (u64 i = 0; i < 5; i++)
		if (order[i] == task)
			return i + 1;
	return 0;
}

static struct ktrc_capture *make_capture(const struct ktrc_ev_task *const order[5])
{
	const struct ktrc_ev_fault fault = { .mode = KTRC_fault_mode_user, .dur = 1000 };
	const struct ktrc_ev_throttle_gap gap = { .cgid = 1, .limiter_id = 1, .dur = 100 };
	struct synth_stream s = { 0 };
	struct ktrc_capture *capture;
	u64 ticks = START_TICKS;
	struct ktrc_error err;

	synth_open(&s, ticks, order[0]);
	for (u64 i = 0; i < 5; i++) {
		synth_record(&s, KTRC_EV_task, ++ticks, order[i], sizeof(*order[i]));
		synth_record(&s, KTRC_EV_throttle_gap, ++ticks, &gap, sizeof(gap));
		for (u64 k = 0; k <= i; k++)
			synth_fault(&s, ++ticks, &fault);
	}
	synth_close(&s);
	capture = synth_capture(&s, 1);
	capture->session.events = ~0ull;
	if (ktrc_capture_start_reader(capture, &err) < 0)
		abort();
	return capture;
}

/* All that the views of faults, of stalls by process, and of gaps make of it. */
struct rows {
	struct ktrc_capture *capture;
	struct ktrc_faults *faults;
	struct ktrc_stalls stalls;
	struct ktrc_throttle *throttle;
};

static struct rows make_rows(const struct ktrc_ev_task *const order[5])
{
	struct ktrc_capture *capture = make_capture(order);
	struct rows rows = {
		.capture = capture,
		.faults = ktrc_faults_create(capture),
		.throttle = ktrc_throttle_create(capture),
	};
	const struct ktrc_record *r;

	while ((r = ktrc_reader_next(capture->reader)) != NULL) {
		if (ktrc_faults_add(rows.faults, r) < 0 || ktrc_throttle_add(rows.throttle, r) < 0)
			abort();
		if (r->event->id == KTRC_EV_fault &&
		    ktrc_stall_add(ktrc_stalls_get_process(&rows.stalls, r->task, 7), 1, 0, 1) < 0)
			abort();
	}
	return rows;
}

static void release_rows(struct rows *rows)
{
	ktrc_faults_destroy(rows->faults);
	ktrc_throttle_destroy(rows->throttle);
	ktrc_stalls_release(&rows->stalls);
	ktrc_capture_destroy(rows->capture);
}

/* The one of two that is of this cgroup has so many, of which the first thread is called so. */
static bool is_process(const struct rows *rows, u64 cgid, u64 nr, const char *comm)
{
	const struct ktrc_fault_rows *processes = &rows->faults->processes;
	const struct ktrc_fault_row *row;
	const struct ktrc_stall_row *stall;

	if (processes->nr != 2 || rows->stalls.nr != 2)
		return false;
	row = processes->at[processes->at[1]->cgid == cgid];
	stall = rows->stalls.rows[rows->stalls.rows[1]->cgid == cgid];
	return row->cgid == cgid && row->faults == nr && row->pid == 100 &&
	       strcmp(row->comm, comm) == 0 && stall->cgid == cgid && stall->stalls == nr &&
	       stall->pid == 100 && strcmp(stall->comm, comm) == 0;
}

/* Three threads were kept off: two had the same id; and one limiter kept off all of them. */
static bool are_threads(const struct ktrc_throttle *view)
{
	u64 of[2] = { 0 };

	for (size_t i = 0; i < view->threads.nr; i++)
		of[view->threads.rows[i]->tid == 101] += view->threads.rows[i]->stalls;
	return view->threads.nr == 4 && of[0] == 3 && of[1] == 2 &&
	       ktrc_throttle_lost(view, 1)->threads == 4;
}

int main(void)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		const struct ktrc_ev_task *const *order = orders[i];
		struct rows rows = make_rows(order);

		ok(is_process(&rows, 5, nr_faults(order, &old) + nr_faults(order, &old_thread),
			      "old"),
		   "a process has what its threads did");
		ok(is_process(&rows, 6,
			      nr_faults(order, &new) + nr_faults(order, &new_thread) +
				      nr_faults(order, &renamed),
			      "renamed"),
		   "and nothing of the one that had its id before");
		ok(are_threads(rows.throttle), "nor has a thread");
		release_rows(&rows);
	}
	return end_of_tests();
}
