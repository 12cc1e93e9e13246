// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of struct ktrc_helds.  In probes: interrupts disabled, under the lock of the run
 * queue that they are about, but for a thread that comes from another one.
 */
#include "held.h"

/*
 * How far the root cgroup's queue may lie behind the beginning of its run queue; CPUs' areas
 * are much further from each other.
 */
#define ROOT_REACH 8192

struct ktrc_helds ktrc_helds;

static u32 hash(const void *p)
{
	return (u64)(unsigned long)p * 0x9e3779b97f4a7c15ull >> 32;
}

static bool is_rq_of(const void *rq, const struct ktrc_held_cpu *c)
{
	return c && c->root - (unsigned long)rq < ROOT_REACH;
}

/**
 * ktrc_held_cpu_of() - the CPU that a run queue is of
 * @rq: the run queue
 *
 * Return: NULL when it is not found.
 */
struct ktrc_held_cpu *ktrc_held_cpu_of(const void *rq)
{
	struct ktrc_held_cpu *c = ktrc_held_here();
	u32 i;

	if (is_rq_of(rq, c))
		return c;
	for (i = 0; i < CONFIG_NR_CPUS && i < ktrc_helds.nr_cpus; i++) {
		if (is_rq_of(rq, ktrc_helds.cpu[i]))
			return ktrc_helds.cpu[i];
	}
	return NULL;
}

/**
 * ktrc_held_find() - a cgroup on a CPU
 * @c: the CPU
 * @tg: the cgroup's task group
 *
 * Return: NULL when it is not known.
 */
struct ktrc_held *ktrc_held_find(struct ktrc_held_cpu *c, const void *tg)
{
	u32 i;

	for (i = 0; i < KTRC_HELD_REACH; i++) {
		struct ktrc_held *h = &c->at[(hash(tg) + i) & (KTRC_NR_HELD - 1)];

		if (READ_ONCE(h->tg) == tg)
			return h;
	}
	return NULL;
}

/* nothing waits for it any more, or it was never used */
static bool is_free(const struct ktrc_held *h, u64 now)
{
	/* pairs with the cmpxchg in release(): who sees no start sees the end */
	if (h->tg && smp_load_acquire(&h->start))
		return false;
	return !h->tg || (s64)(now - READ_ONCE(h->end)) > (s64)ktrc_helds.linger;
}

static struct ktrc_held *find_room(struct ktrc_held_cpu *c, const void *tg, u64 now)
{
	u32 i;

	for (i = 0; i < KTRC_HELD_REACH; i++) {
		struct ktrc_held *other = &c->at[(hash(tg) + i) & (KTRC_NR_HELD - 1)];

		if (is_free(other, now))
			return other;
	}
	return NULL;
}

/**
 * ktrc_held_is_of() - is it this cgroup's, or of one that was at the same address
 * @h: a cgroup on a CPU
 * @css: the cgroup's task group
 */
bool ktrc_held_is_of(const struct ktrc_held *h, const struct cgroup_subsys_state *css)
{
	return h->cgroup == css->cgroup && h->cgid == ktrc_css_cgid(css);
}

/**
 * ktrc_held_forget() - a cgroup went without a word: an interval that began has no end
 * @c: the CPU
 * @h: the cgroup
 */
void ktrc_held_forget(struct ktrc_held_cpu *c, struct ktrc_held *h)
{
	if (!xchg(&h->start, 0))
		return;
	WRITE_ONCE(h->off.word, 0);
	atomic_dec(&c->nr_held);
	atomic_long_inc(&ktrc_helds.missed);
}

static u32 no_room_bit(const void *tg)
{
	return (u64)hash(tg) * KTRC_NR_NO_ROOM >> 32;
}

/**
 * ktrc_held_lacks_room() - was there no room for a cgroup that was kept off
 * @c: the CPU
 * @tg: the cgroup's task group
 *
 * Return: true until the CPU is armed anew, and of the few others that have the same bit.
 */
