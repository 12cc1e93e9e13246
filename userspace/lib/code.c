// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process's files are opened through /proc/PID/map_files, so that each is the one that is mapped,
 * wherever the process sees it, and also when it was deleted.  They may be made to do harm, or be on
 * a file system that does not answer: a child with little memory and time looks at them.
 */
#include "code.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "elf.h"
#include "json.h"
#include "names.h"
#include "packet.h"

/* What is beyond has no name: a process can make up its stacks. */
#define MAX_SEEN (1u << 20)

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
}

static void see_stack(struct ktrc_seen *seen, const struct ktrc_event *event, bool is_kernel,
		      const u8 *payload)
{
	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct ktrc_field *field = &event->fields[i];

		if (field->format == KTRC_FMT_ADDRESS)
			see(is_kernel ? &seen->kernel : &seen->user,
			    ktrc_get(&field->get, payload));
	}
}

void ktrc_seen_add(struct ktrc_seen *seen, const struct ktrc_schema *schema, const u8 *bytes,
		   size_t len)
{
	const struct ktrc_event *stack = ktrc_schema_find(schema, "stack");
	const struct ktrc_event *task = ktrc_schema_find(schema, "task");
	const struct ktrc_getter *kernel = ktrc_event_getter(stack, "kernel");
	const struct ktrc_getter *tgid = ktrc_event_getter(task, "tgid");
	struct ktrc_packet packet;
	struct ktrc_cursor cursor;
	const u8 *payload;
	int id;

	for (size_t at = 0; kernel && tgid && ktrc_packet_parse(&packet, bytes + at, len - at) == 0;
	     at += packet.size) {
		cursor = ktrc_packet_begin(&packet);
		while ((id = ktrc_cursor_next(&cursor, schema, &payload)) >= 0) {
			if (id == (int)stack->id)
				see_stack(seen, stack, ktrc_get(kernel, payload), payload);
			else if (id == (int)task->id)
				see(&seen->pids, ktrc_get(tgid, payload));
		}
	}
}

void ktrc_code_release(struct ktrc_code *code)
{
	for (size_t i = 0; i < code->nr_processes; i++)
		free(code->processes[i].mappings);
	for (size_t i = 0; i < code->nr_files; i++) {
		free(code->files[i].path);
		ktrc_symbols_release(&code->files[i].functions);
	}
	free(code->processes);
	free(code->files);
	ktrc_index_release(&code->by_pid);
	*code = (struct ktrc_code){ 0 };
}

/* As exactly as /proc shows when a process started. */
#define START_NS (NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK))

/* ---- of the processes that are alive ---- */

/* What is known while processes are looked into. */
struct loader {
	struct ktrc_code *code;
	u64 *addresses; /* by rising address */
	size_t nr_addresses;
	struct ktrc_index by_inode; /* of files */
	struct table {
		struct ktrc_symbols functions;
		bool *is_used;
	} * tables; /* of each file */
	size_t nr_tables;
};

/* A line of /proc/PID/maps. */
struct line {
	u64 begin;
	u64 end;
	u64 offset;
	const char *path;
};

