// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups that are made; of this hierarchy none is ever renamed.  The kernel calls the tracepoint
 * under its own lock, with the path ready.
 */
#include <linux/cgroup.h>
#include <linux/preempt.h>
#include <trace/events/cgroup.h>

#include "env.h"
#include "hook.h"
#include "names.h"

static struct ktrc_new_names *names;

/* Return: whether the whole path fitted */
static bool copy_path(char *to, const char *path)
{
	u32 i;

	for (i = 0; i < KTRC_NAME_BYTES; i++) {
		to[i] = path[i];
		if (!path[i])
			return true;
	}
	return false;
}

static void put_name(struct ktrc_new_names *n, u64 cgid, const char *path)
{
	struct ktrc_name *name = &n->at[n->head % KTRC_NR_NEW_NAMES];

	/* pairs with the release in names.c: it is done with the place */
	if (n->head - smp_load_acquire(&n->tail) >= KTRC_NR_NEW_NAMES ||
	    !copy_path(name->path, path)) {
		atomic_long_inc(&n->missed);
		return;
	}
	name->cgid = cgid;
	/* pairs with the acquire in names.c */
	smp_store_release(&n->head, n->head + 1);
	irq_work_queue(&n->wake);
}

static void ktrc_on_cgroup_mkdir(void *data, struct cgroup *cgrp, const char *path)
{
	if (!ktrc_is_cgroup_v2(cgrp))
		return;
	preempt_disable_notrace();
	put_name(names, cgroup_id(cgrp), path);
	preempt_enable_notrace();
}

/* ---- control ---- */

static struct ktrc_tracepoint mkdir_hook = { .name = "cgroup_mkdir" };

/**
 * ktrc_names_attach() - put the names of new cgroups there from now on
 * @to: where
 *
 * Return: 0 or a negative error
 */
int ktrc_names_attach(struct ktrc_new_names *to)
{
	check_trace_callback_type_cgroup_mkdir(ktrc_on_cgroup_mkdir);
	names = to;
	return ktrc_tracepoint_attach(&mkdir_hook, ktrc_on_cgroup_mkdir);
}

/**
 * ktrc_names_detach() - undo ktrc_names_attach(); probes may run until the caller waited
 */
void ktrc_names_detach(void)
{
	ktrc_tracepoint_detach(&mkdir_hook);
}
