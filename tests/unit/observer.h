/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A reader that knows the format from uapi/ktrc.h alone and believes nothing: it
 * reads each published byte once, as soon as it can, and remembers it.
 */
#ifndef KTRC_TESTS_UNIT_OBSERVER_H
#define KTRC_TESTS_UNIT_OBSERVER_H

#include "kernel_shim.h"
#include "../../uapi/ktrc.h"
#include "../../uapi/ktrc_events.h"

#define OBSERVER_TASKS 128
#define OBSERVER_LEVELS 4
#define OBSERVER_SPANS 512
#define OBSERVER_SLOTS 513

/*
 * when a hit began and ended, clock ticks; the seeds of the stacks that its record must have,
 * 0: none.  Frame i of the stack of a seed, and word i of a copy, is observer_frame(seed, i).
 */
struct span {
	u64 begin;
	u64 end;
	u32 user_stack;
	u32 kernel_stack;
	u32 copied;
};

static inline u64 observer_frame(u32 seed, u32 i)
{
	return (u64)seed << 12 | i;
}

#define OBSERVER_LARGE 5000 /* seeds from here on are of the largest copies */

/* of a copy: registers and memory, in up to four records, or as much as there may be */
static inline u32 observer_nr_words(u32 seed)
{
	return seed < OBSERVER_LARGE ? 17 + seed % 48 : 17 + KTRC_MAX_STACK_BYTES / 8;
}

static inline u32 observer_nr_frames(u32 seed)
{
	return 1 + seed % 11;
}

/**
 * struct observer - what is known of the records before @pos
 * @pos: everything before it has been read
 * @packet: number of the packet that @pos is in, or at the end of
 * @is_inside: its header has been read
 * @time: of the last record, or of the packet's begin
 * @packet_record: number of the next record in its packet
 * @task: the task in effect; valid if @has_task
 * @has_task: a task record stood in this packet
 * @known: tasks whose full form stood in this packet
 * @nr_known: of those
 * @stack: seeds of the stacks in the packet's slots, of user mode, of the kernel and of copies; 0: none
 * @stack_in: the stack whose parts come in, so far
 * @got: frames of it
 * @copy_in: the copy whose parts come in, so far
 * @got_words: words of it
 * @ref: seeds that the stack_ref directly before names
 * @has_ref: there is one
 * @nr_stacks: whole stacks
 * @nr_copies: whole copies
 * @nr_stack_refs: stack_ref records
 * @nr_events: events whose books open a packet
 * @books: lost hits by event when the last packet was opened
 * @records: DATA records read, by event
 * @next_seq: by context level: number expected next or later
 * @nr_packets: packets begun
 * @nr_full: task records
 * @nr_ref: task_ref records
 * @nr_extended: extended headers
 * @discarded: of the last closed packet
 * @spans: by level and number modulo OBSERVER_SPANS: the hits; NULL: unknown
 * @has_real_stacks: to be set before: hits of level 0 have stacks, of whatever frames, and no others
 */
struct observer {
	u64 pos;
	u64 packet;
	bool is_inside;
	u64 time;
	u32 packet_record;
	struct ktrc_ev_task task;
	bool has_task;
	struct ktrc_ev_task known[OBSERVER_TASKS];
	u32 nr_known;
	u32 stack[3][OBSERVER_SLOTS];
	struct ktrc_ev_stack stack_in;
	u32 got;
	struct ktrc_ev_stack_copy copy_in;
	u32 got_words;
	u32 ref[3];
	bool has_ref;
	u64 nr_stacks;
	u64 nr_copies;
	u64 nr_stack_refs;
	u32 nr_events;
	u64 books[KTRC_NR_EVENTS];
	u64 records[KTRC_NR_EVENTS];
	u32 next_seq[OBSERVER_LEVELS];
	u64 nr_packets;
	u64 nr_full;
	u64 nr_ref;
	u64 nr_extended;
	u64 discarded;
	struct span (*spans)[OBSERVER_SPANS];
	bool has_real_stacks;
};

/**
 * struct payload - the pattern in a DATA record; 8 or 12 bytes of it
 * @origin: context level in the upper 8 bits, number of the hit below
 * @seal: a hash of @origin, event and task
 * @seal_2: another; only in 12 bytes
 */
struct payload {
	u32 origin;
	u32 seal;
	u32 seal_2;
};

struct payload payload_make(u32 level, u32 seq, u32 event, const struct ktrc_ev_task *task);
u32 payload_bytes(u32 event);

/**
 * observer_start() - begin with a packet, trusting the books it opens with
 * @o: zeroed, but for @nr_events
 * @bytes: the packet
 * @packet: its number
 * @shift: log2 of its size
 */
void observer_start(struct observer *o, const u8 *bytes, u64 packet, u32 shift);

/**
 * observer_read() - read on in the packet at hand
 * @o: the observer
 * @bytes: packet @o->packet
 * @shift: log2 of its size
 * @head: published position, beyond @o->pos
 *
 * Return: NULL: read up to @head, or to the next packet if this one is complete;
 * else what is wrong.
 */
const char *observer_read(struct observer *o, const u8 *bytes, u32 shift, u64 head);

#endif /* KTRC_TESTS_UNIT_OBSERVER_H */
