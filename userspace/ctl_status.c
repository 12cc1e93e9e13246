// SPDX-License-Identifier: GPL-2.0-or-later
/* status: what is recorded, and how far back it reaches. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "lib/cleanup.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/trace.h"

/* What status says of one session. */
struct status {
	struct ktrc_session session;
	const struct ktrc_schema *schema;
	struct ktrc_device *dev;
	u64 lost;
};

static u64 end_ticks(const struct ktrc_ioc_info *info)
{
	return info->stop_ticks ? info->stop_ticks : info->now_ticks;
}

static u64 ticks_to_ns(const struct ktrc_ioc_info *info, u64 ticks)
{
	struct ktrc_timebase tb = { .hz = info->clock_hz };

	return ktrc_ticks_to_ns(&tb, ticks);
}

/* How far back a CPU's records reach: to its oldest packet once older ones are gone. */
static u64 reach_ns(const struct ktrc_ioc_info *info, const struct ktrc_ring *ring)
{
	u64 begin = info->start_ticks;

	if (!info->start_ticks)
		return 0;
	if (ktrc_ring_oldest(ring) > 0 && !ktrc_ring_oldest_begin(ring, &begin))
		return 0;
	return begin < end_ticks(info) ? ticks_to_ns(info, end_ticks(info) - begin) : 0;
}

static const struct ktrc_ring *ring_at(const void *data, size_t row)
{
	return &((const struct status *)data)->dev->rings[row];
}

static struct ktrc_cell cell_cpu(const void *data, size_t row)
{
	return ktrc_cell_number(ring_at(data, row)->cpu);
}

static struct ktrc_cell cell_reach(const void *data, size_t row)
{
	const struct status *status = data;

	return ktrc_cell_number(reach_ns(&status->dev->info, ring_at(data, row)));
}

static struct ktrc_cell cell_held(const void *data, size_t row)
{
	const struct ktrc_ring *ring = ring_at(data, row);
	u64 oldest = ktrc_ring_oldest(ring), head = ktrc_ring_head(ring);

	return ktrc_cell_number(head > oldest ? head - oldest : 0);
}

static struct ktrc_cell cell_overwritten(const void *data, size_t row)
{
	const struct ktrc_ring *ring = ring_at(data, row);

	return ktrc_cell_number(ktrc_ring_oldest(ring));
}

static struct ktrc_cell cell_lost(const void *data, size_t row)
{
	return ktrc_cell_number(ktrc_ring_lost(ring_at(data, row)));
}

static struct ktrc_table status_table(const struct status *status)
{
	static const struct ktrc_column columns[] = {
		{ "cpu", cell_cpu },	     { "reach_ns", cell_reach },
		{ "held_bytes", cell_held }, { "gone_bytes", cell_overwritten },
		{ "lost", cell_lost },
	};

	return (struct ktrc_table){
		.columns = columns,
		.nr_columns = ARRAY_SIZE(columns),
		.nr_rows = status->dev->nr_rings,
		.data = status,
	};
}

static void event_text(const struct status *s, const struct ktrc_event *event, FILE *file)
{
	const struct ktrc_rule *of = &s->session.rules[event->id];
	char rule[KTRC_RULE_ROOM], stacks[KTRC_RULE_ROOM] = "";

	ktrc_rule_text(of, rule);
	if (ktrc_rule_has_stacks(of))
		ktrc_stacks_text(of, stacks);
	fprintf(file, "event     %s%s%s%s%s: %s%s%s\n", event->label, *rule ? ":" : "", rule,
		*stacks ? ":" : "", stacks, event->hook ? event->hook : "no hook",
		event->reason ? "; " : "", event->reason ? event->reason : "");
}

static void filters_text(const struct ktrc_session *session, FILE *file)
{
	char room[KTRC_PATH_ROOM], time[KTRC_DURATION_ROOM];
	const char *path = session->cgid ? ktrc_ctl_cgroup_path(session->cgid, room) : NULL;

	for (u32 i = 0; i < session->nr_pids; i++)
		fprintf(file, "%s%u%s", i ? "," : "only      processes ", session->pids[i],
			i + 1 == session->nr_pids ? "\n" : "");
	if (path)
		fprintf(file, "only      cgroup %s and below\n", path);
	else if (session->cgid)
		fprintf(file, "only      cgroup with id %llu and below\n", session->cgid);
	if (session->max_seconds)
		fprintf(file, "stops     %s after its start\n",
			ktrc_duration_text(session->max_seconds * NSEC_PER_SEC, time));
	if (session->names_missed)
		fprintf(file, "nameless  %llu times a cgroup or a mapped file\n",
			session->names_missed);
}

