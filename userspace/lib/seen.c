// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers in hash tables, each once. */
#include "seen.h"

#include <stddef.h>

#include "array.h"
#include "packet.h"

/* What is beyond has no name: a process can make up its stacks. */
#define MAX_SEEN (1u << 20)
#define MAX_COPIES (1u << 15)
#define MAX_COPIES_EACH (1u << 12) /* of one process */

/* What it takes to look through packets. */
struct look {
	struct ktrc_seen *seen;
	const struct ktrc_event *stack, *stack_copy, *task, *task_ref, *map, *fork, *exec;
	const struct ktrc_getter *kernel, *tid, *tgid_of, *ref_tid;
	const struct ktrc_getter *call, *error, *is_code, *loading; /* of map */
	const struct ktrc_getter *page, *pages, *from, *from_pages, *file; /* of map */
	const struct ktrc_getter *anon, *shared, *heap, *first_stack; /* of map */
	const struct ktrc_getter *child; /* of fork */
	u64 mmap, mremap, exit; /* of map's calls */
	struct fault {
		const struct ktrc_event *event;
		const struct ktrc_getter *page;
	} faults[2];
	struct ktrc_copy_slots *slots; /* NULL: no copies come */
	struct ktrc_index tgids; /* by thread */
	u32 tgid; /* of the task in effect */
	struct ktrc_leaver *leaver; /* on the packet's CPU; NULL: no memory */
};

/* false: there was no room */
static bool see(struct ktrc_index *index, u64 number)
{
	return index->nr < MAX_SEEN && ktrc_index_get(index, number, 0);
}

/* CPUs are looked through one after the other. */
static void see_renewed(struct ktrc_seen *seen, u32 pid, u64 ticks)
{
	u32 *place = see(&seen->renewed, pid) ? ktrc_index_get(&seen->renewed, pid, 0) : NULL;
	struct ktrc_renewal *renewal;

	if (place && *place == KTRC_INDEX_NONE &&
	    ktrc_array_push(seen->renewals, seen->nr_renewals))
		*place = (u32)seen->nr_renewals - 1;
	if (!place || *place == KTRC_INDEX_NONE) {
		seen->is_partial = true;
		return;
	}
	renewal = &seen->renewals[*place];
	if (ticks >= seen->start_ticks && (!renewal->first || ticks < renewal->first))
		renewal->first = ticks;
	if (ticks > renewal->last)
		renewal->last = ticks;
}

struct ktrc_renewal ktrc_seen_renewed(const struct ktrc_seen *seen, u32 pid)
{
	u32 at = ktrc_index_find(&seen->renewed, pid, 0);

	return at == KTRC_INDEX_NONE ? (struct ktrc_renewal){ 0 } : seen->renewals[at];
}

bool ktrc_seen_is_born(const struct ktrc_seen *seen, u32 pid)
{
	return ktrc_index_find(&seen->born, pid, 0) != KTRC_INDEX_NONE;
}

u64 ktrc_seen_mapped(const struct ktrc_seen *seen, u32 pid, u64 begin, u64 end)
{
	u64 last = 0;

	for (u32 i = ktrc_index_find(&seen->code_of, pid, 0); i != KTRC_INDEX_NONE;
	     i = seen->code[i].next) {
		const struct ktrc_mapping *mapping = &seen->code[i].mapping;

		if (mapping->begin < end && begin < mapping->end && mapping->ticks > last)
			last = mapping->ticks;
	}
	return last;
}

void ktrc_seen_release(struct ktrc_seen *seen)
{
	ktrc_index_release(&seen->kernel);
	ktrc_index_release(&seen->user);
	ktrc_index_release(&seen->pids);
	ktrc_index_release(&seen->threads);
	ktrc_index_release(&seen->copied);
	ktrc_index_release(&seen->nr_of);
	for (size_t i = 0; i < seen->nr_copies; i++)
		free(seen->copies[i]);
	free(seen->copies);
	free(seen->code);
	ktrc_index_release(&seen->code_of);
	free(seen->changes);
	free(seen->left);
	free(seen->leavers);
	ktrc_index_release(&seen->leaver_on);
	ktrc_index_release(&seen->renewed);
	free(seen->renewals);
	ktrc_index_release(&seen->born);
	ktrc_index_release(&seen->blocks);
}

bool ktrc_seen_is_empty(const struct ktrc_seen *seen)
{
	return !seen->kernel.nr && !seen->user.nr && !seen->nr_copies && !seen->nr_code;
}

