// SPDX-License-Identifier: GPL-2.0
/*
 * Trying hooks.  Process context, under ktrc_control.
 */
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "session.h"
#include "trial.h"

/*
 * Read from a new page of the task that asks for the session: the page of zeros, so that
 * this costs nobody memory.  Return: whether that went as it should.
 */
static bool touch_page(unsigned long prot)
{
	unsigned long address = vm_mmap(NULL, 0, PAGE_SIZE, prot, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	bool is_read;
	int value;

	if (IS_ERR_VALUE(address))
		return false;
	is_read = !get_user(value, (int __user *)address) && value == 0;
	vm_munmap(address, PAGE_SIZE);
	return is_read == (prot == PROT_READ);
}

/* Each returns how many hits that has to be, 0 if it cannot be tried here. */

static u32 raise_fault(void)
{
	return touch_page(PROT_READ);
}

/* also of a task whose memory is locked, and there before it is touched */
static u32 raise_exception(void)
{
	return touch_page(PROT_NONE);
}

static u32 map_and_unmap(void)
{
	unsigned long address =
		vm_mmap(NULL, 0, PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, 0);

	return IS_ERR_VALUE(address) || vm_munmap(address, PAGE_SIZE) ? 0 : 2;
}

/* Events that can be provoked without harm; of the others attaching checks what it can. */
static u32 (*const provokers[KTRC_NR_EVENTS])(void) = {
	[KTRC_EV_fault] = raise_fault,
	[KTRC_EV_fault_light] = raise_exception,
	[KTRC_EV_map] = map_and_unmap,
};

/**
 * ktrc_trial_create() - a listener for trials
 *
 * Return: NULL without memory
 */
struct ktrc_trial *ktrc_trial_create(void)
{
	struct ktrc_trial *t = kzalloc(sizeof(*t), KTRC_GFP);

	if (!t)
		return NULL;
	t->cpus = alloc_percpu_gfp(struct ktrc_cpu, KTRC_GFP | __GFP_ZERO);
	t->filter.nr_tgids = 1;
	t->filter.tgid[0] = current->tgid;
	t->listeners.nr = 1;
	t->listeners.at[0].cpus = t->cpus;
	t->listeners.at[0].filter = &t->filter;
	if (t->cpus)
		return t;
	kfree(t);
	return NULL;
}

/**
 * ktrc_trial_destroy() - free it, a grace period after its last trial
 * @t: a trial
 */
void ktrc_trial_destroy(struct ktrc_trial *t)
{
	free_percpu(t->cpus);
	kfree(t);
}

static u64 hits(const struct ktrc_trial *t, u32 event)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct ktrc_count *n = &per_cpu_ptr(t->cpus, cpu)->count[event];
		u64 filtered = local_read(&n->filtered);

		/* who is about to filter a hit has counted it: what is read first is never the larger one */
		smp_rmb();
		sum += local_read(&n->hits) - filtered;
	}
	return sum;
}

/**
 * ktrc_trial_run() - does what @provoke does arrive at an outlet
 * @t: listens meanwhile
 * @outlet: of an attached hook; nobody listens to it
 * @event: its event
 * @provoke: makes it happen, and returns how often; 0: it cannot here
 *
 * Return: 0, also where it cannot be tried; -EIO when not all of it arrives.
 */
int ktrc_trial_run(struct ktrc_trial *t, struct ktrc_outlet *outlet, u32 event,
		   u32 (*provoke)(void))
{
	const struct ktrc_listeners *before = outlet->all;
	u32 wanted;

	/* pairs with the acquire in ktrc_outlet_all() */
	smp_store_release(&outlet->all, &t->listeners);
	wanted = provoke();
	/* what still sees the trial is over before that is freed */
	smp_store_release(&outlet->all, before);
	return hits(t, event) < wanted ? -EIO : 0;
}

/**
 * ktrc_trial_event() - try a hook, if its event can be provoked here
 * @t: listens meanwhile
 * @outlet: the event's; nobody listens to it
 * @event: event id
 *
 * Return: 0 also where it cannot; -EIO when the hook does not fire.
 */
int ktrc_trial_event(struct ktrc_trial *t, struct ktrc_outlet *outlet, u32 event)
{
	if (!provokers[event] || !current->mm)
		return 0;
	return ktrc_trial_run(t, outlet, event, provokers[event]);
}
