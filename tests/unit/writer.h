/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What probes call that is inline, built like the tested code.
 */
#ifndef KTRC_TESTS_UNIT_WRITER_H
#define KTRC_TESTS_UNIT_WRITER_H

#include "../../kmod/outlet.h"

void writer_fault(struct ktrc_cpu *c, u32 clock, const struct ktrc_ev_fault *rec);
void writer_fault_light(struct ktrc_cpu *c, u32 clock, const struct ktrc_ev_fault_light *rec);
void writer_duration(struct ktrc_count *n, u64 ticks);

#endif /* KTRC_TESTS_UNIT_WRITER_H */
