/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fault under way: between probe_fault.c, which sees where it begins and ends, and
 * probe_fault_class.c, which sees who serves it.
 */
#ifndef KTRC_FAULT_H
#define KTRC_FAULT_H

#include "../uapi/ktrc_events.h"

/**
 * struct ktrc_fault - kept from entry to exit of handle_mm_fault
 * @start: ticks
 * @word: the record's first word without its result; 0: at entry nobody wanted a record
 */
struct ktrc_fault {
	u64 start;
	u64 word;
};

/* a record and its first word */
union ktrc_fault_payload {
	struct ktrc_ev_fault rec;
	u64 word;
};

struct ktrc_fault *ktrc_fault_under_way(void);

int ktrc_fault_class_check(void);
int ktrc_fault_class_attach(void);
void ktrc_fault_class_detach(void);

#endif /* KTRC_FAULT_H */
