/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lets things happen at chosen steps of a writer, on its CPU and on others, while a
 * reader looks at every step.
 */
#ifndef KTRC_TESTS_UNIT_INJECT_H
#define KTRC_TESTS_UNIT_INJECT_H

#include "rig.h"

#define INJECT_MAX 4
#define INJECT_TIMES 150

enum inject_kind {
	INJECT_NONE,
	INJECT_WRITER, /* an interrupt writes */
	INJECT_FAULT, /* the writer's own fault is traced */
	INJECT_OFF, /* another CPU switches recording off */
	INJECT_CONSUME, /* the reader consumes */
};

/**
 * struct injection - what happens when
 * @kind: what
 * @step: at which step
 * @every: and again each time so many steps have passed, INJECT_TIMES; 0: once
 * @level: INJECT_WRITER: the interrupt's context; skipped unless higher than the one at hand
 * @nr_hits: INJECT_WRITER: hits it writes
 * @cycles: INJECT_WRITER: time that passes before
 */
struct injection {
	enum inject_kind kind;
	u64 step;
	u64 every;
	enum rig_level level;
	u32 nr_hits;
	u64 cycles;
};

/**
 * struct inject_stats - what really happened
 * @runs: acts run
 * @steps: of the last act
 * @fired: injections
 * @depth: deepest nesting of writers
 * @by_depth: interrupts at each depth
 */
struct inject_stats {
	u64 runs;
	u64 steps;
	u64 fired;
	u32 depth;
	u64 by_depth[INJECT_MAX + 1];
};

extern struct inject_stats inject_stats;

/**
 * inject_run() - run a writer with things happening inside
 * @rig: its CPU
 * @act: what the outermost writer does
 * @plan: INJECT_MAX things
 */
void inject_run(struct rig *rig, void (*act)(struct rig *rig), const struct injection *plan);

#endif /* KTRC_TESTS_UNIT_INJECT_H */
