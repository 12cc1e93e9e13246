// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for what is kept off CPUs, and where the CPUs' run queues lie.  Process context,
 * under ktrc_control.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "clock.h"
#include "held.h"

/* seconds after which nobody waits for the end of a throttling any more; a period is one at most */
#define LINGER_S 2

/* of no session, and so on nobody's account */
#define HELD_GFP (GFP_KERNEL | __GFP_NOWARN)

/*
 * The boot CPU's idle task is on the queue of the root cgroup, which lies at the same place in
 * the area of each CPU.
 */
static unsigned long root_queue(u32 cpu)
{
	unsigned long boot = (unsigned long)init_task.se.cfs_rq;

	return boot - per_cpu_offset(task_cpu(&init_task)) + per_cpu_offset(cpu);
}

static int alloc_cpu(u32 cpu)
{
	struct ktrc_held_cpu *c = kvzalloc_node(sizeof(*c), HELD_GFP, cpu_to_node(cpu));

	ktrc_helds.cpu[cpu] = c;
	return c ? 0 : -ENOMEM;
}

/* once, until the module goes */
static int alloc_all(void)
{
	u32 cpu;
	int err = 0;

	if (ktrc_helds.cpu)
		return 0;
	ktrc_helds.cpu = kvcalloc(nr_cpu_ids, sizeof(*ktrc_helds.cpu), HELD_GFP);
	if (!ktrc_helds.cpu)
		return -ENOMEM;
	ktrc_helds.nr_cpus = nr_cpu_ids;
	for_each_possible_cpu(cpu)
		err = err ?: alloc_cpu(cpu);
	if (err)
		ktrc_helds_exit();
	return err;
}

/**
 * ktrc_helds_open() - make room, and know nothing
 * @clock: what ticks are of
 *
 * No probe uses it; probes see it when ktrc_helds.is_open.
 * Return: 0 or -ENOMEM
 */
int ktrc_helds_open(u32 clock)
{
	int err = alloc_all();
	u32 cpu;

	if (err)
		return err;
	for_each_possible_cpu(cpu) {
		struct ktrc_held_cpu *c = ktrc_helds.cpu[cpu];

		memset(c, 0, sizeof(*c));
		c->cpu = cpu;
		c->root = root_queue(cpu);
	}
	memset(ktrc_helds.period, 0, sizeof(ktrc_helds.period));
	atomic_set(&ktrc_helds.nr_armed, 0);
	atomic_long_set(&ktrc_helds.missed, 0);
	atomic_long_set(&ktrc_helds.missed_waits, 0);
	ktrc_helds.clock = clock;
	ktrc_helds.linger = ktrc_clock_hz(clock) * LINGER_S;
	return 0;
}

/**
 * ktrc_waiting_clear_all() - forget which threads wait, on all CPUs
 *
 * After ktrc_helds_open(), while no probe looks at them.
 */
void ktrc_waiting_clear_all(void)
{
	u32 cpu;

	for_each_possible_cpu(cpu) {
		ktrc_helds.cpu[cpu]->knows_all = false;
		ktrc_waiting_clear(ktrc_helds.cpu[cpu]);
	}
}

/**
 * ktrc_helds_exit() - give the memory back; no session is left
 */
void ktrc_helds_exit(void)
{
	u32 cpu;

	for (cpu = 0; cpu < ktrc_helds.nr_cpus; cpu++)
		kvfree(ktrc_helds.cpu[cpu]);
	kvfree(ktrc_helds.cpu);
	ktrc_helds.cpu = NULL;
	ktrc_helds.nr_cpus = 0;
}
