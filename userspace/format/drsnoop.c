// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What drsnoop of bcc prints: a row for each stall in direct reclaim, columns and widths its own.
 * What memory cgroups and nodes reclaim it does not know.
 */
#include "format.h"

void ktrc_print_drsnoop(const struct ktrc_reclaim *view, const struct ktrc_output *out)
{
	if (out->has_header)
		fprintf(out->file, "%-14s %-6s %8s %5s\n", "COMM", "PID", "LAT(ms)", "PAGES");
	for (size_t i = 0; i < view->nr_direct; i++) {
		const struct ktrc_direct *d = &view->direct[i];

		if (out->top && i == out->top)
			break;
		fprintf(out->file, "%-14.14s %-6u %8.2f %5llu\n", d->comm, d->pid,
			(double)ktrc_ticks_to_ns(&view->capture->clock, d->ticks) / 1e6, d->pages);
	}
}
