// SPDX-License-Identifier: GPL-2.0
/* refused: variable length array */
static int ktrc_on_bad(int n)
{
	volatile char buffer[n];

	buffer[n - 1] = 1;
	return buffer[0];
}

void *ktrc_bad_frame_vla = ktrc_on_bad;
