// SPDX-License-Identifier: GPL-2.0-or-later
/* Of each process its areas, none of which overlaps another, in a balanced tree. */
#include "space.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "index.h"

/* Areas that all processes have from their makers, and ever had; a process with more has none. */
#define MAX_INHERITED (1u << 20)
#define MAX_COPIED (1u << 26)

struct space {
	void *areas; /* of tsearch() */
	size_t nr;
	size_t inherited;
	bool is_loading; /* a program, which is not yet said to run */
};

struct ktrc_spaces {
	u64 start_ticks; /* before, half of what happened may be missing */
	const struct ktrc_event *map, *fork, *exec, *exit;
	const struct ktrc_getter *page, *pages, *error, *file, *call, *anon, *shared, *from;
	const struct ktrc_getter *from_pages, *dontunmap, *loading, *process, *live;
	u64 mmap, munmap, mremap, brk, brk_down;
	struct space *rows;
	size_t nr;
	size_t inherited;
	size_t copied;
	struct ktrc_index by_pid;
};

static u64 call_number(const struct ktrc_schema *schema, const char *name)
{
	return ktrc_enum_value(ktrc_schema_find_enum(schema, "map_call"), name);
}

static void resolve(struct ktrc_spaces *spaces, const struct ktrc_schema *schema)
{
	const struct ktrc_event *map = ktrc_schema_find(schema, "map");

	spaces->map = map;
	spaces->page = ktrc_event_getter(map, "page");
	spaces->pages = ktrc_event_getter(map, "pages");
	spaces->error = ktrc_event_getter(map, "error");
	spaces->file = ktrc_event_getter(map, "file");
	spaces->call = ktrc_event_getter(map, "call");
	spaces->anon = ktrc_event_getter(map, "anon");
	spaces->shared = ktrc_event_getter(map, "shared");
	spaces->from = ktrc_event_getter(map, "from");
	spaces->from_pages = ktrc_event_getter(map, "from_pages");
	spaces->dontunmap = ktrc_event_getter(map, "dontunmap");
	spaces->loading = ktrc_event_getter(map, "loading");
	spaces->mmap = call_number(schema, "mmap");
	spaces->munmap = call_number(schema, "munmap");
	spaces->mremap = call_number(schema, "mremap");
	spaces->brk = call_number(schema, "brk");
	spaces->brk_down = call_number(schema, "brk_down");
	spaces->fork = ktrc_schema_find(schema, "process");
	spaces->process = ktrc_event_getter(spaces->fork, "process");
	spaces->exec = ktrc_schema_find(schema, "process_exec");
	spaces->exit = ktrc_schema_find(schema, "process_exit");
	spaces->live = ktrc_event_getter(spaces->exit, "live");
}

struct ktrc_spaces *ktrc_spaces_create(const struct ktrc_schema *schema, u64 start_ticks)
{
	struct ktrc_spaces *spaces = calloc(1, sizeof(*spaces));

	if (!spaces)
		return NULL;
	spaces->start_ticks = start_ticks;
	resolve(spaces, schema);
	return spaces;
}

void ktrc_spaces_destroy(struct ktrc_spaces *spaces)
{
	if (!spaces)
		return;
	for (size_t i = 0; i < spaces->nr; i++)
		tdestroy(spaces->rows[i].areas, free);
	free(spaces->rows);
	ktrc_index_release(&spaces->by_pid);
	free(spaces);
}

static struct space *get_space(struct ktrc_spaces *spaces, u32 pid)
{
	u32 *at = ktrc_index_get(&spaces->by_pid, pid, 0);

	if (!at)
		return NULL;
	if (*at == KTRC_INDEX_NONE) {
		if (!ktrc_array_push(spaces->rows, spaces->nr))
			return NULL;
		*at = (u32)spaces->nr - 1;
	}
	return &spaces->rows[*at];
}

static const struct space *find_space(const struct ktrc_spaces *spaces, u32 pid)
{
	u32 at = ktrc_index_find(&spaces->by_pid, pid, 0);

	return at == KTRC_INDEX_NONE ? NULL : &spaces->rows[at];
}

