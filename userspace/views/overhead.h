/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What recording costs the machine, estimated: hits from the books, times the
 * instructions that one takes in the benchmark's guest.
 */
#ifndef KTRC_OVERHEAD_H
#define KTRC_OVERHEAD_H

#include "../lib/capture.h"

/* Kernel code that is entered now and then does about one a nanosecond, as that guest does. */
#define KTRC_INSTRUCTIONS_PER_NS 1.0

/**
 * struct ktrc_overhead - the estimate
 * @instructions: for all hits of the session, on all CPUs
 * @cpu_percent: their time as a share of one CPU, since the session was started
 */
struct ktrc_overhead {
	double instructions;
	double cpu_percent;
};

/** ktrc_overhead_of() - of a session, from its books */
struct ktrc_overhead ktrc_overhead_of(const struct ktrc_capture *capture);

#endif
