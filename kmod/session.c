// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a session: create, start, stop, delete.  All verbs run in process
 * context under ktrc_control.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uuid.h>

#include "attach.h"
#include "names.h"
#include "selftest.h"

#define KTRC_CONSUMER_TIMEOUT (30 * HZ)
#define KTRC_WATCH_PERIOD HZ

DEFINE_MUTEX(ktrc_control);
LIST_HEAD(ktrc_sessions);
u32 ktrc_sessions_seq = 1; /* changes with the list; never 0 */
static bool are_allowed;

static u32 nr_sessions(void)
{
	struct ktrc_session *s;
	u32 nr = 0;

	list_for_each_entry(s, &ktrc_sessions, node)
		nr++;
	return nr;
}

static void sessions_changed(void)
{
	ktrc_sessions_seq = ktrc_sessions_seq + 1 ?: 1;
}

static void nobody_listens(const struct ktrc_session *s, u32 notice)
{
}

void (*ktrc_session_notice)(const struct ktrc_session *s, u32 notice) = nobody_listens;

/**
 * ktrc_may_control() - the one permission check of both doors
 *
 * Return: whether the current task has CAP_PERFMON or CAP_SYS_ADMIN in the
 * initial user namespace.
 */
bool ktrc_may_control(void)
{
	return perfmon_capable();
}

/**
 * ktrc_session_find() - a session by name
 * @name: its name; "" means "default"
 *
 * Context: under ktrc_control.
 */
struct ktrc_session *ktrc_session_find(const char *name)
{
	struct ktrc_session *s;

	list_for_each_entry(s, &ktrc_sessions, node) {
		if (!strcmp(s->config.name, *name ? name : "default"))
			return s;
	}
	return NULL;
}

/**
 * ktrc_session_lost() - hits lost so far, where a writer knows
 * @s: the session
 */
u64 ktrc_session_lost(const struct ktrc_session *s)
{
	u64 lost = 0;
	int cpu;
	u32 i;

	for_each_possible_cpu(cpu)
		lost += local_read(&per_cpu_ptr(s->cpus, cpu)->lost);
	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		if (s->config.events & BIT_ULL(i))
			lost += ktrc_attach_missed(s, i);
	}
	return lost;
}

/* KTRC_ON or KTRC_OFF, but of a ring that is broken, which stays so */
static void switch_rings(struct ktrc_session *s, u32 off)
{
	int cpu;

	for_each_possible_cpu(cpu)
		cmpxchg(&per_cpu_ptr(s->cpus, cpu)->ring.off, off ? KTRC_ON : KTRC_OFF, off);
}

/* a CPU whose ring contradicts itself; negative: none */
static int broken_cpu(const struct ktrc_session *s)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (READ_ONCE(per_cpu_ptr(s->cpus, cpu)->ring.off) == KTRC_BROKEN)
			return cpu;
	}
	return -1;
}

/* what an interrupt storm may have left unpublished */
static void settle(struct ktrc_session *s)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct ktrc_cpu *c = per_cpu_ptr(s->cpus, cpu);

		irq_work_sync(&c->wake);
		ktrc_ring_settle(&c->ring, local_read(&c->lost));
	}
}

/* with names from then on; of a failure nothing is left */
static int listen(struct ktrc_session *s, struct ktrc_why *why)
{
	int err;

	if (!s->has_names)
		ktrc_names_get();
	err = ktrc_attach_session(s, why);
	if (err && !s->has_names)
		ktrc_names_put();
	s->has_names |= !err;
	return err;
}

/* as ktrc_session_start(), but nobody hears of it */
static int start(struct ktrc_session *s, struct ktrc_why *why)
{
	int err;

	if (s->stop_reason == KTRC_STOP_BROKEN) {
		why->text = "a ring of it is broken, see the kernel's log; make a new session";
		return -EIO;
	}
	if (s->clock != ktrc_clock_choose()) {
		why->text = "the kernel's clock source changed; make a new session";
		return -ESTALE;
	}
	why->text = ktrc_selftest_clock(s->clock);
	if (why->text)
		return -EIO;
	err = listen(s, why);
	if (err)
		return err;
	s->start_ticks = ktrc_clock_ticks(s->clock);
	switch_rings(s, KTRC_ON);
	s->stop_ticks = 0;
	s->state = KTRC_STATE_RUNNING;
	s->stop_reason = KTRC_STOP_NONE;
	s->started = s->consumed = jiffies;
	schedule_delayed_work(&s->watch, KTRC_WATCH_PERIOD);
	return 0;
}

