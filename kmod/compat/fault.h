/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults that another function serves than their mapping and access suggest, and how the
 * kernel knows them.
 */
#ifndef KTRC_COMPAT_FAULT_H
#define KTRC_COMPAT_FAULT_H

#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/swap.h>

#include <linux/swapops.h> /* needs what swap.h has */

/* functions between that of interest and the one that runs, at most, whose exits are hooked as well */
#define KTRC_NR_RETURNS 8

/* The data of the innermost call under way of the current task that @rp hooks, or NULL. */
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
static __always_inline void *ktrc_kretprobe_data(const struct kretprobe *rp)
{
	struct llist_node *at = current->rethooks.first;
	u32 i;

	for (i = 0; i < KTRC_NR_RETURNS && at; i++) {
		struct rethook_node *node = container_of(at, struct rethook_node, llist);

		if (node->rethook->data == rp)
			return container_of(node, struct kretprobe_instance, node)->data;
		at = at->next;
	}
	return NULL;
}
#else
static __always_inline void *ktrc_kretprobe_data(const struct kretprobe *rp)
{
	struct llist_node *at = current->kretprobe_instances.first;
	u32 i;

	for (i = 0; i < KTRC_NR_RETURNS && at; i++) {
		struct kretprobe_instance *ri =
			container_of(at, struct kretprobe_instance, llist);

		if (get_kretprobe(ri) == rp)
			return ri->data;
		at = at->next;
	}
	return NULL;
}
#endif

/*
 * Whether do_swap_page() finds a page in swap, not one that is on its way to another place, or
 * damaged.  Where the kernel runs on a hypervisor's page tables, a function turns the numbers of
 * pages that are present; this one is not.
 */
static inline bool ktrc_is_swapped_out(const struct vm_fault *vmf)
{
#ifdef CONFIG_PARAVIRT_XXL
	swp_entry_t entry = { native_pte_val(vmf->orig_pte) };
#else
	swp_entry_t entry = __pte_to_swp_entry(vmf->orig_pte);
#endif
	return __swp_type(entry) < MAX_SWAPFILES;
}

#endif /* KTRC_COMPAT_FAULT_H */
