// SPDX-License-Identifier: GPL-2.0
/* refused: :handler is called by the kernel and gets to ktrc_names_get */
/* refused: :handler is called by the kernel and is not named ktrc_on_* */
/* it is a handler by its address, whatever its name */
#include "hook.h"
#include "names.h"

static int handler(struct kprobe *kp, struct pt_regs *regs)
{
	ktrc_names_get();
	return 0;
}

struct ktrc_entry ktrc_probe_entry = { .symbol = "do_exit", .on_entry = handler };
