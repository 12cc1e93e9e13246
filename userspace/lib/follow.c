// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The consumer of a stream session.  Each round copies what is published, and
 * tells the kernel so in the next round, when all of it has been used.
 */
#include "follow.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>

#include "array.h"
#include "cleanup.h"

#define WAIT_MS 100
#define HELD_WAIT_MS 20
#define LATE_MS 50 /* that a record is published after its time, but for who is stopped longer */

/* Where the consumer is on one CPU. */
struct lane {
	u64 begin; /* what lies before was consumed by somebody else */
	u64 position; /* copied up to here */
	u64 consumed; /* and the kernel knows up to here */
	u8 *bytes; /* room for the whole ring */
};

struct ktrc_follow {
	struct ktrc_nl *nl;
	struct ktrc_device *dev;
	struct ktrc_capture *capture;
	struct lane *lanes; /* one for each mapped ring */
	size_t nr_lanes;
	bool is_at_end; /* of a stopped session's records */
	u64 saved_ticks; /* until then each CPU's are; 0: not that anybody knows */
	u64 learn_ns; /* names again then */
};

void ktrc_follow_close(struct ktrc_follow *follow)
{
	if (!follow)
		return;
	for (size_t i = 0; i < follow->nr_lanes; i++)
		free(follow->lanes[i].bytes);
	free(follow->lanes);
	ktrc_capture_destroy(follow->capture);
	ktrc_device_close(follow->dev);
	free(follow);
}

void ktrc_cleanup_follow(struct ktrc_follow **follow)
{
	ktrc_follow_close(*follow);
}

static int check_mode(struct ktrc_nl *nl, const char *name, struct ktrc_error *err)
{
	struct ktrc_session session;
	int ret = ktrc_nl_session_get(nl, name, &session, err);

	if (ret < 0 || session.mode == KTRC_MODE_STREAM)
		return ret;
	ret = ktrc_fail_as(err, EINVAL, KTRC_EXIT_FAILED,
			   "session %s: it is a flight recorder: nothing can be followed", name);
	ktrc_hint(err, "ktrc-ctl start --mode=stream    records for --follow");
	return ret;
}

int ktrc_follow_open(struct ktrc_nl *nl, const char *session, bool with_mapped,
		     struct ktrc_follow **ret_follow, struct ktrc_error *err)
{
	__ktrc_follow struct ktrc_follow *follow = calloc(1, sizeof(*follow));
	int ret;

	if (!follow)
		return ktrc_fail(err, ENOMEM, "session %s", session);
	follow->nl = nl;
	ret = check_mode(nl, session, err);
	if (ret < 0)
		return ret;
	ret = ktrc_device_open(session, KTRC_ATTACH_CONSUME, &follow->dev, err);
	if (ret < 0)
		return ret;
	ret = ktrc_capture_describe(nl, follow->dev, &follow->capture, err);
	if (ret == 0 && with_mapped)
		ret = ktrc_capture_look_first(follow->capture, nl, follow->dev, err);
	if (ret < 0)
		return ret;
	*ret_follow = ktrc_steal(follow);
	return 0;
}

struct ktrc_capture *ktrc_follow_capture(const struct ktrc_follow *follow)
{
	return follow->capture;
}

/* CPUs that came online since get a ring, and a lane. */
static int add_lanes(struct ktrc_follow *follow, struct ktrc_error *err)
{
	int ret = ktrc_device_map(follow->dev, err);
	struct lane *lane;

	while (ret == 0 && follow->nr_lanes < follow->dev->nr_rings) {
		const struct ktrc_ring *ring = &follow->dev->rings[follow->nr_lanes];

		lane = ktrc_array_push(follow->lanes, follow->nr_lanes);
		if (lane)
			lane->bytes = malloc((size_t)ring->status->nr_packets *
					     ring->status->packet_bytes);
		if (!lane || !lane->bytes)
			return ktrc_fail(err, ENOMEM, "CPU %u: copy of its ring", ring->cpu);
		lane->begin = lane->position = lane->consumed = ktrc_ring_oldest(ring);
	}
	return ret;
}

