/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything that differs between kernels and architectures.  The rest of kmod/
 * is written for the newest kernel; each section here imitates what it expects.
 * KTRC_HAVE_* are answers of compat/features/, compiled by Kbuild.include.
 */
#ifndef KTRC_COMPAT_H
#define KTRC_COMPAT_H

#include <linux/cgroup.h>
#include <linux/mm.h>

#include "have.h"

/* ---- the time stamp counter, where there is one ---- */
#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/tsc.h>

static __always_inline u64 ktrc_arch_tsc(void)
{
	return rdtsc();
}

static inline u64 ktrc_arch_tsc_ordered(void)
{
	return rdtsc_ordered();
}

/* a counter that stops in deep idle is unstable to the kernel, which then takes another clock source */
static inline bool ktrc_arch_tsc_is_stable(void)
{
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) && !check_tsc_unstable();
}

static inline u64 ktrc_arch_tsc_hz(void)
{
	return (u64)tsc_khz * 1000;
}
#else
static __always_inline u64 ktrc_arch_tsc(void)
{
	return 0;
}

static inline u64 ktrc_arch_tsc_ordered(void)
{
	return 0;
}

static inline bool ktrc_arch_tsc_is_stable(void)
{
	return false;
}

static inline u64 ktrc_arch_tsc_hz(void)
{
	return 0;
}
#endif

/*
 * ---- has a kprobe or ftrace changed the code at @address: both can be switched off ----
 *
 * Where a breakpoint, call or jump cannot be told from other code the answer is yes.
 */
static inline bool ktrc_arch_is_patched(const void *address)
{
#ifdef CONFIG_X86
	u8 first = READ_ONCE(*(const u8 *)address);

	return first == 0xcc || first == 0xe8 || first == 0xe9;
#else
	return true;
#endif
}

/* ---- the arguments of a function that is traced at its entry; saved also without the other registers ---- */
#define ktrc_traced_argument(fregs, n) regs_get_kernel_argument(&(fregs)->regs, (n))

/* ---- vma flags: accessors came with 6.3 and were backported unevenly ---- */
#ifndef KTRC_HAVE_VM_FLAGS_SET
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/* ---- the parts of a process's memory, by rising address: before 6.1 a list ---- */
#ifndef KTRC_HAVE_VMA_ITERATOR
struct vma_iterator {
	struct vm_area_struct *next;
};

#define VMA_ITERATOR(name, mm, addr) struct vma_iterator name = { find_vma(mm, addr) }

static inline struct vm_area_struct *vma_next(struct vma_iterator *vmi)
{
	struct vm_area_struct *vma = vmi->next;

	if (vma)
		vmi->next = vma->vm_next;
	return vma;
}
#endif

/* ---- generic netlink: who may join a multicast group; of older kernels anybody ---- */
#ifdef GENL_MCAST_CAP_SYS_ADMIN
#define KTRC_GENL_MCAST_FLAGS .flags = GENL_MCAST_CAP_SYS_ADMIN
#else
#define KTRC_GENL_MCAST_FLAGS .flags = 0
#endif

/* ---- generic netlink: unused header fields of all commands must be zero ---- */
#ifdef KTRC_HAVE_GENL_RESV_START_OP
#define ktrc_genl_check_headers(family) ((family)->resv_start_op = 1)
#else
#define ktrc_genl_check_headers(family) ((void)(family))
#endif

#endif /* KTRC_COMPAT_H */
