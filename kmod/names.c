// SPDX-License-Identifier: GPL-2.0
/*
 * The table of cgroup paths: filled by a scan when the first session starts and by a
 * worker from then on, freed with the last session.
 */
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "../uapi/ktrc.h"
#include "files.h"
#include "names.h"

#define KTRC_DROP_PERIOD (5 * HZ)

static unsigned int max_names = 16384;
module_param(max_names, uint, 0444);
MODULE_PARM_DESC(max_names, "cgroups whose paths are kept (default 16384)");

/* under names_lock: everything but the probe's end of @fresh */
static DEFINE_MUTEX(names_lock);
static DEFINE_XARRAY(names);
static u32 nr_names, nr_users;
static u64 nr_missed;
static unsigned long next_drop = INITIAL_JIFFIES; /* most may be alive: not for each new one */
static struct ktrc_new_names *fresh;

static void add(u64 cgid, const char *path)
{
	char *copy, *old;

	if (nr_names >= max_names || cgid > ULONG_MAX) {
		nr_missed++;
		return;
	}
	copy = kstrdup(path, GFP_KERNEL | __GFP_NOWARN);
	old = copy ? xa_store(&names, cgid, copy, GFP_KERNEL | __GFP_NOWARN) : NULL;
	if (!copy || xa_is_err(old)) {
		nr_missed++;
		kfree(copy);
		return;
	}
	nr_names += !old;
	kfree(old);
}

/* the worker makes room before it takes more */
static bool is_full(void)
{
	return nr_names + KTRC_NR_NEW_NAMES > max_names;
}

static bool is_gone(u64 cgid)
{
	struct cgroup *cgroup = cgroup_get_from_id(cgid);

	if (IS_ERR_OR_NULL(cgroup))
		return true;
	cgroup_put(cgroup);
	return false;
}

/*
 * Make room: of the cgroups that are gone those made first, whose ids are the lowest.  In
 * the worker only: another task may see fewer cgroups than there are.
 */
static void drop_gone(void)
{
	int nr_wanted = max_names / 4;
	unsigned long cgid;
	char *path;

	xa_for_each(&names, cgid, path) {
		if (is_gone(cgid)) {
			xa_erase(&names, cgid);
			kfree(path);
			nr_names--;
			nr_missed++;
			nr_wanted--;
		}
		if (nr_wanted <= 0)
			return;
		cond_resched();
	}
}

static void take_fresh(void)
{
	/* pairs with the release in probe_names.c */
	u32 head = smp_load_acquire(&fresh->head);
	u32 tail = fresh->tail;

	for (; tail != head; tail++) {
		const struct ktrc_name *name = &fresh->at[tail % KTRC_NR_NEW_NAMES];

		add(name->cgid, name->path);
		/* pairs with the acquire in probe_names.c */
		smp_store_release(&fresh->tail, tail + 1);
	}
}

static void work(struct work_struct *unused)
{
	mutex_lock(&names_lock);
	if (is_full() && time_after(jiffies, next_drop)) {
		drop_gone();
		next_drop = jiffies + KTRC_DROP_PERIOD;
	}
	if (fresh)
		take_fresh();
	mutex_unlock(&names_lock);
}

static DECLARE_WORK(names_work, work);

static void wake_worker(struct irq_work *unused)
{
	schedule_work(&names_work);
}

static void add_cgroup(struct cgroup *cgroup, char *path)
{
	/* one byte more: newer kernels return what fitted, or an error, and not what was needed */
	int bytes = cgroup_path(cgroup, path, KTRC_NAME_BYTES + 1);

	if (bytes >= 0 && bytes < KTRC_NAME_BYTES)
		add(cgroup_id(cgroup), path);
	else
		nr_missed++;
}

/* every cgroup there is; made after the tracepoints are attached, so that none is left out */
static void scan(char *path)
{
	struct cgroup_subsys_state *css;

	rcu_read_lock();
	css_for_each_descendant_pre(css, &cgrp_dfl_root.cgrp.self) {
		if (!css_tryget(css))
			continue;
		rcu_read_unlock();
		add_cgroup(css->cgroup, path);
		cond_resched();
		rcu_read_lock();
		css_put(css);
	}
	rcu_read_unlock();
}