static int by_value(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int sort_addresses(struct loader *loader, const struct ktrc_index *index)
{
	loader->addresses = calloc(index->nr + 1, sizeof(u64));
	if (!loader->addresses)
		return -ENOMEM;
	for (size_t i = 0; i < index->nr_slots; i++)
		if (index->slots[i].is_used)
			loader->addresses[loader->nr_addresses++] = index->slots[i].a;
	qsort(loader->addresses, loader->nr_addresses, sizeof(u64), by_value);
	return 0;
}

/* The first of the addresses that is not below @begin. */
static size_t first_address(const struct loader *loader, u64 begin)
{
	size_t low = 0, high = loader->nr_addresses;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (loader->addresses[middle] < begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* "55d0c7a00000-55d0c7a02000 r-xp 00001000 fe:00 1234   /usr/bin/x" */
static bool parse_line(char *text, struct line *line)
{
	char mode[5];
	int used = 0;

	if (sscanf(text, "%llx-%llx %4s %llx %*x:%*x %*u %n", &line->begin, &line->end, mode,
		   &line->offset, &used) < 4 ||
	    !used || mode[2] != 'x')
		return false;
	text[strcspn(text, "\n")] = '\0';
	line->path = text + used;
	return *line->path;
}

/* A regular file; what does something when it is opened, or waits for somebody, is not. */
static int open_mapped(u32 pid, const struct line *line, struct stat *stat)
{
	char path[96];
	__ktrc_fd int fd = -1;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, line->begin, line->end);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, stat) < 0 || !S_ISREG(stat->st_mode))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Its place among the files; negative without memory.  @fd is closed; -1: what is no file. */
static int add_file(struct loader *loader, const char *path, int fd)
{
	struct ktrc_code *code = loader->code;
	struct ktrc_code_file *file = ktrc_array_push(code->files, code->nr_files);
	struct table *table = ktrc_array_push(loader->tables, loader->nr_tables);
	int ret = 0;

	if (!file || !table) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	file->path = ktrc_printable(path);
	if (fd >= 0)
		ret = ktrc_elf_read(fd, file->build_id, &table->functions);
	table->is_used = calloc(table->functions.nr + 1, sizeof(bool));
	return ret == 0 && file->path && table->is_used ? (int)code->nr_files - 1 : -ENOMEM;
}

/* The same file is known by its inode; the kernel's own parts, as [vdso], are none. */
static int get_file(struct loader *loader, u32 pid, const struct line *line)
{
	struct stat stat;
	int fd = open_mapped(pid, line, &stat), file;
	u32 *place;

	if (fd < 0)
		return add_file(loader, line->path, -1);
	place = ktrc_index_get(&loader->by_inode, stat.st_dev, stat.st_ino);
	if (place && *place != KTRC_INDEX_NONE) {
		close(fd);
		return (int)*place;
	}
	file = add_file(loader, line->path, fd);
	if (place && file >= 0)
		*place = (u32)file;
	return file;
}

static void use(struct table *table, u64 offset)
{
	const struct ktrc_symbol *function = ktrc_symbols_caller(&table->functions, offset);

	if (function)
		table->is_used[function - table->functions.rows] = true;
}

/* The functions of the addresses that lie in a mapping: both what calls there and what runs. */
static void use_functions(struct loader *loader, const struct ktrc_mapping *mapping, size_t first)
{
	struct table *table = &loader->tables[mapping->file];
	u64 offset;

	for (size_t i = first; i < loader->nr_addresses; i++) {
		if (loader->addresses[i] >= mapping->end)
			break;
		offset = loader->addresses[i] - mapping->begin + mapping->offset;
		use(table, offset);
		use(table, offset + 1);
	}
}

/* Of tables only what was used goes into the files. */
static int keep_functions(struct loader *loader)
{
	int ret = 0;

	for (size_t i = 0; i < loader->nr_tables; i++) {
		struct table *table = &loader->tables[i];

		for (size_t j = 0; ret == 0 && j < table->functions.nr; j++)
			if (table->is_used[j])
				ret = ktrc_symbols_add(&loader->code->files[i].functions,
						       &table->functions.rows[j]);
	}
	return ret;
}

static int add_mapping(struct loader *loader, struct ktrc_process *process, const struct line *line)
{
	size_t first = first_address(loader, line->begin);
	u64 last = process->nr_mappings ? process->mappings[process->nr_mappings - 1].end : 0;
	struct ktrc_mapping *mapping;
	int file;

	/* they may change between two pieces of what is read */
	if (line->begin < last || first == loader->nr_addresses ||
	    loader->addresses[first] >= line->end)
		return 0;
	file = get_file(loader, process->pid, line);
	mapping = file < 0 ? NULL : ktrc_array_push(process->mappings, process->nr_mappings);
	if (!mapping)
		return -ENOMEM;
	*mapping = (struct ktrc_mapping){ line->begin, line->end, line->offset, (u32)file };
	use_functions(loader, mapping, first);
	return 0;
}

static FILE *open_of(u32 pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	return fopen(path, "re");
}

/* Its name, which may hold anything, stands in the last parentheses; the 20th word behind it is the start. */
static bool read_identity(struct ktrc_process *process)
{
	__ktrc_file FILE *file = open_of(process->pid, "stat");
	unsigned long long start;
	const char *begin, *end;
	char text[1024];
	size_t len;

	len = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	text[len] = '\0';
	begin = strchr(text, '(');
	end = strrchr(text, ')');
	if (!begin || !end || (size_t)(end - begin) > sizeof(process->comm) ||
	    sscanf(end + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &start) != 1)
		return false;
	text[end - text] = '\0';
	ktrc_comm_copy(process->comm, begin + 1);
	process->start_ns = start * START_NS;
	return true;
}

static int add_process(struct loader *loader, u32 pid)
{
	struct ktrc_code *code = loader->code;
	__ktrc_file FILE *file = open_of(pid, "maps");
	struct ktrc_process *process, was;
	__ktrc_free char *text = NULL;
	struct line line;
	size_t room = 0;
	bool is_known;
	int ret = 0;

	process = file ? ktrc_array_push(code->processes, code->nr_processes) : NULL;
	if (!process)
		return file ? -ENOMEM : 0;
	process->pid = pid;
	is_known = read_identity(process);
	was = *process;
	while (ret == 0 && is_known && getline(&text, &room, file) > 0)
		if (parse_line(text, &line))
			ret = add_mapping(loader, process, &line);
	/* another one has its number, or it began another program, in between; or nothing of interest */
	if (!process->nr_mappings || !read_identity(process) || was.start_ns != process->start_ns ||
	    strcmp(was.comm, process->comm) != 0) {
		free(process->mappings);
		code->nr_processes--;
	}
	return ret;
}

static int index_processes(struct ktrc_code *code)
{
	for (size_t i = 0; i < code->nr_processes; i++) {
		u32 *place = ktrc_index_get(&code->by_pid, code->processes[i].pid, 0);

		if (!place)
			return -ENOMEM;
		*place = (u32)i;
	}
	return 0;
}

static void release_loader(struct loader *loader)
{
	for (size_t i = 0; i < loader->nr_tables; i++) {
		ktrc_symbols_release(&loader->tables[i].functions);
		free(loader->tables[i].is_used);
	}
	free(loader->tables);
	free(loader->addresses);
	ktrc_index_release(&loader->by_inode);
}

static int look(struct ktrc_code *code, const struct ktrc_seen *seen)
{
	struct loader loader = { .code = code };
	int ret = sort_addresses(&loader, &seen->user);

	for (size_t i = 0; ret == 0 && i < seen->pids.nr_slots; i++)
		if (seen->pids.slots[i].is_used)
			ret = add_process(&loader, (u32)seen->pids.slots[i].a);
	if (ret == 0)
		ret = keep_functions(&loader);
	release_loader(&loader);
	return ret;
}

#define MAX_MEMORY (1ull << 30)
#define MAX_CPU_S 20
#define MAX_WAIT_MS 60000

/* Says what it finds, as JSON, and ends. */
static void be_child(const struct ktrc_seen *seen, int fd)
{
	const struct rlimit memory = { MAX_MEMORY, MAX_MEMORY }, cpu = { MAX_CPU_S, MAX_CPU_S };
	const struct rlimit core = { 0, 0 };
	struct ktrc_code code = { 0 };
	json_t *document;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (setrlimit(RLIMIT_AS, &memory) < 0 || setrlimit(RLIMIT_CPU, &cpu) < 0 ||
	    setrlimit(RLIMIT_CORE, &core) < 0 || look(&code, seen) < 0)
		_exit(1);
	document = ktrc_code_to_json(&code);
	_exit(document && json_dumpfd(document, fd, JSON_COMPACT) == 0 ? 0 : 1);
}

static s64 now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (s64)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* All that comes until the child has ended, or its time is over; NULL: nothing of use. */
static char *read_all(int fd, size_t *len)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	s64 end_ms = now_ms() + MAX_WAIT_MS, left_ms;
	char *text = NULL, *grown;
	size_t room = 0;
	ssize_t got = 1;

	while (got > 0) {
		if (*len == room) {
			room = room ? 2 * room : 1u << 16;
			grown = realloc(text, room);
			if (!grown)
				break;
			text = grown;
		}
		left_ms = end_ms - now_ms();
		if (left_ms <= 0 || poll(&poll_fd, 1, (int)left_ms) <= 0)
			break;
		got = read(fd, text + *len, room - *len);
		*len += got > 0 ? (size_t)got : 0;
	}
	if (got == 0)
		return text;
	free(text);
	return NULL;
}

