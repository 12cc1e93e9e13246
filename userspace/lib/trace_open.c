// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening a saved trace.  Its files may be cut, damaged or hostile. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "json.h"
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

static int map_stream(const char *path, int dir, struct ktrc_stream *stream, struct ktrc_error *err)
{
	struct stat st;
	char name[32];
	void *map;

	snprintf(name, sizeof(name), "cpu_%u", stream->cpu);
	__ktrc_fd int fd = open_file(dir, name, &st);

	if (fd < 0)
		return ktrc_fail(err, errno, "%s/%s: cannot open", path, name);
	if (st.st_size == 0)
		return 0;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return ktrc_fail(err, errno, "%s/%s: cannot map", path, name);
	madvise(map, (size_t)st.st_size, MADV_SEQUENTIAL);
	stream->bytes = map;
	stream->len = (size_t)st.st_size;
	stream->is_mapped = true;
	return 0;
}

static const struct ktrc_json_member stream_members[] = {
	{ "cpu", offsetof(struct ktrc_stream, cpu), sizeof(u32) },
	{ "bytes", offsetof(struct ktrc_stream, saved_len), sizeof(u64) },
};

/* The newest of the streams is one that only it can be. */
static bool is_stream(const struct ktrc_capture *capture, const struct ktrc_stream *stream)
{
	for (const struct ktrc_stream *other = capture->streams; other < stream; other++)
		if (other->cpu == stream->cpu)
			return false;
	return stream->cpu < capture->nr_cpus && (s64)stream->saved_len >= 0;
}

static int open_streams(const char *path, int dir, const json_t *rows, struct ktrc_capture *capture,
			struct ktrc_error *err)
{
	struct ktrc_stream *stream;
	const json_t *row;
	size_t i;
	int ret;

	if (!json_is_array(rows))
		return not_a_trace(path, KTRC_TRACE_JSON " lists no streams", err);
	json_array_foreach(rows, i, row) {
		stream = ktrc_array_push(capture->streams, capture->nr_streams);
		if (!stream)
			return ktrc_fail(err, ENOMEM, "%s", path);
		if (ktrc_json_unpack(row, stream_members, ARRAY_SIZE(stream_members), stream) < 0 ||
		    !is_stream(capture, stream))
			return not_a_trace(path, KTRC_TRACE_JSON ": a stream is damaged", err);
		ret = map_stream(path, dir, stream, err);
		if (ret < 0)
			return ret;
	}
	return 0;
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
	ret = load_document(path, dir, &document, err);
	if (ret < 0)
		return ret;
	ret = ktrc_capture_from_json(capture, document, err);
	if (ret < 0) {
		ktrc_fail_in(err, path);
		return ret;
	}
	ret = open_streams(path, dir, json_object_get(document, "streams"), capture, err);
	if (ret < 0)
		return ret;
	ret = ktrc_capture_start_reader(capture, err);
	if (ret < 0)
		return ret;
	*ret_capture = ktrc_steal(capture);
	return 0;
}
