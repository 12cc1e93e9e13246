// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict as a sentence, and the words that it shares with the lines below it. */
#include "verdict.h"

static const char *const mode_names[KTRC_NR_FAULT_MODES] = {
	[KTRC_FAULT_USER] = "user",
	[KTRC_FAULT_KERNEL] = "kernel",
	[KTRC_FAULT_GUP] = "gup",
	[KTRC_FAULT_OTHER] = "other",
};

const char *ktrc_fault_mode_name(enum ktrc_fault_mode_index mode)
{
	return mode_names[mode];
}

const char *ktrc_text_cgroup(const struct ktrc_capture *capture, u64 cgid, size_t columns,
			     char room[KTRC_SHORT_ROOM])
{
	const char *path = ktrc_names_find(&capture->names, cgid);

	if (path)
		return ktrc_shorten_path(path, columns, room);
	if (cgid)
		snprintf(room, KTRC_SHORT_ROOM, "cgroup %llu", cgid);
	else
		snprintf(room, KTRC_SHORT_ROOM, "an unknown cgroup");
	return room;
}

const char *ktrc_text_kind(const struct ktrc_reclaim *reclaim, u64 kind)
{
	const char *name = ktrc_reclaim_kind(reclaim, kind);

	return name ? name : "unknown";
}

const char *ktrc_text_ticks(const struct ktrc_reclaim *reclaim, u64 ticks,
			    char room[KTRC_TEXT_ROOM])
{
	return ktrc_text_ns(ktrc_ticks_to_ns(&reclaim->capture->clock, ticks), room);
}

u64 ktrc_summary_kept_away(const struct ktrc_summary *s, const struct ktrc_event *event)
{
	const struct ktrc_tally *tally = ktrc_tallies_find(s->tallies, event);

	return tally && tally->total.filtered == tally->total.hits ? tally->total.hits : 0;
}

static u64 lost_of(const struct ktrc_summary *s, const struct ktrc_event *event)
{
	const struct ktrc_tally *tally = ktrc_tallies_find(s->tallies, event);

	return tally ? ktrc_counters_lost(&tally->total) : 0;
}

static void say_quiet_faults(const struct ktrc_summary *s, char line[KTRC_LINE_ROOM])
{
	const struct ktrc_fault_row *c = s->culprit;
	u64 hits = ktrc_summary_kept_away(s, s->faults->event), lost = lost_of(s, s->faults->event);

	if (c)
		snprintf(line, KTRC_LINE_ROOM, "%llu page faults, busiest %s[%u] with %llu",
			 s->faults->all->faults, c->comm, c->pid, c->faults);
	else if (hits)
		snprintf(line, KTRC_LINE_ROOM, "no page fault of %llu passed the filter", hits);
	else if (lost)
		snprintf(line, KTRC_LINE_ROOM, "no page fault recorded, %llu lost", lost);
	else
		snprintf(line, KTRC_LINE_ROOM, "no page faults");
}

static void say_quiet_stalls(const struct ktrc_summary *s, char line[KTRC_LINE_ROOM])
{
	const struct ktrc_stall_row *all = s->reclaim->all;
	u64 hits = ktrc_summary_kept_away(s, s->reclaim->event),
	    lost = lost_of(s, s->reclaim->event);
	char total[KTRC_TEXT_ROOM];

	if (all->stalls)
		snprintf(line, KTRC_LINE_ROOM, "%llu stalls in reclaim, %s in all", all->stalls,
			 ktrc_text_ticks(s->reclaim, all->total_ticks, total));
	else if (hits)
		snprintf(line, KTRC_LINE_ROOM, "no stall of %llu in reclaim passed the filter",
			 hits);
	else if (lost)
		snprintf(line, KTRC_LINE_ROOM, "no stall in reclaim recorded, %llu lost", lost);
	else
		snprintf(line, KTRC_LINE_ROOM, "no stall in reclaim");
}

u64 ktrc_summary_unjudged(const struct ktrc_summary *s, const struct ktrc_event *event)
{
	const struct ktrc_tally *tally = ktrc_tallies_find(s->tallies, event);
	bool is_judged = event == s->faults->event || event == s->reclaim->event;

	return tally && !is_judged ? tally->wanted : 0;
}

/* Of events that no verdict is about: how often they happened, if they did or are @all there is. */
static void say_quiet_others(const struct ktrc_summary *s, bool all, char line[KTRC_LINE_ROOM])
{
	size_t used = 0;

	for (size_t i = 0; i < s->tallies->nr && used < KTRC_LINE_ROOM / 4; i++) {
		const struct ktrc_tally *t = &s->tallies->rows[i];

		if (all || ktrc_summary_unjudged(s, t->event))
			used += (size_t)snprintf(line + used, KTRC_LINE_ROOM - used,
						 "%s%s %llu times", used ? "; " : "",
						 t->event->label, t->wanted);
	}
}