/* What the child says; without it, or when it was stopped, there are no names. */
static int be_parent(struct ktrc_code *code, pid_t child, int fd)
{
	__ktrc_free char *text = NULL;
	__ktrc_json json_t *document = NULL;
	size_t len = 0;
	int status, ret;

	text = read_all(fd, &len);
	kill(child, SIGKILL); /* it has ended, or hangs */
	waitpid(child, &status, text ? 0 : WNOHANG);
	document = text ? json_loadb(text, len, 0, NULL) : NULL;
	ret = document ? ktrc_code_from_json(code, document) : 0;
	if (ret == 0)
		return 0;
	ktrc_code_release(code);
	return ret == -ENOMEM ? ret : 0;
}

int ktrc_code_load(struct ktrc_code *code, const struct ktrc_seen *seen)
{
	int fds[2], ret = 0;
	pid_t child;

	if (!seen->user.nr || pipe2(fds, O_CLOEXEC) < 0)
		return 0;
	child = fork();
	if (child == 0)
		be_child(seen, fds[1]);
	close(fds[1]);
	if (child > 0)
		ret = be_parent(code, child, fds[0]);
	close(fds[0]);
	return ret;
}

/* ---- looking up ---- */

/* A number may be another process's by now, and a process may run another program. */
static bool is_same(const struct ktrc_process *process, const struct ktrc_task *task)
{
	if (task->tid != task->tgid)
		return process->start_ns <= task->start_ns;
	return task->start_ns - process->start_ns < START_NS &&
	       strcmp(process->comm, task->comm) == 0;
}

