/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who gives advice, and about whose memory.
 */
#ifndef KTRC_COMPAT_MADVISE_H
#define KTRC_COMPAT_MADVISE_H

#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

/* of a task that is in a system call; the number is the same for all ABIs of x86 */
static inline bool ktrc_is_in_process_madvise(void)
{
	int nr = syscall_get_nr(current, task_pt_regs(current));

#ifdef CONFIG_X86
	nr &= ~__X32_SYSCALL_BIT;
#endif
	return nr == __NR_process_madvise;
}

/* the process that memory belongs to; 0: not known, as without memory cgroups */
static inline u32 ktrc_mm_tgid(const struct mm_struct *mm)
{
	u32 tgid = 0;
#ifdef CONFIG_MEMCG
	const struct task_struct *owner;

	rcu_read_lock();
	owner = rcu_dereference(mm->owner);
	if (owner)
		tgid = owner->tgid;
	rcu_read_unlock();
#endif
	return tgid;
}

#endif /* KTRC_COMPAT_MADVISE_H */