static void see_stack(struct look *look, const u8 *payload)
{
	struct ktrc_seen *seen = look->seen;
	bool is_kernel = ktrc_get(look->kernel, payload);

	for (size_t i = 0; i < look->stack->nr_fields; i++) {
		const struct ktrc_field *field = &look->stack->fields[i];

		if (field->format == KTRC_FMT_ADDRESS)
			see(is_kernel ? &seen->kernel : &seen->user,
			    ktrc_get(&field->get, payload));
	}
}

static void see_task(struct look *look, const u8 *payload)
{
	struct ktrc_index *threads = &look->seen->threads;
	u32 tid = (u32)ktrc_get(look->tid, payload);
	u32 *tgid = ktrc_index_get(&look->tgids, tid, 0);

	look->tgid = (u32)ktrc_get(look->tgid_of, payload);
	if (tgid)
		*tgid = look->tgid;
	see(&look->seen->pids, look->tgid);
	if (tid != look->tgid && threads->nr < MAX_SEEN)
		ktrc_index_get(threads, look->tgid, tid);
}

/*
 * Of a thread that no record names, as it found no room, nobody knows what it changes; what is no
 * thread's changes nothing.
 */
static void see_task_ref(struct look *look, const u8 *payload)
{
	u32 tid = (u32)ktrc_get(look->ref_tid, payload);

	look->tgid = ktrc_index_find(&look->tgids, tid, 0);
	if (look->tgid == KTRC_INDEX_NONE && tid != KTRC_TID_NOBODY)
		look->seen->is_partial = true;
}

static struct ktrc_copy *keep(const struct ktrc_copy *copy)
{
	size_t bytes = offsetof(struct ktrc_copy, words) + copy->nr * sizeof(copy->words[0]);
	struct ktrc_copy *kept = malloc(bytes);

	return kept ? memcpy(kept, copy, bytes) : NULL;
}

static bool has_room(struct ktrc_seen *seen, u32 pid)
{
	u32 *nr = ktrc_index_get(&seen->nr_of, pid, 0);

	if (nr && *nr == KTRC_INDEX_NONE)
		*nr = 0;
	return nr && *nr < MAX_COPIES_EACH;
}

/* It is of the task in effect, as the record is for which it was made. */
static void see_copy(struct look *look, const u8 *payload)
{
	const struct ktrc_copy *copy = look->slots ? ktrc_copies_take(look->slots, payload) : NULL;
	struct ktrc_seen *seen = look->seen;
	struct ktrc_copy **slot;
	u32 *place;

	if (!copy || seen->nr_copies == MAX_COPIES || !has_room(seen, look->tgid))
		return;
	place = ktrc_index_get(&seen->copied, look->tgid, copy->id);
	if (!place || *place != KTRC_INDEX_NONE)
		return;
	slot = ktrc_array_push(seen->copies, seen->nr_copies);
	if (!slot)
		return;
	*slot = keep(copy);
	if (!*slot) {
		seen->nr_copies--;
		return;
	}
	*place = (u32)seen->nr_copies - 1;
	++*ktrc_index_get(&seen->nr_of, look->tgid, 0);
}

/* A part of a file that may be run; @ticks: 0: since nobody knows when. */
static void see_code(struct look *look, u64 ticks, const u8 *payload, u64 begin, u64 end)
{
	struct ktrc_seen *seen = look->seen;
	u32 *newest = ktrc_index_get(&seen->code_of, look->tgid, 0);
	struct ktrc_seen_code *code = NULL;

	if (newest && seen->nr_code < MAX_SEEN)
		code = ktrc_array_push(seen->code, seen->nr_code);
	if (!code) {
		seen->is_partial |= ticks != 0; /* else it only has no name */
		return;
	}
	code->pid = look->tgid;
	code->next = *newest;
	*newest = (u32)seen->nr_code - 1;
	code->mapping = (struct ktrc_mapping){
		.begin = begin << KTRC_PAGE_SHIFT,
		.end = end << KTRC_PAGE_SHIFT,
		.offset = ktrc_get_or_0(look->from, payload) << KTRC_PAGE_SHIFT,
		.ticks = ticks,
		.file = (u32)ktrc_get_or_0(look->file, payload),
	};
}

