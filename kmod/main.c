// SPDX-License-Identifier: GPL-2.0
/*
 * Load and unload.  A loaded module is inert until a session starts, and a
 * session holds it: what is undone here never has a session.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "compat/module_text.h"
#include "device.h"
#include "files.h"
#include "held.h"
#include "netlink.h"
#include "selftest.h"
#include "session.h"
#include "walk.h"

static int __init ktrc_init(void)
{
	u32 took_us;
	int err;

	ktrc_own_text.start = (unsigned long)ktrc_module_text(THIS_MODULE, &ktrc_own_text.bytes);
	err = ktrc_selftest(&took_us);
	if (err)
		return err;
	err = ktrc_memory_init();
	if (err)
		return err;
	err = ktrc_netlink_init();
	if (err)
		goto err_memory_exit;
	err = ktrc_device_init(); /* last: an open file would outlive a failed load */
	if (err)
		goto err_netlink_exit;
	ktrc_sessions_allow();
	pr_info("abi %u schema %u, self-test %u us\n", KTRC_ABI, KTRC_SCHEMA, took_us);
	return 0;

err_netlink_exit:
	ktrc_netlink_exit();
err_memory_exit:
	ktrc_memory_exit();
	return err;
}

static void __exit ktrc_exit(void)
{
	ktrc_device_exit();
	ktrc_netlink_exit();
	ktrc_memory_exit();
	ktrc_helds_exit();
	ktrc_files_exit();
}

module_init(ktrc_init);
module_exit(ktrc_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Tracer of page faults and other ways to burn kernel time");
MODULE_VERSION("0.1.0");
MODULE_INFO(abi, __stringify(KTRC_ABI));
