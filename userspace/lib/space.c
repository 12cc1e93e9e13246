// SPDX-License-Identifier: GPL-2.0-or-later
/* Of each process its areas; a child shares its maker's until one of them changes. */
#include "space.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "index.h"

struct space {
	struct ktrc_areas *areas;
	bool is_loading; /* a program, which is not yet said to run */
};

struct ktrc_spaces {
	u64 start_ticks; /* before, half of what happened may be missing */
	const struct ktrc_event *map, *fork, *exec, *exit, *counts;
	const struct ktrc_getter *page, *pages, *error, *file, *call, *anon, *shared, *from;
	const struct ktrc_getter *from_pages, *dontunmap, *loading, *process, *live;
	const struct ktrc_getter *counted, *lost;
	u64 mmap, munmap, mremap, brk, brk_down, bss, stack;
	bool is_lossy;
	struct space *rows;
	size_t nr;
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
	spaces->file = ktrc_event_getter(map, "file_id");
	spaces->call = ktrc_event_getter(map, "map_call");
	spaces->anon = ktrc_event_getter(map, "anon");
	spaces->shared = ktrc_event_getter(map, "map_shared");
	spaces->from = ktrc_event_getter(map, "from");
	spaces->from_pages = ktrc_event_getter(map, "from_pages");
	spaces->dontunmap = ktrc_event_getter(map, "dontunmap");
	spaces->loading = ktrc_event_getter(map, "loading");
	spaces->mmap = call_number(schema, "mmap");
	spaces->munmap = call_number(schema, "munmap");
	spaces->mremap = call_number(schema, "mremap");
	spaces->brk = call_number(schema, "brk");
	spaces->brk_down = call_number(schema, "brk_down");
	spaces->bss = call_number(schema, "bss");
	spaces->stack = call_number(schema, "stack");
	spaces->fork = ktrc_schema_find(schema, "process");
	spaces->process = ktrc_event_getter(spaces->fork, "child_pid");
	spaces->exec = ktrc_schema_find(schema, "process_exec");
	spaces->exit = ktrc_schema_find(schema, "process_exit");
	spaces->live = ktrc_event_getter(spaces->exit, "live");
	spaces->counts = ktrc_schema_find(schema, "counts");
	spaces->counted = ktrc_event_getter(spaces->counts, "event_id");
	spaces->lost = ktrc_event_getter(spaces->counts, "lost");
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
		ktrc_areas_drop(spaces->rows[i].areas);
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

static void clear(struct space *space)
{
	ktrc_areas_drop(space->areas);
	*space = (struct space){ 0 };
}

/* What was there moves, as far as it is known; more of it than there was is of the same kind. */
static int move(const struct ktrc_spaces *spaces, struct space *space, const u8 *payload,
		struct ktrc_area to)
{
	u64 from = ktrc_get_or_0(spaces->from, payload);
	u64 from_end = from + ktrc_get_or_0(spaces->from_pages, payload);
	const struct ktrc_area *area = ktrc_areas_find(space->areas, from);
	struct ktrc_area was = area ? *area : (struct ktrc_area){ 0 };

	if (!ktrc_get_or_0(spaces->dontunmap, payload) &&
	    ktrc_areas_clear(&space->areas, from, from_end) < 0)
		return -ENOMEM;
	if (was.kind == KTRC_AREA_UNKNOWN)
		return ktrc_areas_clear(&space->areas, to.begin, to.end);
	to.kind = was.kind;
	to.file = was.file;
	to.offset = was.offset + from - was.begin;
	return ktrc_areas_put(&space->areas, &to);
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
		area.kind = ktrc_area_kind(ktrc_get_or_0(spaces->anon, payload),
					   ktrc_get_or_0(spaces->shared, payload));
		area.file = (u32)ktrc_get_or_0(spaces->file, payload);
		area.offset = ktrc_get_or_0(spaces->from, payload);
		return ktrc_areas_put(&space->areas, &area);
	}
	if (call == spaces->munmap || call == spaces->brk_down)
		return ktrc_areas_clear(&space->areas, area.begin, area.end);
	if (call == spaces->stack)
		ktrc_stack_reach(&area, 0);
	area.kind = call == spaces->brk	  ? KTRC_AREA_HEAP :
		    call == spaces->bss	  ? KTRC_AREA_ANON :
		    call == spaces->stack ? KTRC_AREA_STACK :
					    KTRC_AREA_UNKNOWN;
	return area.kind ? ktrc_areas_put(&space->areas, &area) : 0;
}

