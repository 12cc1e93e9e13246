// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad calls or jumps through a pointer */
int (*ktrc_bad_callback)(int) = (void *)16;

static int ktrc_on_bad(int n)
{
	return ktrc_bad_callback(n) + 1;
}

void *ktrc_bad_pointer = ktrc_on_bad;
