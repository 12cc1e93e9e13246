// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel gives each process 16 random bytes. */
#include "hash.h"

#include <string.h>
#include <sys/auxv.h>

static u64 keys[2];

__attribute__((constructor)) static void draw_keys(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (random)
		memcpy(keys, random, sizeof(keys));
}

/* The finaliser of MurmurHash3: each bit of the result depends on each of @x. */
static u64 scramble(u64 x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

u64 ktrc_hash(u64 a, u64 b)
{
	return scramble(scramble(a ^ keys[0]) ^ b ^ keys[1]);
}
