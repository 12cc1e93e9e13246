// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad calls or jumps through a pointer */
/* as on a kernel without retpolines */
extern int (*ktrc_bad_callback)(int);

static __attribute__((indirect_branch("keep"))) int ktrc_on_bad(int n)
{
	return ktrc_bad_callback(n) + 1;
}

void *ktrc_bad_pointer_plain = ktrc_on_bad;