static void clear(struct ktrc_spaces *spaces, struct space *space)
{
	spaces->inherited -= space->inherited;
	tdestroy(space->areas, free);
	*space = (struct space){ 0 };
}

/* What overlaps is the same: no two in a tree do. */
static int by_place(const void *pa, const void *pb)
{
	const struct ktrc_area *a = pa, *b = pb;

	return a->end <= b->begin ? -1 : a->begin >= b->end;
}

/* One of those that have something in common with the range; NULL: none has. */
static struct ktrc_area *find_area(const struct space *space, u64 begin, u64 end)
{
	const struct ktrc_area range = { .begin = begin, .end = end };
	void *node = tfind(&range, &space->areas, by_place);

	return node ? *(struct ktrc_area **)node : NULL;
}

/* Where nothing is. */
static int insert(struct space *space, const struct ktrc_area *wanted)
{
	struct ktrc_area *area = malloc(sizeof(*area));

	if (!area)
		return -ENOMEM;
	*area = *wanted;
	if (!tsearch(area, &space->areas, by_place)) {
		free(area);
		return -ENOMEM;
	}
	space->nr++;
	return 0;
}

/* An area from a later page on. */
static void cut_front(struct ktrc_area *area, u64 page)
{
	area->offset += page - area->begin;
	area->begin = page;
}

/* Nothing is left from @begin to @end: what reaches over an end is cut there. */
static int unmap(struct space *space, u64 begin, u64 end)
{
	struct ktrc_area *area, front, back;
	int ret = 0;

	while (ret == 0 && begin < end && (area = find_area(space, begin, end)) != NULL) {
		front = back = *area;
		tdelete(area, &space->areas, by_place);
		free(area);
		space->nr--;
		front.end = begin;
		cut_front(&back, end);
		if (front.begin < front.end)
			ret = insert(space, &front);
		if (ret == 0 && back.begin < back.end)
			ret = insert(space, &back);
	}
	return ret;
}

static int put(struct space *space, const struct ktrc_area *wanted)
{
	if (wanted->begin >= wanted->end)
		return 0;
	if (unmap(space, wanted->begin, wanted->end) < 0)
		return -ENOMEM;
	return insert(space, wanted);
}

static enum ktrc_area_kind kind_of(const struct ktrc_spaces *spaces, const u8 *payload)
{
	if (!ktrc_get_or_0(spaces->anon, payload))
		return KTRC_AREA_FILE;
	return ktrc_get_or_0(spaces->shared, payload) ? KTRC_AREA_SHARED : KTRC_AREA_ANON;
}

/* What was there moves, as far as it is known; more of it than there was is of the same kind. */
static int move(const struct ktrc_spaces *spaces, struct space *space, const u8 *payload,
		struct ktrc_area to)
{
	u64 from = ktrc_get_or_0(spaces->from, payload);
	u64 from_end = from + ktrc_get_or_0(spaces->from_pages, payload);
	const struct ktrc_area *area = find_area(space, from, from + 1);
	struct ktrc_area was = area ? *area : (struct ktrc_area){ 0 };

	if (!ktrc_get_or_0(spaces->dontunmap, payload) && unmap(space, from, from_end) < 0)
		return -ENOMEM;
	if (was.kind == KTRC_AREA_UNKNOWN)
		return unmap(space, to.begin, to.end);
	to.kind = was.kind;
	to.file = was.file;
	to.offset = was.offset + from - was.begin;
	return put(space, &to);
}

static int add_map(const struct ktrc_spaces *spaces, struct space *space, const u8 *payload)
{
	u64 call = ktrc_get_or_0(spaces->call, payload);
	u64 begin = ktrc_get_or_0(spaces->page, payload);
	struct ktrc_area area = {
		.begin = begin,
		.end = begin + ktrc_get_or_0(spaces->pages, payload),
	};

	if (call == spaces->mremap)
		return move(spaces, space, payload, area);
	if (call == spaces->mmap) {
		area.kind = kind_of(spaces, payload);
		area.file = (u32)ktrc_get_or_0(spaces->file, payload);
		area.offset = ktrc_get_or_0(spaces->from, payload);
		return put(space, &area);
	}
	if (call == spaces->brk) {
		area.kind = KTRC_AREA_HEAP;
		return put(space, &area);
	}
	return call == spaces->munmap || call == spaces->brk_down ?
		       unmap(space, area.begin, area.end) :
		       0;
}

