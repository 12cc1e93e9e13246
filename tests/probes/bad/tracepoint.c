// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad refers to __tracepoint_sched_process_free, which kmod/probe_symbols does not list */
/* refused: ktrc_on_bad refers to __SCT__tp_func_sched_process_free, which kmod/probe_symbols does not list */
#include <trace/events/sched.h>

static void ktrc_on_bad(struct task_struct *task)
{
	trace_sched_process_free(task);
}

void *ktrc_bad_tracepoint = ktrc_on_bad;