static void status_text(const struct status *s, const struct ktrc_ctl_show *show)
{
	const struct ktrc_ioc_info *info = &s->dev->info;
	struct ktrc_table table = status_table(s);
	char memory[KTRC_TEXT_ROOM], packet[KTRC_TEXT_ROOM], time[KTRC_TEXT_ROOM];
	FILE *file = show->cli.out.file;

	fprintf(file, "session   %s: %s", s->session.name,
		ktrc_word(&ktrc_states, s->session.state));
	if (info->start_ticks)
		fprintf(file, ", recorded %s",
			ktrc_text_ns(ticks_to_ns(info, end_ticks(info) - info->start_ticks), time));
	if (s->session.stop_reason == KTRC_STOP_NO_CONSUMER)
		fputs("; stopped because nobody consumed it", file);
	if (s->session.stop_reason == KTRC_STOP_MAX_TIME)
		fputs("; stopped because its maximum time was over", file);
	if (s->session.stop_reason == KTRC_STOP_BROKEN)
		fputs("; stopped because a ring contradicts itself, see dmesg", file);
	fprintf(file, "%s%s\n", s->session.is_bound ? ", bound to a process" : "",
		s->session.has_consumer ? ", being consumed" : "");
	fprintf(file, "mode      %s, %s in %zu rings of %u packets of %s\n",
		ktrc_word(&ktrc_modes, s->session.mode),
		ktrc_text_bytes(s->session.memory_bytes, memory), s->dev->nr_rings,
		info->nr_packets, ktrc_text_bytes(info->packet_bytes, packet));
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++)
		if (ktrc_schema_event(s->schema, id) && s->session.events >> id & 1)
			event_text(s, &s->schema->events[id], file);
	filters_text(&s->session, file);
	fprintf(file, "lost      %llu\n", s->lost);
	ktrc_table_print(&table, &show->cli.out);
}

static json_t *event_to_json(const struct status *s, const struct ktrc_event *event)
{
	const struct ktrc_rule *of = &s->session.rules[event->id];
	char rule[KTRC_RULE_ROOM];

	return json_pack("{s:s, s:s*, s:s, s:s*, s:s, s:i, s:i, s:i}", "event", event->label,
			 "hook", event->hook, "availability", ktrc_ctl_avail_text(event->avail),
			 "reason", event->reason, "rule", ktrc_rule_text(of, rule), "user_frames",
			 (int)of->user_frames, "kernel_frames", (int)of->kernel_frames,
			 "user_bytes", (int)of->user_bytes);
}

static json_t *filters_json(const struct status *s)
{
	json_t *filters = ktrc_filters_to_json(&s->session, s->schema);
	char room[KTRC_PATH_ROOM];
	const char *path = s->session.cgid ? ktrc_ctl_cgroup_path(s->session.cgid, room) : NULL;

	if (path)
		json_object_set_new(filters, "cgroup", json_string(path));
	return filters;
}

static json_t *status_to_json(const struct status *s, const struct ktrc_ctl_show *show)
{
	struct ktrc_table table = status_table(s);
	json_t *events = json_array();

	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		const struct ktrc_event *event = ktrc_schema_event(s->schema, id);

		if (event && s->session.events >> id & 1)
			json_array_append_new(events, event_to_json(s, event));
	}
	return json_pack(
		"{s:s, s:s, s:s, s:s, s:b, s:b, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "session",
		s->session.name, "state", ktrc_word(&ktrc_states, s->session.state), "stop_reason",
		ktrc_word(&ktrc_stop_reasons, s->session.stop_reason), "mode",
		ktrc_word(&ktrc_modes, s->session.mode), "is_bound", s->session.is_bound,
		"has_consumer", s->session.has_consumer, "memory_bytes",
		(json_int_t)s->session.memory_bytes, "packet_bytes",
		(json_int_t)s->dev->info.packet_bytes, "recorded_ns",
		(json_int_t)(s->dev->info.start_ticks ?
				     ticks_to_ns(&s->dev->info, end_ticks(&s->dev->info) -
									s->dev->info.start_ticks) :
				     0),
		"lost", (json_int_t)s->lost, "events", events, "filters", filters_json(s), "cpus",
		ktrc_table_rows(&table, &show->cli.out));
}

