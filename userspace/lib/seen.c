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
	const struct ktrc_event *stack, *stack_copy, *task, *task_ref;
	const struct ktrc_getter *kernel, *tid, *tgid_of, *ref_tid;
	struct ktrc_copy_slots *slots; /* NULL: no copies come */
	struct ktrc_index tgids; /* by thread */
	u32 tgid; /* of the task in effect */
};

static void see(struct ktrc_index *index, u64 number)
{
	if (index->nr < MAX_SEEN)
		ktrc_index_get(index, number, 0);
}

void ktrc_seen_release(struct ktrc_seen *seen)
{
	ktrc_index_release(&seen->kernel);
	ktrc_index_release(&seen->user);
	ktrc_index_release(&seen->pids);
	ktrc_index_release(&seen->copied);
	ktrc_index_release(&seen->nr_of);
	for (size_t i = 0; i < seen->nr_copies; i++)
		free(seen->copies[i]);
	free(seen->copies);
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
	u32 *tgid = look->slots ? ktrc_index_get(&look->tgids, ktrc_get(look->tid, payload), 0) :
				  NULL;

	look->tgid = (u32)ktrc_get(look->tgid_of, payload);
	if (tgid)
		*tgid = look->tgid;
	see(&look->seen->pids, look->tgid);
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

static void see_packet(struct look *look, const struct ktrc_schema *schema,
		       const struct ktrc_packet *packet)
{
	struct ktrc_cursor cursor = ktrc_packet_begin(packet);
	const struct ktrc_event *event;
	const u8 *payload;
	int id;

	ktrc_copies_reset(look->slots);
	while ((id = ktrc_cursor_next(&cursor, schema, &payload)) >= 0) {
		event = &schema->events[id];
		if (event == look->stack)
			see_stack(look, payload);
		else if (event == look->task)
			see_task(look, payload);
		else if (event == look->task_ref)
			look->tgid =
				ktrc_index_find(&look->tgids, ktrc_get(look->ref_tid, payload), 0);
		else if (event == look->stack_copy)
			see_copy(look, payload);
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

	look.kernel = ktrc_event_getter(look.stack, "kernel");
	look.tid = ktrc_event_getter(look.task, "tid");
	look.tgid_of = ktrc_event_getter(look.task, "tgid");
	look.ref_tid = ktrc_event_getter(look.task_ref, "tid");
	if (!look.kernel || !look.tid || !look.tgid_of || !look.ref_tid)
		return;
	if (look.stack_copy)
		look.slots = ktrc_copies_create(schema);
	for (size_t at = 0; ktrc_packet_parse(&packet, bytes + at, len - at) == 0;
	     at += packet.size)
		see_packet(&look, schema, &packet);
	ktrc_copies_destroy(look.slots);
	ktrc_index_release(&look.tgids);
}
