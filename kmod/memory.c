// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a session's rings: on each CPU's node, accounted to the creator's
 * memory cgroup, zeroed, capped.  Online CPUs get theirs when the session is
 * created, others before they come up; none is freed while the session lives.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "session.h"

#define KTRC_DEFAULT_CPU_BYTES (4u << 20)
#define KTRC_DEFAULT_PACKET_BYTES (64u << 10)
#define KTRC_MIN_PACKET_BYTES 4096
#define KTRC_MIN_PACKETS 4

/* the longest that can stand in a packet before and in front of its first record of an event */
#define RECORD(ev) (KTRC_COMPACT_BYTES + sizeof(struct ktrc_ev_##ev))
#define LONGEST_FRONT                                                                           \
	(sizeof(struct ktrc_packet_header) + RECORD(packet) + KTRC_NR_EVENTS * RECORD(counts) + \
	 2 * RECORD(task) + 2 * KTRC_MAX_PARTS * RECORD(stack) + RECORD(stack_ref))
static_assert(LONGEST_FRONT + 256 + KTRC_SLACK_BYTES <= KTRC_MIN_PACKET_BYTES);

/* the smallest with room for the copy of a stack as well */
#define KTRC_MIN_COPY_PACKET_BYTES 8192
static_assert(LONGEST_FRONT + KTRC_MAX_COPY_PARTS * RECORD(stack_copy) + 256 + KTRC_SLACK_BYTES <=
	      KTRC_MIN_COPY_PACKET_BYTES);

static unsigned int max_mb = 1024;
module_param(max_mb, uint, 0644);
MODULE_PARM_DESC(max_mb, "most memory of all sessions' rings together, MiB (default 1024)");

static DEFINE_MUTEX(ktrc_memory_lock);
static LIST_HEAD(sessions_with_rings);
static u64 bytes_taken; /* by all rings, without their status pages; under ktrc_memory_lock */
static int hotplug_state;

static u64 ring_bytes(const struct ktrc_session *s)
{
	return (u64)s->nr_packets * s->config.packet_bytes;
}

/* by all rings of a session */
static u64 bytes_of(const struct ktrc_session *s)
{
	u64 bytes = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		bytes += s->pages[cpu] ? ring_bytes(s) : 0;
	return bytes;
}

/* what max_mb leaves once @old, which may be NULL, is gone */
static u64 bytes_left(const struct ktrc_session *old)
{
	u64 cap = (u64)READ_ONCE(max_mb) << 20;
	u64 taken = bytes_taken - (old ? bytes_of(old) : 0);

	return cap > taken ? cap - taken : 0;
}

static void free_pages_of(struct page **pages, u32 count)
{
	u32 i;

	for (i = 0; i < count && pages[i]; i++) {
		__free_page(pages[i]);
		cond_resched();
	}
	kvfree(pages);
}

static struct page **alloc_pages_on(int node, u32 count)
{
	struct page **pages = kvcalloc(count, sizeof(*pages), KTRC_GFP);
	u32 i;

	if (!pages)
		return NULL;
	for (i = 0; i < count; i++) {
		pages[i] = alloc_pages_node(node, KTRC_GFP | __GFP_ZERO, 0);
		if (!pages[i]) {
			free_pages_of(pages, count);
			return NULL;
		}
		cond_resched();
	}
	return pages;
}

static bool has_copies(const struct ktrc_session *s)
{
	u32 i;

	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		if (s->wish.rule[i].user_bytes)
			return true;
	}
	return false;
}

static bool has_stacks(const struct ktrc_session *s)
{
	u32 i;

	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		if (s->wish.rule[i].user_frames || s->wish.rule[i].kernel_frames)
			return true;
	}
	return has_copies(s);
}

static int alloc_stacks(struct ktrc_session *s, int cpu)
{
	struct ktrc_cpu *c = per_cpu_ptr(s->cpus, cpu);

	if (!has_stacks(s) || c->stacks)
		return 0;
	c->stacks = kvzalloc_node(sizeof(*c->stacks), KTRC_GFP, cpu_to_node(cpu));
	return c->stacks ? 0 : -ENOMEM;
}

static int alloc_ring(struct ktrc_session *s, int cpu)
{
	struct ktrc_ring *r = &per_cpu_ptr(s->cpus, cpu)->ring;
	u32 count = ktrc_ring_pages(s);
	struct page **pages;
	void *memory;

	if (s->pages[cpu])
		return 0;
	if (alloc_stacks(s, cpu))
		return -ENOMEM;
	pages = alloc_pages_on(cpu_to_node(cpu), count);
	if (!pages)
		return -ENOMEM;
	memory = vmap(pages, count, VM_MAP, PAGE_KERNEL);
	if (!memory) {
		free_pages_of(pages, count);
		return -ENOMEM;
	}
	ktrc_ring_init(r, memory);
	bytes_taken += ring_bytes(s);
	/* pairs with the acquire in map_ring(): what is mapped is initialised */
	smp_store_release(&s->pages[cpu], pages);
	return 0;
}

static void free_ring(struct ktrc_session *s, int cpu)
{
	struct ktrc_ring *r = &per_cpu_ptr(s->cpus, cpu)->ring;

	kvfree(per_cpu_ptr(s->cpus, cpu)->stacks);
	if (!s->pages[cpu])
		return;
	bytes_taken -= ring_bytes(s);
	vunmap(r->status);
	free_pages_of(s->pages[cpu], ktrc_ring_pages(s));
}

