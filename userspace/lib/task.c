// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two open-addressed hash tables: all tasks ever seen, and those of one packet by tid; and of each id
 * a tree of those that had it, as a trace can give it to any number.
 */
#include "task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "areas.h"
#include "array.h"
#include "hash.h"

/*
 * Those that had an id one after the other.  Of @times each has the area from its start to that of the
 * next one, in ns instead of pages, and its number as file: KTRC_INDEX_NONE before the first one.
 */
struct holders {
	struct ktrc_areas *times;
	u32 unknown; /* who had it before them, if other threads of it were seen, or KTRC_INDEX_NONE */
	u64 threads_ns; /* when the first of those started */
};

struct ktrc_tasks {
	const struct ktrc_field *tid, *tgid, *cgid, *start_ns, *comm;
	struct ktrc_task **slots;
	size_t nr_slots;
	size_t nr;
	u32 next_index;
	struct ktrc_task *unknown;
	struct holders *holders;
	size_t nr_holders;
	struct ktrc_index by_id; /* the holders of each */
	u32 nr_numbers; /* of threads */
};

void ktrc_comm_copy(char *to, const char *from)
{
	for (; *from; from++)
		*to++ = *from < ' ' || *from > '~' ? '?' : *from;
	*to = '\0';
}

static u64 task_hash(const struct ktrc_task *task)
{
	u64 hash = ktrc_hash(ktrc_hash(task->tid, task->start_ns), task->cgid);

	for (const char *c = task->comm; *c; c++)
		hash = ktrc_hash(hash, (u8)*c);
	return hash;
}

static bool same_task(const struct ktrc_task *a, const struct ktrc_task *b)
{
	return a->tid == b->tid && a->tgid == b->tgid && a->cgid == b->cgid &&
	       a->start_ns == b->start_ns && strcmp(a->comm, b->comm) == 0;
}

/* The slot that holds @task, or the empty one where it belongs. */
static struct ktrc_task **find_slot(struct ktrc_task **slots, size_t nr_slots,
				    const struct ktrc_task *task)
{
	size_t i = task_hash(task) & (nr_slots - 1);

	while (slots[i] && !same_task(slots[i], task))
		i = (i + 1) & (nr_slots - 1);
	return &slots[i];
}

static int grow(struct ktrc_tasks *tasks)
{
	size_t nr_slots = tasks->nr_slots ? 2 * tasks->nr_slots : 256;
	struct ktrc_task **slots = calloc(nr_slots, sizeof(struct ktrc_task *));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < tasks->nr_slots; i++)
		if (tasks->slots[i])
			*find_slot(slots, nr_slots, tasks->slots[i]) = tasks->slots[i];
	free(tasks->slots);
	tasks->slots = slots;
	tasks->nr_slots = nr_slots;
	return 0;
}

/* Of an id; NULL without memory. */
static struct holders *get_holders(struct ktrc_tasks *tasks, u32 id)
{
	static const struct ktrc_area always = { .end = ~0ull, .file = KTRC_INDEX_NONE };
	u32 *place = ktrc_index_get(&tasks->by_id, id, 0);
	struct holders *holders;

	if (!place)
		return NULL;
	if (*place != KTRC_INDEX_NONE)
		return &tasks->holders[*place];
	holders = ktrc_array_push(tasks->holders, tasks->nr_holders);
	if (!holders || ktrc_areas_put(&holders->times, &always) < 0)
		return NULL;
	holders->unknown = KTRC_INDEX_NONE;
	*place = (u32)tasks->nr_holders - 1;
	return holders;
}

static void forget_holders(struct ktrc_tasks *tasks)
{
	for (size_t i = 0; i < tasks->nr_holders; i++)
		ktrc_areas_drop(tasks->holders[i].times);
	free(tasks->holders);
	tasks->holders = NULL;
	tasks->nr_holders = 0;
	tasks->nr_numbers = 0;
	ktrc_index_release(&tasks->by_id);
}

