// SPDX-License-Identifier: GPL-2.0-or-later
/* What tools of bcc print, columns and widths their own, for scripts that read it. */
#include <string.h>

#include "format.h"

/* Whether the heading is to be printed now. */
static bool begins(struct ktrc_bcc *bcc, const struct ktrc_output *out)
{
	bool has_begun = bcc->has_begun;

	bcc->has_begun = true;
	return out->has_header && !has_begun;
}

/* Whether there is to be another row, which ended then. */
static bool counts(struct ktrc_bcc *bcc, u64 ticks, const struct ktrc_output *out)
{
	if (out->top && bcc->nr == out->top)
		return false;
	if (bcc->nr++ == 0)
		bcc->first_ticks = ticks;
	return true;
}

static void print_time_head(const char *separator, const struct ktrc_output *out)
{
	if (out->has_timestamp)
		fprintf(out->file, "%-14s%s", "TIME(s)", separator);
}

/* Since the first row, of which they know whole microseconds. */
static void print_time(const struct ktrc_timebase *clock, u64 first_ticks, u64 ticks,
		       const char *separator, const struct ktrc_output *out)
{
	u64 us = (ktrc_ticks_to_real_ns(clock, ticks) - ktrc_ticks_to_real_ns(clock, first_ticks)) /
		 1000;

	if (out->has_timestamp)
		fprintf(out->file, "%-14.9f%s", (double)us / 1e6, separator);
}

/* ---- drsnoop: each stall in direct reclaim; cgroups' and nodes' reclaim it does not know ---- */

void ktrc_print_drsnoop(const struct ktrc_reclaim *view, struct ktrc_bcc *bcc,
			const struct ktrc_output *out)
{
	if (begins(bcc, out)) {
		print_time_head("", out);
		fprintf(out->file, "%-14s %-6s %8s %5s\n", "COMM", "PID", "LAT(ms)", "PAGES");
	}
	for (size_t i = 0; i < view->nr_direct; i++) {
		const struct ktrc_direct *d = &view->direct[i];

		if (!counts(bcc, d->end_ticks, out))
			break;
		print_time(&view->capture->clock, bcc->first_ticks, d->end_ticks, "", out);
		fprintf(out->file, "%-14.14s %-6u %8.2f %5llu\n", d->comm, d->pid,
			(double)ktrc_ticks_to_ns(&view->capture->clock, d->ticks) / 1e6, d->pages);
	}
}

/* ---- compactsnoop: each zone whose compaction began ---- */

/* What it has no name for it shows by the number. */
static const char *zone_text(const char *name)
{
	static const struct {
		const char *name;
		const char *theirs;
	} zones[] = {
		{ "DMA", "ZONE_DMA" },
		{ "DMA32", "ZONE_DMA32" },
		{ "Normal", "ZONE_NORMAL" },
		{ "Movable", "3" },
	};

	for (size_t i = 0; name && i < ARRAY_SIZE(zones); i++)
		if (strcmp(zones[i].name, name) == 0)
			return zones[i].theirs;
	return "4";
}

/* The kernel's order of who wants as many blocks as there can be is -1. */
static int order(const struct ktrc_compaction *view, const struct ktrc_attempt *a)
{
	bool is_for_all = a->origin == view->manual || a->origin == view->proactive;

	return is_for_all ? -1 : (int)a->order;
}

/* Of a stall that began before the session it was not seen. */
static const char *mode_text(const char *mode)
{
	if (mode && strcmp(mode, "async") == 0)
		return "ASYNC";
	return mode && strncmp(mode, "sync", 4) == 0 ? "SYNC" : "?";
}

static void print_zone(const struct ktrc_compaction *view, const struct ktrc_attempt *a, FILE *file)
{
	const char *status = ktrc_compaction_name(view, "compaction_status", a->status);

	fprintf(file, "%-14.14s %-6u %-4u %-12s %-5d %-7s %9.3f %16s\n", a->comm, a->pid, a->node,
		zone_text(ktrc_compaction_name(view, "mem_zone", a->zone)), order(view, a),
		mode_text(ktrc_compaction_name(view, "compaction_mode", a->mode)),
		(double)ktrc_ticks_to_ns(&view->capture->clock, a->ticks) / 1e6,
		status ? status : "?");
}

void ktrc_print_compactsnoop(const struct ktrc_compaction *view, struct ktrc_bcc *bcc,
			     const struct ktrc_output *out)
{
	if (begins(bcc, out)) {
		print_time_head(" ", out);
		fprintf(out->file, "%-14s %-6s %-4s %-12s %-5s %-7s %9s %16s\n", "COMM", "PID",
			"NODE", "ZONE", "ORDER", "MODE", "LAT(ms)", "STATUS");
	}
	for (size_t i = 0; i < view->nr_attempts; i++) {
		const struct ktrc_attempt *a = &view->attempts[i];

		if (!a->is_zone || !a->has_begun)
			continue;
		if (!counts(bcc, a->end_ticks, out))
			break;
		print_time(&view->capture->clock, bcc->first_ticks, a->end_ticks, " ", out);
		print_zone(view, a, out->file);
	}
}
