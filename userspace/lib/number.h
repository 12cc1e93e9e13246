/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers, durations and sizes as users type them. */
#ifndef KTRC_NUMBER_H
#define KTRC_NUMBER_H

#include "types.h"

/** ktrc_parse_number() - a decimal number; false if it is none, or is larger than @max */
bool ktrc_parse_number(const char *text, u64 max, u64 *number);

/** ktrc_parse_duration() - "10s", "500ms" in nanoseconds; without a unit seconds; false if it is none */
bool ktrc_parse_duration(const char *text, u64 *ns);

/** ktrc_parse_bytes() - "64M", "1GiB" in bytes; false if it is none */
bool ktrc_parse_bytes(const char *text, u64 *bytes);

/* Room for a duration as text. */
#define KTRC_DURATION_ROOM 32

/** ktrc_duration_text() - exactly, as it can be typed: "1500us" */
const char *ktrc_duration_text(u64 ns, char room[KTRC_DURATION_ROOM]);

#endif