/**
 * ktrc_session_start() - record, from now on
 * @s: session in state NEW or STOPPED; what it holds is kept
 * @why: receives the reason of a failure
 *
 * Nothing is recorded before every hook is attached.
 * Return: 0, -ENOENT when it was deleted, -EALREADY, -EIO when a ring of it broke or its clock
 * does not run at its rate, -ESTALE when that is no longer the kernel's, -EOPNOTSUPP when the
 * kernel refuses a hook, -ENOMEM.
 */
int ktrc_session_start(struct ktrc_session *s, struct ktrc_why *why)
{
	int err;

	if (list_empty(&s->node))
		return -ENOENT;
	if (s->state == KTRC_STATE_RUNNING) {
		why->text = "the session is running";
		return -EALREADY;
	}
	err = start(s, why);
	if (!err)
		ktrc_session_notice(s, KTRC_NOTICE_STARTED);
	return err;
}

/**
 * ktrc_session_stop() - freeze: what is recorded stays readable
 * @s: a session in any state
 * @reason: enum ktrc_stop_reason; if a ring of it broke that is the reason
 */
void ktrc_session_stop(struct ktrc_session *s, u32 reason)
{
	int broken;

	if (s->state != KTRC_STATE_RUNNING)
		return;
	switch_rings(s, KTRC_OFF);
	s->stop_ticks = ktrc_clock_ticks(s->clock);
	ktrc_detach_session(s);
	broken = broken_cpu(s); /* no writer runs any more */
	settle(s);
	s->state = KTRC_STATE_STOPPED;
	s->stop_reason = broken < 0 ? reason : KTRC_STOP_BROKEN;
	if (broken >= 0)
		pr_err("session %s: the ring of CPU %d contradicts itself; stopped for good\n",
		       s->config.name, broken);
	wake_up_all(&s->readers);
	ktrc_session_notice(s, KTRC_NOTICE_STOPPED);
}

/**
 * ktrc_session_is_readable() - is there a complete packet that nobody consumed
 * @s: the session
 */
bool ktrc_session_is_readable(const struct ktrc_session *s)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct ktrc_ring *r = &per_cpu_ptr(s->cpus, cpu)->ring;
		u64 end = ktrc_packet_end(READ_ONCE(r->published), r->shift);

		if (end && READ_ONCE(r->cons) < end - (1ull << r->shift))
			return true;
	}
	return false;
}

/* a packet is complete, or the ring is broken: no other one of the session records any more then */
static void told_by_writer(struct irq_work *work)
{
	struct ktrc_cpu *c = container_of(work, struct ktrc_cpu, wake);
	struct ktrc_session *s = container_of(c->readers, struct ktrc_session, readers);

	if (READ_ONCE(c->ring.off) == KTRC_BROKEN) {
		switch_rings(s, KTRC_OFF);
		mod_delayed_work(system_wq, &s->watch, 0);
	}
	wake_up_all(&s->readers);
}

/* a stream that nobody consumes helps nobody and costs */
static bool is_abandoned(struct ktrc_session *s)
{
	if (s->config.mode != KTRC_MODE_STREAM)
		return false;
	if (s->consumer && !ktrc_session_is_readable(s))
		WRITE_ONCE(s->consumed, jiffies);
	return time_after(jiffies, READ_ONCE(s->consumed) + KTRC_CONSUMER_TIMEOUT);
}

static bool is_over(const struct ktrc_session *s)
{
	u32 seconds = s->config.max_seconds;

	return seconds && time_after_eq(jiffies, s->started + (unsigned long)seconds * HZ);
}

