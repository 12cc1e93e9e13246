/* SPDX-License-Identifier: GPL-2.0 */
/* Faults that another function serves than their mapping and access suggest. */
#ifndef KTRC_COMPAT_FAULT_H
#define KTRC_COMPAT_FAULT_H

#include <linux/mm.h>
#include <linux/swap.h>

#include <linux/swapops.h> /* needs what swap.h has */

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
