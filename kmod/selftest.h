/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Before anything relies on it: does this machine's ring and clock do what they promise.
 */
#ifndef KTRC_SELFTEST_H
#define KTRC_SELFTEST_H

#include <linux/types.h>

int ktrc_selftest(u32 *longest_us);
const char *ktrc_selftest_clock(u32 clock);

#endif /* KTRC_SELFTEST_H */