/* The thread with this id that started then.  One whose start is not known is older than its threads. */
static u32 number_thread(struct ktrc_tasks *tasks, u32 id, u64 start_ns)
{
	struct holders *holders = get_holders(tasks, id);
	const struct ktrc_area *then = holders ? ktrc_areas_find(holders->times, start_ns) : NULL;
	struct ktrc_area held = { .begin = start_ns };

	if (!then)
		return KTRC_INDEX_NONE;
	if (then->begin == start_ns && then->file != KTRC_INDEX_NONE)
		return then->file;
	held.end = then->end;
	if (holders->unknown != KTRC_INDEX_NONE && start_ns <= holders->threads_ns) {
		held.file = holders->unknown;
		holders->unknown = KTRC_INDEX_NONE;
	} else {
		held.file = tasks->nr_numbers++;
	}
	return ktrc_areas_put(&holders->times, &held) < 0 ? KTRC_INDEX_NONE : held.file;
}

/* The process of a thread other than its first one: the last one that had started by then. */
static u32 number_process(struct ktrc_tasks *tasks, u32 id, u64 thread_ns)
{
	struct holders *holders = get_holders(tasks, id);
	const struct ktrc_area *then = holders ? ktrc_areas_find(holders->times, thread_ns) : NULL;

	if (!then)
		return KTRC_INDEX_NONE;
	if (then->file != KTRC_INDEX_NONE)
		return then->file;
	if (holders->unknown == KTRC_INDEX_NONE) {
		holders->unknown = tasks->nr_numbers++;
		holders->threads_ns = thread_ns;
	}
	if (thread_ns < holders->threads_ns)
		holders->threads_ns = thread_ns;
	return holders->unknown;
}

/* false without memory */
static bool number(struct ktrc_tasks *tasks, struct ktrc_task *task)
{
	/* what starts at the end of time would have no range */
	u64 start_ns = task->start_ns < ~0ull ? task->start_ns : ~0ull - 1;

	task->thread = number_thread(tasks, task->tid, start_ns);
	task->process = task->tid == task->tgid ? task->thread :
						  number_process(tasks, task->tgid, start_ns);
	return task->thread != KTRC_INDEX_NONE && task->process != KTRC_INDEX_NONE;
}

static struct ktrc_task *add(struct ktrc_tasks *tasks, const struct ktrc_task *wanted)
{
	struct ktrc_task **slot, *task;

	if (2 * tasks->nr >= tasks->nr_slots && grow(tasks) < 0)
		return NULL;
	slot = find_slot(tasks->slots, tasks->nr_slots, wanted);
	if (*slot)
		return *slot;
	task = malloc(sizeof(*task));
	if (!task)
		return NULL;
	*task = *wanted;
	if (!number(tasks, task)) {
		free(task);
		return NULL;
	}
	task->index = tasks->next_index++;
	tasks->nr++;
	*slot = task;
	return task;
}

struct ktrc_tasks *ktrc_tasks_create(const struct ktrc_schema *schema)
{
	const struct ktrc_event *event = ktrc_schema_find(schema, "task");
	const struct ktrc_task unknown = { .comm = "?" };
	struct ktrc_tasks *tasks = calloc(1, sizeof(*tasks));

	if (!tasks)
		return NULL;
	tasks->tid = ktrc_event_field(event, "tid");
	tasks->tgid = ktrc_event_field(event, "pid");
	tasks->cgid = ktrc_event_field(event, "cgid");
	tasks->start_ns = ktrc_event_field(event, "start_ns");
	tasks->comm = ktrc_event_field(event, "comm");
	if (tasks->tid && tasks->tgid && tasks->cgid && tasks->start_ns && tasks->comm &&
	    tasks->comm->format == KTRC_FMT_TEXT &&
	    tasks->comm->width_bits / 8 < sizeof(unknown.comm))
		tasks->unknown = add(tasks, &unknown);
	if (tasks->unknown)
		return tasks;
	ktrc_tasks_destroy(tasks);
	return NULL;
}

void ktrc_tasks_destroy(struct ktrc_tasks *tasks)
{
	if (!tasks)
		return;
	for (size_t i = 0; i < tasks->nr_slots; i++)
		free(tasks->slots[i]);
	free(tasks->slots);
	forget_holders(tasks);
	free(tasks);
}

