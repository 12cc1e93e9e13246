// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing numbers with and without a unit. */
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *suffix;
	u64 factor;
};

static const struct unit durations[] = {
	{ "h", 3600 * NSEC_PER_SEC },
	{ "m", 60 * NSEC_PER_SEC },
	{ "min", 60 * NSEC_PER_SEC },
	{ "s", NSEC_PER_SEC },
	{ "", NSEC_PER_SEC },
	{ "ms", 1000000 },
	{ "us", 1000 },
	{ "ns", 1 },
};

static const struct unit sizes[] = {
	{ "", 1 },	    { "K", 1 << 10 },	{ "M", 1 << 20 },   { "G", 1 << 30 },
	{ "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 },
};

/* The digits that @text begins with; NULL if there are none, or too many. */
static const char *parse_digits(const char *text, u64 *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return isdigit((unsigned char)*text) && !errno ? end : NULL;
}

static bool parse_with_unit(const char *text, const struct unit *units, size_t nr, u64 *number)
{
	const char *suffix = parse_digits(text, number);

	for (size_t i = 0; suffix && i < nr; i++)
		if (strcasecmp(suffix, units[i].suffix) == 0)
			return !__builtin_mul_overflow(*number, units[i].factor, number) && *number;
	return false;
}

bool ktrc_parse_number(const char *text, u64 max, u64 *number)
{
	const char *end = parse_digits(text, number);

	return end && !*end && *number <= max;
}

bool ktrc_parse_duration(const char *text, u64 *ns)
{
	return parse_with_unit(text, durations, ARRAY_SIZE(durations), ns);
}

bool ktrc_parse_bytes(const char *text, u64 *bytes)
{
	return parse_with_unit(text, sizes, ARRAY_SIZE(sizes), bytes);
}

const char *ktrc_duration_text(u64 ns, char room[KTRC_DURATION_ROOM])
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(durations) && (!*durations[i].suffix || ns % durations[i].factor))
		i++;
	snprintf(room, KTRC_DURATION_ROOM, "%llu%s", ns / durations[i].factor, durations[i].suffix);
	return room;
}
