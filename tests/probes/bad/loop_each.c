// SPDX-License-Identifier: GPL-2.0
/* refused: for_each_set_bit: not a loop with a constant bound */
/* refused: do_each_pid_task: not a loop with a constant bound */
/* refused: while_each_pid_task: not a loop with a constant bound */
/* refused: ktrc_on_bad_pid loops at kmod/probe_bad_loop_each.c: */
#include <linux/bitmap.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>

static int ktrc_on_bad(const unsigned long *bits, int nr_bits)
{
	int bit, sum = 0;

	for_each_set_bit(bit, bits, nr_bits)
		sum += bit;
	return sum;
}

static int ktrc_on_bad_pid(struct pid *pid, int sum)
{
	struct task_struct *task;
	int i;

	do_each_pid_task(pid, PIDTYPE_PGID, task)
	{
		for (i = 0; i < 16; i++)
			sum += READ_ONCE(task->comm[i]);
	}
	while_each_pid_task(pid, PIDTYPE_PGID, task);
	return sum;
}

void *ktrc_bad_loop_each[] = { ktrc_on_bad, ktrc_on_bad_pid };
