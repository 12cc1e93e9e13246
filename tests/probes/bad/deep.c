// SPDX-License-Identifier: GPL-2.0
/* refused: bytes of stack: not 1 to 1024 */
/* each frame is small enough */
#include "env.h"

static noinline int third(int n)
{
	volatile char buffer[340];

	buffer[n] = 1;
	return buffer[0];
}

static noinline int second(int n)
{
	volatile char buffer[340];

	buffer[n] = third(n);
	return buffer[0];
}

static int ktrc_on_bad(int n)
{
	volatile char buffer[340];

	buffer[n] = second(n);
	return buffer[0];
}

void *ktrc_bad_deep = ktrc_on_bad;
