// SPDX-License-Identifier: GPL-2.0-or-later
/* What a capture holds and tells, wherever it comes from. */
#include "capture.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "json.h"
#include "kept.h"
#include "packet.h"
#include "session_rules.h"

struct ktrc_capture *ktrc_capture_create(void)
{
	return calloc(1, sizeof(struct ktrc_capture));
}

void ktrc_capture_drop_streams(struct ktrc_capture *capture)
{
	for (size_t i = 0; i < capture->nr_streams; i++) {
		if (capture->streams[i].is_file)
			close(capture->streams[i].fd);
		free(capture->streams[i].bytes);
	}
	free(capture->streams);
	capture->streams = NULL;
	capture->nr_streams = 0;
}

void ktrc_capture_destroy(struct ktrc_capture *capture)
{
	if (!capture)
		return;
	ktrc_reader_destroy(capture->reader);
	ktrc_capture_drop_streams(capture);
	free(capture->before.rows);
	free(capture->after.rows);
	ktrc_names_release(&capture->names);
	ktrc_quotas_release(&capture->quotas);
	ktrc_symbols_release(&capture->symbols);
	ktrc_code_release(&capture->code);
	ktrc_mapped_release(&capture->mapped);
	ktrc_schema_destroy(capture->schema);
	free(capture);
}

void ktrc_cleanup_capture(struct ktrc_capture **capture)
{
	ktrc_capture_destroy(*capture);
}

bool ktrc_capture_has_stacks(const struct ktrc_capture *capture)
{
	for (size_t i = 0; i < KTRC_MAX_EVENTS; i++)
		if (ktrc_rule_has_stacks(&capture->session.rules[i]))
			return true;
	return false;
}

bool ktrc_capture_has_copies(const struct ktrc_capture *capture)
{
	for (size_t i = 0; i < KTRC_MAX_EVENTS; i++)
		if (capture->session.rules[i].user_bytes)
			return true;
	return false;
}

bool ktrc_capture_is_copied(const struct ktrc_capture *capture, const struct ktrc_record *record)
{
	return record->stacks.copy ||
	       (capture->session.rules[record->event->id].user_bytes && record->stacks.user);
}

const struct ktrc_stack *ktrc_capture_unwound(const struct ktrc_capture *capture,
					      const struct ktrc_record *record)
{
	return ktrc_code_unwound(&capture->code, record);
}

void ktrc_capture_look_through(const struct ktrc_capture *capture, struct ktrc_seen *seen)
{
	for (size_t i = 0; i < capture->nr_streams; i++)
		ktrc_seen_add(seen, capture->schema, capture->streams[i].bytes,
			      capture->streams[i].len);
}

int ktrc_capture_need_symbols(struct ktrc_capture *capture, bool with_code)
{
	KTRC_CLEANUP(ktrc_seen_release) struct ktrc_seen seen = { 0 };
	int ret = 0;

	if (capture->is_saved || !ktrc_capture_has_stacks(capture))
		return 0;
	ktrc_capture_look_through(capture, &seen);
	/* what is followed comes later */
	if (seen.kernel.nr || !capture->nr_streams)
		ret = ktrc_symbols_load(&capture->symbols);
	return ret < 0 || !with_code ? ret : ktrc_code_load(&capture->code, &seen, &capture->names);
}

static int feed(struct ktrc_reader *reader, const struct ktrc_stream *stream)
{
	if (stream->is_file)
		return ktrc_reader_feed_file(reader, stream->cpu, stream->fd, stream->len);
	return ktrc_reader_feed(reader, stream->cpu, stream->bytes, stream->len);
}

void ktrc_capture_keep_error(struct ktrc_capture *capture, int error, u32 cpu)
{
	if (!error || capture->read_error)
		return;
	capture->read_error = error;
	capture->read_error_cpu = cpu;
}

int ktrc_capture_start_reader(struct ktrc_capture *capture, struct ktrc_error *err)
{
	const struct ktrc_damage *before = capture->reader ? ktrc_reader_damage(capture->reader) :
							     NULL;

	if (before)
		ktrc_capture_keep_error(capture, before->error, before->error_cpu);
	ktrc_reader_destroy(capture->reader);
	capture->reader = ktrc_reader_create(capture->schema);
	if (!capture->reader)
		return ktrc_fail_as(err, EPROTO, KTRC_EXIT_FAILED,
				    "schema: it does not describe tasks and counts");
	for (size_t i = 0; i < capture->nr_streams; i++)
		if (feed(capture->reader, &capture->streams[i]) < 0)
			return ktrc_fail(err, ENOMEM, "reader");
	return 0;
}

