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
#define RIG_LEAST 2 /* hits of a context that comes */

enum rig_level { RIG_TASK, RIG_SOFTIRQ, RIG_IRQ, RIG_NMI, RIG_NR_LEVELS };

#define RIG_NOBODY RIG_NR_LEVELS

/**
 * struct rig - the CPU
 * @cpu: the tested code's state
 * @memory: what a reader maps
 * @readers: nobody
 * @rule: which stacks hits of a task have
 * @seen: reads what is written
 * @level: context that writes, if one does
 * @found: by level: what the ring's @active was before; while it is not that, the level writes
 * @seq: by level: hits so far
 * @nr_nested: hits that found a writer at work
 * @interrupted: by level that was in the middle of a write and level that came: how often
 * @written: by level that was in the middle of a write, or nobody, and level that came: hits written, but for some that
 * were interrupted themselves
 */
struct rig {
	struct ktrc_cpu cpu;
	void *memory;
	wait_queue_head_t readers;
	struct ktrc_rule rule;
	struct observer seen;
	enum rig_level level;
	u32 found[RIG_NR_LEVELS];
	u32 seq[RIG_NR_LEVELS];
	u64 nr_nested;
	u32 interrupted[RIG_NR_LEVELS][RIG_NR_LEVELS];
	u32 written[RIG_NOBODY + 1][RIG_NR_LEVELS];
};

struct rig *rig_create(u32 mode, u32 clock, bool with_stacks);
void rig_destroy(struct rig *rig);
enum rig_level rig_writer(const struct rig *rig);
void rig_write(struct rig *rig, enum rig_level level, int most);
const char *rig_consume(struct rig *rig);
const char *rig_audit(struct rig *rig);

#endif /* KTRC_TESTS_KUNIT_RIG_H */
