/* SPDX-License-Identifier: GPL-2.0 */
/* What tests/unit takes from user space, here from the kernel. */
#include "../../kmod/env.h"
