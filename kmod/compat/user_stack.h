/* SPDX-License-Identifier: GPL-2.0 */
/* Where a task left user mode. */
#ifndef KTRC_COMPAT_USER_STACK_H
#define KTRC_COMPAT_USER_STACK_H

#include <asm/ptrace.h>
#include <asm/segment.h>

#include "../bound.h"

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

/*
 * Registers as DWARF numbers them, the instruction pointer behind them; return: their number.
 * Those that a system call has for itself are 0: no caller needs its arguments, which differ from
 * call to call.
 */
static inline u32 ktrc_user_registers(const struct pt_regs *regs, u64 *word)
{
#ifdef CONFIG_X86_64
	static const struct {
		u8 offset;
		bool is_clobbered;
	} all[] = {
		{ offsetof(struct pt_regs, ax), true },	  { offsetof(struct pt_regs, dx), true },
		{ offsetof(struct pt_regs, cx), true },	  { offsetof(struct pt_regs, bx), false },
		{ offsetof(struct pt_regs, si), true },	  { offsetof(struct pt_regs, di), true },
		{ offsetof(struct pt_regs, bp), false },  { offsetof(struct pt_regs, sp), false },
		{ offsetof(struct pt_regs, r8), true },	  { offsetof(struct pt_regs, r9), true },
		{ offsetof(struct pt_regs, r10), true },  { offsetof(struct pt_regs, r11), true },
		{ offsetof(struct pt_regs, r12), false }, { offsetof(struct pt_regs, r13), false },
		{ offsetof(struct pt_regs, r14), false }, { offsetof(struct pt_regs, r15), false },
		{ offsetof(struct pt_regs, ip), false },
	};
	bool is_call = (long)regs->orig_ax != -1;
	u32 i;

	KTRC_BOUND(ARRAY_SIZE(all));
	for (i = 0; i < ARRAY_SIZE(all); i++)
		word[i] = is_call && all[i].is_clobbered ?
				  0 :
				  *(const unsigned long *)((const u8 *)regs + all[i].offset);
	return ARRAY_SIZE(all);
#else
	return 0;
#endif
}

#endif /* KTRC_COMPAT_USER_STACK_H */
