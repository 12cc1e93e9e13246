// SPDX-License-Identifier: GPL-2.0
/* refused: bad_other_hook.o attaches a hook (register_kprobe) */
/* not a probe's object: its handlers would go unseen; by each function that attaches one */
#include "hook.h"

int ktrc_bad_other_hook(struct ktrc_entry *e, struct ktrc_tracepoint *t, struct ktrc_point *p,
			struct ktrc_function *f, struct ktrc_calls *c)
{
	return register_kprobe(&e->kp)		    ?:
		       ktrc_tracepoint_attach(t, e) ?:
		       ktrc_points_attach(p, 1)	    ?:
		       ktrc_function_attach(f)	    ?:
		       ktrc_functions_attach(f, 1)  ?:
		       ktrc_entry_attach(e)	    ?:
						      ktrc_calls_attach(c);
}