struct walk {
	int (*visit)(const struct ktrc_area *area, void *data);
	void *data;
	int ret;
};

static void visit(const void *node, VISIT when, void *data)
{
	const struct ktrc_area *area = *(struct ktrc_area *const *)node;
	struct walk *walk = data;

	if (walk->ret == 0 && (when == postorder || when == leaf))
		walk->ret = walk->visit(area, walk->data);
}

int ktrc_spaces_walk(const struct ktrc_spaces *spaces, u32 pid,
		     int (*visit_area)(const struct ktrc_area *area, void *data), void *data)
{
	const struct space *space = find_space(spaces, pid);
	struct walk walk = { .visit = visit_area, .data = data };

	if (space)
		twalk_r(space->areas, visit, &walk);
	return walk.ret;
}

int ktrc_spaces_put(struct ktrc_spaces *spaces, u32 pid, const struct ktrc_area *area)
{
	struct space *space = get_space(spaces, pid);

	return space ? put(space, area) : -ENOMEM;
}

int ktrc_spaces_unmap(struct ktrc_spaces *spaces, u32 pid, u64 begin, u64 end)
{
	struct space *space = get_space(spaces, pid);

	return space ? unmap(space, begin, end) : -ENOMEM;
}

static int inherit(const struct ktrc_area *area, void *child)
{
	return insert(child, area);
}

/* A process begins with what its maker has; a thread has what the others have. */
static int add_fork(struct ktrc_spaces *spaces, u32 parent, u32 pid)
{
	struct space *child = parent == pid ? NULL : get_space(spaces, pid);
	const struct space *maker = find_space(spaces, parent);
	int ret;

	if (!child)
		return parent == pid ? 0 : -ENOMEM;
	clear(spaces, child);
	if (!maker || maker->nr > MAX_INHERITED - spaces->inherited ||
	    maker->nr > MAX_COPIED - spaces->copied)
		return 0;
	spaces->copied += maker->nr;
	ret = ktrc_spaces_walk(spaces, parent, inherit, child);
	child->inherited = child->nr;
	spaces->inherited += child->nr;
	return ret;
}

static int add_own(struct ktrc_spaces *spaces, struct space *space,
		   const struct ktrc_record *record)
{
	const u8 *payload = record->payload;
	bool is_loading = space->is_loading;

	if (record->event == spaces->exec) {
		if (!is_loading) /* what it loaded was not recorded */
			clear(spaces, space);
		space->is_loading = false;
		return 0;
	}
	if (record->event == spaces->exit) {
		if (!ktrc_get_or_0(spaces->live, payload))
			clear(spaces, space);
		return 0;
	}
	if (ktrc_get_or_0(spaces->error, payload))
		return 0;
	if (ktrc_get_or_0(spaces->loading, payload) && !is_loading) {
		clear(spaces, space);
		space->is_loading = true;
	}
	return add_map(spaces, space, payload);
}

int ktrc_spaces_add(struct ktrc_spaces *spaces, const struct ktrc_record *record)
{
	const struct ktrc_event *event = record->event;
	u32 pid = record->task->tgid;
	struct space *space;

	if (record->ticks < spaces->start_ticks)
		return 0;
	if (event == spaces->fork)
		return add_fork(spaces, pid, (u32)ktrc_get_or_0(spaces->process, record->payload));
	if (event != spaces->map && event != spaces->exec && event != spaces->exit)
		return 0;
	space = get_space(spaces, pid);
	return space ? add_own(spaces, space, record) : -ENOMEM;
}

struct ktrc_area ktrc_spaces_find(const struct ktrc_spaces *spaces, const struct ktrc_task *task,
				  u64 page)
{
	const struct space *space = find_space(spaces, task->tgid);
	const struct ktrc_area *area = space ? find_area(space, page, page + 1) : NULL;

	return area ? *area : (struct ktrc_area){ 0 };
}