size_t ktrc_tasks_nr(const struct ktrc_tasks *tasks)
{
	return tasks->nr;
}

int ktrc_tasks_drop(struct ktrc_tasks *tasks, const struct ktrc_index *used)
{
	struct ktrc_task **slots = calloc(tasks->nr_slots, sizeof(struct ktrc_task *));

	if (!slots)
		return -ENOMEM;
	tasks->nr = 0;
	for (size_t i = 0; i < tasks->nr_slots; i++) {
		struct ktrc_task *task = tasks->slots[i];

		if (!task)
			continue;
		if (task == tasks->unknown || ktrc_index_has(used, task)) {
			*find_slot(slots, tasks->nr_slots, task) = task;
			tasks->nr++;
		} else {
			free(task);
		}
	}
	free(tasks->slots);
	tasks->slots = slots;
	forget_holders(tasks);
	return 0;
}

const struct ktrc_task *ktrc_tasks_intern(struct ktrc_tasks *tasks, const void *payload)
{
	struct ktrc_task task = {
		.tid = (u32)ktrc_get(&tasks->tid->get, payload),
		.tgid = (u32)ktrc_get(&tasks->tgid->get, payload),
		.cgid = ktrc_get(&tasks->cgid->get, payload),
		.start_ns = ktrc_get(&tasks->start_ns->get, payload),
	};

	ktrc_get_text(tasks->comm, payload, task.comm);
	return add(tasks, &task);
}

const struct ktrc_task *ktrc_tasks_unknown(const struct ktrc_tasks *tasks)
{
	return tasks->unknown;
}

void ktrc_known_reset(struct ktrc_known_tasks *known)
{
	/* a stamp that no slot carries empties the table at once */
	known->packet++;
	known->used = 0;
	if (known->packet == 0 && known->slots) {
		memset(known->slots, 0, (known->mask + 1) * sizeof(*known->slots));
		known->packet = 1;
	}
}

static struct ktrc_known_task *known_slot(const struct ktrc_known_tasks *known, u32 tid)
{
	u32 i = (u32)ktrc_hash(tid, 0) & known->mask;

	while (known->slots[i].packet == known->packet && known->slots[i].tid != tid)
		i = (i + 1) & known->mask;
	return &known->slots[i];
}

static int known_grow(struct ktrc_known_tasks *known)
{
	u32 nr_slots = known->slots ? 2 * (known->mask + 1) : 64;
	struct ktrc_known_tasks bigger = { .mask = nr_slots - 1, .packet = known->packet };

	bigger.slots = calloc(nr_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (u32 i = 0; known->slots && i <= known->mask; i++)
		if (known->slots[i].packet == known->packet)
			*known_slot(&bigger, known->slots[i].tid) = known->slots[i];
	free(known->slots);
	bigger.used = known->used;
	*known = bigger;
	return 0;
}

int ktrc_known_add(struct ktrc_known_tasks *known, const struct ktrc_task *task)
{
	struct ktrc_known_task *slot;

	if ((!known->slots || 2 * known->used > known->mask) && known_grow(known) < 0)
		return -ENOMEM;
	slot = known_slot(known, task->tid);
	if (slot->packet != known->packet)
		known->used++;
	*slot = (struct ktrc_known_task){ task->tid, known->packet, task };
	return 0;
}

int ktrc_known_use(const struct ktrc_known_tasks *known, struct ktrc_index *used)
{
	int ret = 0;

	for (u32 i = 0; ret == 0 && known->slots && i <= known->mask; i++)
		if (known->slots[i].packet == known->packet)
			ret = ktrc_index_add(used, known->slots[i].task);
	return ret;
}

const struct ktrc_task *ktrc_known_find(const struct ktrc_known_tasks *known, u32 tid)
{
	struct ktrc_known_task *slot;

	if (!known->slots)
		return NULL;
	slot = known_slot(known, tid);
	return slot->packet == known->packet ? slot->task : NULL;
}
