// SPDX-License-Identifier: GPL-2.0-or-later
/* The summary: at most 25 lines of 100 columns, the verdict first. */
#include <stdlib.h>

#include "../lib/cleanup.h"
#include "../lib/kernel.h"
#include "format.h"
#include "verdict.h"

#define TOP_PROCESSES 5
#define TOP_CGROUPS 2
#define TOP_STUCK 2

static const char *const mode_texts[KTRC_NR_FAULT_MODES] = {
	[KTRC_FAULT_USER] = "in user mode",
	[KTRC_FAULT_KERNEL] = "in kernel mode (copying to or from its memory)",
	[KTRC_FAULT_GUP] = "through get_user_pages (populate, pinning)",
	[KTRC_FAULT_OTHER] = "in an unknown mode",
};

/* ---- the evidence ---- */

static void print_faults(const struct ktrc_summary *s, struct ktrc_page *page)
{
	const struct ktrc_fault_row *c = s->culprit;
	const struct ktrc_timebase *tb = &s->faults->capture->clock;
	char p50[KTRC_TEXT_ROOM], p99[KTRC_TEXT_ROOM], max[KTRC_TEXT_ROOM];
	char room[KTRC_SHORT_ROOM], rate[KTRC_TEXT_ROOM] = "";

	if (!c)
		return;
	if (ktrc_verdict_is_reclaim(s->verdict)) {
		if (ktrc_faults_window_ticks(s->faults))
			snprintf(rate, sizeof(rate), ", %.0f/s", s->faults_per_s);
		ktrc_page_line(page, "fault", "%llu faults in all, most of %s[%u]: %llu%s",
			       s->faults->all->faults, c->comm, c->pid, c->faults, rate);
		return;
	}
	ktrc_page_line(page, "fault", "%llu faults, %.0f/s, %.1f%% %s", c->faults, s->faults_per_s,
		       s->mode_percent, mode_texts[s->mode]);
	if (s->faults->has_duration)
		ktrc_page_line(
			page, "", "each: p50 %s, p99 %s, max %s; %llu major, %llu writes",
			ktrc_text_ns(ktrc_ticks_to_ns(tb, ktrc_faults_percentile_ticks(c, 50)),
				     p50),
			ktrc_text_ns(ktrc_ticks_to_ns(tb, ktrc_faults_percentile_ticks(c, 99)),
				     p99),
			ktrc_text_ns(ktrc_ticks_to_ns(tb, c->max_ticks), max), c->majors,
			c->writes);
	else
		ktrc_page_line(page, "", "duration, result and populate: not seen by this hook");
	/* the root is no news */
	if (c->cgid > 1)
		ktrc_page_line(page, "", "in %s",
			       ktrc_text_cgroup(s->faults->capture, c->cgid, KTRC_SHORT_ROOM,
						room));
}

static void print_cgroup(const struct ktrc_reclaim *r, const struct ktrc_stall_row *row,
			 struct ktrc_page *page)
{
	char room[KTRC_SHORT_ROOM], total[KTRC_TEXT_ROOM], max[KTRC_TEXT_ROOM];

	ktrc_page_line(page, "", "%s %s: %llu, %s, max %s; %llu pages",
		       ktrc_text_kind(r, row->key.b),
		       ktrc_text_cgroup(r->capture, row->key.a, KTRC_PATH_COLUMNS, room),
		       row->stalls, ktrc_text_ticks(r, row->total_ticks, total),
		       ktrc_text_ticks(r, row->max_ticks, max), row->pages);
}

static void print_now(const struct ktrc_reclaim *r, const struct ktrc_stall_now *now,
		      struct ktrc_page *page)
{
	char room[KTRC_SHORT_ROOM], since[KTRC_TEXT_ROOM];

	ktrc_page_line(page, "", "under way%s: %s[%u], %s, order %u, for %s, in %s",
		       now->is_certain ? "" : " (or its end was missed)", now->comm, now->tid,
		       ktrc_text_kind(r, now->kind), now->order,
		       ktrc_text_ticks(r, ktrc_stall_now_ticks(r->capture, now), since),
		       ktrc_text_cgroup(r->capture, now->cgid, KTRC_PATH_COLUMNS, room));
}

