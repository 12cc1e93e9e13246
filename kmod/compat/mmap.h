/* SPDX-License-Identifier: GPL-2.0 */
/* do_mmap(file, addr, len, prot, flags, pgoff, ...); from 6.6 on flags of the mapping stand before pgoff. */
#ifndef KTRC_COMPAT_MMAP_H
#define KTRC_COMPAT_MMAP_H

#include <linux/mm.h>
#include <linux/ptrace.h>

/* where in the file the mapping begins, in pages; @regs: at entry */
static inline unsigned long ktrc_mmap_offset(struct pt_regs *regs)
{
#ifdef KTRC_HAVE_DO_MMAP_VM_FLAGS
#ifdef CONFIG_X86
	return *(unsigned long *)(regs->sp +
				  sizeof(long)); /* the seventh lies behind the return address */
#else
	return regs_get_kernel_argument(regs, 6);
#endif
#else
	return regs_get_kernel_argument(regs, 5);
#endif
}

#endif /* KTRC_COMPAT_MMAP_H */