/* What lies before @to has been used. */
static int consume(struct ktrc_follow *follow, size_t i, u64 to, struct ktrc_error *err)
{
	struct lane *lane = &follow->lanes[i];
	int ret;

	if (to <= lane->consumed)
		return 0;
	ret = ktrc_device_consume(follow->dev, follow->dev->rings[i].cpu, to, err);
	if (ret == 0)
		lane->consumed = to;
	return ret;
}

/* Up to where the records that were copied of a CPU have been handed out; of a packet all, or it counts as none. */
static u64 used(const struct ktrc_follow *follow, size_t i)
{
	const struct lane *lane = &follow->lanes[i];
	const struct ktrc_reader *reader = follow->capture->reader;
	u32 cpu = follow->dev->rings[i].cpu;
	u64 at;

	if (ktrc_reader_is_drained(reader, cpu))
		return lane->position;
	at = ktrc_reader_packet(reader, cpu) * follow->dev->info.packet_bytes;
	return at > lane->consumed ? at : lane->consumed;
}

/* Copies a CPU's ring from @from up to @to. */
static size_t copy(struct ktrc_follow *follow, size_t i, u64 from, u64 to)
{
	struct lane *lane = &follow->lanes[i];
	struct ktrc_span span = { .from = from, .to = to, .skip = lane->begin };

	lane->position = to;
	return ktrc_ring_copy(&follow->dev->rings[i], &span, follow->capture->schema, lane->bytes);
}

/* What got a name since; in a twentieth of the time at most.  In the end it is asked for again. */
static void learn_names(struct ktrc_follow *follow)
{
	u64 begin_ns = ktrc_now_ns(CLOCK_MONOTONIC), end_ns;
	struct ktrc_error ignored;

	if (begin_ns < follow->learn_ns)
		return;
	ktrc_nl_names(follow->nl, &follow->capture->names, &ignored);
	end_ns = ktrc_now_ns(CLOCK_MONOTONIC);
	follow->learn_ns = end_ns + 19 * (end_ns - begin_ns);
}

/* The reader gets what has come on a CPU, behind what it holds back of it; 0: it has nothing, else 1, or an error. */
static int fill(struct ktrc_follow *follow, size_t i, struct ktrc_error *err)
{
	struct lane *lane = &follow->lanes[i];
	const struct ktrc_ring *ring = &follow->dev->rings[i];
	u64 from = used(follow, i), head = ktrc_ring_head(ring);
	struct ktrc_reader *reader = follow->capture->reader;
	int ret = consume(follow, i, from, err);

	if (ret < 0)
		return ret;
	if (head != lane->position &&
	    ktrc_reader_feed(reader, ring->cpu, lane->bytes, copy(follow, i, from, head)) < 0)
		return ktrc_fail(err, ENOMEM, "reader");
	return !ktrc_reader_is_drained(reader, ring->cpu);
}

/*
 * What is newer than this another CPU's records may still overtake: they were not there when its ring was
 * read, or their writer had their time, and was interrupted before it published them.
 */
static u64 hold_of(const struct ktrc_follow *follow)
{
	const struct ktrc_ioc_info *info = &follow->dev->info;
	u64 late = ktrc_device_is_half_full(follow->dev) ?
			   0 :
			   follow->capture->clock.hz / 1000 * LATE_MS;

	if (info->state != KTRC_STATE_RUNNING)
		return UINT64_MAX;
	return info->now_ticks > late ? info->now_ticks - late : 0;
}

