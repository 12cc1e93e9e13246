// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict. */
#include "summary.h"

const char *ktrc_verdict_name(enum ktrc_verdict verdict)
{
	static const char *const names[] = {
		[KTRC_VERDICT_QUIET] = "quiet",
		[KTRC_VERDICT_FAULT_CPU] = "fault_cpu",
		[KTRC_VERDICT_FAULT_WAIT] = "fault_wait",
		[KTRC_VERDICT_FAULT_RATE] = "fault_rate",
	};

	return names[verdict];
}

static double seconds(const struct ktrc_faults *faults)
{
	return (double)ktrc_faults_window_ticks(faults) / (double)faults->capture->clock.hz;
}

static double wait_percent(const struct ktrc_faults *faults, const struct ktrc_fault_row *row)
{
	u64 window = ktrc_faults_window_ticks(faults);

	return window ? 100.0 * (double)(row->total_ticks - row->busy_ticks) / (double)window : 0;
}

static const struct ktrc_fault_row *longest_waiter(const struct ktrc_faults *faults)
{
	const struct ktrc_fault_row *longest = faults->rows[0], *row;

	for (size_t i = 1; i < faults->nr_rows; i++) {
		row = faults->rows[i];
		if (row->total_ticks - row->busy_ticks > longest->total_ticks - longest->busy_ticks)
			longest = row;
	}
	return longest;
}

static void judge(struct ktrc_summary *s)
{
	const struct ktrc_fault_row *first = s->faults->rows[0], *waiter;

	s->culprit = first;
	s->percent = ktrc_faults_cpu_percent(s->faults, first);
	s->faults_per_s = (double)first->faults / seconds(s->faults);
	if (!s->faults->has_duration) {
		if (s->faults_per_s >= KTRC_VERDICT_FAULTS_PER_S)
			s->verdict = KTRC_VERDICT_FAULT_RATE;
		return;
	}
	waiter = longest_waiter(s->faults);
	if (s->percent >= KTRC_VERDICT_CPU_PERCENT) {
		s->verdict = KTRC_VERDICT_FAULT_CPU;
	} else if (wait_percent(s->faults, waiter) >= KTRC_VERDICT_WAIT_PERCENT) {
		s->verdict = KTRC_VERDICT_FAULT_WAIT;
		s->culprit = waiter;
		s->percent = wait_percent(s->faults, waiter);
		s->faults_per_s = (double)waiter->faults / seconds(s->faults);
	}
}

static void find_mode(struct ktrc_summary *s)
{
	const u64 *by_mode = s->culprit->by_mode;

	for (int mode = 0; mode < KTRC_NR_FAULT_MODES; mode++)
		if (by_mode[mode] > by_mode[s->mode])
			s->mode = (enum ktrc_fault_mode_index)mode;
	if (s->culprit->faults)
		s->mode_percent = 100.0 * (double)by_mode[s->mode] / (double)s->culprit->faults;
}

struct ktrc_summary ktrc_summarize(const struct ktrc_faults *faults, const struct ktrc_check *check)
{
	struct ktrc_summary s = { .faults = faults, .check = check };

	if (faults->nr_rows && ktrc_faults_window_ticks(faults)) {
		judge(&s);
		find_mode(&s);
	}
	return s;
}
