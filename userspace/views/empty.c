// SPDX-License-Identifier: GPL-2.0-or-later
/* Reasons, the earliest in a record's way first. */
#include "empty.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static double seconds(const struct ktrc_capture *capture)
{
	return (double)ktrc_capture_window_ticks(capture, capture->start_ticks) /
	       (double)capture->clock.hz;
}

static void nothing(struct ktrc_error *err, const struct ktrc_capture *capture, const char *why)
{
	ktrc_fail_as(err, ENODATA, KTRC_EXIT_NOTHING, "session %s: nothing to show: %s",
		     capture->session.name, why);
}

/* The first event of the session whose hook is gone; NULL if there is none. */
static const struct ktrc_event *unavailable(const struct ktrc_capture *capture)
{
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		const struct ktrc_event *event = ktrc_schema_event(capture->schema, id);

		if (event && capture->session.events >> id & 1 && event->avail == KTRC_AVAIL_NO)
			return event;
	}
	return NULL;
}

static void no_hits(const struct ktrc_capture *capture, struct ktrc_error *err)
{
	bool is_running = capture->session.state == KTRC_STATE_RUNNING;
	const struct ktrc_event *event = is_running ? unavailable(capture) : NULL;
	char why[300];

	if (event)
		snprintf(why, sizeof(why), "%s is unavailable: %s", event->label,
			 event->reason ? event->reason : "its hook is gone");
	else
		snprintf(why, sizeof(why), "%s %.1f s, but no event happened",
			 is_running ? "recording for" : "it recorded for", seconds(capture));
	nothing(err, capture, why);
	if (event)
		ktrc_hint(err, "ktrc-ctl doctor    shows every hook");
	else
		ktrc_hint(err, "ktrc-ctl status shows the events and hooks in use");
}

static struct ktrc_counters total(const struct ktrc_capture *capture, u64 events)
{
	struct ktrc_counters all = { 0 };

	for (size_t i = 0; i < capture->after.nr; i++)
		if (events >> capture->after.rows[i].event & 1)
			ktrc_counters_add(&all, &capture->after.rows[i]);
	return all;
}

static bool is_damaged(const struct ktrc_capture *capture)
{
	const struct ktrc_damage *damage = ktrc_reader_damage(capture->reader);

	return damage->bad_packets || damage->cut_bytes;
}

/* Where stalls are recorded none is an answer; page faults there always are. */
bool ktrc_needs_no_record(const struct ktrc_capture *capture)
{
	bool is_running = capture->session.state == KTRC_STATE_RUNNING;
	struct ktrc_counters all = total(capture, ~0ull);

	if (!capture->start_ticks || is_damaged(capture) || (is_running && unavailable(capture)))
		return false;
	if (!all.hits)
		return ktrc_capture_event(capture, "reclaim") ||
		       ktrc_capture_event(capture, "compaction") ||
		       ktrc_capture_event(capture, "throttle");
	return all.filtered == all.hits;
}

static const char *why_unavailable(const struct ktrc_event *event, char room[KTRC_WHY_ROOM])
{
	snprintf(room, KTRC_WHY_ROOM, "unavailable: %s", event->reason ? event->reason : "no hook");
	return room;
}

void ktrc_explain_unrecorded(const struct ktrc_capture *capture, const char *label,
			     struct ktrc_error *err)
{
	const struct ktrc_event *event = ktrc_schema_find(capture->schema, label);
	char room[KTRC_WHY_ROOM];

	if (event && event->avail == KTRC_AVAIL_NO) {
		ktrc_fail_as(err, ENODATA, KTRC_EXIT_NOTHING,
			     "session %s: nothing to show: it does not record %s: %s",
			     capture->session.name, label, why_unavailable(event, room));
		return;
	}
	ktrc_fail_as(err, ENODATA, KTRC_EXIT_NOTHING,
		     "session %s: nothing to show: it does not record %s", capture->session.name,
		     label);
	if (!capture->trace)
		ktrc_hint(err, "ktrc-ctl start --events=%s", label);
}

const char *ktrc_why_not_recorded(const struct ktrc_capture *capture, const char *label,
				  char room[KTRC_WHY_ROOM])
{
	const struct ktrc_event *event = ktrc_schema_find(capture->schema, label);
	bool is_asked_for = event && capture->session.events >> event->id & 1;

	if (!event)
		return "the module that recorded does not have it";
	if (is_asked_for && !(capture->session.rules[event->id].flags & KTRC_RULE_COUNT))
		return NULL;
	if (is_asked_for)
		return "it was only counted";
	if (event->avail == KTRC_AVAIL_NO)
		return why_unavailable(event, room);
	/* parts come with the whole */
	snprintf(room, KTRC_WHY_ROOM, "--events=%.*s records it", (int)strcspn(label, "."), label);
	return room;
}

void ktrc_explain_unknown(const struct ktrc_capture *capture, const char *why,
			  struct ktrc_error *err)
{
	nothing(err, capture, why);
}

/* The first event of which hits were counted; NULL if any is one to be recorded. */
static const struct ktrc_event *only_counted(const struct ktrc_capture *capture, u64 events)
{
	const struct ktrc_event *first = NULL;

	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		if (!((capture->session.events & events) >> id & 1))
			continue;
		if (!(capture->session.rules[id].flags & KTRC_RULE_COUNT))
			return NULL;
		first = first ?: ktrc_schema_event(capture->schema, id);
	}
	return first;
}

/* No hit became a record, and not all were lost. */
static void only_filtered(const struct ktrc_capture *capture, u64 events,
			  const struct ktrc_counters *all, struct ktrc_error *err)
{
	const struct ktrc_event *counted = only_counted(capture, events);
	char why[160];

	if (counted) {
		snprintf(why, sizeof(why), "%llu hits were only counted", all->filtered);
		nothing(err, capture, why);
		ktrc_hint(err, "ktrc-ctl start --events=%s records them", counted->label);
		return;
	}
	snprintf(why, sizeof(why), "a filter rejected %llu of %llu hits", all->filtered, all->hits);
	nothing(err, capture, why);
	ktrc_hint(err, "ktrc-read summary    shows what the counters say");
}

void ktrc_explain_empty(const struct ktrc_capture *capture, u64 events, struct ktrc_error *err)
{
	struct ktrc_counters all = total(capture, events);
	u64 lost = ktrc_counters_lost(&all);
	char why[160];

	if (capture->session.state == KTRC_STATE_NEW || !capture->start_ticks) {
		nothing(err, capture, "it was never started");
		ktrc_hint(err, "ktrc-ctl start --session=%s", capture->session.name);
	} else if (is_damaged(capture)) {
		nothing(err, capture,
			ktrc_reader_damage(capture->reader)->error ? "its packets cannot be read" :
								     "its packets are damaged");
	} else if (all.hits == 0) {
		no_hits(capture, err);
	} else if (lost == all.hits) {
		snprintf(why, sizeof(why), "all %llu hits were lost", lost);
		nothing(err, capture, why);
		ktrc_hint(err, "ktrc-ctl stats says why they were lost; try --memory=128M");
	} else if (all.filtered + lost == all.hits) {
		only_filtered(capture, events, &all, err);
	} else if (capture->session.mode == KTRC_MODE_STREAM) {
		nothing(err, capture, "a consumer has already taken every record");
		ktrc_hint(err, "ktrc-read --follow shows records as they come");
	} else {
		nothing(err, capture, "no record could be read");
	}
}