static void see_change(struct look *look, u64 ticks, u64 begin, u64 end)
{
	struct ktrc_seen *seen = look->seen;
	struct ktrc_change *change = NULL;

	if (begin == end || !seen->with_changes || ktrc_seen_is_born(seen, look->tgid))
		return;
	if (seen->nr_changes < MAX_SEEN)
		change = ktrc_array_push(seen->changes, seen->nr_changes);
	if (change)
		*change = (struct ktrc_change){ begin, end, ticks, look->tgid };
	else
		seen->lost_changes = true;
}

static enum ktrc_area_kind kind_of(const struct look *look, const u8 *payload)
{
	if (ktrc_get_or_0(look->heap, payload))
		return KTRC_AREA_HEAP;
	if (ktrc_get_or_0(look->first_stack, payload))
		return KTRC_AREA_STACK;
	return ktrc_area_kind(ktrc_get_or_0(look->anon, payload),
			      ktrc_get_or_0(look->shared, payload));
}

/* The parts follow each other: of one whose first is gone nobody knows when it began. */
static void see_left(struct look *look, u64 ticks, const u8 *payload, u64 begin, u64 end)
{
	struct ktrc_seen *seen = look->seen;
	struct ktrc_leaver *leaver = look->leaver;
	struct ktrc_left *left = NULL;

	if (!seen->with_changes || !leaver || look->tgid == KTRC_INDEX_NONE)
		return;
	if (!ktrc_get_or_0(look->from_pages, payload))
		*leaver = (struct ktrc_leaver){ ticks, look->tgid };
	if (leaver->pid != look->tgid || leaver->ticks < seen->start_ticks ||
	    ktrc_seen_is_born(seen, look->tgid))
		return;
	/* what finds no room is not known; what is told later is after a birth or another program */
	if (seen->nr_left < MAX_SEEN)
		left = ktrc_array_push(seen->left, seen->nr_left);
	if (!left)
		return;
	left->pid = look->tgid;
	left->ticks = leaver->ticks;
	left->area = (struct ktrc_area){
		.begin = begin,
		.end = end,
		.kind = kind_of(look, payload),
	};
	if (left->area.kind == KTRC_AREA_FILE) {
		left->area.offset = ktrc_get_or_0(look->from, payload);
		left->area.file = (u32)ktrc_get_or_0(look->file, payload);
	}
}

static void see_map(struct look *look, u64 ticks, const u8 *payload)
{
	u64 call = ktrc_get_or_0(look->call, payload), from = ktrc_get_or_0(look->from, payload);
	u64 begin = ktrc_get_or_0(look->page, payload);
	u64 end = begin + ktrc_get_or_0(look->pages, payload);

	if (ktrc_get_or_0(look->error, payload))
		return;
	if ((call == look->mmap || call == look->exit) && ktrc_get_or_0(look->is_code, payload) &&
	    ktrc_get_or_0(look->file, payload))
		see_code(look, call == look->mmap ? ticks : 0, payload, begin, end);
	if (call == look->exit) {
		see_left(look, ticks, payload, begin, end);
		return;
	}
	if (ktrc_get_or_0(look->loading, payload))
		see_renewed(look->seen, look->tgid, ticks);
	see_change(look, ticks, begin, end);
	if (call == look->mremap)
		see_change(look, ticks, from, from + ktrc_get_or_0(look->from_pages, payload));
}

/* Without room for all nobody is known to have been there before. */
static void see_fork(struct look *look, u64 ticks, const u8 *payload)
{
	struct ktrc_seen *seen = look->seen;
	u32 child = (u32)ktrc_get_or_0(look->child, payload);
	u32 *place;

	if (!seen->with_changes || child == look->tgid || ticks < seen->start_ticks)
		return;
	place = see(&seen->born, child) ? ktrc_index_get(&seen->born, child, 0) : NULL;
	if (place)
		*place = 0;
	else
		seen->lost_changes = true;
}

static void see_fault(struct look *look, const struct ktrc_event *event, const u8 *payload)
{
	for (size_t i = 0; i < ARRAY_SIZE(look->faults); i++)
		if (event == look->faults[i].event)
			see(&look->seen->blocks,
			    ktrc_get_or_0(look->faults[i].page, payload) >> KTRC_BLOCK_SHIFT);
}

static struct ktrc_leaver *leaver_on(struct ktrc_seen *seen, u32 cpu)
{
	u32 *place = ktrc_index_get(&seen->leaver_on, cpu, 0);
	struct ktrc_leaver *leaver = NULL;

