// SPDX-License-Identifier: GPL-2.0-or-later
/* The summary as a document: docs/schemas/ktrc.summary-1.json. */
#include "../views/empty.h"
#include "verdict.h"

static json_t *fault_verdict(const struct ktrc_summary *s)
{
	const struct ktrc_fault_row *c = s->culprit;
	const char *percent = s->verdict == KTRC_VERDICT_FAULT_WAIT ? "wall_percent" :
								      "cpu_percent";
	bool has_window = ktrc_faults_window_ticks(s->faults) > 0;
	json_t *rate = has_window ? json_real(s->faults_per_s) : json_null();
	json_t *share = has_window && s->faults->has_duration ? json_real(s->percent) : json_null();

	return json_pack("{s:i, s:s, s:I, s:o, s:o, s:s, s:f}", "pid", (int)c->pid, "comm", c->comm,
			 "faults", (json_int_t)c->faults, percent, share, "faults_per_s", rate,
			 "mode", ktrc_fault_mode_name(s->mode), "mode_percent", s->mode_percent);
}

static json_t *cgroup_json(const struct ktrc_capture *capture, u64 cgid)
{
	const char *path = ktrc_names_find(&capture->names, cgid);

	if (!cgid)
		return json_null();
	return path ? json_string(path) : json_integer((json_int_t)cgid);
}

static json_t *stuck_verdict(const struct ktrc_summary *s)
{
	const struct ktrc_stall_now *now = s->stuck;
	u64 ns = ktrc_ticks_to_ns(&s->reclaim->capture->clock,
				  ktrc_stall_now_ticks(s->reclaim->capture, now));

	return json_pack("{s:i, s:i, s:s, s:I, s:o, s:s}", "pid", (int)now->pid, "tid",
			 (int)now->tid, "comm", now->comm, "lasts_ns", (json_int_t)ns, "cgroup",
			 cgroup_json(s->reclaim->capture, now->cgid), "kind",
			 ktrc_text_kind(s->reclaim, now->kind));
}

static json_t *stalls_verdict(const struct ktrc_summary *s)
{
	const struct ktrc_stall_row *row = s->stalled;
	const struct ktrc_timebase *tb = &s->reclaim->capture->clock;
	json_t *object = json_pack("{s:I, s:I, s:f, s:I}", "stalls", (json_int_t)row->stalls,
				   "total_ns", (json_int_t)ktrc_ticks_to_ns(tb, row->total_ticks),
				   "wall_percent", s->stall_percent, "max_ns",
				   (json_int_t)ktrc_ticks_to_ns(tb, row->max_ticks));

	json_object_set_new(object, "cgroup",
			    s->verdict == KTRC_VERDICT_RECLAIM_MEMCG ?
				    cgroup_json(s->reclaim->capture, row->key.a) :
				    json_null());
	if (s->sufferer)
		json_object_update_new(object, json_pack("{s:i, s:s}", "pid", (int)s->sufferer->pid,
							 "comm", s->sufferer->comm));
	return object;
}

static json_t *verdict_to_json(const struct ktrc_summary *s)
{
	char text[KTRC_LINE_ROOM];
	json_t *object = json_pack("{s:s, s:s}", "name", ktrc_verdict_name(s->verdict), "threshold",
				   ktrc_verdict_rule(s->verdict));

	ktrc_text_verdict(s, text);
	json_object_set_new(object, "text", json_string(text));
	if (s->verdict == KTRC_VERDICT_RECLAIM_STUCK)
		json_object_update_new(object, stuck_verdict(s));
	else if (ktrc_verdict_is_reclaim(s->verdict))
		json_object_update_new(object, stalls_verdict(s));
	else if (s->culprit)
		json_object_update_new(object, fault_verdict(s));
	return object;
}

static bool is_recorded(const struct ktrc_summary *s, const struct ktrc_event *event)
{
	char room[KTRC_WHY_ROOM];

	return event && !ktrc_why_not_recorded(s->faults->capture, event->label, room);
}

static json_t *reclaim_to_json(const struct ktrc_summary *s, const struct ktrc_output *out)
{
	json_t *object;

	if (!is_recorded(s, s->reclaim->event))
		return json_null();
	object = json_object();
	ktrc_reclaim_set_json(s->reclaim, object, out);
	return object;
}

json_t *ktrc_summary_to_json(const struct ktrc_summary *s, const struct ktrc_output *out)
{
	struct ktrc_faults_data data;
	struct ktrc_table table = ktrc_faults_table(s->faults, &data);
	json_t *document =
		ktrc_json_document("ktrc.summary/1", s->faults->capture, s->faults->start_ticks);

	json_object_set_new(document, "verdict", verdict_to_json(s));
	json_object_set_new(document, "event",
			    s->faults->event ? json_string(s->faults->event->label) : json_null());
	json_object_set_new(document, "faults",
			    is_recorded(s, s->faults->event) ?
				    json_integer((json_int_t)s->faults->all->faults) :
				    json_null());
	json_object_set_new(document, "saturated", ktrc_faults_saturated_json(s->faults));
	json_object_set_new(document, "processes", ktrc_table_rows(&table, out));
	json_object_set_new(document, "reclaim", reclaim_to_json(s, out));
	ktrc_json_set_number(document, "records", s->volume.records);
	ktrc_json_set_number(document, "record_bytes", s->volume.bytes);
	json_object_set_new(document, "not_recorded",
			    ktrc_needs_to_json(s->faults->capture, s->needs));
	json_object_set_new(document, "counters", ktrc_tallies_to_json(s->tallies));
	json_object_set_new(document, "check", ktrc_check_to_json(s->check));
	return document;
}
