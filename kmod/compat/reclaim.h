/* SPDX-License-Identifier: GPL-2.0 */
/* What reclaim waits for, as kernels number it. */
#ifndef KTRC_COMPAT_RECLAIM_H
#define KTRC_COMPAT_RECLAIM_H

#include <linux/mmzone.h>

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

#endif /* KTRC_COMPAT_RECLAIM_H */
