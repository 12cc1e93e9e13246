/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CPU of a session, and all that a test knows about it.  Everything lies in
 * the struct, so that a copy of it is a state to return to.
 */
#ifndef KTRC_TESTS_UNIT_RIG_H
#define KTRC_TESTS_UNIT_RIG_H

#include "observer.h"
#include "tap.h"
#include "writer.h"

#undef memcpy

#define RIG_RING_BYTES 16384
#define RIG_TASKS 6

enum rig_level { RIG_TASK, RIG_SOFTIRQ, RIG_IRQ, RIG_NMI, RIG_NR_LEVELS };

/**
 * struct rig_config - a ring
 * @mode: enum ktrc_mode
 * @clock: enum ktrc_clock
 * @shift: log2 of the packet size
 * @nr_packets: packets; together at most RIG_RING_BYTES
 */
struct rig_config {
	u32 mode;
	u32 clock;
	u32 shift;
	u32 nr_packets;
};

/**
 * struct rig - the CPU and the session
 * @memory: what a reader maps
 * @cpu: the tested code's state
 * @shim: the CPU, when the state was saved
 * @seen: reads everything at once
 * @shadow: what @seen has read, to find later changes
 * @tail: status->tail when it was looked at last
 * @spans: see struct observer
 * @emitted: hits by context level
 * @hits: by event
 * @nested: hits by event that found a writer at work
 * @recursions: hits by event raised by the writer itself
 * @task: the tasks that run here
 * @rule: which stacks records have
 * @stacks: where they are kept
 * @wrong: first thing found wrong
 */
struct rig {
	u8 memory[PAGE_SIZE + RIG_RING_BYTES] __attribute__((aligned(64)));
	struct ktrc_cpu cpu;
	struct shim shim;
	struct observer seen;
	u8 shadow[RIG_RING_BYTES];
	u64 tail;
	struct span spans[RIG_NR_LEVELS][OBSERVER_SPANS];
	u32 emitted[RIG_NR_LEVELS];
	u64 hits[KTRC_NR_EVENTS];
	u64 nested[KTRC_NR_EVENTS];
	u64 recursions[KTRC_NR_EVENTS];
	struct task_struct task[RIG_TASKS];
	struct ktrc_rule rule;
	struct ktrc_stacks stacks;
	char wrong[256];
};

void rig_init(struct rig *rig, const struct rig_config *config);
void rig_restore(struct rig *rig, const struct rig *saved);

enum rig_level rig_level(void);
/* the context at hand as ring.c names it, without steps */
u32 rig_context(void);
void rig_enter(enum rig_level level, u32 *outer);
void rig_leave(u32 outer);

/* one hit of the current task in the current context */
void rig_emit(struct rig *rig, u32 event);
/* the same of another task, or of nobody (NULL) */
void rig_emit_of(struct rig *rig, u32 event, const struct task_struct *task);
/* outermost hits until exactly @bytes are left to outermost writers in the open packet */
void rig_fill(struct rig *rig, u64 bytes);
/* bytes left to outermost writers in the open packet */
u64 rig_room(const struct rig *rig);

/* read what is published; nothing read before may have changed */
void rig_observe(struct rig *rig);
/* stream mode: consume everything published */
void rig_consume(struct rig *rig);
/* all promises, when no writer is at work */
const char *rig_audit(struct rig *rig);

/* hits lost so far for @reason, all events */
u64 rig_lost(const struct rig *rig, enum ktrc_loss reason);

static inline struct ktrc_status *rig_status(struct rig *rig)
{
	return (struct ktrc_status *)rig->memory;
}

#endif /* KTRC_TESTS_UNIT_RIG_H */
