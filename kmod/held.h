/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which cgroups are kept off which CPUs by a CPU quota, and which threads wait for that.  What
 * is known of a CPU is changed under its run queue's lock only, but for the end of an interval:
 * of a cgroup that is removed, whoever takes its start away ends it.
 *
 * The scheduler's own structures are private: a run queue, a cgroup's queue on a CPU and a
 * timer are addresses here, that are compared and never read.  A task group begins with its
 * public part, its cgroup_subsys_state.
 */
#ifndef KTRC_HELD_H
#define KTRC_HELD_H

#include <linux/atomic.h>

#include "env.h"
#include "run.h"

/* of each CPU; powers of two */
#define KTRC_NR_HELD 128
#define KTRC_NR_WAITING 256
/* bits; of cgroups without an entry */
#define KTRC_NR_NO_ROOM 16384
/* of all CPUs; a power of two */
#define KTRC_NR_PERIODS 1024
/* steps from where the hash points to */
#define KTRC_HELD_REACH 16
/* quotas, one above the other, that can be used up at once */
#define KTRC_NR_QUOTAS 8
KTRC_BOUND(KTRC_NR_HELD);
KTRC_BOUND(KTRC_NR_WAITING);
KTRC_BOUND(KTRC_HELD_REACH);
KTRC_BOUND(KTRC_NR_QUOTAS);
KTRC_BOUND(CONFIG_NR_CPUS);

/**
 * struct ktrc_period - how often a quota was filled up
 * @timer: the quota's; NULL: free
 * @count: times it fired
 * @last: ticks, when it fired last
 * @before: ticks, when it fired before that; 0: not since it has this place
 * @run: the last periods in a row in which it was used up, on whichever CPU, as far as it was filled up again there
 */
struct ktrc_period {
	const void *timer;
	u32 count;
	u64 last;
	u64 before;
	union ktrc_run run;
};

/**
 * struct ktrc_watch - a stop-watch, in one word: who reads it without a lock reads it whole
 * @word: twice the ticks, modulo 2^64, and 1 while it runs; then those up to time 0
 */
struct ktrc_watch {
	u64 word;
};

/**
 * struct ktrc_held - a cgroup on one CPU
 * @tg: its task group; NULL: free
 * @cgroup: the cgroup; to compare only, unless it is kept off
 * @cgid: its id; 0: of cgroup v1
 * @limiter_tg: whose quota was used up first
 * @limiter: its cgroup id
 * @start: ticks, when it was taken off; 0: it may run.  What follows holds while it may not:
 * @quota: the queues whose quota is used up, its own or one above it
 * @nr: how many
 * @max: most of them at a time
 * @end: ticks, when it might run again last
 * @off: how long it has been kept off since the CPU was armed
 * @off_before: how long of that before the limiter was this one
 * @own: its own queue, once its quota was used up
 * @own_off: how long its own quota was used up in this interval
 * @period: of its quota; NULL: not known
 * @timer: that which @period was found by
 * @own_start: ticks, when its own quota was used up
 * @began: the period, as the timer counts them, in which its own quota was used up; nobody knows by how much
 *	earlier: one of long ago
 */
struct ktrc_held {
	const void *tg;
	struct cgroup *cgroup;
	u64 cgid;
	const void *limiter_tg;
	u64 limiter;
	u64 start;
	const void *quota[KTRC_NR_QUOTAS];
	u8 nr;
	u8 max;
	u64 end;
	struct ktrc_watch off;
	u64 off_before;
	const void *own;
	struct ktrc_watch own_off;
	struct ktrc_period *period;
	const void *timer;
	u64 own_start;
	u32 began;
};

/**
 * struct ktrc_waiting - a thread that is ready and does not run
 * @task: the thread; NULL: free
 * @tg: its task group; NULL: it came to another one since, or that was forgotten, at @off
 * @off: ticks, how long its cgroup had been kept off until then; KTRC_NEVER_OFF: it loses nothing,
 *	as quotas are not its class's, or what it loses is counted
 */
struct ktrc_waiting {
	const struct task_struct *task;
	const void *tg;
	u64 off;
};

#define KTRC_NEVER_OFF U64_MAX

/**
 * ktrc_waiting_unnoted() - what is known of a thread without a note
 * @task: the thread; on a CPU that knows all it waits since that was armed
 *
 * Quotas are those of the fair class.
 */
static inline struct ktrc_waiting ktrc_waiting_unnoted(const struct task_struct *task)
{
	return (struct ktrc_waiting){
		.tg = task->sched_task_group,
		.off = task->prio < MAX_RT_PRIO ? KTRC_NEVER_OFF : 0,
	};
}

/**
 * struct ktrc_walk - the scheduler's way through a quota's cgroups, on the CPU that goes it
 * @quota: the queue whose quota was used up or filled; NULL: its beginning was not seen
 * @is_first: no cgroup was visited yet
 * @limiter_tg: downwards: whose quota it is, which is the first that is visited
 * @limiter: its cgroup id
 * @on: the CPU that it is about; NULL: not known
 * @timer: the quota's whose period ends just now; NULL: none does
 */
struct ktrc_walk {
	const void *quota;
	bool is_first;
	const void *limiter_tg;
	u64 limiter;
	struct ktrc_held_cpu *on;
	const void *timer;
};

