// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad is called by the kernel and gets to ktrc_names_get */
/* by way of another function, and not to the kernel's at once: it takes a mutex */
#include "names.h"

static noinline int names(void)
{
	ktrc_names_get();
	return 0;
}

static int ktrc_on_bad(void)
{
	return names() + 1;
}

void *ktrc_bad_control = ktrc_on_bad;
