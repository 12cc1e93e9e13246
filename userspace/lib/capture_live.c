// SPDX-License-Identifier: GPL-2.0-or-later
/* Capturing a live session: its rings, and beside them what only the running system tells. */
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

#define MAPPED_KIND "mapped"
#define MAX_LOOK_NS (5 * NSEC_PER_SEC)
/* Who stops a session, or begins to follow one, shall not wait for a look at more than that. */
#define MAX_HELD_BYTES (64ull << 20)

static void describe_host(struct ktrc_capture *capture)
{
	struct utsname name;
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (uname(&name) == 0) {
		snprintf(capture->host, sizeof(capture->host), "%s", name.nodename);
		snprintf(capture->kernel, sizeof(capture->kernel), "%s", name.release);
	}
	capture->nr_online = online > 0 ? (u32)online : 1;
}

static void take_info(struct ktrc_capture *capture, const struct ktrc_ioc_info *info)
{
	capture->clock = (struct ktrc_timebase){
		.kind = info->clock,
		.hz = info->clock_hz,
		.ticks = info->now_ticks,
		.mono_ns = info->now_mono_ns,
		.real_ns = info->now_real_ns,
	};
	capture->start_ticks = info->start_ticks;
	capture->end_ticks = info->stop_ticks ? info->stop_ticks : info->now_ticks;
	capture->settled_ticks = capture->end_ticks;
	capture->schema_version = info->schema;
	capture->nr_cpus = info->nr_cpus;
	capture->nr_packets = info->nr_packets;
	memcpy(capture->uuid, info->uuid, sizeof(capture->uuid));
}

/* Netlink knows sessions by name, and that may be another's by now. */
static int check_exists(struct ktrc_device *dev, struct ktrc_error *err)
{
	int ret = ktrc_device_info(dev, err);

	if (ret == 0 && dev->info.stop_reason == KTRC_STOP_DELETED)
		ret = ktrc_fail_as(err, ENOENT, KTRC_EXIT_NOTHING, "session %s: it was deleted",
				   dev->info.name);
	return ret;
}

static int refresh_from_kernel(struct ktrc_capture *capture, struct ktrc_nl *nl,
			       struct ktrc_device *dev, struct ktrc_error *err)
{
	struct ktrc_counter_set counters;
	struct ktrc_session session;
	int ret;

	ret = ktrc_nl_session_get(nl, dev->info.name, &session, err);
	if (ret == 0)
		ret = ktrc_nl_counters(nl, dev->info.name, &counters, err);
	if (ret < 0)
		return ret;
	ret = ktrc_nl_names(nl, &capture->names, err);
	/* an older module keeps none */
	if (ret == 0 || ret == -EOPNOTSUPP)
		ret = check_exists(dev, err);
	if (ret < 0) {
		free(counters.rows);
		return ret;
	}
	capture->session = session;
	free(capture->after.rows);
	capture->after = counters;
	return 0;
}

/* Of a session that has stopped only what nobody has read before. */
static int read_quotas(struct ktrc_capture *capture, struct ktrc_error *err)
{
	bool is_running = capture->session.state == KTRC_STATE_RUNNING;
	int ret = 0;

	if (!ktrc_capture_event(capture, "throttle"))
		return 0;
	if (!capture->quotas.nr)
		ret = ktrc_quotas_load(&capture->quotas, capture->session.name, capture->uuid);
	if (ret != -ENOMEM)
		ret = ktrc_quotas_scan(&capture->quotas, is_running);
	return ret < 0 ? ktrc_fail(err, ENOMEM, "CPU quotas") : 0;
}

int ktrc_capture_refresh(struct ktrc_capture *capture, struct ktrc_nl *nl, struct ktrc_device *dev,
			 struct ktrc_error *err)
{
	int ret;

	ret = check_exists(dev, err);
	if (ret < 0 && ret != -ENOENT)
		return ret;
	take_info(capture, &dev->info);
	if (ret == 0)
		ret = refresh_from_kernel(capture, nl, dev, err);
	if (ret == -ENOENT && capture->session.name[0]) {
		/* deleted meanwhile: @dev still has its records, the counters are those of the last look */
		capture->session.state = KTRC_STATE_STOPPED;
		capture->session.stop_reason = KTRC_STOP_DELETED;
		return 0;
	}
	if (ret < 0)
		return ret;
	capture->base = ktrc_base_load(dev->info.name, capture->uuid);
	if (capture->session.state == KTRC_STATE_RUNNING)
		capture->base.stop = ktrc_vmstat_read();
	return read_quotas(capture, err);
}

