/* SPDX-License-Identifier: GPL-2.0 */
/* Where a task left user mode. */
#ifndef KTRC_COMPAT_USER_STACK_H
#define KTRC_COMPAT_USER_STACK_H

#include <asm/ptrace.h>
#include <asm/segment.h>

/* Do frame pointers of this task's code lead through 64-bit words? */
static __always_inline bool ktrc_has_frame_pointer(const struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return regs->cs != __USER32_CS;
#else
	return false;
#endif
}

static __always_inline unsigned long ktrc_frame_pointer(const struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return regs->bp;
#else
	return 0;
#endif
}

#endif /* KTRC_COMPAT_USER_STACK_H */
