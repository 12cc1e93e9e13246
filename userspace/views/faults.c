// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting faults. */
#include "faults.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../lib/array.h"
#include "../lib/cleanup.h"
#include "empty.h"

/* The rows that a fault counts in. */
enum side { OF_ALL, OF_PROCESS, OF_CGROUP, OF_CLASS, OF_MAPPING, NR_SIDES };

struct sides {
	struct ktrc_fault_row *at[NR_SIDES]; /* NULL: not known */
};

/* An attempt that waits for the next one. */
struct pending {
	bool is_open;
	u64 page;
	u64 ticks;
	struct sides sides;
};

/* What is kept for each task, by its index. */
struct task_slot {
	struct ktrc_fault_row *process;
	struct ktrc_fault_row *cgroup;
	struct pending pending;
};

/* room for the label of an event too */
#define WHY_ROOM (KTRC_WHY_ROOM + 32)

struct ktrc_faults_private {
	const struct ktrc_getter *page, *mode, *write, *tried, *result, *dur, *class;
	const struct ktrc_enum *classes;
	enum ktrc_fault_mode_index mode_index[16];
	u64 result_minor, result_major, result_retry, result_retry_io;
	struct ktrc_spaces *spaces; /* NULL: what is mapped is not known */
	struct task_slot *tasks;
	size_t nr_tasks;
	char why_no_mappings[WHY_ROOM];
};

/* One attempt, decoded. */
struct attempt {
	u64 page;
	enum ktrc_fault_mode_index mode;
	bool is_write;
	bool is_tried;
	u64 result;
	u64 class;
	u64 ticks;
};

static u64 value_of(const struct ktrc_event *event, const char *field_name, const char *name)
{
	const struct ktrc_field *field = ktrc_event_field(event, field_name);

	return field ? ktrc_enum_value(field->enm, name) : KTRC_NO_VALUE;
}

static void resolve_modes(struct ktrc_faults_private *priv, const struct ktrc_event *event)
{
	static const char *const names[] = { "user", "kernel", "gup" };

	for (size_t i = 0; i < ARRAY_SIZE(priv->mode_index); i++)
		priv->mode_index[i] = KTRC_FAULT_OTHER;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		u64 number = value_of(event, "mode", names[i]);

		if (number < ARRAY_SIZE(priv->mode_index))
			priv->mode_index[number] = (enum ktrc_fault_mode_index)i;
	}
}

static void resolve(struct ktrc_faults *view)
{
	struct ktrc_faults_private *priv = view->priv;

	priv->page = ktrc_event_getter(view->event, "page");
	priv->mode = ktrc_event_getter(view->event, "mode");
	priv->write = ktrc_event_getter(view->event, "write");
	priv->tried = ktrc_event_getter(view->event, "tried");
	priv->result = ktrc_event_getter(view->event, "result");
	priv->dur = ktrc_event_getter(view->event, "dur");
	priv->class = ktrc_event_getter(view->event, "class");
	priv->classes = priv->class ? ktrc_event_field(view->event, "class")->enm : NULL;
	priv->result_minor = value_of(view->event, "result", "minor");
	priv->result_major = value_of(view->event, "result", "major");
	priv->result_retry = value_of(view->event, "result", "retry");
	priv->result_retry_io = value_of(view->event, "result", "retry_io");
	view->tells_io = priv->result_retry_io != KTRC_NO_VALUE;
	resolve_modes(priv, view->event);
	view->has_duration = priv->dur && priv->result && priv->tried;
	if (!priv->page || !priv->mode || !priv->write)
		view->event = NULL;
}

/* The timed event if the session has it, else the light one. */
static const struct ktrc_event *pick_event(const struct ktrc_capture *capture)
{
	const struct ktrc_event *timed = ktrc_capture_event(capture, "fault");

	return timed ? timed : ktrc_capture_event(capture, "fault.light");
}

static const char *const mappings_lost = "records of it were lost";

static const char *why_no_mappings(const struct ktrc_capture *capture, char said[WHY_ROOM])
{
	char room[KTRC_WHY_ROOM];
	bool is_recorded = true;

	if (ktrc_capture_has_mappings(capture))
		return NULL;
	if (ktrc_capture_lost_mappings(capture))
		return mappings_lost;
	for (const char *const *label = ktrc_mapping_labels; *label; label++) {
		const struct ktrc_event *event = ktrc_schema_find(capture->schema, *label);
		const char *why = ktrc_why_not_recorded(capture, *label, room);

		is_recorded = is_recorded && !why;
		if (!why || !event || event->avail != KTRC_AVAIL_NO)
			continue;
		snprintf(said, WHY_ROOM, "%s: %s", *label, why);
		return said;
	}
	return is_recorded ? "a rule leaves some changes of it out" :
			     "the session does not record all of --events=map,process";
}

