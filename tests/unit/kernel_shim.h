/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kmod/env.h takes from the kernel, for one simulated CPU in user space.
 *
 * An interrupt may come between any two accesses to memory.  Each operation here
 * therefore calls shim_step() first, and there a test lets an inner writer run;
 * built with clang, every load and store of the tested code does so as well.
 */
#ifndef KTRC_KERNEL_SHIM_H
#define KTRC_KERNEL_SHIM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define noinline __attribute__((noinline))
#define ____cacheline_aligned __attribute__((aligned(64)))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define BUILD_BUG_ON(x) _Static_assert(!(x), #x)
#define BIT_ULL(nr) (1ull << (nr))
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define PAGE_SIZE 4096

/* ---- the simulated CPU ---- */

struct task_struct {
	u32 pid;
	u32 tgid;
	u64 start_boottime;
	char comm[16];
	u64 cgid; /* private to the shim */
};

/**
 * struct shim - the CPU, its clocks, and what happens at each step
 * @task: the current task
 * @preempt_count: as in the kernel
 * @user_stack: seed of the current task's user stack, see rig.h; 0: none
 * @kernel_stack: seed of its kernel stack
 * @copied: seed of the copy of its user stack
 * @reads_user: see walk.h; nobody does here
 * @on_walk: called while a stack is walked, with @context
 * @tsc: time stamp counter
 * @tsc_step: cycles from one reading of a clock to the next
 * @clock_last: per-CPU variable of clock.h
 * @wakes: times that readers were woken
 * @nr_steps: steps since the test set it to zero
 * @on_step: called at each step unless NULL; may run inner writers
 * @context: for @on_step
 */
struct shim {
	struct task_struct *task;
	u32 preempt_count;
	u32 user_stack;
	u32 kernel_stack;
	u32 copied;
	void (*on_walk)(void *context);
	u32 reads_user;
	u64 tsc;
	u64 tsc_step;
	u64 clock_last;
	u64 wakes;
	u64 nr_steps;
	void (*on_step)(void *context);
	void *context;
};

extern struct shim shim;

void shim_step(void);

#define current (shim.task)

/* ---- contexts: asm-generic layout of preempt_count ---- */

#define SOFTIRQ_OFFSET (1u << 8)
#define HARDIRQ_OFFSET (1u << 16)
#define HARDIRQ_MASK (0xfu << 16)
#define NMI_OFFSET (1u << 20)
#define NMI_MASK (0xfu << 20)

static inline u32 preempt_count(void)
{
	return shim.preempt_count;
}

/* ---- memory ---- */

#define barrier()                                  \
	do {                                       \
		shim_step();                       \
		__asm__ volatile("" ::: "memory"); \
	} while (0)

#define data_race(x) (x)
#define READ_ONCE(x)                         \
	({                                   \
		shim_step();                 \
		*(volatile typeof(x) *)&(x); \
	})

#define WRITE_ONCE(x, value)                           \
	do {                                           \
		shim_step();                           \
		*(volatile typeof(x) *)&(x) = (value); \
	} while (0)

#define smp_wmb()                                        \
	do {                                             \
		shim_step();                             \
		__atomic_thread_fence(__ATOMIC_RELEASE); \
	} while (0)

#define smp_load_acquire(p)                           \
	({                                            \
		shim_step();                          \
		__atomic_load_n(p, __ATOMIC_ACQUIRE); \
	})

#define smp_store_release(p, value)                           \
	do {                                                  \
		shim_step();                                  \
		__atomic_store_n(p, value, __ATOMIC_RELEASE); \
	} while (0)

u64 cmpxchg_local(u64 *p, u64 old, u64 new);

static inline u64 rol64(u64 word, unsigned int shift)
{
	return word << shift | word >> (64 - shift);
}

static inline unsigned int __fls(unsigned long word)
{
	return 63 - (unsigned int)__builtin_clzl(word);
}

/* an interrupt may come in the middle of it */
void *shim_memcpy(void *to, const void *from, size_t bytes);
#undef memcpy
#define memcpy(to, from, bytes) shim_memcpy(to, from, bytes)

/* ---- counters of one CPU ---- */

typedef struct {
	long value;
} local_t;

static inline long local_read(const local_t *l)
{
	shim_step();
	return l->value;
}

long local_add_return(long n, local_t *l);

static inline void local_add(long n, local_t *l)
{
	(void)local_add_return(n, l);
}

static inline void local_inc(local_t *l)
{
	local_add(1, l);
}

/* ---- clocks: nanoseconds are cycles / 4, so that both clocks tick alike ---- */

u64 ktrc_arch_tsc(void);

static inline u64 ktime_get_mono_fast_ns(void)
{
	return ktrc_arch_tsc() >> 2;
}

static inline u64 ktime_get_real_fast_ns(void)
{
	return ktrc_arch_tsc() >> 2;
}

#define __percpu
#define this_cpu_ptr(p) (p)
#define DECLARE_PER_CPU(type, name) extern struct shim shim
#define DEFINE_PER_CPU(type, name) extern struct shim shim
#define ktrc_clock_last shim.clock_last
#define ktrc_reads_user shim.reads_user
#define this_cpu_read(x) READ_ONCE(x)
#define this_cpu_cmpxchg(x, old, new) cmpxchg_local(&(x), (old), (new))

/* ---- tasks and readers ---- */

static inline u64 ktrc_task_cgid(const struct task_struct *task)
{
	return task->cgid;
}

static inline u64 ktrc_task_cgroups(const struct task_struct *task)
{
	return task->cgid << 8; /* as an address of a cache line's start would be */
}

struct cgroup {
	u64 id;
};

static inline bool cgroup_is_descendant(const struct cgroup *cgroup, const struct cgroup *top)
{
	return cgroup->id == top->id;
}

static inline bool ktrc_current_is_in(struct cgroup *top)
{
	return current->cgid == top->id;
}

struct irq_work {
	int unused;
};

typedef struct {
	int unused;
} wait_queue_head_t;

static inline void ktrc_wake(struct irq_work *work)
{
	(void)work;
	shim.wakes++;
}

static inline void ktrc_wake_readers(struct irq_work *work, wait_queue_head_t *readers)
{
	(void)readers;
	ktrc_wake(work);
}

#endif /* KTRC_KERNEL_SHIM_H */
