// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that are made and end, programs that are started.  The callbacks run in fork, exec and
 * exit, in the task that does it: they never sleep, lock, allocate or print.
 */
#include <linux/binfmts.h>
#include <linux/sched/signal.h>
#include <trace/events/sched.h>

#include "hook.h"
#include "probe.h"

#define PROGRAM_BYTES sizeof_field(struct ktrc_ev_process_exec, program)
#define MAX_PATH_BYTES 4096
KTRC_BOUND(PROGRAM_BYTES);
KTRC_BOUND(MAX_PATH_BYTES);

static struct ktrc_outlet fork_outlet, exec_outlet, exit_outlet;

static void ktrc_on_sched_process_fork(void *data, struct task_struct *parent,
				       struct task_struct *child)
{
	preempt_disable_notrace();
	ktrc_emit(&fork_outlet, process, .child_tid = child->pid, .child_pid = child->tgid);
	preempt_enable_notrace();
}

/* the end of @path, which is the kernel's own copy */
static void copy_end(char to[PROGRAM_BYTES], const char *path)
{
	u32 bytes = 0, from, i;

	for (i = 0; i < MAX_PATH_BYTES && path[i]; i++)
		bytes++;
	from = bytes > PROGRAM_BYTES ? bytes - PROGRAM_BYTES : 0;
	for (i = 0; i < PROGRAM_BYTES && from + i < bytes; i++)
		to[i] = path[from + i];
}

static void ktrc_on_sched_process_exec(void *data, struct task_struct *task, pid_t old_pid,
				       struct linux_binprm *bprm)
{
	struct ktrc_ev_process_exec rec = { .caller_tid = old_pid };

	copy_end(rec.program, bprm->filename);
	preempt_disable_notrace();
	ktrc_outlet_emit(&exec_outlet, KTRC_EV_process_exec, &rec, sizeof(rec), &ktrc_no_facts);
	preempt_enable_notrace();
}

static void ktrc_on_sched_process_exit(void *data, struct task_struct *task)
{
	preempt_disable_notrace();
	ktrc_emit(&exit_outlet, process_exit, .code = task->exit_code,
		  .live = atomic_read(&task->signal->live));
	preempt_enable_notrace();
}

/* ---- control ---- */

static struct ktrc_tracepoint fork_hook = { .name = "sched_process_fork" };
static struct ktrc_tracepoint exec_hook = { .name = "sched_process_exec" };
static struct ktrc_tracepoint exit_hook = { .name = "sched_process_exit" };

static int fork_check(void)
{
	return ktrc_tracepoint_check(fork_hook.name);
}

static int fork_attach(u32 clock)
{
	check_trace_callback_type_sched_process_fork(ktrc_on_sched_process_fork);
	return ktrc_tracepoint_attach(&fork_hook, ktrc_on_sched_process_fork);
}

static void fork_detach(void)
{
	ktrc_tracepoint_detach(&fork_hook);
}

static int exec_check(void)
{
	return ktrc_tracepoint_check(exec_hook.name);
}

static int exec_attach(u32 clock)
{
	check_trace_callback_type_sched_process_exec(ktrc_on_sched_process_exec);
	return ktrc_tracepoint_attach(&exec_hook, ktrc_on_sched_process_exec);
}

static void exec_detach(void)
{
	ktrc_tracepoint_detach(&exec_hook);
}

static int exit_check(void)
{
	return ktrc_tracepoint_check(exit_hook.name);
}

static int exit_attach(u32 clock)
{
	check_trace_callback_type_sched_process_exit(ktrc_on_sched_process_exit);
	return ktrc_tracepoint_attach(&exit_hook, ktrc_on_sched_process_exit);
}

static void exit_detach(void)
{
	ktrc_tracepoint_detach(&exit_hook);
}

const struct ktrc_probe ktrc_probe_process = {
	.hook = "tracepoint sched_process_fork",
	.outlet = &fork_outlet,
	.rules = KTRC_RULE_STACK,
	.check = fork_check,
	.attach = fork_attach,
	.detach = fork_detach,
};

const struct ktrc_probe ktrc_probe_process_exec = {
	.hook = "tracepoint sched_process_exec",
	.outlet = &exec_outlet,
	.check = exec_check,
	.attach = exec_attach,
	.detach = exec_detach,
};

const struct ktrc_probe ktrc_probe_process_exit = {
	.hook = "tracepoint sched_process_exit",
	.outlet = &exit_outlet,
	.check = exit_check,
	.attach = exit_attach,
	.detach = exit_detach,
};