struct ktrc_faults *ktrc_faults_create(const struct ktrc_capture *capture)
{
	__ktrc_faults struct ktrc_faults *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	view->capture = capture;
	view->priv = calloc(1, sizeof(*view->priv));
	view->all = calloc(1, sizeof(*view->all));
	if (!view->priv || !view->all)
		return NULL;
	view->start_ticks = ktrc_capture_window_start(capture);
	view->why_no_mappings = why_no_mappings(capture, view->priv->why_no_mappings);
	if (!view->why_no_mappings) {
		view->priv->spaces = ktrc_spaces_create(capture->schema, view->start_ticks);
		if (!view->priv->spaces ||
		    ktrc_mapped_put(&capture->mapped, view->priv->spaces, false) < 0)
			return NULL;
	}
	view->event = pick_event(capture);
	view->weight = ktrc_capture_weight(capture, view->event);
	if (view->event)
		resolve(view);
	return ktrc_steal(view);
}

static void destroy_row(struct ktrc_fault_row *row)
{
	if (!row)
		return;
	ktrc_hist_release(&row->hist);
	free(row);
}

static void release_rows(struct ktrc_fault_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		destroy_row(rows->at[i]);
	free(rows->at);
	ktrc_index_release(&rows->places);
}

void ktrc_faults_destroy(struct ktrc_faults *view)
{
	if (!view)
		return;
	release_rows(&view->processes);
	release_rows(&view->cgroups);
	release_rows(&view->classes);
	release_rows(&view->mappings);
	destroy_row(view->all);
	if (view->priv) {
		ktrc_spaces_destroy(view->priv->spaces);
		free(view->priv->tasks);
	}
	free(view->priv);
	free(view);
}

void ktrc_cleanup_faults(struct ktrc_faults **view)
{
	ktrc_faults_destroy(*view);
}

/* What is followed can lose them later. */
static void forget_mappings(struct ktrc_faults *view)
{
	struct ktrc_faults_private *priv = view->priv;

	ktrc_spaces_destroy(priv->spaces);
	priv->spaces = NULL;
	for (size_t i = 0; i < priv->nr_tasks; i++)
		priv->tasks[i].pending.sides.at[OF_MAPPING] = NULL;
	release_rows(&view->mappings);
	view->mappings = (struct ktrc_fault_rows){ 0 };
	view->why_no_mappings = mappings_lost;
}

static bool has_lost_mappings(const struct ktrc_faults *view)
{
	return ktrc_spaces_is_lossy(view->priv->spaces) ||
	       ktrc_capture_lost_mappings(view->capture);
}

static u32 *place_of(struct ktrc_fault_rows *rows, u64 key, const struct ktrc_area *area)
{
	return ktrc_index_get(&rows->places, key, (u64)area->kind << 32 | area->file);
}

static struct ktrc_fault_row *get_part(struct ktrc_fault_rows *rows, u64 key,
				       const struct ktrc_area *area)
{
	u32 *at = place_of(rows, key, area);
	struct ktrc_fault_row *row, **slot;

	if (!at)
		return NULL;
	if (*at != KTRC_INDEX_NONE)
		return rows->at[*at];
	row = calloc(1, sizeof(*row));
	slot = row ? ktrc_array_push(rows->at, rows->nr) : NULL;
	if (!slot) {
		free(row);
		return NULL;
	}
	row->key = key;
	row->area = *area;
	*slot = row;
	*at = (u32)rows->nr - 1;
	return row;
}

static struct ktrc_fault_row *get_row(struct ktrc_fault_rows *rows, u64 key)
{
	static const struct ktrc_area all;

	return get_part(rows, key, &all);
}

/* A task seen for the first time: to which process it belongs, and what that is called. */
static int add_task(struct ktrc_faults *view, const struct ktrc_task *task, struct task_slot *slot)
{
	struct ktrc_fault_row *row = get_row(&view->processes, task->process);

	if (!row)
		return -ENOMEM;
	row->pid = task->tgid;
	if (task->tid == task->tgid || !row->comm[0]) {
		ktrc_comm_copy(row->comm, task->comm);
		row->cgid = task->cgid;
	}
	slot->process = row;
	return 0;
}

static int set_cgroup(struct ktrc_faults *view, u64 cgid, struct task_slot *slot)
{
	if (slot->cgroup && slot->cgroup->cgid == cgid)
		return 0;
	slot->cgroup = get_row(&view->cgroups, cgid);
	if (!slot->cgroup)
		return -ENOMEM;
	slot->cgroup->cgid = cgid;
	return 0;
}