static void free_names(void)
{
	unsigned long cgid;
	char *path;

	xa_for_each(&names, cgid, path)
		kfree(path);
	xa_destroy(&names);
	nr_names = 0;
	nr_missed = 0;
}

static void arm(void)
{
	char *path = kmalloc(KTRC_NAME_BYTES + 1, GFP_KERNEL | __GFP_NOWARN);

	fresh = __vmalloc(sizeof(*fresh), GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO);
	if (!path || !fresh)
		goto err_free;
	init_irq_work(&fresh->wake, wake_worker);
	if (ktrc_names_attach(fresh))
		goto err_wait;
	scan(path);
	kfree(path);
	return;

err_wait: /* half attached: its probe may run, its irq_work be queued */
	tracepoint_synchronize_unregister();
	irq_work_sync(&fresh->wake);
err_free:
	kfree(path);
	vfree(fresh);
	fresh = NULL;
	nr_missed++; /* at least; who is asked has to tell */
}

/**
 * ktrc_names_get() - keep names from now on
 *
 * Without memory or tracepoints ids stay ids; the next one tries again.
 */
void ktrc_names_get(void)
{
	mutex_lock(&names_lock);
	if (!fresh)
		arm();
	nr_users++;
	mutex_unlock(&names_lock);
}

static void disarm(void)
{
	ktrc_names_detach();
	tracepoint_synchronize_unregister();
	irq_work_sync(&fresh->wake);
}

/**
 * ktrc_names_put() - undo ktrc_names_get(); the last one forgets all names
 */
void ktrc_names_put(void)
{
	struct ktrc_new_names *old;

	mutex_lock(&names_lock);
	if (--nr_users) {
		mutex_unlock(&names_lock);
		return;
	}
	if (fresh)
		disarm();
	old = fresh;
	fresh = NULL;
	free_names();
	ktrc_files_close();
	mutex_unlock(&names_lock);
	/* it may wait for the lock, and finds nothing to do */
	flush_work(&names_work);
	vfree(old);
}

/* a shrinker's name is its function's; one whose module is gone has none that may be shown */
static bool next_shrinker(struct ktrc_name *name)
{
	u32 number = name->cgid > KTRC_NAME_SHRINKER ? name->cgid - KTRC_NAME_SHRINKER : 1;

	for (; number <= KTRC_NR_SHRINKERS; number++) {
		const void *function = ktrc_shrinker_function(number);

		if (!function)
			continue;
		snprintf(name->path, sizeof(name->path), "%ps", function);
		if (isdigit(*name->path))
			continue;
		name->cgid = KTRC_NAME_SHRINKER + number;
		name->build_id.len = 0;
		return true;
	}
	return false;
}

static bool next_file(struct ktrc_name *name)
{
	u32 number = name->cgid > KTRC_NAME_FILE ? name->cgid - KTRC_NAME_FILE : 1;

	if (name->cgid >= KTRC_NAME_SHRINKER || !ktrc_files_next(&number, name))
		return false;
	name->cgid = KTRC_NAME_FILE + number;
	return true;
}

/**
 * ktrc_names_next() - walk the table, then the files, then the shrinkers
 * @name: in: the lowest id that is wanted; out: the one found
 *
 * Return: whether there is one.
 */
bool ktrc_names_next(struct ktrc_name *name)
{
	unsigned long index = name->cgid;
	const char *found;

	mutex_lock(&names_lock);
	if (fresh && !is_full())
		take_fresh();
	found = xa_find(&names, &index, ULONG_MAX, XA_PRESENT);
	if (found)
		strscpy(name->path, found, sizeof(name->path));
	mutex_unlock(&names_lock);
	if (!found)
		return next_file(name) || next_shrinker(name);
	name->cgid = index;
	name->build_id.len = 0;
	return true;
}

/**
 * ktrc_names_missed() - how often a cgroup or a file that was mapped found no room for its name, or lost it,
 * or no cgroup's was kept
 */
u64 ktrc_names_missed(void)
{
	u64 missed;

	mutex_lock(&names_lock);
	missed = nr_missed + (fresh ? atomic_long_read(&fresh->missed) : 0);
	mutex_unlock(&names_lock);
	return missed + ktrc_files_missed();
}
