// SPDX-License-Identifier: GPL-2.0
/* refused: bad_other_hook.o attaches a hook (register_kprobe) */
/* refused: bad_other_hook.o attaches a hook (ktrc_entry_attach) */
/* not a probe's object: its handlers would go unseen */
#include "hook.h"

int ktrc_bad_other_hook(struct ktrc_entry *e)
{
	return register_kprobe(&e->kp) ?: ktrc_entry_attach(e);
}
