// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of cgroups in struct ktrc_helds, and stop-watches.  In probes: interrupts disabled, under
 * the lock of the run queue that they are about.
 */
#include "held.h"

/*
 * How far the root cgroup's queue may lie behind the beginning of its run queue; CPUs' areas
 * are much further from each other.
 */
#define ROOT_REACH 8192

struct ktrc_helds ktrc_helds;

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
		struct ktrc_held *h = &c->at[(ktrc_held_hash(tg) + i) & (KTRC_NR_HELD - 1)];

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
		struct ktrc_held *other = &c->at[(ktrc_held_hash(tg) + i) & (KTRC_NR_HELD - 1)];

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
	return (u64)ktrc_held_hash(tg) * KTRC_NR_NO_ROOM >> 32;
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
