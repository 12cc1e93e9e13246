// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What compactsnoop of bcc prints: a row for each zone whose compaction began, columns and
 * widths its own.  That it has no name for a zone it shows by the number.
 */
#include <string.h>

#include "format.h"

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

static void print_row(const struct ktrc_compaction *view, const struct ktrc_attempt *a, FILE *file)
{
	const char *mode = ktrc_compaction_name(view, "compaction_mode", a->mode);
	const char *status = ktrc_compaction_name(view, "compaction_status", a->status);

	fprintf(file, "%-14.14s %-6u %-4u %-12s %-5d %-7s %9.3f %16s\n", a->comm, a->pid, a->node,
		zone_text(ktrc_compaction_name(view, "mem_zone", a->zone)), order(view, a),
		mode && strncmp(mode, "sync", 4) == 0 ? "SYNC" : "ASYNC",
		(double)ktrc_ticks_to_ns(&view->capture->clock, a->ticks) / 1e6,
		status ? status : "?");
}

void ktrc_print_compactsnoop(const struct ktrc_compaction *view, const struct ktrc_output *out)
{
	size_t printed = 0;

	if (out->has_header)
		fprintf(out->file, "%-14s %-6s %-4s %-12s %-5s %-7s %9s %16s\n", "COMM", "PID",
			"NODE", "ZONE", "ORDER", "MODE", "LAT(ms)", "STATUS");
	for (size_t i = 0; i < view->nr_attempts; i++) {
		const struct ktrc_attempt *a = &view->attempts[i];

		if (!a->is_zone || !a->has_begun)
			continue;
		if (out->top && printed++ == out->top)
			break;
		print_row(view, a, out->file);
	}
}