bool ktrc_held_lacks_room(const struct ktrc_held_cpu *c, const void *tg)
{
	u32 bit = no_room_bit(tg);

	return READ_ONCE(c->no_room[bit / 64]) >> (bit % 64) & 1;
}

static void note_no_room(struct ktrc_held_cpu *c, const void *tg)
{
	u32 bit = no_room_bit(tg);

	WRITE_ONCE(c->no_room[bit / 64], c->no_room[bit / 64] | 1ull << (bit % 64));
}

/* whether a thread that waits has lost something so far, or may have */
static bool has_lost(struct ktrc_held_cpu *c, const struct ktrc_waiting *w, u64 now)
{
	const struct ktrc_held *h = w->tg ? ktrc_held_find(c, w->tg) : NULL;

	if (!w->tg || w->off == KTRC_NEVER_OFF)
		return false;
	if (!h)
		return ktrc_held_lacks_room(c, w->tg);
	return (s64)(ktrc_watch_read(&h->off, now) - w->off) > 0;
}

/**
 * ktrc_waiting_forget() - nobody charges any more who still waits
 * @c: the CPU
 * @tg: in this cgroup; NULL: at all
 * @now: ticks
 */
void ktrc_waiting_forget(struct ktrc_held_cpu *c, const void *tg, u64 now)
{
	bool is_counted;
	u32 i;

	for (i = 0; i < KTRC_NR_WAITING; i++) {
		struct ktrc_waiting *w = &c->waiting[i];

		if (!READ_ONCE(w->task) || !w->tg || w->off == KTRC_NEVER_OFF ||
		    (tg && w->tg != tg))
			continue;
		is_counted = has_lost(c, w, now);
		if (is_counted)
			atomic_long_inc(&ktrc_helds.missed_waits);
		WRITE_ONCE(w->tg, NULL);
		WRITE_ONCE(w->off, is_counted ? KTRC_NEVER_OFF : now);
	}
}

/**
 * ktrc_held_get() - a cgroup on a CPU, a new one if it is not known
 * @c: the CPU
 * @css: the cgroup's task group
 * @now: ticks
 *
 * Return: NULL when there is no room.
 */
struct ktrc_held *ktrc_held_get(struct ktrc_held_cpu *c, const struct cgroup_subsys_state *css,
				u64 now)
{
	struct ktrc_held *h = ktrc_held_find(c, css);

	if (h && ktrc_held_is_of(h, css))
		return h;
	if (h)
		ktrc_held_forget(c, h);
	h = h ?: find_room(c, css, now);
	if (!h) {
		note_no_room(c, css);
		return NULL;
	}
	if (h->tg && h->tg != css)
		ktrc_waiting_forget(c, h->tg, now);
	if (ktrc_held_lacks_room(c, css)) {
		/* of who waits since then, without a note too, not all is known */
		ktrc_waiting_forget(c, css, now);
		WRITE_ONCE(c->knows_all, false);
	}
	memset(h, 0, sizeof(*h));
	h->cgroup = css->cgroup;
	h->cgid = ktrc_css_cgid(css);
	WRITE_ONCE(h->tg, css);
	return h;
}

/**
 * ktrc_held_add_quota() - a quota that keeps a cgroup off is used up
 * @h: the cgroup
 * @quota: the queue whose quota it is
 *
 * Return: false when there are too many.
 */
bool ktrc_held_add_quota(struct ktrc_held *h, const void *quota)
{
	u32 i;

	for (i = 0; i < KTRC_NR_QUOTAS && i < h->nr; i++) {
		if (h->quota[i] == quota)
			return true;
	}
	if (h->nr >= KTRC_NR_QUOTAS)
		return false;
	h->quota[h->nr++] = quota;
	h->max = max(h->max, h->nr);
	return true;
}

