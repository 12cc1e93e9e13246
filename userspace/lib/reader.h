/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From packets to records: the streams of all CPUs, merged by time.  The bytes
 * come from a copy of a live ring or from a saved trace; this does not care.
 */
#ifndef KTRC_READER_H
#define KTRC_READER_H

#include "schema.h"
#include "stack.h"
#include "task.h"

/**
 * struct ktrc_record - one record
 * @cpu: where it was written
 * @event: what it is
 * @ticks: when it was written
 * @task: whose it is
 * @stacks: from where it was written
 * @payload: the event's fields
 */
struct ktrc_record {
	u32 cpu;
	const struct ktrc_event *event;
	u64 ticks;
	const struct ktrc_task *task;
	struct ktrc_stack_pair stacks;
	const u8 *payload;
};

/**
 * struct ktrc_counted - an event's newest `counts` record, held against what was seen
 * @is_known: there was one
 * @hits: hits until then
 * @written: records written until then: @read + absent
 * @filtered: hits rejected by a filter
 * @lost: hits lost
 * @read: records seen until then
 */
struct ktrc_counted {
	bool is_known;
	u64 hits;
	u64 written;
	u64 filtered;
	u64 lost;
	u64 read;
};

/**
 * struct ktrc_books - what the reader knows of one CPU's DATA records, by event id
 * @read: records seen
 * @absent: records that the `counts` records say were written before the first
 *	packet seen, or in packets missing between two: overwritten or consumed.
 *	What is missing without such a gap is not absent: it makes the books
 *	unbalanced.
 * @counted: the books when the newest packet was opened
 */
struct ktrc_books {
	u64 read[KTRC_MAX_EVENTS];
	u64 absent[KTRC_MAX_EVENTS];
	struct ktrc_counted counted[KTRC_MAX_EVENTS];
};

/**
 * struct ktrc_damage - what could not be decoded
 * @cut_bytes: the ends of streams from where on there is no whole packet, or none could be read
 * @unread_bytes: those of them that could not be read
 * @bad_packets: packets given up at a record or header that is none
 * @error: -errno with which the first read of a file failed, or -ENOMEM; 0: none did
 * @error_cpu: of whose file
 */
struct ktrc_damage {
	u64 cut_bytes;
	u64 unread_bytes;
	u64 bad_packets;
	int error;
	u32 error_cpu;
};

struct ktrc_reader;

/** ktrc_reader_create() - a reader without streams; NULL without memory or with an unusable schema */
struct ktrc_reader *ktrc_reader_create(const struct ktrc_schema *schema);
void ktrc_reader_destroy(struct ktrc_reader *reader);

/**
 * ktrc_reader_feed() - give a CPU's stream bytes to decode
 * @reader: the reader
 * @cpu: the CPU
 * @bytes: whole, closed packets; must stay in place until the next feed
 * @len: their length
 *
 * A CPU can be fed again when it is drained, or from the packet on that holds its next record.  If
 * the first packet is a longer copy of the last one decoded, reading goes on where it had ended.
 * Return: 0 or -ENOMEM.
 */
int ktrc_reader_feed(struct ktrc_reader *reader, u32 cpu, const u8 *bytes, size_t len);

/**
 * ktrc_reader_feed_file() - give a CPU that has nothing yet a file to decode
 * @reader: the reader
 * @cpu: the CPU
 * @fd: whole, closed packets, as far as they are there when it comes to them; must stay open
 * @len: the file's length now
 *
 * A record that was handed out is then in place until the next one is asked for.
 * Return: 0 or -ENOMEM.
 */
int ktrc_reader_feed_file(struct ktrc_reader *reader, u32 cpu, int fd, size_t len);

/** ktrc_reader_is_drained() - every record fed for this CPU has been handed out */
bool ktrc_reader_is_drained(const struct ktrc_reader *reader, u32 cpu);
/** ktrc_reader_packet() - number of the packet that holds the next record of a CPU that is not drained */
u64 ktrc_reader_packet(const struct ktrc_reader *reader, u32 cpu);

/** ktrc_reader_hold() - leave records after @until_ticks for later */
void ktrc_reader_hold(struct ktrc_reader *reader, u64 until_ticks);

/** ktrc_reader_held() - until when records are handed out; UINT64_MAX: all that were fed */
u64 ktrc_reader_held(const struct ktrc_reader *reader);

/** ktrc_reader_next() - the next record in order of time; NULL when there is none now */
const struct ktrc_record *ktrc_reader_next(struct ktrc_reader *reader);

/** ktrc_reader_kept() - how many tasks and stacks are kept: all that were ever named, or since ktrc_reader_forget() */
size_t ktrc_reader_kept(const struct ktrc_reader *reader);

/**
 * ktrc_reader_forget() - give back tasks and stacks that no packet at hand names
 * @reader: the reader; of a record that it has handed out nothing may be used any more
 *
 * For who keeps neither of them, nor their indices, and goes on for ever.  Return: 0 or -ENOMEM.
 */
int ktrc_reader_forget(struct ktrc_reader *reader);

/** ktrc_reader_books() - of one CPU; NULL if it was never fed */
const struct ktrc_books *ktrc_reader_books(const struct ktrc_reader *reader, u32 cpu);

/** ktrc_reader_reach() - ticks since when no CPU's records are missing; 0: since the beginning */
u64 ktrc_reader_reach(const struct ktrc_reader *reader);

const struct ktrc_damage *ktrc_reader_damage(const struct ktrc_reader *reader);

#endif
