/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupts of every kind on one CPU, as many as it bears. */
#ifndef KTRC_TESTS_KUNIT_CONTEXTS_H
#define KTRC_TESTS_KUNIT_CONTEXTS_H

#include "rig.h"

int contexts_start(struct rig *rig);
void contexts_stop(void);

#endif /* KTRC_TESTS_KUNIT_CONTEXTS_H */
