/* SPDX-License-Identifier: GPL-2.0 */
/* What reclaim waits for, and what it is for, as kernels number it. */
#ifndef KTRC_COMPAT_RECLAIM_H
#define KTRC_COMPAT_RECLAIM_H

#include <linux/mmzone.h>
#include <linux/swap.h>

#include "../../uapi/ktrc_events.h"

/* a reason's number in the event table */
static inline u32 ktrc_reclaim_reason(int reason)
{
	switch (reason) {
	case VMSCAN_THROTTLE_WRITEBACK:
		return KTRC_reclaim_reason_writeback;
	case VMSCAN_THROTTLE_ISOLATED:
		return KTRC_reclaim_reason_isolated;
	case VMSCAN_THROTTLE_NOPROGRESS:
		return KTRC_reclaim_reason_noprogress;
	case VMSCAN_THROTTLE_CONGESTED:
		return KTRC_reclaim_reason_congested;
	default:
		return KTRC_reclaim_reason_other;
	}
}

/* by the options of try_to_free_mem_cgroup_pages(): for a write to memory.reclaim */
static inline bool ktrc_reclaim_is_asked(unsigned long options)
{
#ifdef MEMCG_RECLAIM_PROACTIVE
	return options & MEMCG_RECLAIM_PROACTIVE;
#else
	return false;
#endif
}

#endif /* KTRC_COMPAT_RECLAIM_H */
