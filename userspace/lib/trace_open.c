// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening a saved trace.  Its files may be cut, damaged or hostile. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "file.h"
#include "json.h"
#include "packet.h"
#include "trace.h"

static int not_a_trace(const char *path, const char *why, struct ktrc_error *err)
{
	int ret =
		ktrc_fail_as(err, EINVAL, KTRC_EXIT_FAILED, "%s: not a ktrc trace: %s", path, why);

	ktrc_hint(err, "a trace is a directory made by ktrc-read --save or ktrc-ctl run --save");
	return ret;
}

/* A file, and nothing that one waits for; -1 with errno set. */
static int open_file(int dir, const char *name, struct stat *st)
{
	int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || (fstat(fd, st) == 0 && S_ISREG(st->st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

static int load_document(const char *path, int dir, json_t **document, struct ktrc_error *err)
{
	struct stat st;
	__ktrc_fd int fd = open_file(dir, KTRC_TRACE_JSON, &st);
	/* a stream: from a descriptor jansson reads byte by byte */
	__ktrc_file FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	json_error_t where;

	if (fd < 0 && errno == ENOENT)
		return not_a_trace(path, "no " KTRC_TRACE_JSON " in it", err);
	if (!file)
		return ktrc_fail(err, errno, "%s/" KTRC_TRACE_JSON, path);
	fd = -1;
	*document = json_loadf(file, JSON_REJECT_DUPLICATES, &where);
	if (!*document)
		return ktrc_fail_as(err, EINVAL, KTRC_EXIT_FAILED,
				    "%s/" KTRC_TRACE_JSON ": line %d: %s", path, where.line,
				    where.text);
	return 0;
}

static int open_stream(const char *path, int dir, struct ktrc_stream *stream,
		       struct ktrc_error *err)
{
	struct stat st;
	char name[32];

	snprintf(name, sizeof(name), "cpu_%u", stream->cpu);
	int fd = open_file(dir, name, &st);

	if (fd < 0)
		return ktrc_fail(err, errno, "%s/%s: cannot open", path, name);
	stream->is_file = true;
	stream->fd = fd;
	stream->len = (size_t)st.st_size;
	return 0;
}

static const struct ktrc_json_member stream_members[] = {
	{ "cpu", offsetof(struct ktrc_stream, cpu), sizeof(u32) },
	{ "bytes", offsetof(struct ktrc_stream, saved_len), sizeof(u64) },
};

static bool can_be_stream(const struct ktrc_capture *capture, const struct ktrc_stream *stream)
{
	for (size_t i = 0; i < capture->nr_streams; i++)
		if (capture->streams[i].cpu == stream->cpu)
			return false;
	return stream->cpu < capture->nr_cpus && (s64)stream->saved_len >= 0;
}

static int add_stream(const char *path, int dir, const struct ktrc_stream *described,
		      struct ktrc_capture *capture, struct ktrc_error *err)
{
	struct ktrc_stream *stream;

	if (!can_be_stream(capture, described))
		return not_a_trace(path, KTRC_TRACE_JSON ": a stream is damaged", err);
	stream = ktrc_array_push(capture->streams, capture->nr_streams);
	if (!stream)
		return ktrc_fail(err, ENOMEM, "%s", path);
	*stream = *described;
	return open_stream(path, dir, stream, err);
}

static int open_streams(const char *path, int dir, const json_t *rows, struct ktrc_capture *capture,
			struct ktrc_error *err)
{
	const json_t *row;
	size_t i;
	int ret;

	if (!json_is_array(rows))
		return not_a_trace(path, KTRC_TRACE_JSON " lists no streams", err);
	json_array_foreach(rows, i, row) {
		struct ktrc_stream stream = { 0 };

		if (ktrc_json_unpack(row, stream_members, ARRAY_SIZE(stream_members), &stream) < 0)
			return not_a_trace(path, KTRC_TRACE_JSON ": a stream is damaged", err);
		ret = add_stream(path, dir, &stream, capture, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int is_stream(const struct dirent *entry)
{
	const char *cpu = entry->d_name + strlen("cpu_");
	size_t digits;

	if (strncmp(entry->d_name, "cpu_", strlen("cpu_")) != 0)
		return false;
	digits = strspn(cpu, "0123456789");
	return digits > 0 && digits < 10 && !cpu[digits] && (cpu[0] != '0' || digits == 1);
}

/* A packet that is not whole was not taken from the session yet. */
static void trim(struct ktrc_stream *stream, struct ktrc_capture *capture)
{
	struct ktrc_packet packet;
	size_t at = 0;
	int ret = 0;

	while (at < stream->len) {
		ret = ktrc_packet_parse_at(&packet, stream->fd, at, stream->len - at);
		if (ret < 0)
			break;
		at += packet.size;
		if (packet.end > capture->end_ticks)
			capture->end_ticks = packet.end;
	}
	if (ret == -ENODATA)
		stream->len = at;
	else if (ret < 0 && ret != -EILSEQ)
		ktrc_capture_keep_error(capture, ret, stream->cpu);
	stream->saved_len = stream->len;
}

/* What the description could not say yet when the tool was killed. */
static int find_streams(const char *path, int dir, struct ktrc_capture *capture,
			struct ktrc_error *err)
{
	struct dirent **entries = NULL;
	int nr = scandirat(dir, ".", &entries, is_stream, versionsort), ret = 0;

	if (nr < 0)
		return ktrc_fail(err, errno, "%s: cannot read", path);
	capture->settled_ticks = capture->end_ticks = capture->start_ticks;
	for (int i = 0; i < nr; i++) {
		struct ktrc_stream stream = {
			.cpu = (u32)strtoul(entries[i]->d_name + strlen("cpu_"), NULL, 10),
		};

		if (ret == 0)
			ret = add_stream(path, dir, &stream, capture, err);
		if (ret == 0)
			trim(&capture->streams[i], capture);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

/* The description is of the beginning; each packet has the books until then. */
static void count_lost(struct ktrc_capture *capture)
{
	const struct ktrc_books *books;
	u64 lost, before;

	while (ktrc_reader_next(capture->reader))
		;
	for (size_t i = 0; i < capture->after.nr; i++) {
		const struct ktrc_counters *row = &capture->after.rows[i];

		books = ktrc_reader_books(capture->reader, row->cpu);
		lost = books ? books->counted[row->event].lost : 0;
		before = ktrc_counters_lost(row);
		if (lost > before)
			capture->lost_since[row->event] += lost - before;
	}
}

int ktrc_trace_open(const char *path, struct ktrc_capture **ret_capture, struct ktrc_error *err)
{
	__ktrc_capture struct ktrc_capture *capture = ktrc_capture_create();
	__ktrc_fd int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	__ktrc_json json_t *document = NULL;
	int ret;

	if (!capture)
		return ktrc_fail(err, ENOMEM, "%s", path);
	if (dir < 0 && errno == ENOTDIR)
		return not_a_trace(path, "not a directory", err);
	if (dir < 0)
		return ktrc_fail(err, errno, "%s: cannot open", path);
	ktrc_allow_files();
	ret = load_document(path, dir, &document, err);
	if (ret < 0)
		return ret;
	ret = ktrc_capture_from_json(capture, document, err);
	if (ret < 0) {
		ktrc_fail_in(err, path);
		return ret;
	}
	if (capture->is_unfinished)
		ret = find_streams(path, dir, capture, err);
	else
		ret = open_streams(path, dir, json_object_get(document, "streams"), capture, err);
	if (ret == 0)
		ret = ktrc_capture_start_reader(capture, err);
	if (ret == 0 && capture->is_unfinished) {
		count_lost(capture);
		ret = ktrc_capture_start_reader(capture, err);
	}
	if (ret < 0)
		return ret;
	*ret_capture = ktrc_steal(capture);
	return 0;
}
