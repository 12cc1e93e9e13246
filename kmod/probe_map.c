// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that is mapped, unmapped and moved: entry and exit of the functions to which the calls
 * come; and what was there when nobody needs it any more.  Everything above "control" runs there,
 * in the task that calls: it never sleeps, locks, allocates or prints.
 */
#include <linux/binfmts.h>
#include <linux/cgroup.h>
#include <linux/dcache.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "compat/compat.h"
#include "compat/mmap.h"
#include "compat/syscall.h"
#include "files.h"
#include "hook.h"
#include "probe.h"

/* largest numbers of the record's fields */
#define MAX_PAGES ((1ull << 40) - 1)
#define MAX_TICKS ((1ull << 40) - 1)
#define MAX_ERROR ((1u << 12) - 1)

/* of what was there, for all sessions together: preemption is disabled meanwhile */
#define MAX_PARTS 512
KTRC_BOUND(MAX_PARTS);

struct ktrc_files *ktrc_files; /* set by files.c */

static struct ktrc_outlet map_outlet;
static u32 map_clock;

/* Kept from entry to exit: the record as it is asked for. */
struct map_entry {
	u64 start;
	union {
		unsigned long asked; /* brk: the heap's end */
		const struct linux_binprm *bprm; /* stack: of the program */
	};
	struct ktrc_ev_map rec;
};

static u64 pages_of(u64 bytes)
{
	return min((bytes >> 12) + !!(bytes & 4095), MAX_PAGES);
}

static int map_enter(struct kretprobe_instance *ri, const struct ktrc_ev_map *rec)
{
	struct map_entry *e = (void *)ri->data;

	e->rec = *rec;
	e->start = ktrc_clock_ticks(map_clock); /* last: what comes before is not the call's */
	return 0;
}

/* For who mapped it there is no file: the kernel made one, dev/zero or anon_hugepage, that lies nowhere. */
static bool is_made_up(const struct file *file)
{
	const struct dentry *dentry = file->f_path.dentry;
	const struct qstr *name = &dentry->d_name;

	return IS_ROOT(dentry) && ((name->len == 8 && name->name[3] == '/') ||
				   (name->len == 13 && name->name[4] == '_'));
}

/*
 * What is mapped may not be the file that was asked for: of an overlay it is the one behind that, of
 * /dev/zero, if it is shared, one that is made up.  Who called do_mmap holds the memory's lock.
 */
static void see_file(struct ktrc_ev_map *rec)
{
	const u64 page = rec->page; /* shifted, the field would lose bits */
	const struct vm_area_struct *vma;

	VMA_ITERATOR(vmi, current->mm, page << 12);

	vma = vma_next(&vmi);
	if (!vma || !vma->vm_file)
		return;
	if (is_made_up(vma->vm_file)) {
		rec->anon = true;
		rec->from = 0;
	} else if (ktrc_outlet_is_wanted(&map_outlet)) {
		rec->file_id = ktrc_file_number(vma->vm_file, rec->prot_exec);
	}
}

static void map_leave(struct map_entry *e)
{
	const struct ktrc_facts facts = { .ticks = ktrc_clock_since(map_clock, e->start) };

	e->rec.dur = min(facts.ticks, MAX_TICKS);
	preempt_disable_notrace();
	if (e->rec.map_call == KTRC_map_call_mmap && !e->rec.anon && !e->rec.error)
		see_file(&e->rec);
	ktrc_outlet_emit(&map_outlet, KTRC_EV_map, &e->rec, sizeof(e->rec), &facts);
	preempt_enable_notrace();
}

/* what a call returns that returns an address */
static int leave_at(struct kretprobe_instance *ri, unsigned long ret)
{
	struct map_entry *e = (void *)ri->data;

	if (IS_ERR_VALUE(ret))
		e->rec.error = min(0ul - ret, (unsigned long)MAX_ERROR);
	else
		e->rec.page = ret >> 12;
	map_leave(e);
	return 0;
}

