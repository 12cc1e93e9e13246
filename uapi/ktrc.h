/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrc: the interface between the kernel module and any tool.
 *
 * Control: generic netlink family "ktrc" creates, configures, starts, stops and
 * deletes sessions, and hands out the schema and the counters.
 * Data: /dev/ktrc maps a session's per-CPU rings, read-only.
 * Both doors ask for CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace.
 *
 * To read a session:
 *
 *   fd = open("/dev/ktrc", O_RDONLY | O_CLOEXEC)
 *   ioctl(fd, KTRC_IOC_ATTACH, &attach)           names the session
 *   ioctl(fd, KTRC_IOC_INFO, &info)               sizes, clock, state
 *   for each cpu < info.nr_cpus:
 *       p = mmap(NULL, info.status_bytes + info.packet_bytes * info.nr_packets,
 *                PROT_READ, MAP_SHARED, fd, (off_t)cpu << KTRC_MMAP_CPU_SHIFT)
 *       ENXIO: this CPU has no ring (it was never online); skip it
 *       struct ktrc_status *st = p; char *data = p + info.status_bytes
 *
 * A mapping is whole (exactly one CPU's ring), shared and read-only; anything
 * else is EINVAL, or EPERM when it asks to write.  It cannot be split, moved,
 * grown or inherited, and it stays valid until it is unmapped, even when the
 * session is deleted.
 *
 * Positions are bytes since the session began and only grow.  Packet k spans
 * the positions [k * packet_bytes, (k + 1) * packet_bytes) and lies at
 * data + (k % nr_packets) * packet_bytes.  A packet is a CTF 1.8 packet.
 *
 *   head   every byte before it is published: load it with acquire, then read
 *   tail   flight mode: bytes before it are being overwritten
 *   cons   stream mode: bytes before it have been consumed
 *
 * Packet k is complete when head > (k + 1) * packet_bytes: its header then holds
 * its content size, end time and count of discarded events.  Otherwise it is the
 * open packet: ignore those three fields, its content ends at head.
 *
 * Flight mode (the writer overwrites the oldest packet):
 *
 *   head = load_acquire(st->head)
 *   copy packet k out of the ring
 *   read_barrier; if (st->tail > k * packet_bytes) discard the copy
 *
 * Stream mode (the writer drops what does not fit): attach with
 * KTRC_ATTACH_CONSUME (one consumer at a time, EBUSY for a second), read up to
 * head, then KTRC_IOC_CONSUME.  poll() reports POLLIN when a CPU has a complete
 * packet that is not consumed, POLLHUP when the session stopped; look at least
 * every 100 ms as well.
 *
 * Packet:  struct ktrc_packet_header, then records until the content ends.
 * Record:  a compact header is one word: id in bits 0-4, bits 0-26 of the time
 *          in bits 5-31.  Id 31 marks the extended header: that word, then a
 *          word with the id, then 64 bits of time (low word first).  An extended
 *          header is used whenever the time's upper 37 bits differ from those of
 *          the record before (or of the packet's begin).  Times are clock ticks.
 *          The payload follows: struct ktrc_ev_<event>, ktrc_events.h; its
 *          fields can also be had from the running module (SCHEMA_GET).
 *
 * The first records of a packet are `packet`, one `counts` for each recorded
 * event, and `task`.  A record belongs to the task named last before it in the
 * same packet.  A record with stacks has a `stack_ref` directly before it, which names
 * them by the slots of `stack` and `stack_copy` records before it in the same packet; a
 * slot is the stack's that took it last.
 *
 * Books, for each CPU and event, exact whenever the session is stopped:
 *   hits = written + filtered + lost_full + lost_nest + lost_recursion +
 *          lost_noring + lost_missed
 *   written = records read + records overwritten + records unread
 * What was overwritten stands in the `counts` records of the oldest packet.
 */
#ifndef _UAPI_KTRC_H
#define _UAPI_KTRC_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Version of everything in this file.  Bump rules: docs/abi.md. */
#define KTRC_ABI 1

#define KTRC_DEVICE "/dev/ktrc"
#define KTRC_NAME_LEN 32 /* session name with its NUL */
#define KTRC_MAX_SESSIONS 16 /* at the same time */
#define KTRC_MAX_PIDS 16 /* in the filter of a session */
#define KTRC_MAX_FRAMES 64 /* of a stack */
#define KTRC_MAX_STACK_BYTES 2048 /* of a user stack, copied */
#define KTRC_MAX_PACKET_BYTES 1048576 /* of a ring or a trace */

/* ---- sessions ---- */

enum ktrc_mode {
	KTRC_MODE_FLIGHT = 0, /* overwrite the oldest packet */
	KTRC_MODE_STREAM = 1, /* drop what does not fit */
};

enum ktrc_state {
	KTRC_STATE_NEW = 0, /* never started: no data */
	KTRC_STATE_RUNNING = 1, /* hooks attached */
	KTRC_STATE_STOPPED = 2, /* frozen: data stays readable */
};

/* why the session is in KTRC_STATE_STOPPED */
enum ktrc_stop_reason {
	KTRC_STOP_NONE = 0,
	KTRC_STOP_ASKED = 1, /* by a command */
	KTRC_STOP_NO_CONSUMER = 2, /* stream mode: nobody consumed for 30 s */
	KTRC_STOP_DELETED = 3, /* it was deleted, in whatever state; this file holds its data */
	KTRC_STOP_MAX_TIME = 4, /* it had recorded as long as it was allowed to */
	KTRC_STOP_BROKEN = 5, /* a ring contradicts itself: the module or its memory is broken */
};

enum ktrc_clock {
	KTRC_CLOCK_TSC = 1, /* a tick is 4 cycles of the time stamp counter */
	KTRC_CLOCK_MONO = 2, /* a tick is 1 ns of the NMI-safe monotonic clock */
};

/* ---- the mapped pages ---- */

#define KTRC_STATUS_MAGIC 0x6372746bu /* little-endian bytes: "ktrc" */
#define KTRC_MMAP_CPU_SHIFT 40

/**
 * struct ktrc_status - first bytes of a CPU's mapping; written by the kernel only
 * @magic: KTRC_STATUS_MAGIC
 * @abi: KTRC_ABI of the module
 * @length: sizeof(struct ktrc_status) of the module
 * @cpu: the CPU this ring belongs to
 * @status_bytes: from the start of the mapping to the first packet
 * @packet_bytes: size of a packet, a power of two
 * @nr_packets: packets in the ring
 * @mode: enum ktrc_mode
 * @reserved: zero
 * @head: position before which everything is published; grows with each record
 * @tail: flight mode: position before which data may be overwritten at any time;
 *	moves before the overwriting starts
 * @cons: stream mode: position before which data has been consumed
 * @lost: hits lost on this CPU so far, all events and reasons
 */
struct ktrc_status {
	__u32 magic;
	__u32 abi;
	__u32 length;
	__u32 cpu;
	__u32 status_bytes;
	__u32 packet_bytes;
	__u32 nr_packets;
	__u32 mode;
	__u64 reserved[4];
	__u64 head;
	__u64 tail;
	__u64 cons;
	__u64 lost;
};

#define KTRC_PACKET_MAGIC 0xc1fc1fc1u

/**
 * struct ktrc_packet_header - CTF 1.8 packet header and context
 * @magic: KTRC_PACKET_MAGIC
 * @uuid: the session's, the same in all packets
 * @stream_id: zero
 * @begin: clock ticks when the packet was opened; not after its first record
 * @end: clock ticks, not before its last record; 0 while the packet is open
 * @content_bits: size of header and records in bits; 0 while the packet is open
 * @packet_bits: size of the whole packet in bits
 * @seq: the packet's number k on this CPU
 * @discarded: hits lost on this CPU up to the packet's end; 0 while it is open
 * @cpu: the CPU
 * @pad: zero
 */
struct ktrc_packet_header {
	__u32 magic;
	__u8 uuid[16];
	__u32 stream_id;
	__u64 begin;
	__u64 end;
	__u64 content_bits;
	__u64 packet_bits;
	__u64 seq;
	__u64 discarded;
	__u32 cpu;
	__u32 pad;
};

#define KTRC_ID_BITS 5
#define KTRC_TIME_BITS 27
#define KTRC_ID_EXTENDED 31

/* the tid of a task record behind which records belong to no task */
#define KTRC_TID_NOBODY 4294967295u

/* ---- ioctls on /dev/ktrc ---- */

/*
 * Each takes a struct whose first member is its size: a shorter struct is
 * filled up with zeros, a longer one is accepted if its tail is zero (else
 * E2BIG), a size below 4 or above a page is EINVAL.  Unknown flags are EINVAL.
 * Layout is the same for 32 and 64 bit.  Without KTRC_IOC_ATTACH, all others are
 * ENOTCONN.
 */
#define KTRC_IOC_ATTACH _IO('k', 1) /* struct ktrc_ioc_attach */
#define KTRC_IOC_INFO _IO('k', 2) /* struct ktrc_ioc_info */
#define KTRC_IOC_START _IO('k', 3) /* no argument (0) */
#define KTRC_IOC_STOP _IO('k', 4) /* no argument (0) */
#define KTRC_IOC_CONSUME _IO('k', 5) /* struct ktrc_ioc_consume */

/* each lasts until the file is closed and its own mappings are unmapped */
#define KTRC_ATTACH_CONSUME 0x1u /* be the one consumer; EBUSY: there is one */
#define KTRC_ATTACH_BIND 0x2u /* delete the session then */

/**
 * struct ktrc_ioc_attach - connect this open file with a session
 * @size: sizeof(struct ktrc_ioc_attach)
 * @flags: KTRC_ATTACH_*
 * @name: the session's name, NUL-terminated; "" means "default"
 *
 * ENOENT: no such session.  EISCONN: attached already.  EBUSY: flag CONSUME and
 * another consumer, or flag BIND and bound already.  EINVAL: flag CONSUME in
 * flight mode, bad flags or name.
 */
struct ktrc_ioc_attach {
	__u32 size;
	__u32 flags;
	char name[KTRC_NAME_LEN];
};

/**
 * struct ktrc_ioc_info - what a reader must know; written by the kernel
 * @size: sizeof(struct ktrc_ioc_info), set by the caller
 * @abi: KTRC_ABI of the module
 * @schema: KTRC_SCHEMA of the module
 * @state: enum ktrc_state
 * @mode: enum ktrc_mode
 * @stop_reason: enum ktrc_stop_reason
 * @clock: enum ktrc_clock
 * @nr_cpus: CPU numbers are below this
 * @status_bytes: see struct ktrc_status
 * @packet_bytes: size of a packet
 * @nr_packets: packets in each CPU's ring
 * @pad: zero
 * @clock_hz: ticks per second
 * @events: bit i: the event with id i is recorded
 * @start_ticks: when recording started last; 0: never
 * @stop_ticks: when recording stopped; 0 while it runs
 * @now_ticks: the session's clock now
 * @now_mono_ns: CLOCK_MONOTONIC now
 * @now_real_ns: CLOCK_REALTIME now
 * @uuid: the session's
 * @name: the session's
 */
struct ktrc_ioc_info {
	__u32 size;
	__u32 abi;
	__u32 schema;
	__u32 state;
	__u32 mode;
	__u32 stop_reason;
	__u32 clock;
	__u32 nr_cpus;
	__u32 status_bytes;
	__u32 packet_bytes;
	__u32 nr_packets;
	__u32 pad;
	__u64 clock_hz;
	__u64 events;
	__u64 start_ticks;
	__u64 stop_ticks;
	__u64 now_ticks;
	__u64 now_mono_ns;
	__u64 now_real_ns;
	__u8 uuid[16];
	char name[KTRC_NAME_LEN];
};

/**
 * struct ktrc_ioc_consume - tell how far this consumer has read
 * @size: sizeof(struct ktrc_ioc_consume)
 * @cpu: the CPU
 * @position: everything before it may be overwritten
 *
 * EINVAL: no such CPU or ring, @position runs back or is beyond what is published.
 * EPERM: attached without KTRC_ATTACH_CONSUME.
 */
struct ktrc_ioc_consume {
	__u32 size;
	__u32 cpu;
	__u64 position;
};

/* ---- generic netlink ---- */

#define KTRC_GENL_NAME "ktrc"
#define KTRC_GENL_VERSION KTRC_ABI
#define KTRC_GENL_NOTICES "notices" /* multicast group */

/* A command's attributes; replies of GET commands carry the same nests. */
enum ktrc_cmd {
	KTRC_CMD_UNSPEC,
	KTRC_CMD_SESSION_NEW, /* KTRC_A_SESSION: make one; STATE: NEW (default) or RUNNING */
	KTRC_CMD_SESSION_SET, /* KTRC_A_SESSION with NAME and STATE: start, stop */
	KTRC_CMD_SESSION_GET, /* KTRC_A_SESSION with NAME, or dump: all */
	KTRC_CMD_SESSION_DEL, /* KTRC_A_SESSION with NAME */
	KTRC_CMD_SCHEMA_GET, /* dump: one KTRC_A_EVENT or KTRC_A_VALUE a message */
	KTRC_CMD_COUNTERS_GET, /* dump, KTRC_A_SESSION with NAME: one KTRC_A_COUNTERS a message */
	KTRC_CMD_NAMES_GET, /* dump: one KTRC_A_NAME a message, in order of ids */
	KTRC_CMD_NOTICE, /* multicast: KTRC_A_NOTICE and KTRC_A_SESSION */
	__KTRC_CMD_AFTER_LAST
};
#define KTRC_CMD_MAX (__KTRC_CMD_AFTER_LAST - 1)

/* top level */
enum ktrc_attr {
	KTRC_A_UNSPEC,
	KTRC_A_SESSION, /* nest, enum ktrc_attr_session */
	KTRC_A_EVENT, /* nest, enum ktrc_attr_event */
	KTRC_A_VALUE, /* nest, enum ktrc_attr_value */
	KTRC_A_COUNTERS, /* nest, enum ktrc_attr_counters */
	KTRC_A_NAME, /* nest, enum ktrc_attr_name */
	KTRC_A_NOTICE, /* nest, enum ktrc_attr_notice */
	__KTRC_A_AFTER_LAST
};
#define KTRC_A_MAX (__KTRC_A_AFTER_LAST - 1)

enum ktrc_attr_session {
	KTRC_A_SESSION_UNSPEC,
	KTRC_A_SESSION_PAD,
	KTRC_A_SESSION_NAME, /* string, 1-31 of [A-Za-z0-9_.-]; absent or "": default */
	KTRC_A_SESSION_MODE, /* u32, enum ktrc_mode; default FLIGHT */
	KTRC_A_SESSION_EVENTS, /* u64, bit i: event id i; DATA and PART events only */
	KTRC_A_SESSION_MEMORY, /* u64, bytes of all rings together; rounded down to whole packets */
	KTRC_A_SESSION_PACKET_BYTES, /* u32, power of two, 4 KiB - 1 MiB; default 64 KiB */
	KTRC_A_SESSION_STATE, /* u32, enum ktrc_state */
	KTRC_A_SESSION_STOP_REASON, /* u32, enum ktrc_stop_reason; in replies */
	KTRC_A_SESSION_BOUND, /* flag; in replies: dies with the file it is bound to */
	KTRC_A_SESSION_CONSUMER, /* flag; in replies: a consumer is attached */
	KTRC_A_SESSION_REPLACE, /* flag, with NEW: in place of one that neither runs nor is bound */
	KTRC_A_SESSION_RULE, /* nest, enum ktrc_attr_rule; once for each event that has one */
	KTRC_A_SESSION_PID, /* u32, a process; up to KTRC_MAX_PIDS times; none: all */
	KTRC_A_SESSION_CGROUP, /* u64, cgroup v2 id: only tasks in it or below; none or 0: all */
	KTRC_A_SESSION_MAX_SECONDS, /* u32, stop after so long; 0: never */
	KTRC_A_SESSION_NAMES_MISSED, /* u64, in replies: how often a path could not be kept */
	KTRC_A_SESSION_BIND, /* u32, with NEW: descriptor of KTRC_DEVICE; does KTRC_ATTACH_BIND */
	__KTRC_A_SESSION_AFTER_LAST
};
#define KTRC_A_SESSION_MAX (__KTRC_A_SESSION_AFTER_LAST - 1)

/* what becomes of an event's hits; KTRC_A_EVENT_RULES says what an event can tell */
enum ktrc_rule_flag {
	KTRC_RULE_COUNT = 1, /* count hits and durations, write no record */
	KTRC_RULE_MAJOR = 2, /* only those that waited for I/O */
	KTRC_RULE_USER = 4, /* only those raised in user mode */
	KTRC_RULE_KERNEL = 8, /* only those raised by the kernel */
	KTRC_RULE_MIN = 16, /* in KTRC_A_EVENT_RULES only: it has a duration */
	KTRC_RULE_STACK = 32, /* in KTRC_A_EVENT_RULES only: it knows its stacks */
	KTRC_RULE_COPY = 64, /* in KTRC_A_EVENT_RULES only: it is rare enough to copy user stacks */
};

enum ktrc_attr_rule {
	KTRC_A_RULE_UNSPEC,
	KTRC_A_RULE_PAD,
	KTRC_A_RULE_EVENT, /* u32, event id */
	KTRC_A_RULE_FLAGS, /* u32, enum ktrc_rule_flag */
	KTRC_A_RULE_MIN_NS, /* u64, record what lasts at least so long, and last attempts of faults */
	KTRC_A_RULE_SAMPLE, /* u32, of what is left record every n-th on each CPU; of faults that wait about that */
	KTRC_A_RULE_USER_FRAMES, /* u32, record so many of the user stack, innermost first; 0: none */
	KTRC_A_RULE_KERNEL_FRAMES, /* u32, the same of the kernel stack */
	KTRC_A_RULE_USER_BYTES, /* u32, copy registers and so much of the user stack; 0: nothing */
	__KTRC_A_RULE_AFTER_LAST
};
#define KTRC_A_RULE_MAX (__KTRC_A_RULE_AFTER_LAST - 1)

/* no cgroup's id: with the shrinker of a reclaim.slab record the id of its function's name */
#define KTRC_NAME_SHRINKER (1ull << 62)
/* nor this: with the file of a map record the id of its path */
#define KTRC_NAME_FILE (1ull << 61)

/* kept from the first session's start until the last one is gone, also of cgroups that are gone */
enum ktrc_attr_name {
	KTRC_A_NAME_UNSPEC,
	KTRC_A_NAME_PAD,
	KTRC_A_NAME_CGROUP, /* u64, cgroup v2 id; or KTRC_NAME_SHRINKER, KTRC_NAME_FILE + a number */
	KTRC_A_NAME_PATH, /* string, from the root of the hierarchy, or of the file system; at most 511 bytes */
	KTRC_A_NAME_BUILD_ID, /* binary, of a file of code, when it was first mapped; at most 20 bytes */
	__KTRC_A_NAME_AFTER_LAST
};
#define KTRC_A_NAME_MAX (__KTRC_A_NAME_AFTER_LAST - 1)

/* multicast group KTRC_GENL_NOTICES */
enum ktrc_notice {
	KTRC_NOTICE_STARTED = 1,
	KTRC_NOTICE_STOPPED = 2, /* KTRC_A_SESSION_STOP_REASON says why */
	KTRC_NOTICE_LOSS = 3, /* hits were lost since the last notice; looked at once a second */
	KTRC_NOTICE_GONE = 4, /* the session was deleted */
};

enum ktrc_attr_notice {
	KTRC_A_NOTICE_UNSPEC,
	KTRC_A_NOTICE_PAD,
	KTRC_A_NOTICE_KIND, /* u32, enum ktrc_notice */
	KTRC_A_NOTICE_LOST, /* u64, hits lost since the session was made */
	__KTRC_A_NOTICE_AFTER_LAST
};
#define KTRC_A_NOTICE_MAX (__KTRC_A_NOTICE_AFTER_LAST - 1)

enum ktrc_event_kind {
	KTRC_KIND_DATA = 0, /* a session asks for it */
	KTRC_KIND_DICT = 1, /* written by the ring */
	KTRC_KIND_PART = 2, /* as DATA; comes with the event whose label its own extends */
};

enum ktrc_avail {
	KTRC_AVAIL_YES = 0,
	KTRC_AVAIL_DEGRADED = 1, /* a fallback hook is in use: see reason */
	KTRC_AVAIL_NO = 2, /* see reason */
};

enum ktrc_attr_event {
	KTRC_A_EVENT_UNSPEC,
	KTRC_A_EVENT_PAD,
	KTRC_A_EVENT_ID, /* u32 */
	KTRC_A_EVENT_NAME, /* string, as in C: fault_light */
	KTRC_A_EVENT_LABEL, /* string, as users type it: fault.light */
	KTRC_A_EVENT_KIND, /* u32, enum ktrc_event_kind */
	KTRC_A_EVENT_DOC, /* string */
	KTRC_A_EVENT_AVAIL, /* u32, enum ktrc_avail */
	KTRC_A_EVENT_REASON, /* string; absent when available */
	KTRC_A_EVENT_HOOK, /* string, such as "kretprobe handle_mm_fault" */
	KTRC_A_EVENT_BYTES, /* u32, payload size */
	KTRC_A_EVENT_FIELD, /* nest, enum ktrc_attr_field; once for each field, in order */
	KTRC_A_EVENT_RULES, /* u32, enum ktrc_rule_flag: what rules can ask of it; 0 for DICT */
	__KTRC_A_EVENT_AFTER_LAST
};
#define KTRC_A_EVENT_MAX (__KTRC_A_EVENT_AFTER_LAST - 1)

enum ktrc_format {
	KTRC_FMT_COUNT,
	KTRC_FMT_FLAG,
	KTRC_FMT_ID,
	KTRC_FMT_PAGE,
	KTRC_FMT_TICKS,
	KTRC_FMT_STAMP,
	KTRC_FMT_NS,
	KTRC_FMT_ENUM,
	KTRC_FMT_PAD,
	KTRC_FMT_TEXT,
	KTRC_FMT_ADDRESS,
};

enum ktrc_attr_field {
	KTRC_A_FIELD_UNSPEC,
	KTRC_A_FIELD_PAD,
	KTRC_A_FIELD_NAME, /* string */
	KTRC_A_FIELD_OFFSET, /* u32, bits from the start of the payload */
	KTRC_A_FIELD_WIDTH, /* u32, bits */
	KTRC_A_FIELD_FORMAT, /* u32, enum ktrc_format */
	KTRC_A_FIELD_ENUM, /* string, name of the enumeration; with KTRC_FMT_ENUM */
	KTRC_A_FIELD_DOC, /* string */
	__KTRC_A_FIELD_AFTER_LAST
};
#define KTRC_A_FIELD_MAX (__KTRC_A_FIELD_AFTER_LAST - 1)

enum ktrc_attr_value {
	KTRC_A_VALUE_UNSPEC,
	KTRC_A_VALUE_ENUM, /* string, name of the enumeration */
	KTRC_A_VALUE_NUMBER, /* u32 */
	KTRC_A_VALUE_NAME, /* string */
	KTRC_A_VALUE_DOC, /* string */
	__KTRC_A_VALUE_AFTER_LAST
};
#define KTRC_A_VALUE_MAX (__KTRC_A_VALUE_AFTER_LAST - 1)

#define KTRC_CPU_NONE 0xffffffffu /* not on a known CPU: misses of a function hook */
#define KTRC_HIST_BUCKETS 40 /* bucket i: durations of [2^(i-1), 2^i) ticks; 0: zero */

enum ktrc_attr_counters {
	KTRC_A_COUNTERS_UNSPEC,
	KTRC_A_COUNTERS_PAD,
	KTRC_A_COUNTERS_EVENT, /* u32, event id */
	KTRC_A_COUNTERS_CPU, /* u32, or KTRC_CPU_NONE */
	KTRC_A_COUNTERS_HITS, /* u64 */
	KTRC_A_COUNTERS_WRITTEN, /* u64 */
	KTRC_A_COUNTERS_FILTERED, /* u64 */
	KTRC_A_COUNTERS_LOST_FULL, /* u64, stream full */
	KTRC_A_COUNTERS_LOST_NEST, /* u64, nested writer without room */
	KTRC_A_COUNTERS_LOST_RECURSION, /* u64, raised by the writer itself */
	KTRC_A_COUNTERS_LOST_NORING, /* u64, CPU without a buffer */
	KTRC_A_COUNTERS_LOST_MISSED, /* u64, the kernel did not call the hook */
	KTRC_A_COUNTERS_NESTED, /* u64, hits that interrupted another writer */
	KTRC_A_COUNTERS_SUM, /* u64, ticks; events with a duration */
	KTRC_A_COUNTERS_LONGEST, /* u64, ticks */
	KTRC_A_COUNTERS_HIST, /* binary, u64[KTRC_HIST_BUCKETS], host order */
	__KTRC_A_COUNTERS_AFTER_LAST
};
#define KTRC_A_COUNTERS_MAX (__KTRC_A_COUNTERS_AFTER_LAST - 1)

#endif /* _UAPI_KTRC_H */
