// SPDX-License-Identifier: GPL-2.0
/* refused: :ktrc_on_bad has code that nobody knows the way to */
/* refused: :ktrc_on_bad_returns has code that nobody knows the way to */
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

static DEFINE_PER_CPU(int, hits);
static DEFINE_STATIC_KEY_FALSE(is_on);

static int ktrc_on_bad(int by)
{
	if (static_branch_unlikely(&is_on))
		this_cpu_add(hits, by);
	return 0;
}

static int ktrc_on_bad_returns(int by)
{
	preempt_disable_notrace();
	if (static_branch_unlikely(&is_on))
		return 1;
	this_cpu_add(hits, by);
	preempt_enable_notrace();
	return 0;
}

void *ktrc_bad_static_key[] = { ktrc_on_bad, ktrc_on_bad_returns };
