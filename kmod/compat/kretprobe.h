/* SPDX-License-Identifier: GPL-2.0 */
/* The calls under way of a task, as the kernel keeps them to find back from a hooked return. */
#ifndef KTRC_COMPAT_KRETPROBE_H
#define KTRC_COMPAT_KRETPROBE_H

#include <linux/kprobes.h>
#include <linux/sched.h>

#include "../bound.h"

/* how far up the list is looked; a call that is further away is not found */
#define KTRC_NR_RETURNS 8
KTRC_BOUND(KTRC_NR_RETURNS);

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
#define KTRC_INNERMOST_CALL (current->rethooks.first)

/*
 * Of a probe that is gone the kernel leaves the calls that were under way, without a handler: their
 * data may be laid out by a module that was loaded before this one.
 */
static __always_inline struct kretprobe_instance *ktrc_call_of(struct llist_node *at,
							       const struct kretprobe *rp)
{
	struct rethook_node *node = container_of(at, struct rethook_node, llist);

	if (node->rethook->data != rp || !READ_ONCE(node->rethook->handler))
		return NULL;
	return container_of(node, struct kretprobe_instance, node);
}
#else
#define KTRC_INNERMOST_CALL (current->kretprobe_instances.first)

static __always_inline struct kretprobe_instance *ktrc_call_of(struct llist_node *at,
							       const struct kretprobe *rp)
{
	struct kretprobe_instance *ri = container_of(at, struct kretprobe_instance, llist);

	return get_kretprobe(ri) == rp ? ri : NULL;
}
#endif

/* The data of the innermost call under way of the current task that @rp hooks, or NULL. */
static __always_inline void *ktrc_kretprobe_data(const struct kretprobe *rp)
{
	struct llist_node *at = KTRC_INNERMOST_CALL;
	u32 i;

	for (i = 0; i < KTRC_NR_RETURNS && at; i++) {
		struct kretprobe_instance *ri = ktrc_call_of(at, rp);

		if (ri)
			return ri->data;
		at = at->next;
	}
	return NULL;
}

#endif /* KTRC_COMPAT_KRETPROBE_H */