/**
 * ktrc_held_drop_quota() - a quota that kept a cgroup off is filled up
 * @h: the cgroup
 * @quota: the queue whose quota it is
 *
 * Return: whether it is known to have been used up.
 */
bool ktrc_held_drop_quota(struct ktrc_held *h, const void *quota)
{
	u32 i;

	for (i = 0; i < KTRC_NR_QUOTAS && i < h->nr; i++) {
		if (h->quota[i] == quota) {
			h->quota[i] = h->quota[--h->nr];
			return true;
		}
	}
	return false;
}

/* ---- stop-watches ---- */

/**
 * ktrc_watch_read() - what a stop-watch shows
 * @watch: the stop-watch; who holds no lock gets what it showed a moment ago
 * @now: ticks
 *
 * Return: ticks, 0 if it was started on a CPU whose clock is ahead.
 */
u64 ktrc_watch_read(const struct ktrc_watch *watch, u64 now)
{
	u64 word = READ_ONCE(watch->word);
	s64 twice = word & 1 ? word - 1 + 2 * now : word;

	return max(twice, 0ll) / 2;
}

/**
 * ktrc_watch_start() - let a stop-watch go on; it may be running
 * @watch: the stop-watch
 * @now: ticks
 */
void ktrc_watch_start(struct ktrc_watch *watch, u64 now)
{
	WRITE_ONCE(watch->word, 2 * (ktrc_watch_read(watch, now) - now) + 1);
}

/**
 * ktrc_watch_stop() - stop a stop-watch; it may stand
 * @watch: the stop-watch
 * @now: ticks
 */
void ktrc_watch_stop(struct ktrc_watch *watch, u64 now)
{
	WRITE_ONCE(watch->word, 2 * ktrc_watch_read(watch, now));
}

/* ---- periods ---- */

#define MOST_TIMER_AT 8192 /* a task group is not larger */

static struct ktrc_period *find_period(const void *timer)
{
	u32 i;

	for (i = 0; i < KTRC_HELD_REACH; i++) {
		struct ktrc_period *p =
			&ktrc_helds.period[(hash(timer) + i) & (KTRC_NR_PERIODS - 1)];

		if (READ_ONCE(p->timer) == timer)
			return p;
	}
	return NULL;
}

/* one whose timer has stopped makes room; a timer fires at least once a second, or not at all */
static bool take_place(struct ktrc_period *p, const void *timer, u64 now)
{
	const void *old = READ_ONCE(p->timer), *found;

	if (old == timer)
		return true; /* another CPU has just put it there */
	if (old && (s64)(now - READ_ONCE(p->last)) < 2 * (s64)ktrc_helds.linger)
		return false;
	found = cmpxchg(&p->timer, old, timer);
	if (found == old)
		WRITE_ONCE(p->last, now);
	return found == old || found == timer;
}

static struct ktrc_period *new_period(const void *timer, u64 now)
{
	u32 i;

	for (i = 0; i < KTRC_HELD_REACH; i++) {
		struct ktrc_period *p =
			&ktrc_helds.period[(hash(timer) + i) & (KTRC_NR_PERIODS - 1)];

		if (take_place(p, timer, now))
			return p;
	}
	return NULL;
}

/**
 * ktrc_period_tick() - a quota is filled up
 * @timer: the quota's
 * @now: ticks
 */
void ktrc_period_tick(const void *timer, u64 now)
{
	struct ktrc_period *p = find_period(timer);
	u64 before = p ? READ_ONCE(p->last) : 0;

	p = p ?: new_period(timer, now);
	if (!p)
		return;
	WRITE_ONCE(p->count, p->count + 1);
	WRITE_ONCE(p->before, before);
	WRITE_ONCE(p->last, now);
}

static bool knows_period(const struct ktrc_held *limiter)
{
	return limiter->period && READ_ONCE(limiter->period->timer) == limiter->timer;
}

