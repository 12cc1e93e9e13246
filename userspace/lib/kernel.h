/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What depends on the release of the kernel that was recorded, not on the one that reads. */
#ifndef KTRC_KERNEL_H
#define KTRC_KERNEL_H

#include "types.h"

/** ktrc_kernel_is_before() - "6.1.0-56-amd64" is before 6.4; a release that is none is not */
bool ktrc_kernel_is_before(const char *release, unsigned int major, unsigned int minor);

/* Room for all flags by name. */
#define KTRC_GFP_ROOM 512

/**
 * ktrc_gfp_text() - allocation flags as the kernel's own tracepoints write them
 * @release: the kernel that numbered them
 * @gfp: the flags
 * @room: receives "GFP_KERNEL|__GFP_ZERO"; what is not known of that kernel is hexadecimal
 */
const char *ktrc_gfp_text(const char *release, u32 gfp, char room[KTRC_GFP_ROOM]);

/** ktrc_gfp_bits() - an allocation flag by its name; 0: not known of that kernel */
u32 ktrc_gfp_bits(const char *release, const char *name);

#endif