static void print_kswapd(const struct ktrc_reclaim *r, struct ktrc_page *page)
{
	char line[KTRC_LINE_ROOM] = "";
	size_t used = 0;

	if (!ktrc_reclaim_knows_awake(r))
		return;
	for (size_t i = 0; i < r->nr_kswapd && used < sizeof(line) - 100; i++)
		used += (size_t)snprintf(
			line + used, sizeof(line) - used, "%snode %u: %llu wakes, awake %.1f%%",
			used ? "; " : "", r->kswapd[i].node, r->kswapd[i].wakes,
			ktrc_reclaim_percent(r, ktrc_kswapd_awake_ticks(r, &r->kswapd[i])));
	if (used)
		ktrc_page_line(page, "kswapd", "%s", line);
}

static void print_reclaim(const struct ktrc_reclaim *r, struct ktrc_page *page)
{
	const struct ktrc_stall_row *all = r->all;
	char total[KTRC_TEXT_ROOM], p50[KTRC_TEXT_ROOM], p99[KTRC_TEXT_ROOM], max[KTRC_TEXT_ROOM];

	if (!r->event)
		return;
	if (all->stalls)
		ktrc_page_line(page, "reclaim",
			       "%llu stalls, %s of all threads together: p50 %s, p99 %s, max %s",
			       all->stalls, ktrc_text_ticks(r, all->total_ticks, total),
			       ktrc_text_ticks(r, ktrc_stall_percentile_ticks(all, 50), p50),
			       ktrc_text_ticks(r, ktrc_stall_percentile_ticks(all, 99), p99),
			       ktrc_text_ticks(r, all->max_ticks, max));
	else
		ktrc_page_line(page, "reclaim", "no stall ended");
	for (size_t i = 0; i < r->under_way.nr && i < TOP_STUCK; i++)
		print_now(r, &r->under_way.nows[i], page);
	for (size_t i = 0; i < r->cgroups.nr && i < TOP_CGROUPS; i++)
		print_cgroup(r, r->cgroups.rows[i], page);
	print_kswapd(r, page);
}

