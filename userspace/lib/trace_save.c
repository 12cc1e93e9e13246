// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Saving.  Everything is written into <path>.tmp-<pid> and brought to the disk;
 * then that is renamed, so a directory called <path> is always whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "file.h"
#include "json.h"
#include "metadata.h"
#include "packet.h"
#include "trace.h"

#define STREAM_NAME_ROOM 32

struct stream_file {
	u32 cpu;
	int fd;
	u64 bytes;
	u64 packets;
	u64 discarded_base; /* what was lost before the trace's first packet ended */
	int sync_errnum; /* why it may not be on the disk */
};

struct ktrc_trace_writer {
	char *path;
	char *tmp_path;
	int dir;
	bool (*is_aborted)(void); /* or NULL */
	u64 end_ticks;
	struct stream_file *files;
	size_t nr_files;
	struct ktrc_seen seen; /* what has to be named */
	bool is_finished;
	bool has_reserved; /* room for a description without names */
	bool is_kept; /* it holds what is nowhere else */
};

static int open_dir(int base, const char *name)
{
	return TEMP_FAILURE_RETRY(openat(base, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static void stream_name(char name[STREAM_NAME_ROOM], u32 cpu)
{
	snprintf(name, STREAM_NAME_ROOM, "cpu_%u", cpu);
}

/* By their names, for which no file has to be opened. */
static void remove_tmp(struct ktrc_trace_writer *writer)
{
	char name[STREAM_NAME_ROOM];

	for (size_t i = 0; i < writer->nr_files; i++) {
		stream_name(name, writer->files[i].cpu);
		unlinkat(writer->dir, name, 0);
	}
	ktrc_file_remove(writer->dir, "metadata");
	ktrc_file_remove(writer->dir, KTRC_TRACE_JSON);
	unlinkat(writer->dir, KTRC_TRACE_SUBDIR, AT_REMOVEDIR);
	rmdir(writer->tmp_path);
}

void ktrc_trace_destroy(struct ktrc_trace_writer *writer)
{
	if (!writer)
		return;
	for (size_t i = 0; i < writer->nr_files; i++)
		if (writer->files[i].fd >= 0)
			close(writer->files[i].fd);
	if (writer->dir >= 0 && !writer->is_finished && !writer->is_kept)
		remove_tmp(writer);
	if (writer->dir >= 0)
		close(writer->dir);
	free(writer->files);
	ktrc_seen_release(&writer->seen);
	free(writer->tmp_path);
	free(writer->path);
	free(writer);
}

void ktrc_cleanup_trace(struct ktrc_trace_writer **writer)
{
	ktrc_trace_destroy(*writer);
}

static int make_tmp(struct ktrc_trace_writer *writer, struct ktrc_error *err)
{
	if (mkdir(writer->tmp_path, 0750) < 0) {
		int ret = ktrc_fail(err, errno, "%s: cannot create", writer->tmp_path);

		if (!err->hint[0])
			ktrc_hint(err, "name a directory in one that exists and can be written");
		return ret;
	}
	writer->dir = open_dir(AT_FDCWD, writer->tmp_path);
	if (writer->dir < 0) {
		int ret = ktrc_fail(err, errno, "%s: cannot open", writer->tmp_path);

		rmdir(writer->tmp_path);
		return ret;
	}
	if (mkdirat(writer->dir, KTRC_TRACE_SUBDIR, 0750) < 0)
		return ktrc_fail(err, errno, "%s: cannot create", writer->tmp_path);
	return 0;
}

static void strip_slashes(char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
}

int ktrc_trace_create(const char *path, struct ktrc_trace_writer **ret_writer,
		      struct ktrc_error *err)
{
	__ktrc_trace struct ktrc_trace_writer *writer = calloc(1, sizeof(*writer));
	int ret;

	if (!writer)
		return ktrc_fail(err, ENOMEM, "%s", path);
	writer->dir = -1;
	writer->path = strdup(path);
	if (!writer->path)
		return ktrc_fail(err, ENOMEM, "%s", path);
	strip_slashes(writer->path);
	if (asprintf(&writer->tmp_path, "%s.tmp-%d", writer->path, getpid()) < 0) {
		writer->tmp_path = NULL;
		return ktrc_fail(err, ENOMEM, "%s", path);
	}
	if (access(writer->path, F_OK) == 0) {
		ret = ktrc_fail(err, EEXIST, "%s: cannot save there", path);
		ktrc_hint(err, "name a directory that does not exist yet");
		return ret;
	}
	ret = make_tmp(writer, err);
	if (ret < 0)
		return ret;
	*ret_writer = ktrc_steal(writer);
	return 0;
}

static struct stream_file *get_file(struct ktrc_trace_writer *writer, u32 cpu,
				    struct ktrc_error *err)
{
	struct stream_file *file;
	char name[STREAM_NAME_ROOM];
	int fd;

	for (size_t i = 0; i < writer->nr_files; i++)
		if (writer->files[i].cpu == cpu)
			return &writer->files[i];
	/* not before there is something to write: a command that is recorded has started with the limit it was given */
	ktrc_allow_files();
	stream_name(name, cpu);
	fd = TEMP_FAILURE_RETRY(
		openat(writer->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640));
	if (fd < 0) {
		ktrc_fail(err, errno, "%s/%s: cannot create", writer->path, name);
		return NULL;
	}
	file = ktrc_array_push(writer->files, writer->nr_files);
	if (!file) {
		close(fd);
		unlinkat(writer->dir, name, 0);
		ktrc_fail(err, ENOMEM, "%s/%s", writer->path, name);
		return NULL;
	}
	file->cpu = cpu;
	file->fd = fd;
	return file;
}

/* The first packet's count becomes zero: a reader takes any other for a loss inside the trace. */
static void rebase_discarded(struct stream_file *file, u8 *bytes, const struct ktrc_packet *packet)
{
	struct ktrc_packet_header header;

	memcpy(&header, packet->bytes, sizeof(header));
	if (file->packets == 0)
		file->discarded_base = le64toh(header.discarded);
	header.discarded = htole64(le64toh(header.discarded) - file->discarded_base);
	memcpy(bytes, &header, sizeof(header));
}

/* Adds what is about to be appended to what is known of the file. */
static struct stream_file account(const struct stream_file *file, u8 *bytes, size_t len,
				  u64 *end_ticks)
{
	struct stream_file next = *file;
	struct ktrc_packet packet;

	for (size_t at = 0; ktrc_packet_parse(&packet, bytes + at, len - at) == 0;
	     at += packet.size) {
		rebase_discarded(&next, bytes + at, &packet);
		next.packets++;
		if (packet.end > *end_ticks)
			*end_ticks = packet.end;
	}
	next.bytes += len;
	return next;
}

#define WRITE_BYTES (1u << 20)

/* In pieces, so that a signal need not wait for all of it; 0 or -errno. */
static int write_bytes(const struct ktrc_trace_writer *writer, int fd, const u8 *bytes, size_t len)
{
	size_t piece;
	int ret = 0;

	for (; ret == 0 && len; bytes += piece, len -= piece) {
		if (writer->is_aborted && writer->is_aborted())
			return -EINTR;
		piece = len < WRITE_BYTES ? len : WRITE_BYTES;
		ret = ktrc_write_all(fd, bytes, piece);
	}
	return ret;
}

static int aborted(struct ktrc_trace_writer *writer, struct ktrc_error *err)
{
	writer->is_kept = false;
	ktrc_fail_as(err, EINTR, KTRC_EXIT_ABORTED, "%s: not saved: interrupted", writer->path);
	ktrc_hint(err, "nothing is left there");
	return -EINTR;
}

int ktrc_trace_append(struct ktrc_trace_writer *writer, const struct ktrc_capture *capture, u32 cpu,
		      u8 *bytes, size_t len, struct ktrc_error *err)
{
	u64 end_ticks = writer->end_ticks;
	struct stream_file *file, next;
	int ret;

	if (len == 0)
		return 0;
	file = get_file(writer, cpu, err);
	if (!file)
		return -EIO;
	next = account(file, bytes, len, &end_ticks);
	ret = write_bytes(writer, file->fd, bytes, len);
	if (ret == -EINTR)
		return aborted(writer, err);
	if (ret < 0) {
		ktrc_fail(err, -ret, "%s/cpu_%u: cannot write", writer->path, cpu);
		if (TEMP_FAILURE_RETRY(ftruncate(file->fd, (off_t)file->bytes)) < 0)
			ktrc_hint(err, "the end of %s/cpu_%u is damaged", writer->path, cpu);
		return ret;
	}
	if (ktrc_capture_has_stacks(capture) || writer->seen.with_changes)
		ktrc_seen_add(&writer->seen, capture->schema, bytes, len);
	*file = next;
	writer->end_ticks = end_ticks;
	return 0;
}

void ktrc_trace_keep(struct ktrc_trace_writer *writer)
{
	writer->is_kept = true;
}

const char *ktrc_trace_unfinished(const struct ktrc_trace_writer *writer)
{
	return writer->is_kept && !writer->is_finished ? writer->tmp_path : NULL;
}

u64 ktrc_trace_end_ticks(const struct ktrc_trace_writer *writer)
{
	return writer->end_ticks;
}

static json_t *streams_to_json(const struct ktrc_trace_writer *writer)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < writer->nr_files; i++) {
		const struct stream_file *file = &writer->files[i];

		json_array_append_new(rows, json_pack("{s:i, s:I, s:I, s:I}", "cpu", (int)file->cpu,
						      "bytes", (json_int_t)file->bytes, "packets",
						      (json_int_t)file->packets, "discarded_base",
						      (json_int_t)file->discarded_base));
	}
	return rows;
}

/* What names the addresses in the kernel stacks that were appended. */
static json_t *functions_to_json(const struct ktrc_trace_writer *writer)
{
	KTRC_CLEANUP(ktrc_symbols_release) struct ktrc_symbols symbols = { 0 };

	if (writer->seen.kernel.nr && ktrc_symbols_load(&symbols) < 0)
		return NULL;
	return ktrc_symbols_to_json(&symbols, &writer->seen.kernel);
}

/* And in the user stacks. */
static json_t *code_to_json(const struct ktrc_trace_writer *writer, const struct ktrc_names *names)
{
	KTRC_CLEANUP(ktrc_code_release) struct ktrc_code code = { 0 };

	return ktrc_code_load(&code, &writer->seen, names) < 0 ? NULL : ktrc_code_to_json(&code);
}

/* Both parts as text: @metadata and @document are to be freed. */
static int describe(const struct ktrc_trace_writer *writer, const struct ktrc_capture *capture,
		    bool with_names, char **metadata, char **document, struct ktrc_error *err)
{
	__ktrc_json json_t *json = ktrc_capture_to_json(capture);

	if (json)
		json_object_set_new(json, "streams", streams_to_json(writer));
	/* what there is no memory for is missing */
	if (json && with_names) {
		json_object_set_new(json, "functions", functions_to_json(writer));
		json_object_set_new(json, "code", code_to_json(writer, &capture->names));
		if (capture->mapped.nr)
			json_object_set_new(json, "mapped", ktrc_mapped_to_json(&capture->mapped));
	}
	*metadata = ktrc_metadata_text(capture);
	*document = json ? json_dumps(json, JSON_INDENT(1)) : NULL;
	return *metadata && *document ? 0 : ktrc_fail(err, ENOMEM, "%s", writer->path);
}

/* Numbers grow, and CPUs may come. */
static size_t room_for(const char *text)
{
	return 2 * strlen(text) + (64u << 10);
}

static int save_description(const struct ktrc_trace_writer *writer, const char *metadata,
			    const char *document, struct ktrc_error *err)
{
	int ret = ktrc_file_save(writer->dir, writer->path, "metadata", metadata, strlen(metadata),
				 err);

	if (ret == 0)
		ret = ktrc_file_save(writer->dir, writer->path, KTRC_TRACE_JSON, document,
				     strlen(document), err);
	return ret;
}

/* What is there if nothing follows is a trace already, which says so. */
int ktrc_trace_reserve(struct ktrc_trace_writer *writer, const struct ktrc_capture *capture,
		       struct ktrc_error *err)
{
	__ktrc_free char *metadata = NULL, *document = NULL;
	struct ktrc_capture begun = *capture;
	int ret;

	writer->seen.with_changes = capture->followed_ticks != 0;
	writer->seen.start_ticks = capture->followed_ticks;
	begun.is_cut = begun.is_unfinished = true;
	ret = describe(writer, &begun, false, &metadata, &document, err);
	if (ret == 0)
		ret = save_description(writer, metadata, document, err);
	if (ret == 0)
		ret = ktrc_file_reserve(writer->dir, writer->path, "metadata", room_for(metadata),
					err);
	if (ret == 0)
		ret = ktrc_file_reserve(writer->dir, writer->path, KTRC_TRACE_JSON,
					room_for(document), err);
	writer->has_reserved = ret == 0;
	return ret;
}

int ktrc_trace_settle(struct ktrc_trace_writer *writer, struct ktrc_capture *capture,
		      struct ktrc_error *err)
{
	__ktrc_mapped_look struct ktrc_mapped_look *nothing = NULL;
	int ret;

	if (!writer->seen.with_changes)
		return 0;
	/* of what is cut nobody knows where each CPU's records end */
	writer->seen.end_ticks = capture->is_cut ? 0 : capture->settled_ticks;
	nothing = ktrc_mapped_look_at_nothing(capture->schema, &capture->names);
	ret = nothing ? ktrc_mapped_keep_near(&capture->mapped, &writer->seen) : -ENOMEM;
	if (ret == 0)
		ret = ktrc_mapped_load(&capture->mapped, nothing, &writer->seen);
	ktrc_mapped_renumber(&capture->mapped, &capture->names);
	return ret == 0 ? 0 : ktrc_fail(err, ENOMEM, "what processes had mapped");
}

static int sync_streams(struct ktrc_trace_writer *writer, struct ktrc_error *err)
{
	for (size_t i = 0; i < writer->nr_files; i++) {
		struct stream_file *file = &writer->files[i];

		if (file->fd >= 0)
			file->sync_errnum = -ktrc_sync_and_close(file->fd);
		file->fd = -1;
		/* asked a second time, the disk may claim that it has what it lost */
		if (file->sync_errnum)
			return ktrc_fail(err, file->sync_errnum, "%s/cpu_%u: cannot write",
					 writer->path, file->cpu);
	}
	return 0;
}

static int sync_dir(const struct ktrc_trace_writer *writer, int base, const char *name,
		    struct ktrc_error *err)
{
	__ktrc_fd int dir = open_dir(base, name);

	if (dir < 0 || TEMP_FAILURE_RETRY(fsync(dir)) < 0)
		return ktrc_fail(err, errno, "%s: cannot write", writer->path);
	return 0;
}

void ktrc_trace_ask(struct ktrc_trace_writer *writer, bool (*is_aborted)(void))
{
	writer->is_aborted = is_aborted;
}

/* The directory takes its name, and the one it lies in keeps that. */
static int appear(struct ktrc_trace_writer *writer, struct ktrc_error *err)
{
	__ktrc_free char *copy = strdup(writer->path);
	int ret;

	if (!copy)
		return ktrc_fail(err, ENOMEM, "%s", writer->path);
	if (writer->is_aborted && writer->is_aborted())
		return aborted(writer, err);
	if (rename(writer->tmp_path, writer->path) < 0)
		return ktrc_fail(err, errno, "%s: cannot save there", writer->path);
	writer->is_finished = true;
	ret = sync_dir(writer, AT_FDCWD, dirname(copy), err);
	if (ret < 0)
		ktrc_hint(err, "%s is whole, but if the machine crashes now it may be gone",
			  writer->path);
	return ret;
}

static int save_described(const struct ktrc_trace_writer *writer,
			  const struct ktrc_capture *capture, bool with_names,
			  struct ktrc_error *err)
{
	__ktrc_free char *metadata = NULL, *document = NULL;
	int ret = describe(writer, capture, with_names, &metadata, &document, err);

	return ret < 0 ? ret : save_description(writer, metadata, document, err);
}

int ktrc_trace_finish(struct ktrc_trace_writer *writer, const struct ktrc_capture *capture,
		      struct ktrc_error *err)
{
	bool has_names = !ktrc_seen_is_empty(&writer->seen) || capture->mapped.nr;
	struct ktrc_error late;
	int ret, named;

	ret = sync_streams(writer, err);
	if (ret < 0)
		return ret;
	ret = named = save_described(writer, capture, has_names, err);
	/* they may be too long for a full disk: the room that was reserved is for the rest */
	if (ret < 0 && has_names && writer->has_reserved)
		ret = save_described(writer, capture, false, &late);
	if (ret == 0)
		ret = sync_dir(writer, writer->dir, KTRC_TRACE_SUBDIR, err);
	if (ret == 0)
		ret = sync_dir(writer, writer->dir, ".", err);
	if (ret == 0)
		ret = appear(writer, err);
	if (ret < 0 || named == 0)
		return ret;
	ktrc_hint(err, "%s holds all records, but no names of functions and files", writer->path);
	return named;
}

int ktrc_trace_probe(const char *path, struct ktrc_error *err)
{
	__ktrc_trace struct ktrc_trace_writer *writer = NULL;

	return ktrc_trace_create(path, &writer, err);
}

int ktrc_trace_save(const char *path, const struct ktrc_capture *capture, bool (*is_aborted)(void),
		    struct ktrc_error *err)
{
	__ktrc_trace struct ktrc_trace_writer *writer = NULL;
	int ret;

	ret = ktrc_trace_create(path, &writer, err);
	if (ret < 0)
		return ret;
	ktrc_trace_ask(writer, is_aborted);
	for (size_t i = 0; i < capture->nr_streams; i++) {
		ret = ktrc_trace_append(writer, capture, capture->streams[i].cpu,
					capture->streams[i].bytes, capture->streams[i].len, err);
		if (ret < 0)
			return ret;
	}
	return ktrc_trace_finish(writer, capture, err);
}
