/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own counters, taken when a session starts and stops, so
 * that what was recorded can be held against them.  They are kept
 * between the tools' runs (kept.h).
 */
#ifndef KTRC_VMSTAT_H
#define KTRC_VMSTAT_H

#include "buddy.h"
#include "error.h"
#include "types.h"

/**
 * struct ktrc_vmstat - some lines of /proc/vmstat, and the free blocks beside them
 * @is_known: @pgfault and @pgmajfault are valid
 * @has_allocstall: @allocstall is valid
 * @has_compact_stall: @compact_stall is valid
 * @pgfault: page faults
 * @pgmajfault: page faults that needed I/O
 * @allocstall: stalls in global direct reclaim, of all zones; a stall that has to
 *	start over is counted again
 * @compact_stall: stalls in compaction in which not every zone was skipped
 * @buddy: free memory by the size of its blocks
 */
struct ktrc_vmstat {
	bool is_known;
	bool has_allocstall;
	bool has_compact_stall;
	u64 pgfault;
	u64 pgmajfault;
	u64 allocstall;
	u64 compact_stall;
	struct ktrc_buddy buddy;
};

/** struct ktrc_base - a session's readings at its start and its stop */
struct ktrc_base {
	struct ktrc_vmstat start;
	struct ktrc_vmstat stop;
};

/** ktrc_vmstat_read() - read /proc/vmstat now; not known when that fails */
struct ktrc_vmstat ktrc_vmstat_read(void);

/** ktrc_base_load() - what was kept for the session with this name and uuid; unknown if nothing */
struct ktrc_base ktrc_base_load(const char *session, const u8 uuid[16]);

/** ktrc_base_store() - keep it */
int ktrc_base_store(const char *session, const u8 uuid[16], const struct ktrc_base *base,
		    struct ktrc_error *err);

/** ktrc_base_forget() - the session is gone */
void ktrc_base_forget(const char *session);

#endif
