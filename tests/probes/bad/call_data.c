// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad calls current_task, which is listed as data */
void current_task(void);

static void ktrc_on_bad(void)
{
	current_task();
}

void *ktrc_bad_call_data = ktrc_on_bad;
