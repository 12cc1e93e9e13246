// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a session: create, start, stop, delete.  All verbs run in process
 * context under ktrc_control.
 */
#include <linux/capability.h>
#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/uuid.h>

#include "hook.h"
#include "session.h"

#define KTRC_CONSUMER_TIMEOUT (30 * HZ)
#define KTRC_WATCH_PERIOD (5 * HZ)

DEFINE_MUTEX(ktrc_control);
LIST_HEAD(ktrc_sessions);
u32 ktrc_sessions_seq = 1; /* changes with the list; never 0 */

static void sessions_changed(void)
{
	ktrc_sessions_seq = ktrc_sessions_seq + 1 ?: 1;
}

static const struct ktrc_probe *const probes[KTRC_NR_EVENTS] = {
#define KTRC_PROBE_DATA(ev) (&ktrc_probe_##ev)
#define KTRC_PROBE_DICT(ev) NULL
#define KTRC_EVENT(id, ev, label, kind, doc) [id] = KTRC_PROBE_##kind(ev),
#include "../uapi/ktrc_events.def"
};

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
 * ktrc_session_probe() - how an event gets recorded
 * @event: its id
 *
 * Return: NULL when it is no DATA event.
 */
const struct ktrc_probe *ktrc_session_probe(u32 event)
{
	return event < KTRC_NR_EVENTS ? probes[event] : NULL;
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
 * ktrc_session_missed() - hits the kernel did not report
 * @s: the session
 * @event: event id
 */
u64 ktrc_session_missed(const struct ktrc_session *s, u32 event)
{
	u64 missed = s->missed[event];

	if (s->state == KTRC_STATE_RUNNING && s->config.events & BIT_ULL(event) &&
	    probes[event]->missed)
		missed += probes[event]->missed();
	return missed;
}

static int check_name(const char *name, struct ktrc_why *why)
{
	const char *p;

	for (p = name; *p; p++) {
		if (!isalnum(*p) && !strchr("_.-", *p))
			break;
	}
	if (*p || p == name) {
		why->text = "name must be 1 to 31 of A-Z a-z 0-9 _ . -";
		return -EINVAL;
	}
	return 0;
}

static int check_config(const struct ktrc_config *c, struct ktrc_why *why)
{
	u32 i;

	if (c->mode > KTRC_MODE_STREAM) {
		why->text = "mode must be 0 (flight) or 1 (stream)";
		return -EINVAL;
	}
	for (i = 0; i < 64; i++) {
		if (c->events & BIT_ULL(i) && !ktrc_session_probe(i)) {
			why->text = "events names an id that is no recordable event";
			return -EINVAL;
		}
	}
	if (!c->events) {
		why->text = "events is empty";
		return -EINVAL;
	}
	return check_name(c->name, why);
}

/* the one teardown, once the rings are off: of a stop, and of a start that fails half-way */
static void detach(struct ktrc_session *s, u32 nr_events)
{
	int cpu;
	u32 i;

	for (i = 0; i < nr_events; i++) {
		if (!(s->config.events & BIT_ULL(i)))
			continue;
		probes[i]->detach();
		if (probes[i]->missed)
			s->missed[i] += probes[i]->missed();
	}
	/* no probe runs after this: tracepoints and function hooks */
	tracepoint_synchronize_unregister();
	for_each_possible_cpu(cpu) {
		struct ktrc_cpu *c = per_cpu_ptr(s->cpus, cpu);

		irq_work_sync(&c->wake);
		ktrc_ring_settle(&c->ring, local_read(&c->lost));
	}
}

static void switch_off(struct ktrc_session *s, u32 off)
{
	int cpu;

	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu_ptr(s->cpus, cpu)->ring.off, off);
}

static int attach(struct ktrc_session *s, struct ktrc_why *why)
{
	u32 i;
	int err;

	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		if (!(s->config.events & BIT_ULL(i)))
			continue;
		err = probes[i]->attach(s->cpus, s->clock);
		if (err) {
			why->text = ktrc_hook_reason(err);
			detach(s, i);
			return err == -ENOMEM ? err : -EOPNOTSUPP;
		}
	}
	return 0;
}

/**
 * ktrc_session_start() - record, from now on
 * @s: session in state NEW or STOPPED; what it holds is kept
 * @why: receives the reason of a failure
 *
 * Nothing is recorded before every hook is attached.
 * Return: 0, -ENOENT when it was deleted, -EALREADY, -ESTALE when the session's clock
 * is no longer the kernel's, -EOPNOTSUPP when the kernel refuses a hook, -ENOMEM.
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
	if (s->clock != ktrc_clock_choose()) {
		why->text = "the kernel's clock source changed; make a new session";
		return -ESTALE;
	}
	err = attach(s, why);
	if (err)
		return err;
	s->start_ticks = ktrc_clock_ticks(s->clock);
	switch_off(s, 0);
	s->stop_ticks = 0;
	s->state = KTRC_STATE_RUNNING;
	s->stop_reason = KTRC_STOP_NONE;
	s->consumed = jiffies;
	if (s->config.mode == KTRC_MODE_STREAM)
		schedule_delayed_work(&s->watch, KTRC_WATCH_PERIOD);
	return 0;
}

/**
 * ktrc_session_stop() - freeze: what is recorded stays readable
 * @s: a session in any state
 * @reason: enum ktrc_stop_reason
 */
