// SPDX-License-Identifier: GPL-2.0
/*
 * The table of stalls.  In probes, task context, preemption disabled.
 */
#include "stall.h"

static struct ktrc_stall *slot(struct ktrc_stalls *t, u32 i)
{
	u64 hash = (u64)(unsigned long)current * 0x9e3779b97f4a7c15ull;

	return &t->at[((hash >> 32) + i) & (KTRC_NR_STALLS - 1)];
}

/**
 * ktrc_stalls_clear() - forget all
 * @t: the table; no probe uses it
 */
void ktrc_stalls_clear(struct ktrc_stalls *t)
{
	memset(t, 0, sizeof(*t));
}

/**
 * ktrc_stall_find() - the current task's stall
 * @t: the table
 *
 * Return: NULL when there is none.
 */
struct ktrc_stall *ktrc_stall_find(struct ktrc_stalls *t)
{
	u32 i;

	for (i = 0; i < KTRC_STALL_REACH; i++) {
		struct ktrc_stall *s = slot(t, i);

		if (READ_ONCE(s->task) == current)
			return s;
	}
	return NULL;
}

/**
 * ktrc_stall_get() - the current task's stall, a new one if there is none
 * @t: the table
 *
 * Return: NULL when there is no room.
 */
struct ktrc_stall *ktrc_stall_get(struct ktrc_stalls *t)
{
	struct ktrc_stall *s = ktrc_stall_find(t);
	u32 i;

	for (i = 0; i < KTRC_STALL_REACH && !s; i++) {
		s = slot(t, i);
		if (READ_ONCE(s->task) || cmpxchg(&s->task, NULL, current))
			s = NULL;
	}
	return s;
}

/**
 * ktrc_stall_put() - the current task's stall is over
 * @s: from ktrc_stall_find() or ktrc_stall_get()
 */
void ktrc_stall_put(struct ktrc_stall *s)
{
	s->start = 0;
	s->cgid = 0;
	s->reclaimed = 0;
	s->node = 0;
	s->depth = 0;
	s->is_nested = false;
	s->is_asked = false;
	/* pairs with the cmpxchg in ktrc_stall_get() */
	smp_store_release(&s->task, NULL);
}