int ktrc_follow_fill(struct ktrc_follow *follow, struct ktrc_error *err)
{
	bool is_done = true;
	int ret;

	ret = ktrc_device_info(follow->dev, err);
	if (ret == 0)
		ret = add_lanes(follow, err);
	if (ret == 0)
		learn_names(follow);
	for (size_t i = 0; ret >= 0 && i < follow->nr_lanes; i++) {
		ret = fill(follow, i, err);
		is_done = is_done && ret == 0;
	}
	if (ret < 0)
		return ret;
	ktrc_reader_hold(follow->capture->reader, hold_of(follow));
	follow->is_at_end = follow->dev->info.state != KTRC_STATE_RUNNING && is_done;
	return !follow->is_at_end;
}

int ktrc_follow_save(struct ktrc_follow *follow, struct ktrc_trace_writer *writer, bool is_last,
		     struct ktrc_error *err)
{
	u32 packet_bytes = follow->dev->info.packet_bytes;
	bool is_running;
	int ret;

	ret = ktrc_device_info(follow->dev, err);
	if (ret == 0)
		ret = add_lanes(follow, err);
	if (ret == 0)
		learn_names(follow);
	follow->saved_ticks = is_last ? follow->dev->info.now_ticks : 0;
	for (size_t i = 0; ret == 0 && i < follow->nr_lanes; i++) {
		struct lane *lane = &follow->lanes[i];
		u64 to = ktrc_ring_head(&follow->dev->rings[i]);

		if (!is_last && to)
			to -= (to - 1) % packet_bytes + 1;
		if (to <= lane->position)
			continue;
		ret = ktrc_trace_append(writer, follow->capture, follow->dev->rings[i].cpu,
					lane->bytes, copy(follow, i, lane->position, to), err);
		if (ret < 0)
			lane->position = lane->consumed;
		else
			ret = consume(follow, i, lane->position, err);
		if (ret == 0)
			ktrc_trace_keep(writer);
	}
	is_running = follow->dev->info.state == KTRC_STATE_RUNNING;
	follow->is_at_end = ret == 0 && is_last && !is_running;
	return ret < 0 ? ret : is_running;
}

void ktrc_follow_wait(struct ktrc_follow *follow)
{
	struct pollfd poll_fd = { .fd = follow->dev->fd, .events = POLLIN };

	/* what is held back can be read, which is no reason to look again at once */
	for (size_t i = 0; i < follow->nr_lanes; i++) {
		if (!ktrc_reader_is_drained(follow->capture->reader, follow->dev->rings[i].cpu)) {
			poll(NULL, 0, HELD_WAIT_MS);
			return;
		}
	}
	poll(&poll_fd, 1, WAIT_MS);
}

int ktrc_follow_finish(struct ktrc_follow *follow, struct ktrc_error *err)
{
	struct ktrc_capture *capture = follow->capture;
	int ret;

	for (size_t i = 0; i < follow->nr_lanes; i++)
		if (consume(follow, i, used(follow, i), err) < 0)
			return -EIO;
	ret = ktrc_capture_refresh(capture, follow->nl, follow->dev, err);
	/* the rings were read one after the other */
	if (follow->saved_ticks && !follow->is_at_end)
		capture->settled_ticks = follow->saved_ticks;
	if (ret < 0 || capture->session.state != KTRC_STATE_STOPPED)
		return ret;
	capture->is_cut = !follow->is_at_end;
	/* it stopped a moment ago; who stopped it may not have said yet what vmstat was then */
	if (!capture->base.stop.is_known && capture->session.stop_reason != KTRC_STOP_DELETED)
		capture->base.stop = ktrc_vmstat_read();
	return 0;
}

void ktrc_follow_cut(struct ktrc_follow *follow)
{
	struct ktrc_capture *capture = follow->capture;
	struct ktrc_error ignored;

	if (ktrc_follow_finish(follow, &ignored) < 0)
		capture->end_ticks = capture->settled_ticks = follow->dev->info.now_ticks;
	/* what came later is not in the views */
	if (ktrc_reader_held(capture->reader) < capture->settled_ticks)
		capture->settled_ticks = ktrc_reader_held(capture->reader);
	capture->is_cut = !follow->is_at_end;
}
