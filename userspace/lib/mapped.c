// SPDX-License-Identifier: GPL-2.0-or-later
/* The last state, without what changed, is the first state, without what changed. */
#include "mapped.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "hash.h"
#include "maps.h"

/* A process can map as much as it likes, and while its memory is held /proc does not answer. */
#define MAX_LINES (1u << 20)
#define MAX_KEPT 100000

/* What is known while processes are looked at. */
struct ktrc_mapped_look {
	struct ktrc_mapped mapped;
	const struct ktrc_names *names;
	struct ktrc_spaces *spaces;
	struct ktrc_index files; /* numbers by hash of path */
	struct ktrc_index pids; /* of whom anything was told */
	u32 last_pid; /* of the last line, */
	u64 last_end; /* and where that ends */
	bool is_all; /* of all processes, whatever they will record */
	bool is_kept;
	struct ktrc_spaces *left; /* of those who gave it up */
	struct ktrc_index leavers; /* where in @left of struct ktrc_seen theirs begins */
};

/* What is near to recorded faults and frames. */
struct near {
	const struct ktrc_seen *seen;
	u64 *blocks; /* with faults or code that ran, by rising number */
	size_t nr;
};

/* What a child is asked. */
struct question {
	const struct ktrc_index *pids; /* NULL: of all */
	u64 start_ns;
	const char *cgroup; /* to which it is confined, NULL: to none, "": nobody knows its path */
};

void ktrc_mapped_release(struct ktrc_mapped *mapped)
{
	for (size_t i = 0; i < mapped->nr_paths; i++)
		free(mapped->paths[i]);
	free(mapped->paths);
	free(mapped->rows);
	*mapped = (struct ktrc_mapped){ 0 };
}

const char *ktrc_mapped_path(const struct ktrc_mapped *mapped, const struct ktrc_names *names,
			     u32 file)
{
	if (file < KTRC_MAPPED_FILE)
		return ktrc_names_file(names, file);
	file -= KTRC_MAPPED_FILE;
	return file < mapped->nr_paths ? mapped->paths[file] : NULL;
}

int ktrc_mapped_put(const struct ktrc_mapped *mapped, struct ktrc_spaces *spaces, bool is_left)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < mapped->nr; i++)
		if (!is_left || mapped->rows[i].is_left)
			ret = ktrc_spaces_put(spaces, mapped->rows[i].pid, &mapped->rows[i].area);
	return ret;
}

static u64 hash_of(const char *path)
{
	u64 hash = 0;

	for (; *path; path++)
		hash = ktrc_hash(hash, (u8)*path);
	return hash;
}

/* Where among @files the number of a path stands; of one that only has another's hash nowhere. */
static u32 *slot_of(struct ktrc_index *files, const struct ktrc_mapped *mapped,
		    const struct ktrc_names *names, const char *path)
{
	u32 *slot = ktrc_index_get(files, hash_of(path), 0);
	const char *known =
		slot && *slot != KTRC_INDEX_NONE ? ktrc_mapped_path(mapped, names, *slot) : NULL;

	return known && strcmp(known, path) != 0 ? NULL : slot;
}

/* Files that the module has numbered keep their numbers. */
static void number_files(struct ktrc_index *files, const struct ktrc_mapped *mapped,
			 const struct ktrc_names *names)
{
	for (size_t i = 0; i < names->nr; i++) {
		const struct ktrc_name *name = &names->rows[i];
		u32 *slot;

		if (name->cgid < KTRC_NAME_FILE || name->cgid - KTRC_NAME_FILE >= KTRC_MAPPED_FILE)
			continue;
		slot = slot_of(files, mapped, names, name->path);
		if (slot)
			*slot = (u32)(name->cgid - KTRC_NAME_FILE);
	}
}

void ktrc_mapped_renumber(struct ktrc_mapped *mapped, const struct ktrc_names *names)
{
	KTRC_CLEANUP(ktrc_index_release) struct ktrc_index files = { 0 };

	number_files(&files, mapped, names);
	for (size_t i = 0; i < mapped->nr; i++) {
		u32 *file = &mapped->rows[i].area.file, *slot;

		if (*file < KTRC_MAPPED_FILE || *file - KTRC_MAPPED_FILE >= mapped->nr_paths)
			continue;
		slot = slot_of(&files, mapped, names, mapped->paths[*file - KTRC_MAPPED_FILE]);
		if (slot && *slot != KTRC_INDEX_NONE)
			*file = *slot;
	}
}

