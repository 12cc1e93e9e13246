// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict. */
#include "summary.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define STALLS_RULE                                                  \
	"take " TEXT(KTRC_VERDICT_STALL_PERCENT) "% of the window, " \
						 "or one " TEXT(KTRC_VERDICT_STALL_MS) " ms"

static const struct {
	const char *name;
	const char *rule;
} verdicts[] = {
	[KTRC_VERDICT_QUIET] = { "quiet", "nothing reaches a threshold" },
	[KTRC_VERDICT_COUNTED] = { "counted", "of what is only counted nobody can be named" },
	[KTRC_VERDICT_FAULT_CPU] = { "fault_cpu",
				     "from " TEXT(
					     KTRC_VERDICT_CPU_PERCENT) "% of a CPU in a process's page faults on" },
	[KTRC_VERDICT_FAULT_WAIT] = { "fault_wait",
				      "from " TEXT(
					      KTRC_VERDICT_WAIT_PERCENT) "% of the window in a process's major faults on" },
	[KTRC_VERDICT_FAULT_RATE] = { "fault_rate",
				      "from " TEXT(
					      KTRC_VERDICT_FAULTS_PER_S) " page faults/s of a process on" },
	[KTRC_VERDICT_RECLAIM_STUCK] = { "reclaim_stuck",
					 "from " TEXT(
						 KTRC_VERDICT_STUCK_MS) " ms in a stall that has not ended on" },
	[KTRC_VERDICT_RECLAIM_MEMCG] = { "reclaim_memcg",
					 "a cgroup's own stalls of a kind " STALLS_RULE },
	[KTRC_VERDICT_RECLAIM_DIRECT] = { "reclaim_direct",
					  "the machine's or a node's stalls of a kind " STALLS_RULE },
};

const char *ktrc_verdict_name(enum ktrc_verdict verdict)
{
	return verdicts[verdict].name;
}

const char *ktrc_verdict_rule(enum ktrc_verdict verdict)
{
	return verdicts[verdict].rule;
}

bool ktrc_verdict_is_reclaim(enum ktrc_verdict verdict)
{
	return verdict >= KTRC_VERDICT_RECLAIM_STUCK;
}

static double faults_per_s(const struct ktrc_faults *faults, const struct ktrc_fault_row *row)
{
	u64 window = ktrc_faults_window_ticks(faults);

	return window ? (double)row->faults * (double)faults->capture->clock.hz / (double)window :
			0;
}

static double wait_percent(const struct ktrc_faults *faults, const struct ktrc_fault_row *row)
{
	u64 window = ktrc_faults_window_ticks(faults);

	return window ? 100.0 * (double)(row->total_ticks - row->busy_ticks) / (double)window : 0;
}

static const struct ktrc_fault_row *longest_waiter(const struct ktrc_faults *faults)
{
	const struct ktrc_fault_row *longest = faults->processes.at[0], *row;

	for (size_t i = 1; i < faults->processes.nr; i++) {
		row = faults->processes.at[i];
		if (row->total_ticks - row->busy_ticks > longest->total_ticks - longest->busy_ticks)
			longest = row;
	}
	return longest;
}