static void watch(struct work_struct *work)
{
	struct ktrc_session *s = container_of(to_delayed_work(work), struct ktrc_session, watch);
	u64 lost;

	mutex_lock(&ktrc_control);
	if (list_empty(&s->node)) { /* deleted: another may have its name */
		mutex_unlock(&ktrc_control);
		return;
	}
	lost = ktrc_session_lost(s);
	if (lost != s->lost)
		ktrc_session_notice(s, KTRC_NOTICE_LOSS);
	s->lost = lost;
	if (broken_cpu(s) >= 0)
		ktrc_session_stop(s, KTRC_STOP_BROKEN);
	else if (is_abandoned(s))
		ktrc_session_stop(s, KTRC_STOP_NO_CONSUMER);
	else if (is_over(s))
		ktrc_session_stop(s, KTRC_STOP_MAX_TIME);
	if (s->state == KTRC_STATE_RUNNING)
		schedule_delayed_work(&s->watch, KTRC_WATCH_PERIOD);
	mutex_unlock(&ktrc_control);
}

static void free_session(struct ktrc_session *s)
{
	if (s->has_names)
		ktrc_names_put();
	ktrc_memory_destroy(s);
	if (s->filter.cgroup)
		cgroup_put(s->filter.cgroup);
	kfree(s);
}

static void release(struct kref *ref)
{
	struct ktrc_session *s = container_of(ref, struct ktrc_session, ref);

	free_session(s);
	module_put(THIS_MODULE);
}

/**
 * ktrc_session_put() - drop a reference
 * @s: the session
 */
void ktrc_session_put(struct ktrc_session *s)
{
	kref_put(&s->ref, release);
}

/* the filter that @s->wish asks for, in the session's own units and references */
static int make_filter(struct ktrc_session *s, struct ktrc_why *why)
{
	const struct ktrc_wish *w = &s->wish;
	struct ktrc_filter *f = &s->filter;
	struct cgroup *cgroup;
	u32 i;

	memcpy(f->tgid, w->tgid, sizeof(f->tgid));
	f->nr_tgids = w->nr_tgids;
	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		f->rule[i].flags = w->rule[i].flags;
		f->rule[i].sample = w->rule[i].sample;
		f->rule[i].user_frames = w->rule[i].user_frames;
		f->rule[i].kernel_frames = w->rule[i].kernel_frames;
		f->rule[i].user_bytes = w->rule[i].user_bytes;
		f->rule[i].min_ticks = ktrc_clock_from_ns(s->clock, w->rule[i].min_ns);
	}
	if (!w->cgid)
		return 0;
	cgroup = cgroup_get_from_id(w->cgid);
	if (IS_ERR_OR_NULL(cgroup)) {
		why->text = "cgroup: no cgroup of cgroup v2 has that id";
		return -ENOENT;
	}
	f->cgroup = cgroup;
	return 0;
}

static void init_cpus(struct ktrc_session *s)
{
	int cpu;
	u32 i;

	for_each_possible_cpu(cpu) {
		struct ktrc_cpu *c = per_cpu_ptr(s->cpus, cpu);

		init_irq_work(&c->wake, told_by_writer);
		for (i = 0; i < KTRC_NR_EVENTS; i++)
			c->count[i].is_only_counted = s->filter.rule[i].flags & KTRC_RULE_COUNT;
	}
}

/* its memory too, when it is deleted: nobody else has it open */
static bool leaves(const struct ktrc_session *old)
{
	return old && kref_read(&old->ref) == 1;
}

static struct ktrc_session *alloc_session(const struct ktrc_config *config,
					  const struct ktrc_wish *wish,
					  const struct ktrc_session *old, struct ktrc_why *why)
{
	struct ktrc_session *s = kzalloc(sizeof(*s), KTRC_GFP);
	int err;

	if (!s)
		return ERR_PTR(-ENOMEM);
	kref_init(&s->ref);
	init_waitqueue_head(&s->readers);
	mutex_init(&s->consuming);
	INIT_DELAYED_WORK(&s->watch, watch);
	s->config = *config;
	s->wish = *wish;
	s->clock = ktrc_clock_choose();
	generate_random_uuid(s->uuid);
	err = ktrc_memory_create(s, leaves(old) ? old : NULL, why) ?: make_filter(s, why);
	if (err) {
		free_session(s);
		return ERR_PTR(err);
	}
	init_cpus(s);
	return s;
}