/* do_mmap(file, addr, len, prot, flags, ...) */
static int ktrc_on_mmap_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	unsigned long prot = regs_get_kernel_argument(regs, 3);
	unsigned long flags = regs_get_kernel_argument(regs, 4), def = current->mm->def_flags;
	bool is_locked = flags & MAP_LOCKED || def & VM_LOCKED;
	/* for MAP_HUGETLB the kernel makes a file of its own */
	bool is_anon = !regs_get_kernel_argument(regs, 0) || flags & MAP_ANONYMOUS;
	const struct ktrc_ev_map rec = {
		.page = regs_get_kernel_argument(regs, 1) >> 12,
		.pages = pages_of(regs_get_kernel_argument(regs, 2)),
		.map_call = KTRC_map_call_mmap,
		.prot_read = !!(prot & PROT_READ),
		.prot_write = !!(prot & PROT_WRITE),
		.prot_exec = !!(prot & PROT_EXEC),
		.anon = is_anon,
		.map_shared = (flags & MAP_TYPE) == MAP_SHARED ||
			      (flags & MAP_TYPE) == MAP_SHARED_VALIDATE,
		.from = is_anon ? 0 : ktrc_mmap_offset(regs),
		.fixed = !!(flags &
			    MAP_FIXED), /* without MAP_FIXED_NOREPLACE, which unmaps nothing */
		.populate = (is_locked && !(def & VM_LOCKONFAULT)) ||
			    (flags & (MAP_POPULATE | MAP_NONBLOCK)) == MAP_POPULATE,
		.locked = is_locked,
		.noreserve = !!(flags & MAP_NORESERVE),
		.hugetlb = !!(flags & MAP_HUGETLB),
		.growsdown = !!(flags & MAP_GROWSDOWN),
		.loading = current->in_execve,
	};

	return map_enter(ri, &rec);
}
NOKPROBE_SYMBOL(ktrc_on_mmap_entry);

static int ktrc_on_mmap_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return leave_at(ri, regs_return_value(regs));
}
NOKPROBE_SYMBOL(ktrc_on_mmap_exit);

/* __vm_munmap(start, len, ...) */
static int ktrc_on_munmap_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct ktrc_ev_map rec = {
		.page = regs_get_kernel_argument(regs, 0) >> 12,
		.pages = pages_of(regs_get_kernel_argument(regs, 1)),
		.map_call = KTRC_map_call_munmap,
	};

	return map_enter(ri, &rec);
}
NOKPROBE_SYMBOL(ktrc_on_munmap_entry);

/* of what returns 0 or an error */
static int ktrc_on_status_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct map_entry *e = (void *)ri->data;
	int ret = regs_return_value(regs);

	e->rec.error = ret < 0 ? min(0u - ret, MAX_ERROR) : 0;
	map_leave(e);
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_status_exit);

/* vm_brk_flags(addr, len, flags) */
static int ktrc_on_bss_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct ktrc_ev_map rec = {
		.page = regs_get_kernel_argument(regs, 0) >> 12,
		.pages = pages_of(regs_get_kernel_argument(regs, 1)),
		.map_call = KTRC_map_call_bss,
		.prot_read = true,
		.prot_write = true,
		.prot_exec = !!regs_get_kernel_argument(regs, 2), /* there is no other flag */
		.anon = true,
		.loading = current->in_execve,
	};

	return map_enter(ri, &rec);
}
NOKPROBE_SYMBOL(ktrc_on_bss_entry);

/* setup_arg_pages(bprm, ...) */
static int ktrc_on_stack_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct map_entry *e = (void *)ri->data;
	const struct ktrc_ev_map rec = {
		.map_call = KTRC_map_call_stack,
		.prot_read = true,
		.prot_write = true,
		.anon = true,
		.growsdown = true,
		.loading = current->in_execve,
	};

	e->bprm = (void *)regs_get_kernel_argument(regs, 0);
	return map_enter(ri, &rec);
}
NOKPROBE_SYMBOL(ktrc_on_stack_entry);

/* nobody else has that memory yet */
static int ktrc_on_stack_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct map_entry *e = (void *)ri->data;
	const struct vm_area_struct *vma = e->bprm->vma;

	if (!(int)regs_return_value(regs)) {
		e->rec.page = vma->vm_start >> 12;
		e->rec.pages = pages_of(vma->vm_end - vma->vm_start);
		e->rec.prot_exec = !!(vma->vm_flags & VM_EXEC);
	}
	return ktrc_on_status_exit(ri, regs);
}
NOKPROBE_SYMBOL(ktrc_on_stack_exit);

/* mremap(addr, old_len, new_len, flags, new_addr) */
static int mremap_entry(struct kretprobe_instance *ri, u64 addr, u64 old_bytes, u64 new_bytes,
			u64 flags, u64 to)
{
	const struct ktrc_ev_map rec = {
		.page = (flags & MREMAP_FIXED ? to : addr) >> 12,
		.pages = pages_of(new_bytes),
		.map_call = KTRC_map_call_mremap,
		.from = addr >> 12,
		.from_pages = min_t(u64, pages_of(old_bytes), U32_MAX),
		.fixed = !!(flags & MREMAP_FIXED),
		.dontunmap = !!(flags & MREMAP_DONTUNMAP),
	};

	return map_enter(ri, &rec);
}