int ktrc_capture_describe(struct ktrc_nl *nl, struct ktrc_device *dev,
			  struct ktrc_capture **ret_capture, struct ktrc_error *err)
{
	__ktrc_capture struct ktrc_capture *capture = ktrc_capture_create();
	int ret;

	if (!capture)
		return ktrc_fail(err, ENOMEM, "capture");
	describe_host(capture);
	ret = ktrc_nl_schema(nl, &capture->schema, err);
	if (ret < 0)
		return ret;
	ret = ktrc_nl_counters(nl, dev->info.name, &capture->before, err);
	if (ret < 0)
		return ret;
	ret = ktrc_device_map(dev, err);
	if (ret < 0)
		return ret;
	ret = ktrc_capture_refresh(capture, nl, dev, err);
	if (ret < 0)
		return ret;
	ret = ktrc_capture_start_reader(capture, err);
	if (ret < 0)
		return ret;
	*ret_capture = ktrc_steal(capture);
	return 0;
}

static int copy_ring(struct ktrc_capture *capture, const struct ktrc_ring *ring,
		     struct ktrc_error *err)
{
	size_t room = (size_t)ring->status->nr_packets * ring->status->packet_bytes;
	struct ktrc_stream *stream;

	if (ktrc_ring_head(ring) == ktrc_ring_oldest(ring))
		return 0;
	stream = ktrc_array_push(capture->streams, capture->nr_streams);
	if (!stream)
		return ktrc_fail(err, ENOMEM, "CPU %u", ring->cpu);
	stream->cpu = ring->cpu;
	stream->bytes = malloc(room);
	if (!stream->bytes)
		return ktrc_fail(err, ENOMEM, "CPU %u: copy of its ring", ring->cpu);
	stream->len = ktrc_ring_snapshot(ring, capture->schema, stream->bytes);
	stream->saved_len = stream->len;
	return 0;
}

/* The counters, the rings, and then everything else as it is after that. */
static int copy_all(struct ktrc_capture *capture, struct ktrc_nl *nl, struct ktrc_device *dev,
		    struct ktrc_error *err)
{
	struct ktrc_counter_set before;

	/* of a session that was deleted they are those of the last look */
	if (ktrc_nl_counters(nl, dev->info.name, &before, err) == 0) {
		free(capture->before.rows);
		capture->before = before;
	}
	ktrc_capture_drop_streams(capture);
	for (size_t i = 0; i < dev->nr_rings; i++) {
		int ret = copy_ring(capture, &dev->rings[i], err);

		if (ret < 0)
			return ret;
	}
	return ktrc_capture_refresh(capture, nl, dev, err);
}

/* The calibration that opens packet @p, if it is one. */
static void take_calibration(struct ktrc_capture *capture, const struct ktrc_packet *p)
{
	const struct ktrc_event *event = ktrc_schema_find(capture->schema, "packet");
	const struct ktrc_field *ticks = ktrc_event_field(event, "ticks");
	const struct ktrc_field *mono = ktrc_event_field(event, "mono_ns");
	const struct ktrc_field *real = ktrc_event_field(event, "real_ns");
	struct ktrc_cursor cursor = ktrc_packet_begin(p);
	const u8 *payload = NULL;

	if (!ticks || !mono || !real ||
	    ktrc_cursor_next(&cursor, capture->schema, &payload) != (int)event->id)
		return;
	capture->clock.ticks = ktrc_get(&ticks->get, payload);
	capture->clock.mono_ns = ktrc_get(&mono->get, payload);
	capture->clock.real_ns = ktrc_get(&real->get, payload);
}

/* By the newest packet: near to what is recorded, and the same however often it is read. */
static void calibrate(struct ktrc_capture *capture)
{
	struct ktrc_packet p, newest = { .bytes = NULL };

	for (size_t i = 0; i < capture->nr_streams; i++) {
		const struct ktrc_stream *stream = &capture->streams[i];
		size_t at = 0;

		while (at < stream->len &&
		       ktrc_packet_parse(&p, stream->bytes + at, stream->len - at) == 0) {
			if (!newest.bytes || p.begin > newest.begin)
				newest = p;
			at += p.size;
		}
	}
	if (newest.bytes)
		take_calibration(capture, &newest);
}

/* CLOCK_BOOTTIME of its window's begin. */
static u64 window_boot_ns(const struct ktrc_capture *capture)
{
	u64 real_ns = ktrc_ticks_to_real_ns(&capture->clock, ktrc_capture_window_start(capture));
	u64 mono_ns = real_ns - capture->clock.real_ns + capture->clock.mono_ns;

	return mono_ns + ktrc_now_ns(CLOCK_BOOTTIME) - ktrc_now_ns(CLOCK_MONOTONIC);
}