int ktrc_spaces_walk(const struct ktrc_spaces *spaces, u32 pid,
		     int (*visit)(const struct ktrc_area *area, void *data), void *data)
{
	const struct space *space = find_space(spaces, pid);

	return space ? ktrc_areas_walk(space->areas, visit, data) : 0;
}

int ktrc_spaces_put(struct ktrc_spaces *spaces, u32 pid, const struct ktrc_area *area)
{
	struct space *space = get_space(spaces, pid);

	return space ? ktrc_areas_put(&space->areas, area) : -ENOMEM;
}

int ktrc_spaces_unmap(struct ktrc_spaces *spaces, u32 pid, u64 begin, u64 end)
{
	struct space *space = get_space(spaces, pid);

	return space ? ktrc_areas_clear(&space->areas, begin, end) : -ENOMEM;
}

/* A process begins with what its maker has; a thread has what the others have. */
static int add_fork(struct ktrc_spaces *spaces, u32 parent, u32 pid)
{
	struct space *child = parent == pid ? NULL : get_space(spaces, pid);
	const struct space *maker = find_space(spaces, parent);

	if (!child)
		return parent == pid ? 0 : -ENOMEM;
	clear(child);
	if (maker)
		child->areas = ktrc_areas_share(maker->areas);
	return 0;
}

static int add_own(struct ktrc_spaces *spaces, struct space *space,
		   const struct ktrc_record *record)
{
	const u8 *payload = record->payload;
	bool is_loading = space->is_loading;

	if (record->event == spaces->exec) {
		if (!is_loading) /* what it loaded was not recorded */
			clear(space);
		space->is_loading = false;
		return 0;
	}
	if (record->event == spaces->exit) {
		if (!ktrc_get_or_0(spaces->live, payload))
			clear(space);
		return 0;
	}
	if (ktrc_get_or_0(spaces->error, payload))
		return 0;
	if (ktrc_get_or_0(spaces->loading, payload) && !is_loading) {
		clear(space);
		space->is_loading = true;
	}
	return add_map(spaces, space, payload);
}

/* Whatever is known may have been changed by what is not there. */
static void take_counts(struct ktrc_spaces *spaces, const u8 *payload)
{
	const struct ktrc_event *const told[] = { spaces->map, spaces->fork, spaces->exec,
						  spaces->exit };
	u64 id = ktrc_get_or_0(spaces->counted, payload);

	if (!ktrc_get_or_0(spaces->lost, payload))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		spaces->is_lossy |= told[i] && told[i]->id == id;
	for (size_t i = 0; spaces->is_lossy && i < spaces->nr; i++)
		clear(&spaces->rows[i]);
}

bool ktrc_spaces_is_lossy(const struct ktrc_spaces *spaces)
{
	return spaces->is_lossy;
}

int ktrc_spaces_add(struct ktrc_spaces *spaces, const struct ktrc_record *record)
{
	const struct ktrc_event *event = record->event;
	u32 pid = record->task->tgid;
	struct space *space;

	if (event == spaces->counts)
		take_counts(spaces, record->payload);
	if (record->ticks < spaces->start_ticks || spaces->is_lossy)
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
	const struct ktrc_area *area = space ? ktrc_areas_find(space->areas, page) : NULL;

	return area ? *area : (struct ktrc_area){ 0 };
}
