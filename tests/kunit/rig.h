/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CPU of a session without the session: its ring, and what four contexts wrote
 * into it.  The reader is that of tests/unit.
 */
#ifndef KTRC_TESTS_KUNIT_RIG_H
#define KTRC_TESTS_KUNIT_RIG_H

#include "../../kmod/emit.h"
#include "../unit/observer.h"

#define RIG_SHIFT 13
#define RIG_PACKETS 8

enum rig_level { RIG_TASK, RIG_SOFTIRQ, RIG_IRQ, RIG_NMI, RIG_NR_LEVELS };

/**
 * struct rig - the CPU
 * @cpu: the tested code's state
 * @memory: what a reader maps
 * @readers: nobody
 * @seen: reads what is written
 * @level: context that is in rig_emit() now
 * @seq: by level: hits so far
 * @nested: by level that was interrupted and level that interrupted: hits that found a
 *	writer at work
 */
struct rig {
	struct ktrc_cpu cpu;
	void *memory;
	wait_queue_head_t readers;
	struct observer seen;
	enum rig_level level;
	u32 seq[RIG_NR_LEVELS];
	u64 nested[RIG_NR_LEVELS][RIG_NR_LEVELS];
};

struct rig *rig_create(u32 mode, u32 clock);
void rig_destroy(struct rig *rig);
void rig_emit(struct rig *rig, enum rig_level level);
const char *rig_consume(struct rig *rig);
const char *rig_audit(struct rig *rig);

#endif /* KTRC_TESTS_KUNIT_RIG_H */
