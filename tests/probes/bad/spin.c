// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad waits for another CPU */
#include <linux/processor.h>

static void ktrc_on_bad(int *flag)
{
	int i;

	for (i = 0; i < 8 && READ_ONCE(*flag); i++)
		cpu_relax();
}

void *ktrc_bad_spin = ktrc_on_bad;