static const struct ktrc_mapping *find_mapping(const struct ktrc_process *process, u64 address)
{
	size_t low = 0, high = process->nr_mappings;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->mappings[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < process->mappings[low - 1].end ? &process->mappings[low - 1] : NULL;
}

struct ktrc_place ktrc_code_find(const struct ktrc_code *code, const struct ktrc_task *task,
				 const struct ktrc_stack *stack, u32 frame)
{
	u32 at = ktrc_index_find(&code->by_pid, task->tgid, 0);
	struct ktrc_place place = { 0 };
	const struct ktrc_mapping *mapping;
	u64 address = stack->frames[frame];

	if (at == KTRC_INDEX_NONE || !is_same(&code->processes[at], task))
		return place;
	mapping = find_mapping(&code->processes[at], address);
	if (!mapping)
		return place;
	place.file = &code->files[mapping->file];
	place.offset = address - mapping->begin + mapping->offset;
	/* the innermost frame is what runs; the others go on behind a call */
	place.function = ktrc_symbols_caller(&place.file->functions, place.offset + !frame);
	return place;
}

/* ---- in a trace ---- */

static json_t *mappings_to_json(const struct ktrc_process *process)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < process->nr_mappings; i++) {
		const struct ktrc_mapping *m = &process->mappings[i];

		json_array_append_new(rows, json_pack("{s:I, s:I, s:I, s:i}", "begin",
						      (json_int_t)m->begin, "end",
						      (json_int_t)m->end, "offset",
						      (json_int_t)m->offset, "file", (int)m->file));
	}
	return rows;
}