/* A file that was deleted is the one that it was. */
static void cut_deleted(char *path)
{
	size_t len = strlen(path), tail = strlen(KTRC_MAP_DELETED);

	if (len > tail && strcmp(path + len - tail, KTRC_MAP_DELETED) == 0)
		path[len - tail] = '\0';
}

static u32 number_of(struct ktrc_mapped_look *look, const char *path)
{
	struct ktrc_mapped *mapped = &look->mapped;
	char *copy = ktrc_printable(path), **place;
	u32 *slot;

	if (!copy)
		return 0;
	cut_deleted(copy);
	slot = slot_of(&look->files, mapped, look->names, copy);
	if (slot && *slot != KTRC_INDEX_NONE) {
		free(copy);
		return *slot;
	}
	place = ktrc_array_push(mapped->paths, mapped->nr_paths);
	if (!place) {
		free(copy);
		return 0;
	}
	*place = copy;
	if (slot)
		*slot = KTRC_MAPPED_FILE + (u32)mapped->nr_paths - 1;
	return KTRC_MAPPED_FILE + (u32)mapped->nr_paths - 1;
}

static enum ktrc_area_kind kind_of(const struct ktrc_map_line *line)
{
	if (!*line->path || strncmp(line->path, "[anon:", 6) == 0)
		return KTRC_AREA_ANON;
	if (strcmp(line->path, "[heap]") == 0)
		return KTRC_AREA_HEAP;
	if (strcmp(line->path, "[stack]") == 0)
		return KTRC_AREA_STACK;
	if (strcmp(line->path, "/anon_hugepage" KTRC_MAP_DELETED) == 0)
		return line->is_shared ? KTRC_AREA_SHARED : KTRC_AREA_ANON;
	if (strncmp(line->path, "[anon_shmem", 11) == 0 ||
	    (line->is_shared && strcmp(line->path, "/dev/zero" KTRC_MAP_DELETED) == 0))
		return KTRC_AREA_SHARED;
	return *line->path == '/' ? KTRC_AREA_FILE : KTRC_AREA_UNKNOWN;
}

/* A stack grows, as far as nothing else is there: what came before in the order of addresses. */
static void make_room(const struct ktrc_mapped_look *look, u32 pid, struct ktrc_area *stack)
{
	u64 end = pid == look->last_pid ? look->last_end : 0;

	if (end <= stack->begin)
		ktrc_stack_reach(stack, end);
}

static int add_line(struct ktrc_mapped_look *look, u32 pid, const struct ktrc_map_line *line)
{
	struct ktrc_area area = {
		.begin = line->begin >> KTRC_PAGE_SHIFT,
		.end = line->end >> KTRC_PAGE_SHIFT,
		.offset = line->offset >> KTRC_PAGE_SHIFT,
		.kind = kind_of(line),
	};

	if (area.kind == KTRC_AREA_STACK)
		make_room(look, pid, &area);
	look->last_pid = pid;
	look->last_end = area.end;
	if (area.kind == KTRC_AREA_UNKNOWN)
		return 0;
	if (area.kind == KTRC_AREA_FILE)
		area.file = number_of(look, line->path);
	return ktrc_spaces_put(look->spaces, pid, &area);
}

/* What a process changed outside of the cgroup that is recorded nobody knows: one that has left it is not told. */
static bool is_recorded(const struct question *question, u32 pid)
{
	__ktrc_file FILE *file = question->cgroup ? ktrc_proc_open(pid, "cgroup") : NULL;
	size_t len = question->cgroup ? strlen(question->cgroup) : 0, room = 0;
	__ktrc_free char *text = NULL;
	bool is_there = !question->cgroup;

	while (file && len && !is_there && getline(&text, &room, file) > 0)
		is_there = strncmp(text, "0::", 3) == 0 &&
			   strncmp(text + 3, question->cgroup, len) == 0 &&
			   (text[3 + len] == '/' || text[3 + len] == '\n' || len == 1);
	return is_there;
}

/* Its lines as they are now, each behind its number, if it is the one that was alive then. */
static void tell_process(const struct question *question, u32 pid, FILE *out, size_t *nr_lines)
{
	__ktrc_file FILE *file = ktrc_proc_open(pid, "maps");
	__ktrc_free char *text = NULL;
	char comm[32];
	size_t room = 0;
	u64 born_ns;

	if (!file || !ktrc_proc_identity(pid, &born_ns, comm) || born_ns >= question->start_ns ||
	    !is_recorded(question, pid))
		return;
	for (; *nr_lines < MAX_LINES && getline(&text, &room, file) > 0; ++*nr_lines)
		fprintf(out, "%u %s", pid, text);
	fflush(out);
}

