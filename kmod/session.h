/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sessions: what is recorded for whom.  netlink.c and device.c are two doors to
 * the same verbs.
 *
 * Locks, outermost first: ktrc_control (all verbs), cpus_read_lock,
 * ktrc_memory_lock (rings of a session against CPU hotplug).
 */
#ifndef KTRC_SESSION_H
#define KTRC_SESSION_H

#include <linux/cpumask.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "filter.h"
#include "probe.h"

/* on the caller's account; what is not there is ENOMEM, never somebody's end */
#define KTRC_GFP (GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

#define KTRC_MAX_MIN_NS (3600ull * NSEC_PER_SEC)
#define KTRC_MAX_SECONDS (30u * 24 * 3600)

/**
 * struct ktrc_config - what a new session shall be; checked by ktrc_session_create()
 * @name: 1-31 of [A-Za-z0-9_.-]
 * @mode: enum ktrc_mode
 * @events: bit i: record the event with id i
 * @memory: bytes of all rings together; 0: the default
 * @packet_bytes: 0: the default
 * @max_seconds: stop after so long; 0: never
 */
struct ktrc_config {
	char name[KTRC_NAME_LEN];
	u32 mode;
	u64 events;
	u64 memory;
	u32 packet_bytes;
	u32 max_seconds;
};

/**
 * struct ktrc_wish - which hits shall become records, as asked for
 * @tgid: see struct ktrc_filter
 * @nr_tgids: see there
 * @cgid: cgroup v2 id; 0: none
 * @rule: by event id; @rule.min_ns instead of ticks
 */
struct ktrc_wish {
	u32 tgid[KTRC_MAX_PIDS];
	u32 nr_tgids;
	u64 cgid;
	struct {
		u64 min_ns;
		u32 sample;
		u32 flags;
		u32 user_frames;
		u32 kernel_frames;
		u32 user_bytes;
	} rule[KTRC_NR_EVENTS];
};

/**
 * struct ktrc_session - a session; its memory lives as long as a file or mapping uses it
 * @node: in the list of sessions; under ktrc_control
 * @rings: in the list of sessions that get a ring for each new CPU; under ktrc_memory_lock
 * @ref: one for the list, one for each attached file
 * @config: as checked
 * @wish: as checked
 * @filter: made of @wish
 * @state: enum ktrc_state
 * @stop_reason: enum ktrc_stop_reason
 * @clock: enum ktrc_clock
 * @nr_packets: packets in each CPU's ring
 * @memcg: the creator's memory cgroup, with a reference
 * @uuid: random
 * @cpus: control block of every possible CPU
 * @pages: by CPU: the pages of its ring, status page first; NULL: no ring
 * @readers: woken when a packet is complete or the session stops
 * @consuming: one CONSUME at a time; taken alone, so that a consumer never waits for a verb
 * @consumer: the file that consumes; NULL: none
 * @owner: the file it is bound to; NULL: detached
 * @has_names: it holds the table of names
 * @is_listening: its hooks are attached, see attach.c
 * @missed: by event: hits the kernel did not report, of attachments that ended
 * @missed_before: by event: what the hook had missed when this attachment began
 * @start_ticks: see struct ktrc_ioc_info
 * @stop_ticks: see there
 * @started: jiffies when it started last
 * @consumed: stream mode: jiffies when a consumer last kept up
 * @lost: hits lost when @watch looked last
 * @watch: looks at a running session once a second
 */
struct ktrc_session {
	struct list_head node;
	struct list_head rings;
	struct kref ref;
	struct ktrc_config config;
	struct ktrc_wish wish;
	struct ktrc_filter filter;
	u32 state;
	u32 stop_reason;
	u32 clock;
	u32 nr_packets;
	struct mem_cgroup *memcg;
	u8 uuid[16];
	struct ktrc_cpu __percpu *cpus;
	struct page ***pages;
	wait_queue_head_t readers;
	struct mutex consuming;
	const struct file *consumer;
	const struct file *owner;
	bool has_names;
	bool is_listening;
	u64 missed[KTRC_NR_EVENTS];
	u64 missed_before[KTRC_NR_EVENTS];
	u64 start_ticks;
	u64 stop_ticks;
	unsigned long started;
	unsigned long consumed;
	u64 lost;
	struct delayed_work watch;
};

extern struct mutex ktrc_control;
extern struct list_head ktrc_sessions;
extern u32 ktrc_sessions_seq;

/* why a verb failed, for people; a literal, NULL when errno says all */
struct ktrc_why {
	const char *text;
};

/**
 * struct ktrc_making - what happens when a session is made
 * @replace: it takes the place of one of that name that is neither bound nor runs
 * @running: it is started
 * @old: out: the one that it replaced, for ktrc_session_bury()
 */
struct ktrc_making {
	bool replace;
	bool running;
	struct ktrc_session *old;
};

bool ktrc_may_control(void);

/* told of what happens to sessions (enum ktrc_notice); set before there is any */
extern void (*ktrc_session_notice)(const struct ktrc_session *s, u32 notice);

void ktrc_sessions_allow(void);
bool ktrc_sessions_are_allowed(void);
int ktrc_session_create(const struct ktrc_config *config, const struct ktrc_wish *wish,
			struct ktrc_making *how, struct ktrc_session **ret, struct ktrc_why *why);
struct ktrc_session *ktrc_session_find(const char *name);
int ktrc_session_start(struct ktrc_session *s, struct ktrc_why *why);
void ktrc_session_stop(struct ktrc_session *s, u32 reason);
void ktrc_session_delete(struct ktrc_session *s);
void ktrc_session_bury(struct ktrc_session *s);
void ktrc_session_put(struct ktrc_session *s);
bool ktrc_session_is_readable(const struct ktrc_session *s);
u64 ktrc_session_lost(const struct ktrc_session *s);

/* config.c */
int ktrc_config_check(const struct ktrc_config *c, const struct ktrc_wish *w, struct ktrc_why *why);

/* memory.c */
int ktrc_memory_init(void);
void ktrc_memory_exit(void);
int ktrc_memory_create(struct ktrc_session *s, const struct ktrc_session *old,
		       struct ktrc_why *why);
void ktrc_memory_destroy(struct ktrc_session *s);

static inline u32 ktrc_ring_pages(const struct ktrc_session *s)
{
	return 1 + s->nr_packets * (s->config.packet_bytes / PAGE_SIZE);
}

#endif /* KTRC_SESSION_H */
