// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad refers to mutex_lock, which kmod/probe_symbols does not list */
#include <linux/mutex.h>

static DEFINE_MUTEX(lock);

static void ktrc_on_bad(void)
{
	mutex_lock(&lock);
}

void *ktrc_bad_mutex = ktrc_on_bad;
