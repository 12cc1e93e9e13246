/* SPDX-License-Identifier: GPL-2.0 */
/* Where a module's code lies. */
#ifndef KTRC_COMPAT_MODULE_TEXT_H
#define KTRC_COMPAT_MODULE_TEXT_H

#include <linux/module.h>

#include "have.h"

static inline const void *ktrc_module_text(const struct module *module, unsigned long *bytes)
{
#ifdef KTRC_HAVE_MODULE_MEM
	*bytes = module->mem[MOD_TEXT].size;
	return module->mem[MOD_TEXT].base;
#else
	*bytes = module->core_layout.text_size;
	return module->core_layout.base;
#endif
}

#endif /* KTRC_COMPAT_MODULE_TEXT_H */
