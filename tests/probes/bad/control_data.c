// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad uses ktrc_family, which is not the probes */
#include "netlink.h"

static int ktrc_on_bad(void)
{
	return READ_ONCE(ktrc_family.id);
}

void *ktrc_bad_control_data = ktrc_on_bad;