static int ktrc_on_mremap_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return mremap_entry(ri, ktrc_syscall_argument(regs, 0), ktrc_syscall_argument(regs, 1),
			    ktrc_syscall_argument(regs, 2), ktrc_syscall_argument(regs, 3),
			    ktrc_syscall_argument(regs, 4));
}
NOKPROBE_SYMBOL(ktrc_on_mremap_entry);

static int ktrc_on_mremap_32_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return mremap_entry(ri, ktrc_syscall_argument_32(regs, 0),
			    ktrc_syscall_argument_32(regs, 1), ktrc_syscall_argument_32(regs, 2),
			    ktrc_syscall_argument_32(regs, 3), ktrc_syscall_argument_32(regs, 4));
}
NOKPROBE_SYMBOL(ktrc_on_mremap_32_entry);

static int ktrc_on_mremap_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return leave_at(ri, regs_return_value(regs));
}
NOKPROBE_SYMBOL(ktrc_on_mremap_exit);

/* brk(end): the heap's end is not on a page's border, its mapping's is */
static int brk_entry(struct kretprobe_instance *ri, unsigned long asked)
{
	struct map_entry *e = (void *)ri->data;
	unsigned long old = current->mm->brk, def = current->mm->def_flags;
	bool is_locked = asked > old && def & VM_LOCKED;
	u64 first = pages_of(min(old, asked)), end = pages_of(max(old, asked));
	const struct ktrc_ev_map rec = {
		.page = first,
		.pages = end - first,
		.map_call = asked < old ? KTRC_map_call_brk_down : KTRC_map_call_brk,
		.populate = is_locked && !(def & VM_LOCKONFAULT),
		.locked = is_locked,
	};

	e->asked = asked;
	return map_enter(ri, &rec);
}

static int ktrc_on_brk_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return brk_entry(ri, ktrc_syscall_argument(regs, 0));
}
NOKPROBE_SYMBOL(ktrc_on_brk_entry);

static int ktrc_on_brk_32_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return brk_entry(ri, ktrc_syscall_argument_32(regs, 0));
}
NOKPROBE_SYMBOL(ktrc_on_brk_32_entry);

/* It returns where the end is.  Below the heap's beginning none can be: that only asks. */
static int ktrc_on_brk_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct map_entry *e = (void *)ri->data;
	unsigned long end = regs_return_value(regs);

	if (IS_ERR_VALUE(end)) {
		e->rec.error = min(0ul - end, (unsigned long)MAX_ERROR);
	} else if (end != e->asked && e->asked >= current->mm->start_brk) {
		e->rec.error = ENOMEM;
	} else if (end != e->asked) {
		e->rec.map_call = KTRC_map_call_brk;
		e->rec.page = pages_of(end);
		e->rec.pages = 0;
	}
	map_leave(e);
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_brk_exit);

/*
 * Is it the current task's own memory that is given up: it ends, or begins a program.  While its files
 * are closed, later, it may give up another one's.
 */
static bool is_own(void)
{
	return current->flags & PF_EXITING ? !!current->files : current->in_execve;
}

/*
 * One that has just been made, to run a program, gives up what its maker has; so it looks as well where
 * another thread than the first begins a program.
 */
static bool is_makers(void)
{
	return current->in_execve && current->flags & PF_FORKNOEXEC;
}

/* @nr: of the parts that were told; @is_wanted: somebody may want to know the file */
static void emit_part(const struct vm_area_struct *vma, u32 nr, const struct ktrc_subject *whose,
		      bool is_wanted)
{
	const struct mm_struct *mm = vma->vm_mm;
	unsigned long flags = vma->vm_flags;
	bool is_anon = !vma->vm_file || is_made_up(vma->vm_file);
	struct ktrc_ev_map rec = {
		.page = vma->vm_start >> 12,
		.pages = pages_of(vma->vm_end - vma->vm_start),
		.map_call = KTRC_map_call_exit,
		.prot_read = !!(flags & VM_READ),
		.prot_write = !!(flags & VM_WRITE),
		.prot_exec = !!(flags & VM_EXEC),
		.anon = is_anon,
		.map_shared = !!(flags & VM_MAYSHARE),
		.from = is_anon ? 0 : vma->vm_pgoff,
		.locked = !!(flags & VM_LOCKED),
		.noreserve = !!(flags & VM_NORESERVE),
		.hugetlb = !!(flags & VM_HUGETLB),
		.growsdown = !!(flags & VM_GROWSDOWN),
		.heap = is_anon && vma->vm_start < mm->brk && vma->vm_end > mm->start_brk,
		.stack = vma->vm_start <= mm->start_stack && vma->vm_end > mm->start_stack,
		.from_pages = nr,
	};

	if (!is_anon && is_wanted)
		rec.file_id = ktrc_file_number(vma->vm_file, rec.prot_exec);
	ktrc_outlet_emit_of(&map_outlet, KTRC_EV_map, &rec, sizeof(rec), &ktrc_no_facts, whose);
}

