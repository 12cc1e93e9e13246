/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes that no file can be made to collide in: they depend on numbers of this process. */
#ifndef KTRC_HASH_H
#define KTRC_HASH_H

#include "types.h"

/** ktrc_hash() - of two numbers, the first of which may be a hash; every bit depends on all */
u64 ktrc_hash(u64 a, u64 b);

#endif
