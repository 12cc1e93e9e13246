// SPDX-License-Identifier: GPL-2.0
/* refused: shadows a previous local [-Werror=shadow] */
/* refused: shadows a global declaration [-Werror=shadow] */
/* a name that is another's here: the bound is never reached, or is none */
#include "count.h"

static int ktrc_on_bad(const volatile int *at)
{
	const int KTRC_NR_LOSSES = at[9];
	int i, k, sum = 0;

	for (i = 0; i < 2; i++)
		sum += at[i];
	{
		u8 i;

		for (i = 0; i < 256 && at[i]; i++)
			sum += at[i];
	}
	for (k = 0; k < KTRC_NR_LOSSES; k++)
		sum += at[k];
	return sum;
}

void *ktrc_bad_loop_hidden = ktrc_on_bad;
