// SPDX-License-Identifier: GPL-2.0-or-later
/* --window: how much memory keeps the last so many seconds, at the present rate. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/vmstat.h"

#define LOOK_NS 250000000ull
#define HEADROOM 2
/* a quiet machine may not stay so; and events that /proc/vmstat does not count */
#define LEAST_FAULTS 1000.0
#define OTHERS 100.0
/* a record's header, and its share of task records */
#define RECORD_BYTES (4 + 4)
#define DEFAULT_PACKET_BYTES (64u << 10)
#define LEAST_PACKETS 4
#define DEFAULT_MAX_MB 1024

static double faults_per_second(void)
{
	u64 start_ns = ktrc_now_ns(CLOCK_MONOTONIC);
	struct ktrc_vmstat before = ktrc_vmstat_read(), after;
	double seconds, rate;

	ktrc_cli_sleep(LOOK_NS);
	after = ktrc_vmstat_read();
	if (!before.is_known || !after.is_known)
		return LEAST_FAULTS;
	seconds = (double)(ktrc_now_ns(CLOCK_MONOTONIC) - start_ns) / (double)NSEC_PER_SEC;
	rate = (double)(after.pgfault - before.pgfault) / seconds;
	return rate > LEAST_FAULTS ? rate : LEAST_FAULTS;
}

static double bytes_per_second(const struct ktrc_ctl_request *request,
			       const struct ktrc_schema *schema, double faults)
{
	const struct ktrc_session *session = &request->session;
	double sum = 0;

	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		const struct ktrc_event *event = ktrc_schema_event(schema, id);
		double rate;

		if (!event || !(session->events >> id & 1) ||
		    session->rules[id].flags & KTRC_RULE_COUNT)
			continue;
		rate = strncmp(event->name, "fault", 5) == 0 ? faults : OTHERS;
		sum += rate * (event->bytes + RECORD_BYTES) / ktrc_session_weight(session, id);
	}
	return sum;
}

/* What max_mb leaves to the session @name, which takes the place of one of that name. */
static int cap_bytes(struct ktrc_nl *nl, const char *name, u64 *cap, struct ktrc_error *err)
{
	__ktrc_file FILE *file = fopen("/sys/module/ktrc/parameters/max_mb", "re");
	struct ktrc_session *sessions;
	size_t nr, i;
	u64 mb;
	int ret = ktrc_nl_sessions(nl, &sessions, &nr, err);

	if (ret < 0)
		return ret;
	if (!file || fscanf(file, "%llu", &mb) != 1)
		mb = DEFAULT_MAX_MB;
	*cap = mb << 20;
	for (i = 0; i < nr; i++) {
		u64 bytes = strcmp(sessions[i].name, name) ? sessions[i].memory_bytes : 0;

		*cap -= bytes < *cap ? bytes : *cap;
	}
	free(sessions);
	return 0;
}

/* Whole packets for each CPU, one more for what the open one does not hold yet. */
static u64 round_up(double bytes, u64 row, u64 cap)
{
	u64 packets = LEAST_PACKETS;

	if (bytes >= (double)cap)
		return cap / row * row;
	if ((u64)bytes / row + 2 > packets)
		packets = (u64)bytes / row + 2;
	return packets * row < cap ? packets * row : cap / row * row;
}

int ktrc_ctl_size_window(struct ktrc_nl *nl, struct ktrc_ctl_request *request,
			 const struct ktrc_schema *schema, struct ktrc_error *err)
{
	u32 packet = request->session.packet_bytes ? request->session.packet_bytes :
						     DEFAULT_PACKET_BYTES;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	u64 row = (u64)packet * (u64)(cpus > 0 ? cpus : 1), cap;
	double faults = faults_per_second(), rate = bytes_per_second(request, schema, faults);
	double window = (double)request->window_ns / (double)NSEC_PER_SEC;
	double need = rate * window * HEADROOM, reach;
	char asked[KTRC_TEXT_ROOM], given[KTRC_TEXT_ROOM];
	int ret = cap_bytes(nl, request->cli.session, &cap, err);

	if (ret < 0)
		return ret;
	request->session.memory_bytes = round_up(need, row, cap);
	if (!request->session.memory_bytes)
		return ktrc_fail_as(err, E2BIG, KTRC_EXIT_FAILED,
				    "--window: max_mb leaves no packet for each CPU");
	reach = rate ? (double)request->session.memory_bytes / (rate * HEADROOM) : window;
	ktrc_cli_note(&request->cli,
		      "--window: %s for twice the records of %.0f faults/s; %s %s, good for %.0f s",
		      ktrc_text_bytes(need < 1e18 ? (u64)need : (u64)1e18, asked), faults,
		      reach < window ? "max_mb allows" : "takes",
		      ktrc_text_bytes(request->session.memory_bytes, given), reach);
	return 0;
}