static void tell_all(const struct question *question, FILE *out)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t nr_lines = 0;
	u32 pid;

	while (proc && nr_lines < MAX_LINES && (entry = readdir(proc)) != NULL) {
		pid = (u32)strtoul(entry->d_name, NULL, 10); /* of what is no process 0 */
		if (pid)
			tell_process(question, pid, out, &nr_lines);
	}
	if (proc)
		closedir(proc);
}

static int answer(const void *data, FILE *out)
{
	const struct question *question = data;
	size_t nr_lines = 0;

	if (!question->pids)
		tell_all(question, out);
	for (size_t i = 0; question->pids && i < question->pids->nr_slots && nr_lines < MAX_LINES;
	     i++)
		if (question->pids->slots[i].is_used)
			tell_process(question, (u32)question->pids->slots[i].a, out, &nr_lines);
	return 0;
}

/* All whole lines that the child wrote. */
static int add_lines(struct ktrc_mapped_look *look, char *text)
{
	struct ktrc_map_line line;
	char *end;
	u32 pid;
	int ret = 0;

	for (; ret == 0 && (end = strchr(text, '\n')) != NULL; text = end + 1) {
		*end = '\0';
		pid = (u32)strtoul(text, &text, 10);
		if (ktrc_map_parse(text, &line))
			ret = ktrc_index_get(&look->pids, pid, 0) ? add_line(look, pid, &line) :
								    -ENOMEM;
	}
	return ret;
}

/* What a process gave up first it had when the window began, unless it began a program before. */
static const struct ktrc_left *find_left(const struct ktrc_mapped_look *look,
					 const struct ktrc_seen *seen, u32 pid)
{
	u32 at = ktrc_index_find(&look->leavers, pid, 0);
	u64 renewed = ktrc_seen_renewed(seen, pid).first;

	if (at == KTRC_INDEX_NONE || (renewed && renewed < seen->left[at].ticks))
		return NULL;
	return &seen->left[at];
}

/* CPUs were looked through one after the other. */
static int find_leavers(struct ktrc_mapped_look *look, const struct ktrc_seen *seen)
{
	for (size_t i = 0; i < seen->nr_left; i++) {
		u32 *first;

		if (seen->left[i].ticks > seen->end_ticks)
			continue;
		first = ktrc_index_get(&look->leavers, seen->left[i].pid, 0);
		if (!first)
			return -ENOMEM;
		if (*first == KTRC_INDEX_NONE || seen->left[i].ticks < seen->left[*first].ticks)
			*first = (u32)i;
	}
	return 0;
}

static int add_left(struct ktrc_mapped_look *look, const struct ktrc_seen *seen)
{
	int ret = find_leavers(look, seen);

	for (size_t i = 0; ret == 0 && i < seen->nr_left; i++) {
		const struct ktrc_left *left = &seen->left[i];
		const struct ktrc_left *first = find_left(look, seen, left->pid);

		if (first && first->ticks == left->ticks)
			ret = ktrc_spaces_put(look->left, left->pid, &left->area);
	}
	return ret;
}

/* Of who gave up all that it had nobody saw the rest. */
static int forget_changes(struct ktrc_mapped_look *look, const struct ktrc_seen *seen)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < seen->nr_changes; i++) {
		const struct ktrc_change *change = &seen->changes[i];
		const struct ktrc_left *first = find_left(look, seen, change->pid);

		if (!first || change->ticks < first->ticks)
			ret = ktrc_spaces_unmap(first ? look->left : look->spaces, change->pid,
						change->begin, change->end);
	}
	return ret;
}

static int add_blocks(struct near *near, const struct ktrc_index *index, u32 shift)
{
	for (size_t i = 0; i < index->nr_slots; i++) {
		u64 *block = index->slots[i].is_used ? ktrc_array_push(near->blocks, near->nr) :
						       NULL;

		if (index->slots[i].is_used && !block)
			return -ENOMEM;
		if (block)
			*block = index->slots[i].a >> shift;
	}
	return 0;
}

static void release_near(struct near *near)
{
	free(near->blocks);
}