/**
 * struct ktrc_held_cpu - what is known of one CPU
 * @walk: of the CPU itself, not of its run queue
 * @root: where the queue of the root cgroup lies in its run queue
 * @cpu: its number
 * @nr_held: cgroups that are kept off it
 * @is_armed: something is, or was in the last seconds
 * @knows_all: who waits and is not among @waiting was ready before, in the same cgroup
 * @last_end: ticks, when a cgroup might run again last
 * @at: by task group, open addressing
 * @no_room: those for which there was no room in it since the CPU was armed, a bit for what their address is hashed to
 * @waiting: by thread, open addressing; of a thread it is changed by whoever decides where it waits: under the
 *	lock of this run queue, or of the one that it comes from
 */
struct ktrc_held_cpu {
	struct ktrc_walk walk;
	unsigned long root;
	u32 cpu;
	atomic_t nr_held;
	bool is_armed;
	bool knows_all;
	u64 last_end;
	struct ktrc_held at[KTRC_NR_HELD];
	u64 no_room[KTRC_NR_NO_ROOM / 64];
	struct ktrc_waiting waiting[KTRC_NR_WAITING];
};

/**
 * struct ktrc_helds - all of it
 * @cpu: by number; NULL: no such CPU
 * @nr_cpus: CPU numbers are below this
 * @is_open: all hooks are attached
 * @sees_threads: those of threads as well
 * @nr_armed: CPUs that are armed: with none, a switch or a wake-up is nobody's business
 * @clock: what ticks are of
 * @linger: ticks, how long after an end there may be threads that waited for it
 * @missed: intervals for which there was no room, or that have no end
 * @missed_waits: waits of threads of cgroups that were kept off, or may have been, of which it is not known how
 *	much of them was for that
 * @timer_at: how far behind the beginning of a task group its quota's timer lies; 0: not known yet
 * @period: by timer, open addressing
 */
struct ktrc_helds {
	struct ktrc_held_cpu **cpu;
	u32 nr_cpus;
	bool is_open;
	bool sees_threads;
	atomic_t nr_armed;
	u32 clock;
	u64 linger;
	/* what is counted is written on any CPU, what is above read on all of them */
	atomic_long_t missed ____cacheline_aligned_in_smp;
	atomic_long_t missed_waits;
	u64 timer_at;
	struct ktrc_period period[KTRC_NR_PERIODS];
};

extern struct ktrc_helds ktrc_helds;

/* where a search for something begins, by its address */
static inline u32 ktrc_held_hash(const void *p)
{
	return (u64)(unsigned long)p * 0x9e3779b97f4a7c15ull >> 32;
}

/**
 * ktrc_held_here() - this CPU's
 *
 * Context: any; preemption disabled.
 * Return: NULL while the hooks are not attached.
 */
static __always_inline struct ktrc_held_cpu *ktrc_held_here(void)
{
	return READ_ONCE(ktrc_helds.is_open) ? ktrc_helds.cpu[task_cpu(current)] : NULL;
}

struct ktrc_held_cpu *ktrc_held_cpu_of(const void *rq);
struct ktrc_held *ktrc_held_find(struct ktrc_held_cpu *c, const void *tg);
bool ktrc_held_is_of(const struct ktrc_held *h, const struct cgroup_subsys_state *css);
void ktrc_held_forget(struct ktrc_held_cpu *c, struct ktrc_held *h);
struct ktrc_held *ktrc_held_get(struct ktrc_held_cpu *c, const struct cgroup_subsys_state *css,
				u64 now);
bool ktrc_held_lacks_room(const struct ktrc_held_cpu *c, const void *tg);
bool ktrc_held_add_quota(struct ktrc_held *h, const void *quota);
bool ktrc_held_drop_quota(struct ktrc_held *h, const void *quota);

u64 ktrc_watch_read(const struct ktrc_watch *watch, u64 now);
void ktrc_watch_start(struct ktrc_watch *watch, u64 now);
void ktrc_watch_stop(struct ktrc_watch *watch, u64 now);

/* held_period.c */
void ktrc_period_tick(const void *timer, u64 now);
void ktrc_period_forget(const void *tg);
void ktrc_period_learn(struct ktrc_held *limiter, const void *timer);
void ktrc_period_begin(struct ktrc_held *limiter, u64 now);
void ktrc_period_end(const struct ktrc_held *limiter);
u32 ktrc_period_run(const struct ktrc_held *limiter);

/* held_waiting.c */
void ktrc_waiting_clear(struct ktrc_held_cpu *c);
void ktrc_waiting_add(struct ktrc_held_cpu *c, const struct task_struct *task, u64 now,
		      bool is_new);
bool ktrc_waiting_take(struct ktrc_held_cpu *c, const struct task_struct *task,
		       struct ktrc_waiting *taken);
bool ktrc_waiting_any_of(const struct ktrc_held_cpu *c, const void *tg);
void ktrc_waiting_forget(struct ktrc_held_cpu *c, const void *tg, u64 now);
void ktrc_waiting_move(const struct task_struct *task, u64 now);

/* held_memory.c */
int ktrc_helds_open(u32 clock);
void ktrc_waiting_clear_all(void);
void ktrc_helds_exit(void);

#endif /* KTRC_HELD_H */
