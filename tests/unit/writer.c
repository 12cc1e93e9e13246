// SPDX-License-Identifier: GPL-2.0
#include "writer.h"

void writer_fault(struct ktrc_cpu *c, u32 clock, const struct ktrc_ev_fault *rec)
{
	if (clock == KTRC_CLOCK_TSC)
		ktrc_emit_record(c, KTRC_CLOCK_TSC, fault, rec);
	else
		ktrc_emit_record(c, KTRC_CLOCK_MONO, fault, rec);
}

void writer_fault_light(struct ktrc_cpu *c, u32 clock, const struct ktrc_ev_fault_light *rec)
{
	if (clock == KTRC_CLOCK_TSC)
		ktrc_emit_record(c, KTRC_CLOCK_TSC, fault_light, rec);
	else
		ktrc_emit_record(c, KTRC_CLOCK_MONO, fault_light, rec);
}

void writer_duration(struct ktrc_count *n, u64 ticks)
{
	ktrc_count_duration(n, ticks);
}