json_t *ktrc_code_to_json(const struct ktrc_code *code)
{
	json_t *processes = json_array(), *files = json_array();

	for (size_t i = 0; i < code->nr_processes; i++) {
		const struct ktrc_process *p = &code->processes[i];

		json_array_append_new(processes,
				      json_pack("{s:i, s:I, s:s, s:o}", "pid", (int)p->pid,
						"start_ns", (json_int_t)p->start_ns, "comm",
						p->comm, "mappings", mappings_to_json(p)));
	}
	for (size_t i = 0; i < code->nr_files; i++) {
		const struct ktrc_code_file *f = &code->files[i];

		json_array_append_new(files, json_pack("{s:s, s:s, s:o}", "path", f->path,
						       "build_id", f->build_id, "functions",
						       ktrc_symbols_to_json(&f->functions, NULL)));
	}
	return json_pack("{s:o, s:o}", "processes", processes, "files", files);
}

static bool is_hexadecimal(const char *text)
{
	return strspn(text, "0123456789abcdef") == strlen(text);
}

static int file_from_json(struct ktrc_code *code, const json_t *row)
{
	const char *path = ktrc_json_text(row, "path"), *id = ktrc_json_text(row, "build_id");
	struct ktrc_code_file *file;

	if (!path || !id || strlen(id) >= KTRC_BUILD_ID_ROOM || !is_hexadecimal(id))
		return -EPROTO;
	file = ktrc_array_push(code->files, code->nr_files);
	if (!file)
		return -ENOMEM;
	strcpy(file->build_id, id);
	file->path = ktrc_printable(path);
	if (!file->path)
		return -ENOMEM;
	return ktrc_symbols_from_json(&file->functions, json_object_get(row, "functions"));
}

static const struct ktrc_json_member mapping_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_mapping, begin),
	KTRC_JSON_MEMBER(struct ktrc_mapping, end),
	KTRC_JSON_MEMBER(struct ktrc_mapping, offset),
	KTRC_JSON_MEMBER(struct ktrc_mapping, file),
};

static int mapping_from_json(const struct ktrc_code *code, struct ktrc_process *process,
			     const json_t *row)
{
	u64 last = process->nr_mappings ? process->mappings[process->nr_mappings - 1].end : 0;
	struct ktrc_mapping *m = ktrc_array_push(process->mappings, process->nr_mappings);

	if (!m)
		return -ENOMEM;
	if (ktrc_json_unpack(row, mapping_members, ARRAY_SIZE(mapping_members), m) < 0 ||
	    m->begin < last || m->end <= m->begin || m->file >= code->nr_files)
		return -EPROTO;
	return 0;
}

static const struct ktrc_json_member process_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_process, pid),
	KTRC_JSON_MEMBER(struct ktrc_process, start_ns),
};

static int process_from_json(struct ktrc_code *code, const json_t *row)
{
	struct ktrc_process *process = ktrc_array_push(code->processes, code->nr_processes);
	const char *comm = ktrc_json_text(row, "comm");
	const json_t *mapping;
	int ret = 0;
	size_t i;

	if (!process)
		return -ENOMEM;
	if (ktrc_json_unpack(row, process_members, ARRAY_SIZE(process_members), process) < 0 ||
	    !comm || strlen(comm) >= sizeof(process->comm))
		return -EPROTO;
	strcpy(process->comm, comm);
	json_array_foreach(json_object_get(row, "mappings"), i, mapping) {
		ret = mapping_from_json(code, process, mapping);
		if (ret < 0)
			break;
	}
	return ret;
}

int ktrc_code_from_json(struct ktrc_code *code, const json_t *object)
{
	const json_t *row;
	int ret = 0;
	size_t i;

	json_array_foreach(json_object_get(object, "files"), i, row) {
		ret = file_from_json(code, row);
		if (ret < 0)
			return ret;
	}
	json_array_foreach(json_object_get(object, "processes"), i, row) {
		ret = process_from_json(code, row);
		if (ret < 0)
			return ret;
	}
	return index_processes(code);
}