	if (!place)
		return NULL;
	if (*place != KTRC_INDEX_NONE)
		return &seen->leavers[*place];
	leaver = ktrc_array_push(seen->leavers, seen->nr_leavers);
	if (leaver) {
		leaver->pid = KTRC_INDEX_NONE;
		*place = (u32)seen->nr_leavers - 1;
	}
	return leaver;
}

static void see_packet(struct look *look, const struct ktrc_schema *schema,
		       const struct ktrc_packet *packet)
{
	struct ktrc_cursor cursor = ktrc_packet_begin(packet);
	const struct ktrc_event *event;
	const u8 *payload;
	int id;

	ktrc_copies_reset(look->slots);
	look->leaver = leaver_on(look->seen, packet->cpu);
	while ((id = ktrc_cursor_next(&cursor, schema, &payload)) >= 0) {
		event = &schema->events[id];
		if (event == look->stack)
			see_stack(look, payload);
		else if (event == look->task)
			see_task(look, payload);
		else if (event == look->task_ref)
			see_task_ref(look, payload);
		else if (event == look->stack_copy)
			see_copy(look, payload);
		else if (event == look->map)
			see_map(look, cursor.ticks, payload);
		else if (event == look->fork)
			see_fork(look, cursor.ticks, payload);
		else if (event == look->exec)
			see_renewed(look->seen, look->tgid, cursor.ticks);
		else if (look->seen->with_changes)
			see_fault(look, event, payload);
	}
}

static void resolve_map(struct look *look, const struct ktrc_schema *schema)
{
	const struct ktrc_enum *calls = ktrc_schema_find_enum(schema, "map_call");

	look->map = ktrc_schema_find(schema, "map");
	look->call = ktrc_event_getter(look->map, "map_call");
	look->error = ktrc_event_getter(look->map, "error");
	look->is_code = ktrc_event_getter(look->map, "prot_exec");
	look->loading = ktrc_event_getter(look->map, "loading");
	look->page = ktrc_event_getter(look->map, "page");
	look->pages = ktrc_event_getter(look->map, "pages");
	look->from = ktrc_event_getter(look->map, "from");
	look->from_pages = ktrc_event_getter(look->map, "from_pages");
	look->file = ktrc_event_getter(look->map, "file_id");
	look->anon = ktrc_event_getter(look->map, "anon");
	look->shared = ktrc_event_getter(look->map, "map_shared");
	look->heap = ktrc_event_getter(look->map, "heap");
	look->first_stack = ktrc_event_getter(look->map, "stack");
	look->mmap = ktrc_enum_value(calls, "mmap");
	look->mremap = ktrc_enum_value(calls, "mremap");
	look->exit = ktrc_enum_value(calls, "exit");
}

static void resolve_changes(struct look *look, const struct ktrc_schema *schema)
{
	static const char *const labels[] = { "fault", "fault.light" };

	look->fork = ktrc_schema_find(schema, "process");
	look->child = ktrc_event_getter(look->fork, "child_pid");
	look->exec = ktrc_schema_find(schema, "process.exec");
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		look->faults[i].event = ktrc_schema_find(schema, labels[i]);
		look->faults[i].page = ktrc_event_getter(look->faults[i].event, "page");
	}
}

void ktrc_seen_add(struct ktrc_seen *seen, const struct ktrc_schema *schema, const u8 *bytes,
		   size_t len)
{
	struct look look = {
		.seen = seen,
		.stack = ktrc_schema_find(schema, "stack"),
		.stack_copy = ktrc_schema_find(schema, "stack_copy"),
		.task = ktrc_schema_find(schema, "task"),
		.task_ref = ktrc_schema_find(schema, "task_ref"),
	};
	struct ktrc_packet packet;

	look.kernel = ktrc_event_getter(look.stack, "is_kernel");
	look.tid = ktrc_event_getter(look.task, "tid");
	look.tgid_of = ktrc_event_getter(look.task, "pid");
	look.ref_tid = ktrc_event_getter(look.task_ref, "tid");
	if (!look.kernel || !look.tid || !look.tgid_of || !look.ref_tid)
		return;
	resolve_map(&look, schema);
	resolve_changes(&look, schema);
	if (look.stack_copy)
		look.slots = ktrc_copies_create(schema);
	for (size_t at = 0; ktrc_packet_parse(&packet, bytes + at, len - at) == 0;
	     at += packet.size)
		see_packet(&look, schema, &packet);
	ktrc_copies_destroy(look.slots);
	ktrc_index_release(&look.tgids);
}