static void init_cpu(struct ktrc_session *s, int cpu)
{
	struct ktrc_cpu *c = per_cpu_ptr(s->cpus, cpu);
	struct ktrc_ring *r = &c->ring;

	r->off = KTRC_OFF;
	r->cpu = cpu;
	r->mode = s->config.mode;
	r->clock = s->clock;
	r->shift = ilog2(s->config.packet_bytes);
	r->nr_packets = s->nr_packets;
	memcpy(r->uuid, s->uuid, sizeof(r->uuid));
	c->events = s->config.events;
	c->nr_events = hweight64(c->events);
	c->readers = &s->readers;
}

/* sets what the caller left open; checks every number before any effect */
static int check_sizes(struct ktrc_session *s, u64 left, struct ktrc_why *why)
{
	struct ktrc_config *c = &s->config;
	bool is_chosen = c->memory;
	u64 row, packets;

	if (!c->packet_bytes)
		c->packet_bytes = KTRC_DEFAULT_PACKET_BYTES;
	if (!is_power_of_2(c->packet_bytes) || c->packet_bytes < KTRC_MIN_PACKET_BYTES ||
	    c->packet_bytes < PAGE_SIZE || c->packet_bytes > KTRC_MAX_PACKET_BYTES) {
		why->text = "packet-bytes must be a power of two from 4096 to 1048576";
		return -EINVAL;
	}
	if (has_copies(s) && c->packet_bytes < KTRC_MIN_COPY_PACKET_BYTES) {
		why->text = "packet-bytes must be 8192 or more for copies of stacks";
		return -EINVAL;
	}
	if (!c->memory)
		c->memory = min(left, (u64)KTRC_DEFAULT_CPU_BYTES * num_online_cpus());
	row = (u64)c->packet_bytes * num_online_cpus();
	packets = div64_u64(c->memory, row);
	if (c->memory > left || (!is_chosen && packets < KTRC_MIN_PACKETS) ||
	    packets > INT_MAX / (c->packet_bytes / PAGE_SIZE) - 1) {
		why->text = "memory exceeds what the module parameter max_mb leaves";
		return -E2BIG;
	}
	if (packets < KTRC_MIN_PACKETS) {
		why->text = "memory is too small: each online CPU needs 4 packets of packet-bytes";
		return -EINVAL;
	}
	s->nr_packets = packets;
	c->memory = packets * row;
	return 0;
}

/* under ktrc_memory_lock; no CPU comes or goes */
static int create_rings(struct ktrc_session *s, const struct ktrc_session *old,
			struct ktrc_why *why)
{
	int cpu, err;

	err = check_sizes(s, bytes_left(old), why);
	if (err)
		return err;
	for_each_possible_cpu(cpu)
		init_cpu(s, cpu);
	for_each_online_cpu(cpu) {
		err = alloc_ring(s, cpu);
		if (err) {
			why->text = "not enough memory for the rings: ask for less";
			return err;
		}
	}
	list_add(&s->rings, &sessions_with_rings);
	return 0;
}

/**
 * ktrc_memory_create() - give a session its control blocks and rings
 * @s: session with @config, @clock and @uuid set
 * @old: the session whose rings go when this one is there: the cap does not count them; NULL: none
 * @why: receives the reason of a failure
 *
 * Context: process, under ktrc_control.
 * Return: 0 or a negative error; ktrc_memory_destroy() cleans up in both cases.
 */
int ktrc_memory_create(struct ktrc_session *s, const struct ktrc_session *old, struct ktrc_why *why)
{
	int err;

	INIT_LIST_HEAD(&s->rings);
	s->memcg = get_mem_cgroup_from_mm(current->mm);
	s->cpus = alloc_percpu_gfp(struct ktrc_cpu, KTRC_GFP | __GFP_ZERO);
	s->pages = kcalloc(nr_cpu_ids, sizeof(*s->pages), KTRC_GFP);
	if (!s->cpus || !s->pages)
		return -ENOMEM;
	cpus_read_lock();
	mutex_lock(&ktrc_memory_lock);
	err = create_rings(s, old, why);
	mutex_unlock(&ktrc_memory_lock);
	cpus_read_unlock();
	return err;
}

/**
 * ktrc_memory_destroy() - undo ktrc_memory_create(), whole or in part
 * @s: the session; no probe writes to it any more
 */
void ktrc_memory_destroy(struct ktrc_session *s)
{
	int cpu;

	mutex_lock(&ktrc_memory_lock);
	list_del(&s->rings);
	if (s->cpus && s->pages) {
		for_each_possible_cpu(cpu)
			free_ring(s, cpu);
	}
	mutex_unlock(&ktrc_memory_lock);
	kfree(s->pages);
	free_percpu(s->cpus);
	mem_cgroup_put(s->memcg);
}

/*
 * A CPU that stays without a ring, for want of memory or by the cap, counts its hits
 * as lost_noring.  Who brings the CPU up does not pay for it.
 */
static int prepare_cpu(unsigned int cpu)
{
	struct ktrc_session *s;
	struct mem_cgroup *payer;

	mutex_lock(&ktrc_memory_lock);
	list_for_each_entry(s, &sessions_with_rings, rings) {
		if (ring_bytes(s) > bytes_left(NULL))
			continue;
		payer = set_active_memcg(s->memcg);
		alloc_ring(s, cpu);
		set_active_memcg(payer);
	}
	mutex_unlock(&ktrc_memory_lock);
	return 0;
}

/**
 * ktrc_memory_init() - watch CPUs come up
 *
 * Return: 0 or a negative error
 */
int ktrc_memory_init(void)
{
	hotplug_state =
		cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "ktrc:prepare", prepare_cpu, NULL);
	return min(hotplug_state, 0);
}

/**
 * ktrc_memory_exit() - undo ktrc_memory_init()
 */
void ktrc_memory_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}