static int status_of(struct ktrc_nl *nl, const struct ktrc_session *session,
		     const struct ktrc_schema *schema, const struct ktrc_ctl_show *show,
		     json_t *list, struct ktrc_error *err)
{
	__ktrc_device struct ktrc_device *dev = NULL;
	struct ktrc_counter_set counters = { 0 };
	struct ktrc_counters all;
	struct status status;
	int ret;

	ret = ktrc_device_open(session->name, 0, &dev, err);
	if (ret == 0)
		ret = ktrc_device_map(dev, err);
	if (ret == 0)
		ret = ktrc_nl_counters(nl, session->name, &counters, err);
	if (ret < 0)
		return ret;
	all = ktrc_counter_set_total(&counters, KTRC_CPU_NONE);
	free(counters.rows);
	status = (struct status){
		.session = *session,
		.schema = schema,
		.dev = dev,
		.lost = ktrc_counters_lost(&all),
	};
	if (list)
		json_array_append_new(list, status_to_json(&status, show));
	else
		status_text(&status, show);
	return 0;
}

static void print_list(const struct ktrc_ctl_show *show, json_t *list)
{
	json_t *session;
	size_t i;

	if (show->cli.format == KTRC_OUT_JSON) {
		ktrc_print_json(json_pack("{s:s, s:O}", "format", "ktrc.status/1", "sessions",
					  list),
				&show->cli.out);
		return;
	}
	json_array_foreach(list, i, session)
		ktrc_print_json_line(json_incref(session), &show->cli.out);
}

static int show_status(struct ktrc_nl *nl, const struct ktrc_ctl_show *show,
		       const struct ktrc_session *sessions, size_t nr, struct ktrc_error *err)
{
	__ktrc_schema struct ktrc_schema *schema = NULL;
	json_t *list = show->cli.format == KTRC_OUT_TEXT ? NULL : json_array();
	int ret;

	ret = ktrc_nl_schema(nl, &schema, err);
	for (size_t i = 0; ret == 0 && i < nr; i++) {
		if (i && !list)
			putc('\n', show->cli.out.file);
		ret = status_of(nl, &sessions[i], schema, show, list, err);
	}
	if (ret == 0 && list)
		print_list(show, list);
	json_decref(list);
	return ret;
}

/* The sessions asked for: the one named, or all there are. */
static int find_sessions(struct ktrc_nl *nl, const struct ktrc_ctl_show *show,
			 struct ktrc_session **sessions, size_t *nr, struct ktrc_error *err)
{
	int ret;

	if (!show->has_session) {
		ret = ktrc_nl_sessions(nl, sessions, nr, err);
		if (ret < 0 || *nr)
			return ret;
		ret = ktrc_fail_as(err, ENOENT, KTRC_EXIT_NOTHING, "not recording: no session");
		ktrc_hint(err, "ktrc-ctl start    or    ktrc-ctl run 10s");
		return ret;
	}
	*sessions = calloc(1, sizeof(**sessions));
	*nr = 1;
	if (!*sessions)
		return ktrc_fail(err, ENOMEM, "session %s", show->cli.session);
	return ktrc_nl_session_get(nl, show->cli.session, *sessions, err);
}

int ktrc_ctl_status(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "session", KTRC_OPT_SESSION, "NAME", 0, "one session (default: all)", 0 },
		KTRC_ARGP_FORMAT,
		KTRC_ARGP_NO_HEADER,
		{ 0 },
	};
	static const char doc[] =
		"What is recorded, how far back each CPU reaches, what was lost.\n"
		"Exit code 3 when nothing is recording.\n\n"
		"  ktrc-ctl status --format json | jq .sessions[0].cpus";
	__ktrc_free struct ktrc_session *sessions = NULL;
	__ktrc_nl struct ktrc_nl *nl = NULL;
	struct ktrc_ctl_show show;
	struct ktrc_error err;
	size_t nr = 0;

	ktrc_ctl_parse_show(options, doc, argc, argv, &show);
	if (ktrc_nl_open(&nl, &err) < 0 || find_sessions(nl, &show, &sessions, &nr, &err) < 0 ||
	    show_status(nl, &show, sessions, nr, &err) < 0)
		return ktrc_cli_error(&err);
	for (size_t i = 0; i < nr; i++)
		if (sessions[i].state == KTRC_STATE_RUNNING)
			return 0;
	return KTRC_EXIT_NOTHING;
}