/* Whom to look at. */
enum whose { NOBODY, WHO_RECORDED, EVERYBODY };

/*
 * What processes have mapped, by a first copy of the records: whatever they change from here on is in
 * the copy that is made afterwards.
 */
static int look_ahead(struct ktrc_capture *capture, struct ktrc_nl *nl, struct ktrc_device *dev,
		      enum whose whose, const struct ktrc_patience *patience,
		      struct ktrc_seen *seen, struct ktrc_mapped_look **look,
		      struct ktrc_error *err)
{
	int ret = copy_all(capture, nl, dev, err);

	if (ret < 0)
		return ret;
	calibrate(capture);
	ret = ktrc_capture_start_reader(capture, err);
	if (ret < 0)
		return ret;
	ktrc_capture_look_through(capture, seen);
	*look = ktrc_mapped_look(whose == EVERYBODY ? NULL : &seen->pids, capture->schema,
				 &capture->names, capture->session.cgid, window_boot_ns(capture),
				 patience);
	return *look ? 0 : ktrc_fail(err, ENOMEM, "what processes have mapped");
}

static bool has_records(const struct ktrc_capture *capture, u32 cpu)
{
	for (size_t i = 0; i < capture->nr_streams; i++)
		if (capture->streams[i].cpu == cpu && capture->streams[i].len)
			return true;
	return false;
}

/* Whether all that happened in the window is among the records; a consumer may have taken a CPU's. */
static bool has_all(const struct ktrc_capture *capture)
{
	const struct ktrc_counter_set *before = &capture->before;

	for (size_t i = 0; i < before->nr; i++)
		if (before->rows[i].written && !has_records(capture, before->rows[i].cpu))
			return false;
	return true;
}

/* Whether a look still tells, without what records say to have changed since. */
static bool is_of_use(const struct ktrc_capture *capture, const struct ktrc_mapped_look *look,
		      u64 ticks)
{
	return look && ktrc_capture_window_start(capture) <= ticks &&
	       (capture->session.state == KTRC_STATE_RUNNING || ktrc_mapped_look_is_kept(look));
}

int ktrc_capture_load_mapped(struct ktrc_capture *capture, struct ktrc_mapped_look *look,
			     u64 look_ticks, struct ktrc_error *err)
{
	__ktrc_mapped_look struct ktrc_mapped_look *nothing = NULL;
	KTRC_CLEANUP(ktrc_seen_release)
	struct ktrc_seen seen = {
		.with_changes = true,
		.start_ticks = ktrc_capture_window_start(capture),
		.end_ticks = capture->settled_ticks,
		.is_partial = !has_all(capture),
	};

	if (!is_of_use(capture, look, look_ticks)) {
		nothing = ktrc_mapped_look_at_nothing(capture->schema, &capture->names);
		look = nothing;
	}
	ktrc_capture_look_through(capture, &seen);
	if (!look || ktrc_mapped_load(&capture->mapped, look, &seen) < 0)
		return ktrc_fail(err, ENOMEM, "what processes had mapped");
	ktrc_mapped_renumber(&capture->mapped, &capture->names);
	return 0;
}

/* Is there something to look at, for who waits. */
static bool can_look(const struct ktrc_capture *capture, const struct ktrc_device *dev)
{
	u64 held_bytes = 0;

	for (size_t i = 0; i < dev->nr_rings; i++)
		held_bytes += ktrc_ring_head(&dev->rings[i]) - ktrc_ring_oldest(&dev->rings[i]);
	return ktrc_capture_has_mappings(capture) && held_bytes <= MAX_HELD_BYTES;
}

int ktrc_capture_keep_mapped(struct ktrc_nl *nl, struct ktrc_device *dev, struct ktrc_error *err)
{
	__ktrc_mapped_look struct ktrc_mapped_look *look = NULL;
	KTRC_CLEANUP(ktrc_seen_release) struct ktrc_seen seen = { .with_changes = true };
	__ktrc_capture struct ktrc_capture *capture = NULL;
	__ktrc_json json_t *document = NULL;
	const struct ktrc_patience patience = { .max_ns = NSEC_PER_SEC };
	u64 look_ticks;
	int ret = ktrc_capture_describe(nl, dev, &capture, err);

	if (ret < 0 || !can_look(capture, dev) || capture->session.state != KTRC_STATE_RUNNING)
		return ret;
	ret = look_ahead(capture, nl, dev, WHO_RECORDED, &patience, &seen, &look, err);
	look_ticks = capture->end_ticks;
	/* what changed after the session had stopped is in no record */
	if (ret == 0)
		ret = ktrc_capture_refresh(capture, nl, dev, err);
	if (ret < 0 || capture->session.state != KTRC_STATE_RUNNING)
		return ret;
	document = json_pack("{s:s, s:o, s:I, s:o}", "format", "ktrc.mapped/1", "uuid",
			     ktrc_json_uuid(capture->uuid), "ticks", (json_int_t)look_ticks,
			     "mapped", ktrc_mapped_look_to_json(look, &seen));
	return ktrc_kept_store(capture->session.name, MAPPED_KIND, document, err);
}