/**
 * ktrc_period_learn() - a cgroup may run again because its quota's period ends
 * @limiter: the cgroup
 * @timer: the quota's, which has just fired
 *
 * Its quota was used up in that period at least; if the timer has fired before meanwhile, in others, too.
 */
void ktrc_period_learn(struct ktrc_held *limiter, const void *timer)
{
	if (limiter->timer == timer && knows_period(limiter))
		return;
	limiter->period = find_period(timer);
	limiter->timer = timer;
	if (!limiter->period)
		return;
	limiter->began = READ_ONCE(limiter->period->count) - 1;
	limiter->run_first = limiter->began;
	limiter->is_older = READ_ONCE(limiter->period->before) > limiter->own_start;
	WRITE_ONCE(ktrc_helds.timer_at, timer - limiter->tg);
}

/* Each task group has its timer at the same place. */
static void guess_period(struct ktrc_held *limiter, u64 now)
{
	u64 timer_at = READ_ONCE(ktrc_helds.timer_at);
	const void *timer = limiter->tg + timer_at;

	if (!timer_at || timer_at > MOST_TIMER_AT)
		return;
	limiter->period = find_period(timer) ?: new_period(timer, now);
	limiter->timer = timer;
}

/**
 * ktrc_period_begin() - a cgroup's own quota is used up
 * @limiter: the cgroup
 * @now: ticks
 */
void ktrc_period_begin(struct ktrc_held *limiter, u64 now)
{
	limiter->own_start = now;
	if (!knows_period(limiter))
		guess_period(limiter, now);
	if (!knows_period(limiter))
		return;
	limiter->began = READ_ONCE(limiter->period->count);
	if (limiter->has_run && limiter->began - limiter->run_last <= 1)
		return;
	limiter->run_first = limiter->began;
	limiter->is_older = false;
}

/* the last period so far in which its quota was used up: that which ends now is the one before */
static u32 last_period(const struct ktrc_held *limiter)
{
	u32 now = READ_ONCE(limiter->period->count);

	return now == limiter->began ? now : now - 1;
}

/**
 * ktrc_period_end() - a cgroup's own quota is filled up
 * @limiter: the cgroup
 */
void ktrc_period_end(struct ktrc_held *limiter)
{
	limiter->has_run = knows_period(limiter);
	if (limiter->has_run)
		limiter->run_last = last_period(limiter);
}

/**
 * ktrc_period_run() - in how many periods in a row a cgroup's quota was used up, up to now
 * @limiter: the cgroup; its quota is being filled up, or was last
 *
 * Return: 0 when it is not known.
 */
u32 ktrc_period_run(const struct ktrc_held *limiter)
{
	u32 i;

	if (!knows_period(limiter) || limiter->is_older)
		return 0;
	for (i = 0; i < KTRC_NR_QUOTAS && i < limiter->nr; i++) {
		if (limiter->quota[i] == limiter->own)
			return last_period(limiter) - limiter->run_first + 1;
	}
	return limiter->has_run ? limiter->run_last - limiter->run_first + 1 : 0;
}

/* ---- threads ---- */

/* in the place of a thread: somebody is about to put one there */
#define TAKEN ((const struct task_struct *)1)

/**
 * ktrc_waiting_clear() - forget all
 * @c: the CPU
 *
 * Whoever is just being added, from another CPU, may stay or not.
 */
void ktrc_waiting_clear(struct ktrc_held_cpu *c)
{
	memset(c->waiting, 0, sizeof(c->waiting));
}

static struct ktrc_waiting *find_waiting(struct ktrc_held_cpu *c, const struct task_struct *task)
{
	u32 i;

	for (i = 0; i < KTRC_HELD_REACH; i++) {
		struct ktrc_waiting *w = &c->waiting[(hash(task) + i) & (KTRC_NR_WAITING - 1)];

		if (READ_ONCE(w->task) == task)
			return w;
	}
	return NULL;
}

/* without room: from now on one that has no note is not known to have been there from the first */
static struct ktrc_waiting *new_waiting(struct ktrc_held_cpu *c, const struct task_struct *task)
{
	u32 i;

