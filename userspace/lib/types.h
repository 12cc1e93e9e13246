/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Short names for fixed-width integers, as in the kernel; printed with %llu and %u. */
#ifndef KTRC_TYPES_H
#define KTRC_TYPES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

typedef __u64 u64;
typedef __s64 s64;
typedef __u32 u32;
typedef __u8 u8;
typedef __u16 u16;

#define NSEC_PER_SEC 1000000000ull
#define NSEC_PER_MSEC 1000000ull
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