/* of a copy that could not be made the end is marked, and the rest is another one's */
static void emit_parts(struct mm_struct *mm, u32 most)
{
	bool is_wanted = ktrc_outlet_is_wanted(&map_outlet);
	struct ktrc_subject whose = {};
	struct vm_area_struct *vma;
	u32 i, nr = 0;

	VMA_ITERATOR(vmi, mm, 0);

	rcu_read_lock();
	if (is_own())
		whose = (struct ktrc_subject){ current, task_dfl_cgroup(current) };
	vma = vma_next(&vmi);
	/* the first bound is there to be seen */
	for (i = 0; i < MAX_PARTS && i < most && vma && !xa_is_zero(vma); i++) {
		/* not the vDSO and the like, which the kernel has put there */
		if (vma->vm_file || vma_is_anonymous(vma))
			emit_part(vma, nr++, &whose, is_wanted);
		vma = vma_next(&vmi);
	}
	rcu_read_unlock();
}

/*
 * exit_mmap(mm): its last user is gone, nobody else changes it.  What no program was loaded into was
 * never anybody's.
 */
static int ktrc_on_exit_mmap(struct kprobe *kp, struct pt_regs *regs)
{
	struct mm_struct *mm = (void *)regs_get_kernel_argument(regs, 0);
	const struct ktrc_listeners *all;

	if (!mm->start_stack || is_makers())
		return 0;
	preempt_disable_notrace();
	all = ktrc_outlet_all(&map_outlet);
	if (all && all->nr)
		emit_parts(mm, MAX_PARTS / all->nr);
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_exit_mmap);

/* ---- control ---- */

static struct ktrc_entry exit_hook = { .symbol = "exit_mmap", .on_entry = ktrc_on_exit_mmap };

static struct ktrc_function map_hooks[] = {
	{ KTRC_FUNCTION("do_mmap", ktrc_on_mmap_entry, ktrc_on_mmap_exit, struct map_entry) },
	{ KTRC_FUNCTION("__vm_munmap", ktrc_on_munmap_entry, ktrc_on_status_exit,
			struct map_entry) },
	{ KTRC_FUNCTION(KTRC_SYSCALL("mremap"), ktrc_on_mremap_entry, ktrc_on_mremap_exit,
			struct map_entry) },
	{ KTRC_FUNCTION(KTRC_SYSCALL("brk"), ktrc_on_brk_entry, ktrc_on_brk_exit,
			struct map_entry) },
	{ KTRC_FUNCTION("vm_brk_flags", ktrc_on_bss_entry, ktrc_on_status_exit, struct map_entry) },
	{ KTRC_FUNCTION("setup_arg_pages", ktrc_on_stack_entry, ktrc_on_stack_exit,
			struct map_entry) },
	/* of 32-bit programs: a kernel may have none */
	{ KTRC_FUNCTION(KTRC_SYSCALL_32("mremap"), ktrc_on_mremap_32_entry, ktrc_on_mremap_exit,
			struct map_entry),
	  .is_optional = true },
	{ KTRC_FUNCTION(KTRC_SYSCALL_32("brk"), ktrc_on_brk_32_entry, ktrc_on_brk_exit,
			struct map_entry),
	  .is_optional = true },
};

static int map_check(void)
{
	int err = ktrc_entry_check(&exit_hook);

	return err ?: ktrc_functions_check(map_hooks, ARRAY_SIZE(map_hooks));
}

static void map_detach(void)
{
	ktrc_entry_detach(&exit_hook);
	ktrc_functions_detach(map_hooks, ARRAY_SIZE(map_hooks));
}

static int map_attach(u32 clock)
{
	int err = ktrc_files_open();

	map_clock = clock;
	if (err)
		return err;
	err = ktrc_functions_attach(map_hooks, ARRAY_SIZE(map_hooks));
	if (!err)
		err = ktrc_entry_attach(&exit_hook);
	if (err)
		map_detach();
	return err;
}

static u64 map_missed(void)
{
	return ktrc_functions_missed(map_hooks, ARRAY_SIZE(map_hooks)) +
	       ktrc_entry_missed(&exit_hook);
}

const struct ktrc_probe ktrc_probe_map = {
	.hook = "kretprobes do_mmap, __vm_munmap, mremap, brk, vm_brk_flags, setup_arg_pages; kprobe exit_mmap",
	.outlet = &map_outlet,
	.rules = KTRC_RULE_MIN | KTRC_RULE_STACK | KTRC_RULE_COPY,
	.check = map_check,
	.attach = map_attach,
	.detach = map_detach,
	.missed = map_missed,
};