	for (i = 0; i < KTRC_HELD_REACH; i++) {
		struct ktrc_waiting *w = &c->waiting[(hash(task) + i) & (KTRC_NR_WAITING - 1)];

		if (!READ_ONCE(w->task) && !cmpxchg(&w->task, NULL, TAKEN))
			return w;
	}
	WRITE_ONCE(c->knows_all, false);
	return NULL;
}

/**
 * ktrc_waiting_add() - a thread is ready and does not run
 * @c: the CPU on which it waits
 * @task: the thread
 * @now: ticks
 * @is_new: it has just run, or come; else it may be waiting already
 */
void ktrc_waiting_add(struct ktrc_held_cpu *c, const struct task_struct *task, u64 now, bool is_new)
{
	const struct cgroup_subsys_state *css = (const void *)task->sched_task_group;
	const struct ktrc_held *h;
	struct ktrc_waiting *w;

	if (is_idle_task(task))
		return;
	w = find_waiting(c, task);
	if (w && !is_new)
		return;
	w = w ?: new_waiting(c, task);
	if (!w)
		return;
	h = ktrc_held_find(c, css);
	w->tg = css;
	w->off = ktrc_waiting_unnoted(task).off;
	if (!w->off && h && ktrc_held_is_of(h, css))
		w->off = ktrc_watch_read(&h->off, now);
	/* who looks for this one waits for the lock under which it comes here */
	WRITE_ONCE(w->task, task);
}

/**
 * ktrc_waiting_any_of() - does a thread of a cgroup wait
 * @c: the CPU
 * @tg: the cgroup's task group
 */
bool ktrc_waiting_any_of(const struct ktrc_held_cpu *c, const void *tg)
{
	u32 i;

	for (i = 0; i < KTRC_NR_WAITING; i++) {
		if (READ_ONCE(c->waiting[i].task) && c->waiting[i].tg == tg)
			return true;
	}
	return false;
}

/**
 * ktrc_waiting_move() - a thread comes to another cgroup
 * @task: the thread
 * @now: ticks
 *
 * Its run queue is not locked: of what it has lost there is no record, and from now on its note is of no
 * cgroup.  Who runs has lost nothing, as each that ends: it leaves the group of its session.
 */
void ktrc_waiting_move(const struct task_struct *task, u64 now)
{
	struct ktrc_held_cpu *c = ktrc_helds.cpu[task_cpu(task)];
	struct ktrc_waiting unnoted = ktrc_waiting_unnoted(task);
	struct ktrc_waiting *noted, *w;

	if (!c || !READ_ONCE(c->is_armed) || !READ_ONCE(task->on_rq) || READ_ONCE(task->on_cpu))
		return;
	noted = find_waiting(c, task);
	if (has_lost(c, noted ?: &unnoted, now))
		atomic_long_inc(&ktrc_helds.missed_waits);
	w = noted ?: new_waiting(c, task);
	if (!w)
		return;
	/* a note may just have become another thread's: that has no gap then */
	WRITE_ONCE(w->tg, NULL);
	WRITE_ONCE(w->off, unnoted.off ?: now);
	if (!noted)
		WRITE_ONCE(w->task, task);
}

/**
 * ktrc_waiting_take() - a thread does not wait any more
 * @c: the CPU on which it waited
 * @task: the thread
 * @taken: receives what is known of its wait, if anything is; NULL: nobody asks
 *
 * Return: whether anything is.
 */
bool ktrc_waiting_take(struct ktrc_held_cpu *c, const struct task_struct *task,
		       struct ktrc_waiting *taken)
{
	struct ktrc_waiting *w = find_waiting(c, task);

	if (!w)
		return false;
	if (taken)
		*taken = *w;
	smp_store_release(&w->task, NULL); /* pairs with the cmpxchg in new_waiting() */
	return true;
}
