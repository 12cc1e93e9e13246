/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions behind system calls: each ABI has its own, which takes the registers of user mode.
 * The kernel calls those of 32-bit programs only where it is built for them.
 */
#ifndef KTRC_COMPAT_SYSCALL_H
#define KTRC_COMPAT_SYSCALL_H

#include <linux/ptrace.h>

#ifdef CONFIG_X86
#define KTRC_SYSCALL(name) "__x64_sys_" name
#define KTRC_SYSCALL_32(name) "__ia32_sys_" name

/* @regs: at entry of such a function */
static inline unsigned long ktrc_syscall_argument(struct pt_regs *regs, u32 n)
{
	const struct pt_regs *user = (void *)regs_get_kernel_argument(regs, 0);
	const unsigned long arguments[] = { user->di, user->si, user->dx, user->r10, user->r8 };

	return arguments[n];
}

static inline unsigned long ktrc_syscall_argument_32(struct pt_regs *regs, u32 n)
{
	const struct pt_regs *user = (void *)regs_get_kernel_argument(regs, 0);
	const unsigned long arguments[] = { user->bx, user->cx, user->dx, user->si, user->di };

	return (u32)arguments[n];
}
#else
#define KTRC_SYSCALL(name) "__arm64_sys_" name
#define KTRC_SYSCALL_32(name) "__no_sys_" name /* there is none: the other serves both */

static inline unsigned long ktrc_syscall_argument(struct pt_regs *regs, u32 n)
{
	const struct pt_regs *user = (void *)regs_get_kernel_argument(regs, 0);

	return user->regs[n];
}
#define ktrc_syscall_argument_32 ktrc_syscall_argument
#endif

#endif /* KTRC_COMPAT_SYSCALL_H */