static struct task_slot *get_task(struct ktrc_faults *view, const struct ktrc_task *task)
{
	struct ktrc_faults_private *priv = view->priv;
	struct task_slot *slot;

	while (priv->nr_tasks <= task->index)
		if (!ktrc_array_push(priv->tasks, priv->nr_tasks))
			return NULL;
	slot = &priv->tasks[task->index];
	if (!slot->process && add_task(view, task, slot) < 0)
		return NULL;
	return set_cgroup(view, task->cgid, slot) < 0 ? NULL : slot;
}

static struct ktrc_fault_row *get_class(struct ktrc_faults *view, u64 class)
{
	struct ktrc_fault_row *row = get_row(&view->classes, class);

	if (row)
		row->class = ktrc_enum_name(view->priv->classes, class);
	return row;
}

static struct ktrc_fault_row *get_mapping(struct ktrc_faults *view, const struct ktrc_task *task,
					  u64 page)
{
	struct ktrc_area area = ktrc_spaces_find(view->priv->spaces, task, page);
	struct ktrc_fault_row *row = get_part(&view->mappings, task->process, &area);

	if (row)
		row->pid = task->tgid;
	return row;
}

static struct attempt decode(const struct ktrc_faults_private *priv, const void *payload)
{
	return (struct attempt){
		.page = ktrc_get(priv->page, payload),
		.mode = priv->mode_index[ktrc_get(priv->mode, payload) &
					 (ARRAY_SIZE(priv->mode_index) - 1)],
		.is_write = ktrc_get(priv->write, payload),
		.is_tried = ktrc_get_or_0(priv->tried, payload),
		.result = ktrc_get_or_0(priv->result, payload),
		.class = ktrc_get_or_0(priv->class, payload),
		.ticks = ktrc_get_or_0(priv->dur, payload),
	};
}

/* A fault, as it ended. */
struct ended {
	enum ktrc_fault_mode_index mode;
	bool is_write;
	bool is_major;
	bool is_failed;
	u64 ticks;
};

static int count_fault(struct ktrc_fault_row *row, const struct ended *end, u32 weight)
{
	row->records++;
	row->faults += weight;
	row->by_mode[end->mode] += weight;
	row->writes += end->is_write ? weight : 0;
	row->majors += end->is_major ? weight : 0;
	row->failed += end->is_failed ? weight : 0;
	row->ended_ticks += end->ticks * weight;
	if (end->ticks > row->max_ticks)
		row->max_ticks = end->ticks;
	return ktrc_hist_add(&row->hist, end->ticks);
}

static int count_faults(const struct sides *sides, const struct ended *end, u32 weight)
{
	int ret = 0;

	for (int i = 0; i < NR_SIDES && ret == 0; i++)
		if (sides->at[i])
			ret = count_fault(sides->at[i], end, weight);
	return ret;
}

static void count_attempts(const struct sides *sides, u64 ticks, bool is_waiting, u32 weight)
{
	for (int i = 0; i < NR_SIDES; i++) {
		struct ktrc_fault_row *row = sides->at[i];

		if (!row)
			continue;
		row->attempts += weight;
		row->total_ticks += ticks * weight;
		row->busy_ticks += is_waiting ? 0 : ticks * weight;
	}
}

/* of an attempt that waits: it does, or, with a negative weight, it was taken up again */
static void count_unfinished(const struct sides *sides, s64 weight)
{
	for (int i = 0; i < NR_SIDES; i++)
		if (sides->at[i])
			sides->at[i]->unfinished += (u64)weight;
}

static bool goes_on(const struct pending *pending, const struct attempt *a)
{
	return pending->is_open && a->is_tried && a->page == pending->page;
}

static bool is_retry(const struct ktrc_faults_private *priv, const struct attempt *a)
{
	return a->result == priv->result_retry || a->result == priv->result_retry_io;
}

static bool has_begun_io(const struct ktrc_faults_private *priv, const struct attempt *a)
{
	return a->result == priv->result_retry_io || a->result == priv->result_major;
}

/* A last attempt is recorded however short: here without its wait, which then was too short, or is gone. */
static bool is_short(const struct ktrc_faults *view, const struct ktrc_task *task,
		     const struct attempt *a)
{
	const struct ktrc_faults_private *priv = view->priv;
	u64 min_ns = view->capture->session.rules[view->event->id].min_ns;

	if (!a->is_tried || ktrc_ticks_to_ns(&view->capture->clock, a->ticks) >= min_ns)
		return false;
	return task->index >= priv->nr_tasks || !goes_on(&priv->tasks[task->index].pending, a);
}

/*
 * The class of a fault that waited is what it waited for: its last attempt may find in place what another
 * thread has brought.
 */