static double share(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_process(const struct ktrc_summary *s, const struct ktrc_fault_row *r,
			  struct ktrc_page *page)
{
	const struct ktrc_timebase *tb = &s->faults->capture->clock;
	double user = share(r->by_mode[KTRC_FAULT_USER], r->faults);
	double kernel = share(r->by_mode[KTRC_FAULT_KERNEL], r->faults);

	if (s->faults->has_duration)
		ktrc_page_row(page, "", "%7u %-15s %9llu %5.1f %5.1f %5.1f %7llu %9.1f %9.1f %7.2f",
			      r->pid, r->comm, r->faults, user, kernel,
			      share(r->by_mode[KTRC_FAULT_GUP], r->faults), r->majors,
			      (double)ktrc_ticks_to_ns(tb, ktrc_faults_percentile_ticks(r, 99)) /
				      1e3,
			      (double)ktrc_ticks_to_ns(tb, r->max_ticks) / 1e3,
			      ktrc_faults_cpu_percent(s->faults, r));
	else
		ktrc_page_row(page, "", "%7u %-15s %9llu %5.1f %5.1f %5s %7s %9s %9s %7s", r->pid,
			      r->comm, r->faults, user, kernel, "-", "-", "-", "-", "-");
}

static void print_faulters(const struct ktrc_summary *s, struct ktrc_page *page)
{
	const struct ktrc_faults *faults = s->faults;

	if (!faults->processes.nr)
		return;
	ktrc_page_row(page, "processes", "%7s %-15s %9s %5s %5s %5s %7s %9s %9s %7s", "pid", "comm",
		      "faults", "user%", "kern%", "gup%", "major", "p99_us", "max_us", "cpu%");
	for (size_t i = 0; i < faults->processes.nr && i < TOP_PROCESSES; i++)
		print_process(s, faults->processes.at[i], page);
	if (faults->processes.nr > TOP_PROCESSES)
		ktrc_page_row(page, "", "%7s %zu more: %llu faults in all, %llu unfinished", "",
			      faults->processes.nr - TOP_PROCESSES, faults->all->faults,
			      faults->all->unfinished);
}

static void print_sufferer(const struct ktrc_reclaim *r, const struct ktrc_stall_row *row,
			   struct ktrc_page *page)
{
	char room[KTRC_SHORT_ROOM], p99[KTRC_TEXT_ROOM], max[KTRC_TEXT_ROOM];

	ktrc_page_row(page, "", "%7u %-15s %8llu %9llu %9s %9s %7.2f  %s", row->pid, row->comm,
		      row->stalls, row->pages,
		      ktrc_text_ticks(r, ktrc_stall_percentile_ticks(row, 99), p99),
		      ktrc_text_ticks(r, row->max_ticks, max),
		      ktrc_reclaim_percent(r, row->total_ticks),
		      ktrc_text_cgroup(r->capture, row->cgid, 18, room));
}

static void print_sufferers(const struct ktrc_reclaim *r, struct ktrc_page *page)
{
	if (!r->processes.nr)
		return;
	ktrc_page_row(page, "processes", "%7s %-15s %8s %9s %9s %9s %7s  %s", "pid", "comm",
		      "stalls", "reclaimed", "p99", "max", "time%", "cgroup");
	for (size_t i = 0; i < r->processes.nr && i < TOP_PROCESSES; i++)
		print_sufferer(r, r->processes.rows[i], page);
	if (r->processes.nr > TOP_PROCESSES)
		ktrc_page_row(page, "", "%7s %zu more", "", r->processes.nr - TOP_PROCESSES);
}

/* ---- whether to trust it, what it cost, what to do ---- */

static void print_check(const struct ktrc_summary *s, struct ktrc_page *page)
{
	char books[KTRC_LINE_ROOM], kernel[KTRC_LINE_ROOM];
	const char *first = ktrc_text_books(s->check, books);
	const char *second = ktrc_text_kernel(s->check, kernel);

	if (strlen(first) + strlen(second) + 2 <= KTRC_PAGE_COLUMNS - KTRC_PAGE_LABEL) {
		ktrc_page_line(page, "check", "%s; %s", first, second);
		return;
	}
	ktrc_page_line(page, "check", "%s", first);
	ktrc_page_line(page, "", "%s", second);
}

static void print_cost(const struct ktrc_summary *s, struct ktrc_page *page)
{
	double seconds =
		(double)ktrc_faults_window_ticks(s->faults) / (double)s->faults->capture->clock.hz;
	char overhead[KTRC_TEXT_ROOM];

	if (seconds > 0)
		ktrc_page_line(page, "cost", "%s; %.0f records/s, %.2f MB/s in the window",
			       ktrc_text_overhead(s->faults->capture, overhead),
			       (double)s->volume.records / seconds,
			       (double)s->volume.bytes / seconds / 1e6);
}

/* A view is called as the event that it is of; what is not judged here is to be looked at there. */
static const char *next_view(const struct ktrc_summary *s)
{
	static const char *const labels[] = { "reclaim", "compaction", "throttle", "madvise" };
	const struct ktrc_capture *capture = s->faults->capture;
	bool is_quiet = s->verdict == KTRC_VERDICT_QUIET;

	for (size_t i = 0; is_quiet && i < ARRAY_SIZE(labels); i++)
		if (ktrc_summary_unjudged(s, ktrc_capture_event(capture, labels[i])))
			return labels[i];
	if (s->check->has_faults && !ktrc_verdict_is_reclaim(s->verdict))
		return "faults";
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		if (ktrc_capture_event(capture, labels[i]))
			return labels[i];
	return "events";
}

static void print_next(const struct ktrc_summary *s, struct ktrc_page *page)
{
	const struct ktrc_capture *capture = s->faults->capture;
	const char *view = next_view(s), *name = capture->session.name;
	char where[KTRC_NAME_LEN + 16] = "";

	if (s->verdict == KTRC_VERDICT_COUNTED && !s->culprit) {
		ktrc_page_line(
			page, "next",
			"sudo ktrc-ctl run 10s --events=%s    (recorded, not counted: who it was)",
			ktrc_tallies_counted(s->tallies)->event->label);
		return;
	}
	if (strcmp(name, "default") != 0)
		snprintf(where, sizeof(where), " --session=%s", name);
	if (capture->trace && !capture->trace[0])
		ktrc_page_line(page, "next", "sudo ktrc-ctl run 10s --save=DIR; ktrc-read %s DIR",
			       view);
	else if (capture->trace)
		ktrc_page_line(page, "next", "ktrc-read %s %s", view,
			       strlen(capture->trace) < 60 ? capture->trace : "TRACE");
	else if (*where)
		ktrc_page_line(page, "next", "ktrc-read %s%s", view, where);
	else
		ktrc_page_line(page, "next", "ktrc-read %s    |    ktrc-read --save=DIR", view);
}

static void print_notes(const struct ktrc_summary *s, struct ktrc_page *page)
{
	__ktrc_free char *filter = ktrc_text_filter(s->faults->capture, KTRC_PATH_COLUMNS);
	char stacks[KTRC_LINE_ROOM];

	if (filter)
		ktrc_page_line(page, "only", "%s", filter);
	if (s->reclaim->nr_unnamed)
		ktrc_page_line(page, "names", "cgroups without a name: %llu; their ids are shown",
			       s->reclaim->nr_unnamed);
	if (ktrc_text_stacks(s->check, stacks))
		ktrc_page_line(page, "stacks", "%s", stacks);
}

/* The window is what is needed in full; names of hosts can be long. */
static void print_title(const struct ktrc_capture *capture, u64 start_ticks, struct ktrc_page *page)
{
	char window[KTRC_TEXT_ROOM];
	int room;

	ktrc_text_window(capture, start_ticks, window);
	room = KTRC_PAGE_COLUMNS - snprintf(NULL, 0, "ktrc    %s  %s  lost %llu", capture->kernel,
					    window, ktrc_capture_lost(capture));
	if (room < 8)
		room = 8;
	ktrc_page_title(page, "ktrc  %.*s  %s  %s  lost %llu", room, capture->host, capture->kernel,
			window, ktrc_capture_lost(capture));
}

static void print_page(const struct ktrc_summary *s, struct ktrc_page *page)
{
	char verdict[KTRC_LINE_ROOM];

	if (page->out->has_header)
		print_title(s->faults->capture, s->faults->start_ticks, page);
	ktrc_text_verdict(s, verdict);
	ktrc_page_verdict(page, verdict);
	if (s->verdict != KTRC_VERDICT_QUIET) {
		ktrc_page_line(page, "threshold", "%s", ktrc_verdict_rule(s->verdict));
		ktrc_print_tallies(s->tallies, s->verdict == KTRC_VERDICT_COUNTED, page);
		if (ktrc_verdict_is_reclaim(s->verdict)) {
			print_reclaim(s->reclaim, page);
			print_sufferers(s->reclaim, page);
			print_faults(s, page);
		} else {
			print_faults(s, page);
			print_faulters(s, page);
			if (!ktrc_summary_kept_away(s, s->reclaim->event))
				print_reclaim(s->reclaim, page);
		}
	}
	print_notes(s, page);
	print_check(s, page);
	print_cost(s, page);
	print_next(s, page);
	ktrc_page_end(page);
}

void ktrc_print_summary(const struct ktrc_summary *summary, enum ktrc_output_format format,
			const struct ktrc_output *out)
{
	struct ktrc_page page = { .out = out, .is_markdown = format == KTRC_OUT_MARKDOWN };

	if (ktrc_is_document(format))
		ktrc_print_document(ktrc_summary_to_json(summary, out), format, out);
	else
		print_page(summary, &page);
}
