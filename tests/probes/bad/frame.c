// SPDX-License-Identifier: GPL-2.0
/* refused: larger than 384 bytes */
#include "env.h"

static int ktrc_on_bad(int n)
{
	volatile char buffer[400];

	buffer[n] = 1;
	return buffer[0];
}

void *ktrc_bad_frame = ktrc_on_bad;
