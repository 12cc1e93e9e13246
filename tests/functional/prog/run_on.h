/* SPDX-License-Identifier: GPL-2.0 */
/* On which CPU the calling thread runs; _GNU_SOURCE */
#ifndef RUN_ON_H
#define RUN_ON_H

#include <err.h>
#include <sched.h>

static inline void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
}

#endif
