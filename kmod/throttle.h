/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups that are kept off a CPU: what probe_throttle.c sees, and probe_gap.c goes by.
 */
#ifndef KTRC_THROTTLE_H
#define KTRC_THROTTLE_H

#include "held.h"

#define KTRC_THROTTLE_DUR_MAX ((1ull << 40) - 1)

void ktrc_throttle_adopt(struct ktrc_held_cpu *c, const struct cgroup_subsys_state *css, u64 now);

int ktrc_throttle_check(void);
int ktrc_throttle_attach(u32 clock);
void ktrc_throttle_detach(void);

#endif /* KTRC_THROTTLE_H */