/* What nothing else tells comes first: a page may have no room for all. */
static void say_quiet(const struct ktrc_summary *s, char line[KTRC_LINE_ROOM])
{
	enum { OTHERS, FAULTS, STALLS, NR_PARTS };
	char parts[NR_PARTS][KTRC_LINE_ROOM] = { "" };
	size_t used = (size_t)snprintf(line, KTRC_LINE_ROOM, "quiet: ");
	const char *between = "";

	say_quiet_others(s, !s->check->has_faults && !s->reclaim->event, parts[OTHERS]);
	if (s->check->has_faults)
		say_quiet_faults(s, parts[FAULTS]);
	if (s->reclaim->event)
		say_quiet_stalls(s, parts[STALLS]);
	for (size_t i = 0; i < NR_PARTS && used < KTRC_LINE_ROOM; i++) {
		if (!*parts[i])
			continue;
		used += (size_t)snprintf(line + used, KTRC_LINE_ROOM - used, "%s%s", between,
					 parts[i]);
		between = "; ";
	}
}

static void say_fault(const struct ktrc_summary *s, char line[KTRC_LINE_ROOM])
{
	const struct ktrc_fault_row *c = s->culprit;

	if (s->verdict == KTRC_VERDICT_FAULT_CPU)
		snprintf(line, KTRC_LINE_ROOM,
			 "fault: %s[%u] spends %.1f%% of a CPU in %llu page faults, %.0f%% %s",
			 c->comm, c->pid, s->percent, c->faults, s->mode_percent,
			 ktrc_fault_mode_name(s->mode));
	else if (s->verdict == KTRC_VERDICT_FAULT_WAIT)
		snprintf(line, KTRC_LINE_ROOM,
			 "fault: %s[%u] waits %.1f%% of the time in major page faults: %llu",
			 c->comm, c->pid, s->percent, c->majors);
	else
		snprintf(line, KTRC_LINE_ROOM,
			 "fault: %s[%u] takes %.0f page faults/s: %llu, %.1f%% %s", c->comm, c->pid,
			 s->faults_per_s, c->faults, s->mode_percent,
			 ktrc_fault_mode_name(s->mode));
}

/* In what a stall of this kind is stuck. */
static const char *text_of_stuck(const struct ktrc_reclaim *reclaim, u64 kind,
				 char room[KTRC_TEXT_ROOM])
{
	if (kind == ktrc_reclaim_kind_number(reclaim, "high"))
		return "above memory.high";
	if (kind == ktrc_reclaim_kind_number(reclaim, "throttled_direct"))
		return "waiting for kswapd";
	snprintf(room, KTRC_TEXT_ROOM, "in %s reclaim", ktrc_text_kind(reclaim, kind));
	return room;
}

static void say_stuck(const struct ktrc_summary *s, char line[KTRC_LINE_ROOM])
{
	const struct ktrc_stall_now *now = s->stuck;
	char room[KTRC_SHORT_ROOM], since[KTRC_TEXT_ROOM], where[KTRC_TEXT_ROOM];

	snprintf(line, KTRC_LINE_ROOM, "reclaim: %s[%u] is stuck %s for %s, in %s", now->comm,
		 now->pid, text_of_stuck(s->reclaim, now->kind, where),
		 ktrc_text_ticks(s->reclaim, ktrc_stall_now_ticks(s->reclaim->capture, now), since),
		 ktrc_text_cgroup(s->reclaim->capture, now->cgid, KTRC_PATH_COLUMNS, room));
}

static void say_stalls(const struct ktrc_summary *s, char line[KTRC_LINE_ROOM])
{
	const struct ktrc_stall_row *row = s->stalled;
	char room[KTRC_SHORT_ROOM], total[KTRC_TEXT_ROOM];

	ktrc_text_ticks(s->reclaim, row->total_ticks, total);
	if (s->verdict == KTRC_VERDICT_RECLAIM_MEMCG)
		snprintf(line, KTRC_LINE_ROOM,
			 "reclaim: %s is short of memory: %s in %llu stalls, %.1f%% of the time",
			 ktrc_text_cgroup(s->reclaim->capture, row->key.a, KTRC_PATH_COLUMNS, room),
			 total, row->stalls, s->stall_percent);
	else
		snprintf(
			line, KTRC_LINE_ROOM,
			"reclaim: the %s is short of memory: %s in %llu stalls, %.1f%% of the time",
			strcmp(ktrc_text_kind(s->reclaim, row->key.a), "node") ? "machine" : "node",
			total, row->stalls, s->stall_percent);
}

void ktrc_text_verdict(const struct ktrc_summary *s, char line[KTRC_LINE_ROOM])
{
	if (s->verdict == KTRC_VERDICT_QUIET)
		say_quiet(s, line);
	else if (s->verdict == KTRC_VERDICT_COUNTED)
		ktrc_text_counted(s->tallies, line);
	else if (s->verdict == KTRC_VERDICT_RECLAIM_STUCK)
		say_stuck(s, line);
	else if (ktrc_verdict_is_reclaim(s->verdict))
		say_stalls(s, line);
	else
		say_fault(s, line);
}
