/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compaction's tracepoints and numbers.  Their header names a private struct, and which
 * zones and kinds of pages there are depends on how the kernel is built.
 */
#ifndef KTRC_COMPAT_COMPACTION_H
#define KTRC_COMPAT_COMPACTION_H

#include <linux/compaction.h>
#include <linux/mmzone.h>

struct compact_control;
#include <trace/events/compaction.h>

#include "../../uapi/ktrc_events.h"

/* a zone's number in the event table */
static inline u32 ktrc_mem_zone(u32 index)
{
	switch (index) {
#ifdef CONFIG_ZONE_DMA
	case ZONE_DMA:
		return KTRC_mem_zone_DMA;
#endif
#ifdef CONFIG_ZONE_DMA32
	case ZONE_DMA32:
		return KTRC_mem_zone_DMA32;
#endif
	case ZONE_NORMAL:
		return KTRC_mem_zone_Normal;
#ifdef CONFIG_HIGHMEM
	case ZONE_HIGHMEM:
		return KTRC_mem_zone_HighMem;
#endif
	case ZONE_MOVABLE:
		return KTRC_mem_zone_Movable;
	default:
		return KTRC_mem_zone_other;
	}
}

/* a kind of pages' number in the event table */
static inline u32 ktrc_mem_kind(int migratetype)
{
	switch (migratetype) {
	case MIGRATE_UNMOVABLE:
		return KTRC_mem_kind_unmovable;
	case MIGRATE_MOVABLE:
		return KTRC_mem_kind_movable;
	case MIGRATE_RECLAIMABLE:
		return KTRC_mem_kind_reclaimable;
	case MIGRATE_HIGHATOMIC:
		return KTRC_mem_kind_highatomic;
	default:
		return KTRC_mem_kind_other;
	}
}

/*
 * How hard a stall's priority makes the kernel try in each zone: compact_zone_order().  The
 * hardest looks at the whole zone, but no more patiently.
 */
static inline u32 ktrc_compaction_mode(int prio)
{
	return prio == COMPACT_PRIO_ASYNC ? KTRC_compaction_mode_async :
					    KTRC_compaction_mode_sync_light;
}

/*
 * Does the kernel count this stall in compact_stall?  Until 5.12 those as well in which
 * no zone was fit for it.
 */
static inline bool ktrc_compaction_is_counted(int result)
{
	return result != COMPACT_SKIPPED;
}

/* the event table has the kernel's own numbers */
static_assert((int)KTRC_compaction_status_not_suitable_zone == COMPACT_NOT_SUITABLE_ZONE);
static_assert((int)KTRC_compaction_status_skipped == COMPACT_SKIPPED);
static_assert((int)KTRC_compaction_status_deferred == COMPACT_DEFERRED);
static_assert((int)KTRC_compaction_status_no_suitable_page == COMPACT_NO_SUITABLE_PAGE);
static_assert((int)KTRC_compaction_status_continue == COMPACT_CONTINUE);
static_assert((int)KTRC_compaction_status_complete == COMPACT_COMPLETE);
static_assert((int)KTRC_compaction_status_partial_skipped == COMPACT_PARTIAL_SKIPPED);
static_assert((int)KTRC_compaction_status_contended == COMPACT_CONTENDED);
static_assert((int)KTRC_compaction_status_success == COMPACT_SUCCESS);
static_assert((int)KTRC_compaction_prio_sync_full == COMPACT_PRIO_SYNC_FULL);
static_assert((int)KTRC_compaction_prio_sync_light == COMPACT_PRIO_SYNC_LIGHT);
static_assert((int)KTRC_compaction_prio_async == COMPACT_PRIO_ASYNC);

#endif /* KTRC_COMPAT_COMPACTION_H */
