// SPDX-License-Identifier: GPL-2.0
/*
 * Does the kernel call kprobes at all: what hears hook.c's canary.  Runs at its return.
 */
#include "env.h"
#include "hook.h"

static u32 nr_heard;

/* when it is called says all */
static int ktrc_on_canary_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	WRITE_ONCE(nr_heard, nr_heard + 1);
	return 0;
}
NOKPROBE_SYMBOL(ktrc_on_canary_exit);

/* ---- control ---- */

const kretprobe_handler_t ktrc_canary_handler = ktrc_on_canary_exit;

/**
 * ktrc_canary_heard() - how often its handler was called
 */
u32 ktrc_canary_heard(void)
{
	return READ_ONCE(nr_heard);
}