u64 ktrc_capture_window_start(const struct ktrc_capture *capture)
{
	u64 reach = ktrc_reader_reach(capture->reader);

	return reach > capture->start_ticks ? reach : capture->start_ticks;
}

u64 ktrc_capture_window_ticks(const struct ktrc_capture *capture, u64 start_ticks)
{
	u64 end = capture->end_ticks;

	return end > start_ticks ? end - start_ticks : 0;
}

double ktrc_capture_percent(const struct ktrc_capture *capture, u64 start_ticks, u64 ticks)
{
	u64 window = ktrc_capture_window_ticks(capture, start_ticks);

	return window ? 100.0 * (double)ticks / (double)window : 0;
}

u64 ktrc_capture_lost(const struct ktrc_capture *capture)
{
	struct ktrc_counters all = ktrc_counter_set_total(&capture->after, KTRC_CPU_NONE);

	u64 lost = ktrc_counters_lost(&all);

	for (size_t i = 0; i < KTRC_MAX_EVENTS; i++)
		lost += capture->lost_since[i];
	return lost;
}

struct ktrc_damage ktrc_capture_damage(const struct ktrc_capture *capture)
{
	struct ktrc_damage damage = *ktrc_reader_damage(capture->reader);

	if (capture->read_error) {
		damage.error = capture->read_error;
		damage.error_cpu = capture->read_error_cpu;
	}
	for (size_t i = 0; i < capture->nr_streams; i++)
		if (capture->streams[i].saved_len > capture->streams[i].len)
			damage.cut_bytes += capture->streams[i].saved_len - capture->streams[i].len;
	return damage;
}

int ktrc_capture_read_error(const struct ktrc_capture *capture, struct ktrc_error *err)
{
	struct ktrc_damage damage = ktrc_capture_damage(capture);

	if (!damage.error)
		return 0;
	return ktrc_fail(err, -damage.error, "%s/cpu_%u: cannot read", capture->trace,
			 damage.error_cpu);
}

bool ktrc_capture_is_whole(const struct ktrc_capture *capture)
{
	struct ktrc_damage damage = ktrc_capture_damage(capture);

	return !capture->is_cut && !damage.bad_packets && !damage.cut_bytes;
}

const struct ktrc_event *ktrc_capture_event(const struct ktrc_capture *capture, const char *label)
{
	const struct ktrc_event *event = ktrc_schema_find(capture->schema, label);

	return event && capture->session.events >> event->id & 1 ? event : NULL;
}

u32 ktrc_capture_weight(const struct ktrc_capture *capture, const struct ktrc_event *event)
{
	return event ? ktrc_session_weight(&capture->session, event->id) : 1;
}

bool ktrc_capture_has_all(const struct ktrc_capture *capture, const struct ktrc_event *event)
{
	const struct ktrc_rule *rule = event ? &capture->session.rules[event->id] : NULL;

	return rule && !rule->min_ns && rule->sample <= 1 && !rule->flags;
}

const char *const ktrc_mapping_labels[] = { "map", "process", "process.exec", "process.exit",
					    NULL };

u64 ktrc_capture_lost_of(const struct ktrc_capture *capture, const struct ktrc_event *event)
{
	struct ktrc_counters total = ktrc_counter_set_total(&capture->after, event->id);

	return ktrc_counters_lost(&total) + capture->lost_since[event->id];
}

u64 ktrc_capture_lost_mappings(const struct ktrc_capture *capture)
{
	u64 lost = 0;

	for (const char *const *label = ktrc_mapping_labels; *label; label++) {
		const struct ktrc_event *event = ktrc_capture_event(capture, *label);

		lost += event ? ktrc_capture_lost_of(capture, event) : 0;
	}
	return lost;
}

bool ktrc_capture_has_mappings(const struct ktrc_capture *capture)
{
	for (const char *const *label = ktrc_mapping_labels; *label; label++)
		if (!ktrc_capture_has_all(capture, ktrc_capture_event(capture, *label)))
			return false;
	return ktrc_capture_lost_mappings(capture) == 0;
}
