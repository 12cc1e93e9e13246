/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session as the kernel describes it, and its counters. */
#ifndef KTRC_SESSION_H
#define KTRC_SESSION_H

#include "types.h"
#include "../../uapi/ktrc.h"

/* Ids this library can decode; a session's set of events is a 64-bit mask. */
#define KTRC_MAX_EVENTS 64

/**
 * struct ktrc_rule - which hits of one event become records
 * @min_ns: those that last at least so long; 0: all
 * @sample: of what is left every n-th on each CPU; 0: all
 * @flags: enum ktrc_rule_flag
 * @user_frames: of the user stack, recorded with each; 0: none
 * @kernel_frames: of the kernel stack
 * @user_bytes: of the user stack, copied with each; 0: none
 */
struct ktrc_rule {
	u64 min_ns;
	u32 sample;
	u32 flags;
	u32 user_frames;
	u32 kernel_frames;
	u32 user_bytes;
};

/** ktrc_rule_has_stacks() - do records have stacks */
static inline bool ktrc_rule_has_stacks(const struct ktrc_rule *rule)
{
	return rule->user_frames || rule->kernel_frames || rule->user_bytes;
}

/**
 * struct ktrc_session - what a session is and how it is
 * @name: its name
 * @mode: enum ktrc_mode
 * @state: enum ktrc_state
 * @stop_reason: enum ktrc_stop_reason
 * @packet_bytes: size of a packet
 * @events: bit i: the event with id i is recorded
 * @memory_bytes: all rings together
 * @is_bound: dies with the file it is bound to
 * @has_consumer: a consumer is attached
 * @pids: only these processes, in the initial pid namespace
 * @nr_pids: their number; 0: every process
 * @cgid: only tasks in this cgroup or below; 0: all
 * @max_seconds: it stops after so long; 0: never
 * @names_missed: how often the path of a cgroup, or of a file that was mapped, could not be kept
 * @rules: by event id; all zero: every hit becomes a record
 */
struct ktrc_session {
	char name[KTRC_NAME_LEN];
	u32 mode;
	u32 state;
	u32 stop_reason;
	u32 packet_bytes;
	u64 events;
	u64 memory_bytes;
	bool is_bound;
	bool has_consumer;
	u32 pids[KTRC_MAX_PIDS];
	u32 nr_pids;
	u64 cgid;
	u32 max_seconds;
	u64 names_missed;
	struct ktrc_rule rules[KTRC_MAX_EVENTS];
};

/** struct ktrc_words - an enumeration's values as words, in order */
struct ktrc_words {
	const char *const *names;
	size_t nr;
};

extern const struct ktrc_words ktrc_modes;
extern const struct ktrc_words ktrc_states;
extern const struct ktrc_words ktrc_stop_reasons;
extern const struct ktrc_words ktrc_clocks;

/** ktrc_word() - a value's word; "unknown" for one of a newer module */
const char *ktrc_word(const struct ktrc_words *words, u32 number);

/** ktrc_word_number() - the reverse; -EINVAL for an unknown word */
int ktrc_word_number(const struct ktrc_words *words, const char *word);

/**
 * struct ktrc_counters - one event's books on one CPU
 * @event: event id
 * @cpu: the CPU, or KTRC_CPU_NONE
 *
 * The others are those of enum ktrc_attr_counters.
 */
struct ktrc_counters {
	u32 event;
	u32 cpu;
	u64 hits;
	u64 written;
	u64 filtered;
	u64 lost_full;
	u64 lost_nest;
	u64 lost_recursion;
	u64 lost_noring;
	u64 lost_missed;
	u64 nested;
	u64 sum_ticks;
	u64 longest_ticks;
	u64 hist[KTRC_HIST_BUCKETS];
};

/** struct ktrc_counter_set - the rows of a session */
struct ktrc_counter_set {
	struct ktrc_counters *rows;
	size_t nr;
};

/**
 * struct ktrc_counter - one 64-bit member of struct ktrc_counters
 * @name: as printed
 * @attr: enum ktrc_attr_counters
 * @offset: in struct ktrc_counters
 * @is_loss: a reason for loss
 */
struct ktrc_counter {
	const char *name;
	u32 attr;
	size_t offset;
	bool is_loss;
};

#define KTRC_NR_COUNTERS 11
extern const struct ktrc_counter ktrc_counter_table[KTRC_NR_COUNTERS];

/** ktrc_counter_of() - that member of a row */
static inline u64 *ktrc_counter_of(const struct ktrc_counter *counter, struct ktrc_counters *row)
{
	return (u64 *)((char *)row + counter->offset);
}

/** ktrc_counters_lost() - hits lost for any reason */
u64 ktrc_counters_lost(const struct ktrc_counters *row);

/** ktrc_counters_add() - add a row to a total; the longest is the larger of the two */
void ktrc_counters_add(struct ktrc_counters *total, const struct ktrc_counters *row);

/** ktrc_counter_set_total() - all rows of an event, or of all events with KTRC_CPU_NONE as id */
struct ktrc_counters ktrc_counter_set_total(const struct ktrc_counter_set *set, u32 event);

/** ktrc_counter_set_find() - the row of an event on a CPU; NULL if there is none */
const struct ktrc_counters *ktrc_counter_set_find(const struct ktrc_counter_set *set, u32 event,
						  u32 cpu);

#endif