void ktrc_session_stop(struct ktrc_session *s, u32 reason)
{
	if (s->state != KTRC_STATE_RUNNING)
		return;
	switch_off(s, 1);
	s->stop_ticks = ktrc_clock_ticks(s->clock);
	detach(s, KTRC_NR_EVENTS);
	s->state = KTRC_STATE_STOPPED;
	s->stop_reason = reason;
	wake_up_all(&s->readers);
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

static void wake_readers(struct irq_work *work)
{
	struct ktrc_cpu *c = container_of(work, struct ktrc_cpu, wake);

	wake_up_all(c->readers);
}

/* a stream that nobody consumes helps nobody and costs */
static void watch(struct work_struct *work)
{
	struct ktrc_session *s = container_of(to_delayed_work(work), struct ktrc_session, watch);

	mutex_lock(&ktrc_control);
	if (s->consumer && !ktrc_session_is_readable(s))
		s->consumed = jiffies;
	if (s->state == KTRC_STATE_RUNNING) {
		if (time_after(jiffies, s->consumed + KTRC_CONSUMER_TIMEOUT))
			ktrc_session_stop(s, KTRC_STOP_NO_CONSUMER);
		else
			schedule_delayed_work(&s->watch, KTRC_WATCH_PERIOD);
	}
	mutex_unlock(&ktrc_control);
}

static void release(struct kref *ref)
{
	struct ktrc_session *s = container_of(ref, struct ktrc_session, ref);

	ktrc_memory_destroy(s);
	kfree(s);
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

static struct ktrc_session *alloc_session(const struct ktrc_config *config, struct ktrc_why *why)
{
	struct ktrc_session *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	int cpu, err;

	if (!s)
		return ERR_PTR(-ENOMEM);
	kref_init(&s->ref);
	init_waitqueue_head(&s->readers);
	INIT_DELAYED_WORK(&s->watch, watch);
	s->config = *config;
	s->clock = ktrc_clock_choose();
	generate_random_uuid(s->uuid);
	err = ktrc_memory_create(s, why);
	if (err) {
		ktrc_memory_destroy(s);
		kfree(s);
		return ERR_PTR(err);
	}
	for_each_possible_cpu(cpu)
		init_irq_work(&per_cpu_ptr(s->cpus, cpu)->wake, wake_readers);
	return s;
}

/**
 * ktrc_session_delete() - stop a session and forget it
 * @s: the session; files and mappings that use it keep their data
 *
 * Context: under ktrc_control, which is dropped and taken again.
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
	mutex_unlock(&ktrc_control);
	cancel_delayed_work_sync(&s->watch);
	ktrc_session_put(s);
	mutex_lock(&ktrc_control);
}

static int check_other(const struct ktrc_session *old, bool replace, struct ktrc_why *why)
{
	if (!old && !list_empty(&ktrc_sessions)) {
		why->text = "another session exists; one at a time";
		return -EBUSY;
	}
	if (old && (!replace || old->state == KTRC_STATE_RUNNING)) {
		why->text = "a session of that name exists";
		return -EEXIST;
	}
	return 0;
}

/**
 * ktrc_session_create() - a new session in state NEW
 * @config: what it shall be
 * @replace: delete the session of that name, unless it runs, once this one is made
 * @why: receives the reason of a failure
 *
 * It holds a reference to the module.  Of a failure nothing is changed.
 * Context: under ktrc_control, which may be dropped and taken again.
 * Return: 0; -EEXIST, -EBUSY when there is another one, -EINVAL, -E2BIG, -ENOMEM.
 */
int ktrc_session_create(const struct ktrc_config *config, bool replace, struct ktrc_why *why)
{
	struct ktrc_session *s, *old;
	int err = check_config(config, why);

	if (err)
		return err;
	old = ktrc_session_find(config->name);
	err = check_other(old, replace, why);
	if (err)
		return err;
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	s = alloc_session(config, why);
	if (IS_ERR(s)) {
		module_put(THIS_MODULE);
		return PTR_ERR(s);
	}
	list_add_tail(&s->node, &ktrc_sessions);
	sessions_changed();
	if (old)
		ktrc_session_delete(old);
	return 0;
}