/* To what was seen; 0 or -ENOMEM. */
static int near_to(struct near *near, const struct ktrc_seen *seen)
{
	int ret = add_blocks(near, &seen->blocks, 0);

	near->seen = seen;
	if (ret == 0)
		ret = add_blocks(near, &seen->user, KTRC_PAGE_SHIFT + KTRC_BLOCK_SHIFT);
	ktrc_array_sort(near->blocks, near->nr);
	return ret;
}

/* A child has it at the same place.  Of one whose stacks are followed only later all files are. */
static bool is_near(const struct near *near, u32 pid, const struct ktrc_area *area)
{
	size_t at = ktrc_array_before(near->blocks, near->nr, area->begin >> KTRC_BLOCK_SHIFT);

	if (at < near->nr && near->blocks[at] <= (area->end - 1) >> KTRC_BLOCK_SHIFT)
		return true;
	return area->kind == KTRC_AREA_FILE &&
	       ktrc_index_find(&near->seen->nr_of, pid, 0) != KTRC_INDEX_NONE;
}

/* For whom. */
struct keeper {
	struct ktrc_mapped_look *look;
	const struct near *near; /* NULL: all */
	u32 pid;
	bool is_left;
};

static int keep(const struct ktrc_area *area, void *data)
{
	const struct keeper *keeper = data;
	struct ktrc_mapped *mapped = &keeper->look->mapped;
	struct ktrc_mapped_row *row;

	if (keeper->near && !is_near(keeper->near, keeper->pid, area))
		return 0;
	row = ktrc_array_push(mapped->rows, mapped->nr);
	if (row)
		*row = (struct ktrc_mapped_row){ *area, keeper->pid, keeper->is_left };
	return row ? 0 : -ENOMEM;
}

static int keep_all(struct ktrc_mapped_look *look, const struct ktrc_spaces *spaces,
		    const struct near *near, u32 pid)
{
	struct keeper keeper = {
		.look = look,
		.near = look->is_all ? NULL : near,
		.pid = pid,
		.is_left = spaces == look->left,
	};

	return ktrc_spaces_walk(spaces, pid, keep, &keeper);
}

static int look_all(struct ktrc_mapped_look *look, const struct question *question,
		    const struct ktrc_patience *patience)
{
	__ktrc_free char *text = ktrc_child_ask(answer, question, patience);

	number_files(&look->files, &look->mapped, look->names);
	return text ? add_lines(look, text) : 0;
}

struct ktrc_mapped_look *ktrc_mapped_look(const struct ktrc_index *pids,
					  const struct ktrc_schema *schema,
					  const struct ktrc_names *names, u64 cgid, u64 start_ns,
					  const struct ktrc_patience *patience)
{
	const char *path = cgid ? ktrc_names_find(names, cgid) : NULL;
	const struct question question = {
		.pids = pids,
		.start_ns = start_ns,
		.cgroup = cgid && !path ? "" : path,
	};
	struct ktrc_mapped_look *look = ktrc_mapped_look_at_nothing(schema, names);

	if (look && look_all(look, &question, patience) == 0) {
		look->is_all = !pids;
		return look;
	}
	ktrc_mapped_look_destroy(look);
	return NULL;
}

struct ktrc_mapped_look *ktrc_mapped_look_at_nothing(const struct ktrc_schema *schema,
						     const struct ktrc_names *names)
{
	struct ktrc_mapped_look *look = calloc(1, sizeof(*look));

	if (!look)
		return NULL;
	look->names = names;
	look->spaces = ktrc_spaces_create(schema, 0);
	look->left = ktrc_spaces_create(schema, 0);
	if (look->spaces && look->left)
		return look;
	ktrc_mapped_look_destroy(look);
	return NULL;
}

void ktrc_mapped_look_destroy(struct ktrc_mapped_look *look)
{
	if (!look)
		return;
	ktrc_mapped_release(&look->mapped);
	ktrc_spaces_destroy(look->spaces);
	ktrc_spaces_destroy(look->left);
	ktrc_index_release(&look->leavers);
	ktrc_index_release(&look->files);
	ktrc_index_release(&look->pids);
	free(look);
}

void ktrc_cleanup_mapped_look(struct ktrc_mapped_look **look)
{
	ktrc_mapped_look_destroy(*look);
}

