// SPDX-License-Identifier: GPL-2.0
/*
 * Walking the current task's stacks.  In probes: task context, preemption disabled, the
 * ring's recursion guard taken, since a read of user memory may fault and that fault
 * is traced.
 */
#include <linux/nospec.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#include "compat/user_stack.h"
#include "walk.h"
#include "../uapi/ktrc_events.h"

struct ktrc_text ktrc_own_text;
DEFINE_PER_CPU(u32, ktrc_reads_user);

/* a frame has to begin before this */
#define USER_FRAMES_END (TASK_SIZE_MAX - 2 * sizeof(long))

/* Frame pointers lead outwards: each frame lies above the one that it called. */
static __always_inline bool leads_on(unsigned long from, unsigned long to)
{
	return to > from && !(to % sizeof(to));
}

/* @got of @nr frames were found, which make @hash; @fp leads on, or nowhere */
static __always_inline void end_frames(struct ktrc_frames *f, u32 got, u32 nr, u64 hash,
				       unsigned long fp)
{
	f->nr = got;
	f->end = got >= nr ? KTRC_stack_end_depth :
		 fp	   ? KTRC_stack_end_broken :
			     KTRC_stack_end_whole;
	f->hash = hash + f->end;
}

/*
 * The frames above the innermost one, which is in @f and makes @hash.  At a frame pointer lie the
 * caller's frame pointer and the address to return to.
 */
static __always_inline void walk_frame_pointers(struct ktrc_frames *f, u32 nr, u64 hash,
						unsigned long sp, unsigned long fp)
{
	const unsigned long nr_frames = min_t(u32, nr, KTRC_MAX_FRAMES),
			    frames_end = USER_FRAMES_END;
	unsigned long at, above, ip, next;
	bool goes_on;
	u64 i;

	/* what user memory says, also when it is only guessed at; 0: no frame can lie there */
	at = array_index_nospec(fp, frames_end);
	goes_on = leads_on(sp - 1, at);
	/* which addresses are read is asked one by one */
	if (!user_access_begin((void __user *)NULL, 2 * sizeof(at))) {
		end_frames(f, 1, nr, hash, fp);
		return;
	}
	/* the second bound is there to be seen; the compiler leaves it out */
	for (i = 1; likely(i < nr_frames) && i < KTRC_MAX_FRAMES && likely(goes_on); i++) {
		unsafe_get_user(ip, (unsigned long __user *)at + 1, not_there);
		unsafe_get_user(next, (unsigned long __user *)at, not_there);
		fp = next; /* not what a read that failed may leave */
		f->frame[i] = ip;
		hash = ktrc_frame_hash(hash, ip);
		above = array_index_nospec(fp, frames_end);
		goes_on = leads_on(at, above);
		at = above;
	}
not_there:
	user_access_end();
	end_frames(f, i, nr, hash, fp);
}

/*
 * A thread that never was there, of the kernel or io_uring's, has an instruction 0.  While one loads a
 * program its registers are the old one's, its memory soon the new one's.
 */
static __always_inline bool was_in_user_mode(struct pt_regs *regs)
{
	return current->mm && !current->in_execve && user_mode(regs) && instruction_pointer(regs);
}

/**
 * ktrc_walk_user() - the current task's stack in user mode, by frame pointers
 * @f: filled in; no frames for a task of the kernel, or in execve
 * @nr: take so many frames at most, 1 to KTRC_MAX_FRAMES
 *
 * Memory that is not there ends the stack: no fault is served.  The hash is that of the
 * process's stack, as what it has in its memory is its own choice.
 */