void ktrc_capture_forget_mapped(const char *session)
{
	ktrc_kept_forget(session, MAPPED_KIND);
}

/* At what was kept when it was stopped, if something was. */
static void look_back(const struct ktrc_capture *capture, struct ktrc_mapped_look **look,
		      u64 *look_ticks)
{
	__ktrc_json json_t *document =
		ktrc_kept_load(capture->session.name, MAPPED_KIND, capture->uuid);

	if (!document)
		return;
	ktrc_mapped_look_destroy(*look);
	*look_ticks = (u64)json_integer_value(json_object_get(document, "ticks"));
	*look = ktrc_mapped_look_from_json(json_object_get(document, "mapped"), capture->schema,
					   &capture->names);
}

/* Of a stream the consumer has to begin then. */
static bool is_half_full(const void *dev)
{
	return ktrc_device_is_half_full(dev);
}

/* All that is held now, and what those whose it is, or all, had mapped before. */
static int take(struct ktrc_capture *capture, struct ktrc_nl *nl, struct ktrc_device *dev,
		enum whose whose, struct ktrc_error *err)
{
	__ktrc_mapped_look struct ktrc_mapped_look *look = NULL;
	KTRC_CLEANUP(ktrc_seen_release) struct ktrc_seen seen = { 0 };
	const struct ktrc_patience patience = {
		.max_ns = MAX_LOOK_NS,
		.is_over = whose == EVERYBODY ? is_half_full : NULL,
		.data = dev,
	};
	u64 end_ticks, look_ticks;
	int ret = 0;

	/* what one that has stopped does not record may have changed everything */
	if (whose && capture->session.state == KTRC_STATE_RUNNING)
		ret = look_ahead(capture, nl, dev, whose, &patience, &seen, &look, err);
	if (ret < 0)
		return ret;
	look_ticks = end_ticks = capture->end_ticks;
	ret = copy_all(capture, nl, dev, err);
	/* stopped meanwhile: to be held against the last counters, the records must be the last */
	if (ret == 0 && capture->session.state == KTRC_STATE_STOPPED &&
	    capture->end_ticks != end_ticks)
		ret = copy_all(capture, nl, dev, err);
	if (ret < 0)
		return ret;
	/* the rings were copied one after the other: what came meanwhile may be half there */
	if (capture->session.state == KTRC_STATE_RUNNING)
		capture->settled_ticks = end_ticks;
	calibrate(capture);
	ret = ktrc_capture_start_reader(capture, err);
	if (whose && capture->session.state != KTRC_STATE_RUNNING)
		look_back(capture, &look, &look_ticks);
	if (ret == 0 && whose)
		ret = ktrc_capture_load_mapped(capture, look, look_ticks, err);
	return ret;
}

int ktrc_capture_live(struct ktrc_nl *nl, struct ktrc_device *dev, bool with_mapped,
		      struct ktrc_capture **ret_capture, struct ktrc_error *err)
{
	__ktrc_capture struct ktrc_capture *capture = NULL;
	int ret = ktrc_capture_describe(nl, dev, &capture, err);

	if (ret < 0)
		return ret;
	with_mapped = with_mapped && ktrc_capture_has_mappings(capture);
	ret = take(capture, nl, dev, with_mapped ? WHO_RECORDED : NOBODY, err);
	if (ret == 0)
		*ret_capture = ktrc_steal(capture);
	return ret;
}

int ktrc_capture_look_first(struct ktrc_capture *capture, struct ktrc_nl *nl,
			    struct ktrc_device *dev, struct ktrc_error *err)
{
	int ret;

	if (!can_look(capture, dev))
		return 0;
	ret = take(capture, nl, dev, EVERYBODY, err);
	if (ret < 0)
		return ret;
	capture->followed_ticks = ktrc_capture_window_start(capture);
	ktrc_capture_drop_streams(capture);
	ret = ktrc_capture_start_reader(capture, err);
	return ret < 0 ? ret : ktrc_capture_refresh(capture, nl, dev, err);
}