/* Who began to run a program has nothing of what it had; one that was made has its number from another one at most. */
static int keep_process(struct ktrc_mapped_look *look, const struct near *near, u32 pid)
{
	if (ktrc_seen_is_born(near->seen, pid))
		return 0;
	if (find_left(look, near->seen, pid))
		return keep_all(look, look->left, near, pid);
	return ktrc_seen_renewed(near->seen, pid).first ? 0 :
							  keep_all(look, look->spaces, near, pid);
}

/* Of those that recorded something, and, if all were looked at, of the others, by rising number. */
static int keep_processes(struct ktrc_mapped_look *look, const struct near *near)
{
	__ktrc_free u64 *pids = NULL;
	size_t nr;
	int ret = 0;

	for (size_t i = 0; i < near->seen->pids.nr_slots; i++)
		if (near->seen->pids.slots[i].is_used &&
		    !ktrc_index_get(&look->pids, near->seen->pids.slots[i].a, 0))
			return -ENOMEM;
	pids = ktrc_index_numbers(&look->pids);
	nr = look->pids.nr;
	for (size_t i = 0; ret == 0 && pids && i < nr; i++)
		ret = keep_process(look, near, (u32)pids[i]);
	return pids ? ret : -ENOMEM;
}

/* To what is known already nothing is added that has a path but no number. */
static int move_rows(struct ktrc_mapped *mapped, struct ktrc_mapped_look *look)
{
	struct ktrc_mapped_row *row;

	if (!mapped->nr) {
		ktrc_mapped_release(mapped);
		*mapped = look->mapped;
		look->mapped = (struct ktrc_mapped){ 0 };
	}
	for (size_t i = 0; i < look->mapped.nr; i++) {
		row = ktrc_array_push(mapped->rows, mapped->nr);
		if (!row)
			return -ENOMEM;
		*row = look->mapped.rows[i];
	}
	return 0;
}

int ktrc_mapped_load(struct ktrc_mapped *mapped, struct ktrc_mapped_look *look,
		     const struct ktrc_seen *seen)
{
	KTRC_CLEANUP(release_near) struct near near = { 0 };
	int ret;

	/* what is not known to have changed may have */
	if (seen->is_partial || seen->lost_changes)
		return 0;
	ret = near_to(&near, seen);
	if (ret == 0)
		ret = add_left(look, seen);
	if (ret == 0)
		ret = forget_changes(look, seen);
	if (ret == 0)
		ret = keep_processes(look, &near);
	return ret == 0 ? move_rows(mapped, look) : ret;
}

int ktrc_mapped_keep_near(struct ktrc_mapped *mapped, const struct ktrc_seen *seen)
{
	KTRC_CLEANUP(release_near) struct near near = { 0 };
	int ret = near_to(&near, seen);
	size_t nr = 0;

	for (size_t i = 0; ret == 0 && i < mapped->nr; i++)
		if (is_near(&near, mapped->rows[i].pid, &mapped->rows[i].area))
			mapped->rows[nr++] = mapped->rows[i];
	if (ret == 0)
		mapped->nr = nr;
	return ret;
}

json_t *ktrc_mapped_look_to_json(struct ktrc_mapped_look *look, const struct ktrc_seen *seen)
{
	KTRC_CLEANUP(release_near) struct near near = { 0 };
	__ktrc_free u64 *pids = ktrc_index_numbers(&seen->pids);
	int ret = pids ? near_to(&near, seen) : -ENOMEM;

	for (size_t i = 0; ret == 0 && i < seen->pids.nr; i++)
		ret = look->mapped.nr < MAX_KEPT ?
			      keep_all(look, look->spaces, &near, (u32)pids[i]) :
			      -E2BIG;
	return ret == 0 ? ktrc_mapped_to_json(&look->mapped) : NULL;
}

struct ktrc_mapped_look *ktrc_mapped_look_from_json(const json_t *object,
						    const struct ktrc_schema *schema,
						    const struct ktrc_names *names)
{
	struct ktrc_mapped_look *look = ktrc_mapped_look_at_nothing(schema, names);

	if (look && ktrc_mapped_from_json(&look->mapped, object) == 0 &&
	    ktrc_mapped_put(&look->mapped, look->spaces, false) == 0) {
		look->is_kept = true;
		look->mapped.nr = 0; /* the paths stay: rows are made of what has not changed */
		return look;
	}
	ktrc_mapped_look_destroy(look);
	return NULL;
}

bool ktrc_mapped_look_is_kept(const struct ktrc_mapped_look *look)
{
	return look->is_kept;
}
