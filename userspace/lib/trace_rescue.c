// SPDX-License-Identifier: GPL-2.0-or-later
/* Saving records that are nowhere else: what fits, where not all does. */
#include <errno.h>

#include "cleanup.h"
#include "packet.h"
#include "trace.h"

/* How far a capture is saved. */
struct progress {
	size_t *at; /* in each stream */
	u64 saved_bytes;
	u64 all_bytes;
};

/* The stream whose next packet is the oldest, and that packet; NULL when all are saved. */
static struct ktrc_stream *oldest(const struct ktrc_capture *capture,
				  const struct progress *progress, struct ktrc_packet *packet)
{
	struct ktrc_stream *found = NULL;
	struct ktrc_packet next;

	for (size_t i = 0; i < capture->nr_streams; i++) {
		struct ktrc_stream *stream = &capture->streams[i];
		size_t at = progress->at[i];

		if (at == stream->len ||
		    ktrc_packet_parse(&next, stream->bytes + at, stream->len - at) < 0 ||
		    (found && next.begin >= packet->begin))
			continue;
		found = stream;
		*packet = next;
	}
	return found;
}

/* Packets of all CPUs by time, so that what is saved is a time from which nothing is missing. */
static int save_packets(struct ktrc_trace_writer *writer, struct ktrc_capture *capture,
			struct progress *progress, struct ktrc_error *err)
{
	struct ktrc_stream *stream;
	struct ktrc_packet packet;
	size_t *at;
	int ret;

	while ((stream = oldest(capture, progress, &packet)) != NULL) {
		at = &progress->at[stream - capture->streams];
		ret = ktrc_trace_append(writer, capture, stream->cpu, stream->bytes + *at,
					packet.size, err);
		if (ret < 0) {
			capture->is_cut = true;
			capture->end_ticks = ktrc_trace_end_ticks(writer);
			capture->settled_ticks = packet.begin;
			return ret;
		}
		*at += packet.size;
		progress->saved_bytes += packet.size;
	}
	/* what no packet begins is no loss of records, but tell */
	capture->is_cut |= progress->saved_bytes < progress->all_bytes;
	return 0;
}

/* All packets are written; whether the disk has them is another matter. */
static int save_all(struct ktrc_trace_writer *writer, const struct ktrc_capture *saved,
		    struct ktrc_error *err)
{
	int ret = ktrc_trace_finish(writer, saved, err);

	if (ret < 0 && ktrc_trace_unfinished(writer))
		ktrc_hint(err, "%s holds all records, as far as the disk took them",
			  ktrc_trace_unfinished(writer));
	return ret;
}

static int save_most(struct ktrc_trace_writer *writer, const char *path,
		     const struct ktrc_capture *capture, struct progress *progress,
		     struct ktrc_error *err)
{
	struct ktrc_capture saved = *capture;
	struct ktrc_error late;
	const char *left;
	int ret;

	ret = save_packets(writer, &saved, progress, err);
	if (ret == -EINTR || (ret < 0 && !progress->saved_bytes))
		return ret;
	if (progress->saved_bytes)
		ktrc_trace_keep(writer);
	if (ret == 0)
		return save_all(writer, &saved, err);
	if (ktrc_trace_finish(writer, &saved, &late) == -EINTR) {
		*err = late;
		return -EINTR;
	}
	left = ktrc_trace_unfinished(writer);
	ktrc_hint(err, "%s holds the oldest %llu of %llu KiB of records; the others are gone",
		  left ? left : path, progress->saved_bytes >> 10, progress->all_bytes >> 10);
	return ret;
}

int ktrc_trace_rescue(const char *path, const struct ktrc_capture *capture,
		      bool (*is_aborted)(void), struct ktrc_error *err)
{
	__ktrc_trace struct ktrc_trace_writer *writer = NULL;
	__ktrc_free size_t *at = calloc(capture->nr_streams + 1, sizeof(*at));
	struct progress progress = { .at = at };
	int ret;

	if (!at)
		return ktrc_fail(err, ENOMEM, "%s", path);
	for (size_t i = 0; i < capture->nr_streams; i++)
		progress.all_bytes += capture->streams[i].len;
	ret = ktrc_trace_create(path, &writer, err);
	if (ret == 0)
		ktrc_trace_ask(writer, is_aborted);
	if (ret == 0)
		ret = ktrc_trace_reserve(writer, capture, err);
	return ret < 0 ? ret : save_most(writer, path, capture, &progress, err);
}