/**
 * ktrc_session_delete() - stop a session and forget it
 * @s: the session; files and mappings that use it keep their data
 *
 * Context: under ktrc_control; after that ktrc_session_bury() is due.
 */
void ktrc_session_delete(struct ktrc_session *s)
{
	ktrc_session_stop(s, KTRC_STOP_DELETED);
	s->state = KTRC_STATE_STOPPED;
	s->stop_reason = KTRC_STOP_DELETED;
	wake_up_all(&s->readers);
	list_del_init(&s->node);
	sessions_changed();
	s->owner = NULL;
	ktrc_session_notice(s, KTRC_NOTICE_GONE);
}

/**
 * ktrc_session_bury() - drop the list's reference
 * @s: from ktrc_session_delete(); NULL: nothing
 *
 * Context: not under ktrc_control, which its work takes.
 */
void ktrc_session_bury(struct ktrc_session *s)
{
	if (!s)
		return;
	cancel_delayed_work_sync(&s->watch);
	ktrc_session_put(s);
}

/* who is bound, or runs, is in use */
static int check_others(const struct ktrc_session *old, bool replace, struct ktrc_why *why)
{
	if (old && (!replace || old->owner || old->state == KTRC_STATE_RUNNING)) {
		why->text = "a session of that name exists";
		return -EEXIST;
	}
	if (!old && nr_sessions() >= KTRC_MAX_SESSIONS) {
		why->text = "16 sessions exist, more are not possible";
		return -ENOSPC;
	}
	return 0;
}

/* listed, and started if that is asked for; of a failure nothing is left */
static int add_session(struct ktrc_session *s, bool running, struct ktrc_why *why)
{
	int err;

	list_add_tail(&s->node, &ktrc_sessions);
	err = running ? start(s, why) : 0;
	if (err) {
		list_del_init(&s->node);
		ktrc_session_put(s);
	}
	return err;
}

/**
 * ktrc_sessions_allow() - sessions can be made from now on
 *
 * Last of a load: one that fails takes the module away, whoever holds it.
 */
void ktrc_sessions_allow(void)
{
	WRITE_ONCE(are_allowed, true);
}

/**
 * ktrc_sessions_are_allowed() - is the load over
 *
 * Context: any; what is begun after a true answer may outlast the caller.
 */
bool ktrc_sessions_are_allowed(void)
{
	return READ_ONCE(are_allowed);
}

/**
 * ktrc_session_create() - a new session
 * @config: what it shall be
 * @wish: which hits shall become records
 * @how: what shall happen with it at once
 * @ret: receives it
 * @why: receives the reason of a failure
 *
 * It holds a reference to the module.  Of a failure nothing is changed: the session that
 * it replaces is deleted when the new one is there, and runs if it shall.
 * Context: under ktrc_control; after that ktrc_session_bury(@how->old) is due.
 * Return: 0; -EEXIST, -ENOSPC when there are too many, -EBUSY while the module is being
 * loaded, -ENOENT when the cgroup is not there, -EINVAL, -E2BIG, -ENOMEM; what
 * ktrc_session_start() returns.
 */
int ktrc_session_create(const struct ktrc_config *config, const struct ktrc_wish *wish,
			struct ktrc_making *how, struct ktrc_session **ret, struct ktrc_why *why)
{
	struct ktrc_session *s, *old;
	int err = ktrc_config_check(config, wish, why);

	if (err)
		return err;
	old = ktrc_session_find(config->name);
	err = check_others(old, how->replace, why);
	if (err)
		return err;
	if (!ktrc_sessions_are_allowed()) {
		why->text = "the module is not loaded yet; start again";
		return -EBUSY;
	}
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	s = alloc_session(config, wish, old, why);
	if (IS_ERR(s)) {
		module_put(THIS_MODULE);
		return PTR_ERR(s);
	}
	err = add_session(s, how->running, why);
	if (err)
		return err;
	sessions_changed();
	if (old)
		ktrc_session_delete(old);
	if (how->running)
		ktrc_session_notice(s, KTRC_NOTICE_STARTED);
	how->old = old;
	*ret = s;
	return 0;
}
