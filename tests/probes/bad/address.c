// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad takes the address of irq_work_queue */
#include <linux/irq_work.h>

static void *ktrc_on_bad(void)
{
	return irq_work_queue;
}

void *ktrc_bad_address = ktrc_on_bad;
