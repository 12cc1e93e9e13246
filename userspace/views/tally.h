/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the counters say by themselves: they go on where no record is written,
 * because a session only counts or because its filters reject.
 */
#ifndef KTRC_TALLY_H
#define KTRC_TALLY_H

#include "../lib/capture.h"

/**
 * struct ktrc_tally - one event's counters
 * @event: a DATA event of the session
 * @total: of all CPUs
 * @wanted: hits that concern the session, also those too short or left out of a sample
 * @knows_wanted: @wanted is known; else it is all hits
 * @has_duration: the sum, the longest and the histogram mean something
 * @is_counted: hits that concern the session come without a record, as it was asked to
 */
struct ktrc_tally {
	const struct ktrc_event *event;
	struct ktrc_counters total;
	u64 wanted;
	bool knows_wanted;
	bool has_duration;
	bool is_counted;
};

/** struct ktrc_tallies - of all DATA events of a session, by id */
struct ktrc_tallies {
	const struct ktrc_capture *capture;
	struct ktrc_tally *rows;
	size_t nr;
};

/** ktrc_tallies_create() - from a capture's counters; NULL without memory */
struct ktrc_tallies *ktrc_tallies_create(const struct ktrc_capture *capture);
void ktrc_tallies_destroy(struct ktrc_tallies *tallies);
void ktrc_cleanup_tallies(struct ktrc_tallies **tallies);
#define __ktrc_tallies KTRC_CLEANUP(ktrc_cleanup_tallies)

/** ktrc_tallies_find() - that of an event; NULL if there is none, or @event is NULL */
const struct ktrc_tally *ktrc_tallies_find(const struct ktrc_tallies *tallies,
					   const struct ktrc_event *event);

/** ktrc_tallies_counted() - the first that is counted, or NULL */
const struct ktrc_tally *ktrc_tallies_counted(const struct ktrc_tallies *tallies);

/** ktrc_tally_percentile_ticks() - what @percent of the durations do not exceed, to a factor of two */
u64 ktrc_tally_percentile_ticks(const struct ktrc_tally *tally, u32 percent);

/** ktrc_counters_timed() - hits whose duration was counted */
u64 ktrc_counters_timed(const struct ktrc_counters *counters);

#endif