static void judge_faults(struct ktrc_summary *s)
{
	const struct ktrc_fault_row *first = s->faults->processes.at[0], *waiter;

	s->culprit = first;
	s->percent = ktrc_faults_cpu_percent(s->faults, first);
	s->faults_per_s = faults_per_s(s->faults, first);
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
		s->faults_per_s = faults_per_s(s->faults, waiter);
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

static u64 ns_of(const struct ktrc_reclaim *reclaim, u64 ticks)
{
	return ktrc_ticks_to_ns(&reclaim->capture->clock, ticks);
}

static bool is_worth_it(const struct ktrc_reclaim *reclaim, const struct ktrc_stall_row *row)
{
	return ktrc_reclaim_percent(reclaim, row->total_ticks) >= KTRC_VERDICT_STALL_PERCENT ||
	       ns_of(reclaim, row->max_ticks) >= KTRC_VERDICT_STALL_MS * NSEC_PER_MSEC;
}

/* The cgroup itself is short: at its limit, or above memory.high. */
static bool is_of_cgroup(const struct ktrc_reclaim *reclaim, u64 kind)
{
	return kind == ktrc_reclaim_kind_number(reclaim, "memcg") ||
	       kind == ktrc_reclaim_kind_number(reclaim, "high");
}

/* The row that reaches a threshold; of two that do, or do not, the costlier one.  Either may be NULL. */
static const struct ktrc_stall_row *worse(const struct ktrc_reclaim *reclaim,
					  const struct ktrc_stall_row *a,
					  const struct ktrc_stall_row *b)
{
	if (!a || !b)
		return a ? a : b;
	if (is_worth_it(reclaim, a) != is_worth_it(reclaim, b))
		return is_worth_it(reclaim, a) ? a : b;
	return b->total_ticks > a->total_ticks ? b : a;
}

static const struct ktrc_stall_row *worst_memcg(const struct ktrc_reclaim *reclaim)
{
	const struct ktrc_stall_row *worst = NULL;

	for (size_t i = 0; i < reclaim->cgroups.nr; i++)
		if (is_of_cgroup(reclaim, reclaim->cgroups.rows[i]->key.b))
			worst = worse(reclaim, worst, reclaim->cgroups.rows[i]);
	return worst;
}

/* Nobody is short who waits in no stall, as in compaction, or was asked to give memory back. */
static bool is_nobodys(const struct ktrc_reclaim *reclaim, u64 kind)
{
	return kind == ktrc_reclaim_kind_number(reclaim, "vmscan_throttled") ||
	       kind == ktrc_reclaim_kind_number(reclaim, "asked");
}

/* What is not a cgroup's own: direct, or a node's. */
static const struct ktrc_stall_row *worst_other(const struct ktrc_reclaim *reclaim)
{
	const struct ktrc_stall_row *worst = NULL;

	for (size_t i = 0; i < reclaim->kinds.nr; i++) {
		u64 kind = reclaim->kinds.rows[i]->key.a;

		if (!is_of_cgroup(reclaim, kind) && !is_nobodys(reclaim, kind))
			worst = worse(reclaim, worst, reclaim->kinds.rows[i]);
	}
	return worst;
}

static const struct ktrc_stall_now *find_stuck(const struct ktrc_reclaim *reclaim)
{
	for (size_t i = 0; i < reclaim->under_way.nr; i++) {
		const struct ktrc_stall_now *now = &reclaim->under_way.nows[i];

		if (now->is_certain && !is_nobodys(reclaim, now->kind) &&
		    ns_of(reclaim, ktrc_stall_now_ticks(reclaim->capture, now)) >=
			    KTRC_VERDICT_STUCK_MS * NSEC_PER_MSEC)
			return now;
	}
	return NULL;
}

/* Time in reclaim is part of the time in the fault that raised it, and explains it. */
static bool explains_more(const struct ktrc_summary *s)
{
	return s->verdict == KTRC_VERDICT_QUIET || 2 * s->stall_percent >= s->percent;
}

static void judge_reclaim(struct ktrc_summary *s)
{
	const struct ktrc_stall_row *memcg = worst_memcg(s->reclaim);
	const struct ktrc_stall_row *other = worst_other(s->reclaim);
	const struct ktrc_stall_row *worst = worse(s->reclaim, memcg, other);

	s->stuck = find_stuck(s->reclaim);
	if (worst) {
		s->stalled = worst;
		/* in stalls of all kinds, which only if these are most of them says who was in these */
		if (s->reclaim->processes.nr &&
		    2 * worst->total_ticks > s->reclaim->all->total_ticks)
			s->sufferer = s->reclaim->processes.rows[0];
		s->stall_percent = ktrc_reclaim_percent(s->reclaim, worst->total_ticks);
	}
	if (s->stuck)
		s->verdict = KTRC_VERDICT_RECLAIM_STUCK;
	else if (worst && is_worth_it(s->reclaim, worst) && explains_more(s))
		s->verdict = worst == memcg ? KTRC_VERDICT_RECLAIM_MEMCG :
					      KTRC_VERDICT_RECLAIM_DIRECT;
}

static void find_needs(struct ktrc_summary *s)
{
	const struct ktrc_event *fault = s->faults->event;
	size_t nr = 0;

	s->needs[nr++] = fault ? fault->label : "fault";
	s->needs[nr++] = "reclaim";
	for (size_t i = 0; s->reclaim->event && s->reclaim->needs[i]; i++)
		s->needs[nr++] = s->reclaim->needs[i];
}

struct ktrc_summary ktrc_summarize(const struct ktrc_faults *faults,
				   const struct ktrc_reclaim *reclaim,
				   const struct ktrc_tallies *tallies,
				   const struct ktrc_check *check, struct ktrc_volume volume)
{
	struct ktrc_summary s = { .faults = faults,
				  .reclaim = reclaim,
				  .tallies = tallies,
				  .check = check,
				  .volume = volume };

	if (faults->processes.nr) {
		judge_faults(&s);
		find_mode(&s);
	}
	judge_reclaim(&s);
	find_needs(&s);
	if (s.verdict == KTRC_VERDICT_QUIET && ktrc_tallies_counted(tallies))
		s.verdict = KTRC_VERDICT_COUNTED;
	return s;
}