static struct ktrc_fault_row *class_of(struct ktrc_faults *view, const struct pending *pending,
				       const struct attempt *a)
{
	return goes_on(pending, a) ? pending->sides.at[OF_CLASS] : get_class(view, a->class);
}

/* Into the rows of this attempt; a fault that waited counts in those of its last one. */
static int add_attempt(struct ktrc_faults *view, struct pending *pending, const struct sides *sides,
		       const struct attempt *a)
{
	const struct ktrc_faults_private *priv = view->priv;
	bool is_waiting = view->has_duration && is_retry(priv, a);
	bool is_served = a->result == priv->result_minor || a->result == priv->result_major;
	bool is_major = view->has_duration && is_served &&
			(a->is_tried || a->result == priv->result_major);
	u64 ticks = a->ticks;

	count_attempts(sides, ticks, is_waiting || is_major, view->weight);
	view->saturated += priv->dur && ticks == priv->dur->mask ? view->weight : 0;
	view->io_begun += has_begun_io(priv, a) ? view->weight : 0;
	if (goes_on(pending, a)) {
		ticks += pending->ticks;
		count_unfinished(&pending->sides, -(s64)view->weight);
	}
	*pending = (struct pending){ is_waiting, a->page, ticks, *sides };
	if (is_waiting) {
		count_unfinished(sides, view->weight);
		return 0;
	}
	struct ended end = {
		.mode = a->mode,
		.is_write = a->is_write,
		.is_major = is_major,
		.is_failed = view->has_duration && !is_served,
		.ticks = ticks,
	};

	return count_faults(sides, &end, view->weight);
}

int ktrc_faults_add(struct ktrc_faults *view, const struct ktrc_record *record)
{
	struct ktrc_spaces *spaces = view->priv->spaces;
	struct task_slot *slot;
	struct sides sides;
	struct attempt a;

	if (record->event != view->event)
		return spaces ? ktrc_spaces_add(spaces, record) : 0;
	if (record->ticks < view->start_ticks) {
		view->left_out++;
		return 0;
	}
	a = decode(view->priv, record->payload);
	if (is_short(view, record->task, &a)) {
		view->nr_short += !is_retry(view->priv, &a);
		return 0;
	}
	slot = get_task(view, record->task);
	if (!slot)
		return -ENOMEM;
	sides = (struct sides){
		{ view->all, slot->process, slot->cgroup, class_of(view, &slot->pending, &a) },
	};
	if (spaces)
		sides.at[OF_MAPPING] = get_mapping(view, record->task, a.page);
	if (!sides.at[OF_CLASS] || (spaces && !sides.at[OF_MAPPING]))
		return -ENOMEM;
	return add_attempt(view, &slot->pending, &sides, &a);
}

static int by_cost(const void *pa, const void *pb)
{
	const struct ktrc_fault_row *a = *(void *const *)pa, *b = *(void *const *)pb;

	if (a->busy_ticks != b->busy_ticks)
		return a->busy_ticks < b->busy_ticks ? 1 : -1;
	if (a->faults != b->faults)
		return a->faults < b->faults ? 1 : -1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->area.kind != b->area.kind)
		return a->area.kind < b->area.kind ? -1 : 1;
	return a->area.file < b->area.file ? -1 : a->area.file > b->area.file;
}

static void sort_rows(struct ktrc_fault_rows *rows)
{
	if (rows->nr)
		qsort(rows->at, rows->nr, sizeof(*rows->at), by_cost);
	/* every key is there, so none needs memory */
	for (size_t i = 0; i < rows->nr; i++)
		*place_of(rows, rows->at[i]->key, &rows->at[i]->area) = (u32)i;
}

const char *ktrc_faults_why_no_durations(const struct ktrc_faults *view)
{
	return view->has_duration ? NULL : "the session records fault.light, not fault";
}

void ktrc_faults_sort(struct ktrc_faults *view)
{
	if (view->priv->spaces && has_lost_mappings(view))
		forget_mappings(view);
	sort_rows(&view->processes);
	sort_rows(&view->cgroups);
	sort_rows(&view->classes);
	sort_rows(&view->mappings);
}

u64 ktrc_faults_window_ticks(const struct ktrc_faults *view)
{
	return ktrc_capture_window_ticks(view->capture, view->start_ticks);
}

double ktrc_faults_cpu_percent(const struct ktrc_faults *view, const struct ktrc_fault_row *row)
{
	u64 window = ktrc_faults_window_ticks(view);

	return window ? 100.0 * (double)row->busy_ticks / (double)window : 0;
}

u64 ktrc_faults_percentile_ticks(const struct ktrc_fault_row *row, u32 percent)
{
	u64 ticks = ktrc_hist_percentile(&row->hist, row->records, percent);

	return ticks < row->max_ticks ? ticks : row->max_ticks;
}
