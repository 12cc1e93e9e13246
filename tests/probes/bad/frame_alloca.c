// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad has a frame of variable size */
static int ktrc_on_bad(int n)
{
	volatile char *buffer = __builtin_alloca(n);

	buffer[n - 1] = 1;
	return buffer[0];
}

void *ktrc_bad_frame_alloca = ktrc_on_bad;