void ktrc_walk_user(struct ktrc_frames *f, u32 nr)
{
	struct pt_regs *regs = task_pt_regs(current);
	u64 hash;

	if (!was_in_user_mode(regs)) {
		f->nr = 0;
		return;
	}
	f->frame[0] = instruction_pointer(regs);
	hash = ktrc_frame_hash((unsigned long)current->mm, f->frame[0]);
	if (nr > 1 && ktrc_has_frame_pointer(regs)) {
		pagefault_disable();
		this_cpu_write(ktrc_reads_user, 1);
		walk_frame_pointers(f, nr, hash, user_stack_pointer(regs),
				    ktrc_frame_pointer(regs));
		this_cpu_write(ktrc_reads_user, 0);
		pagefault_enable();
	} else {
		end_frames(f, 1, nr, hash, 1); /* it leads on, but nobody can follow */
	}
}

/* the words of a stack from @sp on, which is not checked yet */
static noinline void copy_memory(struct ktrc_copy *copy, unsigned long sp, u32 nr)
{
	u64 hash = copy->hash, *to = copy->word + copy->regs;
	unsigned long word;
	u32 i;

	if (!user_access_begin((void __user *)sp, nr * sizeof(word)))
		return;
	for (i = 0; i < KTRC_MAX_STACK_WORDS && i < nr; i++) {
		unsafe_get_user(word, (unsigned long __user *)sp + i, not_there);
		to[i] = word;
		hash = ktrc_word_hash(hash, word);
	}
not_there:
	user_access_end();
	copy->nr += i;
	copy->hash = hash;
}

/**
 * ktrc_copy_user() - where the current task left user mode, for who can unwind it
 * @copy: filled in; no words for a task of the kernel, in execve, or of a 32-bit program
 * @bytes: take so many of the stack at most, 8 to KTRC_MAX_STACK_BYTES
 *
 * Memory that is not there ends the copy: no fault is served.  The hash is that of the process's
 * copy, as that of its stack is.
 */
void ktrc_copy_user(struct ktrc_copy *copy, u32 bytes)
{
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long sp = user_stack_pointer(regs);
	u32 i;

	copy->nr = 0;
	if (!was_in_user_mode(regs) || !ktrc_has_frame_pointer(regs) || sp >= TASK_SIZE_MAX)
		return;
	copy->regs = ktrc_user_registers(regs, copy->word);
	copy->nr = copy->regs;
	copy->hash = ktrc_word_hash((unsigned long)current->mm, 0);
	for (i = 0; i < KTRC_USER_REGS && i < copy->regs; i++)
		copy->hash = ktrc_word_hash(copy->hash, copy->word[i]);
	pagefault_disable();
	this_cpu_write(ktrc_reads_user, 1);
	copy_memory(copy, sp, min_t(u64, bytes, TASK_SIZE_MAX - sp) / sizeof(u64));
	this_cpu_write(ktrc_reads_user, 0);
	pagefault_enable();
}

/* how many of the innermost frames are this module's */
static u32 own_frames(const struct ktrc_frames *f)
{
	u32 own = 0, i;

	for (i = 0; i < KTRC_OWN_FRAMES && i < f->nr; i++) {
		if (f->frame[i] - ktrc_own_text.start < ktrc_own_text.bytes)
			own = i + 1;
	}
	return own;
}

/**
 * ktrc_walk_kernel() - the current task's stack in the kernel, without this module's frames
 * @f: filled in
 * @nr: take so many frames at most, 1 to KTRC_MAX_FRAMES
 *
 * What called the module, the kernel's tracing, is still in it.
 */
void ktrc_walk_kernel(struct ktrc_frames *f, u32 nr)
{
	u32 own, i;

	f->nr = stack_trace_save(f->frame, nr + KTRC_OWN_FRAMES, 0);
	own = own_frames(f);
	f->end = f->nr < nr + own ? KTRC_stack_end_whole : KTRC_stack_end_depth;
	f->nr = min(f->nr - own, nr);
	f->hash = 1;
	for (i = 0; i < KTRC_MAX_FRAMES && i < f->nr; i++) {
		f->frame[i] = f->frame[own + i];
		f->hash = ktrc_word_hash(f->hash, f->frame[i]);
	}
	f->hash += f->end;
}
