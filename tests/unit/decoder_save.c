// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Saving where it goes wrong: the disk gets full after any number of bytes, or breaks, a
 * signal comes at any time, the tool is killed.  write() and fsync() stand in front of the
 * real ones.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../userspace/lib/trace.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

#define MOST_FILES 32
#define NR_FAULTS 200003 /* so many that a stream is written in several pieces */

static size_t disk_left = SIZE_MAX;
static char base[] = "/tmp/decoder_save.XXXXXX", dir[64];
static char synced[300]; /* what fsync was called for last */
static bool was_there; /* and whether the trace had its name by then */
static int sync_errnum; /* what the next fsync fails with */

ssize_t write(int fd, const void *bytes, size_t len)
{
	if (fd > 2 && disk_left == 0) {
		errno = ENOSPC;
		return -1;
	}
	if (fd > 2 && len > disk_left)
		len = disk_left;
	if (fd > 2)
		disk_left -= len;
	return syscall(SYS_write, fd, bytes, len);
}

int fsync(int fd)
{
	char link[40];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, synced, sizeof(synced) - 1);
	synced[len < 0 ? 0 : len] = '\0';
	was_there = access(dir, F_OK) == 0;
	errno = sync_errnum;
	sync_errnum = 0;
	return errno ? -1 : 0;
}

static struct ktrc_capture *build_capture(void)
{
	struct ktrc_ev_task task = { .tid = 42, .pid = 42, .comm = "storm" };
	struct synth_stream s = { .cpu = 0 };
	u64 ticks = 1ull << 40;

	for (u64 i = 0; i < NR_FAULTS; i++) {
		struct ktrc_ev_fault fault = { .page = i };

		ticks += 1000;
		if (!s.bytes || synth_is_full(&s)) {
			if (s.bytes)
				synth_close(&s);
			synth_open(&s, ticks, &task);
		}
		synth_fault(&s, ticks, &fault);
	}
	synth_close(&s);
	return synth_capture(&s, 1);
}

static bool is_empty(const char *path)
{
	DIR *entries = opendir(path);
	int nr = 0;

	while (entries && readdir(entries))
		nr++;
	closedir(entries);
	return nr == 2;
}

static void test_full(const struct ktrc_capture *capture)
{
	u64 bad = 0, nr = 0;
	struct ktrc_error err;

	/* into the packets, and into what describes them */
	for (size_t room = 0; room < 40000; room += 1777, nr++) {
		for (int near_end = 0; near_end < 2; near_end++) {
			disk_left = near_end ? capture->streams[0].len + room / 4 : room;
			bad += ktrc_trace_save(dir, capture, NULL, &err) != -ENOSPC ||
			       err.code != KTRC_EXIT_FAILED || !err.hint[0] ||
			       !strstr(err.text, dir) || !is_empty(base);
		}
	}
	disk_left = SIZE_MAX;
	ok(bad == 0 && nr > 20, "a full disk: which file, a hint, and nothing is left");
}

static int polls_left;

static bool is_aborted(void)
{
	return polls_left-- == 0;
}

static void test_aborted(const struct ktrc_capture *capture)
{
	struct ktrc_error err;
	int bad = 0, ret = -1, after;

	for (after = 0; ret < 0 && after < 100; after++) {
		polls_left = after;
		ret = ktrc_trace_save(dir, capture, is_aborted, &err);
		bad += ret < 0 && (err.code != KTRC_EXIT_ABORTED || !is_empty(base));
	}
	ok(bad == 0 && ret == 0 && after > 4, "interrupted at any time: nothing is left");
	ok(strcmp(synced, base) == 0 && was_there,
	   "the directory in which the trace appeared is brought to the disk last");
}

static size_t half_of(const struct ktrc_stream *stream)
{
	return stream->len / 2 / SYNTH_PACKET_BYTES * SYNTH_PACKET_BYTES;
}

/* As the consumer of a stream saves: it has taken the first half. */
static struct ktrc_trace_writer *save_half(struct ktrc_capture *capture, const char *suffix)
{
	struct ktrc_stream *stream = &capture->streams[0];
	struct ktrc_trace_writer *writer = NULL;
	struct ktrc_error err;

	snprintf(dir, sizeof(dir), "%s/trace-%s", base, suffix);
	if (ktrc_trace_create(dir, &writer, &err) < 0 ||
	    ktrc_trace_reserve(writer, capture, &err) < 0 ||
	    ktrc_trace_append(writer, capture, 0, stream->bytes, half_of(stream), &err) < 0)
		abort();
	ktrc_trace_keep(writer);
	return writer;
}

/* What a full disk leaves of a stream is a trace all the same. */
static void test_kept(struct ktrc_capture *capture)
{
	struct ktrc_trace_writer *writer = save_half(capture, "cut");
	struct ktrc_stream *stream = &capture->streams[0];
	size_t half = half_of(stream);
	struct ktrc_capture *saved = NULL;
	struct ktrc_error err;
	bool failed;

	disk_left = 5000;
	failed = ktrc_trace_append(writer, capture, 0, stream->bytes + half, stream->len - half,
				   &err) < 0;
	disk_left = SIZE_MAX;
	capture->is_cut = true;
	capture->end_ticks = ktrc_trace_end_ticks(writer);
	ok(failed && ktrc_trace_finish(writer, capture, &err) == 0 &&
		   ktrc_trace_open(dir, &saved, &err) == 0,
	   "what was kept of a stream when the disk got full is a trace");
	ok(saved && saved->is_cut && saved->nr_streams == 1 && saved->streams[0].len == half &&
		   saved->streams[0].saved_len == half,
	   "of whole packets, and it says that it is not all");
	ktrc_trace_destroy(writer);
	ktrc_capture_destroy(saved);
}

/* Nothing of it is finished, as when the tool is killed, in the middle of a packet. */
static void test_killed(struct ktrc_capture *capture)
{
	struct ktrc_trace_writer *writer = save_half(capture, "killed");
	struct ktrc_stream *stream = &capture->streams[0];
	size_t half = half_of(stream);
	struct ktrc_capture *left = NULL;
	struct ktrc_error err;
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu_0", ktrc_trace_unfinished(writer));
	file = fopen(path, "a");
	if (!file || fwrite(stream->bytes + half, SYNTH_PACKET_BYTES / 2, 1, file) != 1)
		abort();
	fclose(file);
	ok(ktrc_trace_open(ktrc_trace_unfinished(writer), &left, &err) == 0 && left->is_cut &&
		   left->is_unfinished,
	   "what a killed tool leaves opens, and says that it is not all");
	ok(left && left->nr_streams == 1 && left->streams[0].len == half &&
		   left->streams[0].saved_len == half &&
		   left->end_ticks == ktrc_trace_end_ticks(writer),
	   "up to its last whole packet");
	ktrc_trace_destroy(writer);
	ktrc_capture_destroy(left);
}

/* Asked a second time, a disk may claim to have what it lost. */
static void test_unsynced(struct ktrc_capture *capture)
{
	struct ktrc_trace_writer *writer = save_half(capture, "unsynced");
	struct ktrc_capture *left = NULL;
	struct ktrc_error err;
	int first, second;

	sync_errnum = EIO;
	first = ktrc_trace_finish(writer, capture, &err);
	second = ktrc_trace_finish(writer, capture, &err);
	ok(first == -EIO && second == -EIO && access(dir, F_OK) < 0,
	   "a trace that the disk may not have never gets its name");
	ok(ktrc_trace_open(ktrc_trace_unfinished(writer), &left, &err) == 0 &&
		   left->streams[0].len == half_of(&capture->streams[0]),
	   "what there is of it opens");
	ktrc_trace_destroy(writer);
	ktrc_capture_destroy(left);
}

static void test_interrupted(struct ktrc_capture *capture)
{
	struct ktrc_trace_writer *writer = save_half(capture, "interrupted");
	struct ktrc_error err;

	sync_errnum = EINTR;
	ok(ktrc_trace_finish(writer, capture, &err) == 0 && access(dir, F_OK) == 0,
	   "an interrupted fsync is called again");
	ktrc_trace_destroy(writer);
}

static u64 count_records(struct ktrc_capture *capture)
{
	u64 nr = 0;

	while (ktrc_reader_next(capture->reader))
		nr++;
	return nr;
}

/* A recorder whose disk gets full takes back what it had written of a piece, and somebody reads meanwhile. */
static void test_shrunk(struct ktrc_capture *capture)
{
	struct ktrc_stream *stream = &capture->streams[0];
	size_t len = stream->len, half = half_of(stream);
	const struct ktrc_damage *damage;
	struct ktrc_capture *saved;
	struct ktrc_error err;
	char path[80];
	u64 expected, nr;

	snprintf(dir, sizeof(dir), "%s/trace-shrunk", base);
	snprintf(path, sizeof(path), "%s/cpu_0", dir);
	stream->len = half;
	if (ktrc_capture_start_reader(capture, &err) < 0)
		abort();
	expected = count_records(capture);
	stream->len = len;
	if (ktrc_trace_save(dir, capture, NULL, &err) < 0 ||
	    ktrc_trace_open(dir, &saved, &err) < 0 || !ktrc_reader_next(saved->reader) ||
	    truncate(path, (off_t)half + SYNTH_PACKET_BYTES / 2) < 0)
		abort();
	nr = 1 + count_records(saved);
	damage = ktrc_reader_damage(saved->reader);
	ok(nr == expected && !damage->bad_packets && damage->cut_bytes == len - half,
	   "a file that is cut while it is read is read up to there, and the rest is told");
	ktrc_capture_destroy(saved);
}

/* A host may have more CPUs than a process has files. */
static void test_many_files(struct ktrc_capture *capture)
{
	const struct ktrc_stream *stream = &capture->streams[0];
	struct ktrc_trace_writer *writer;
	struct rlimit files, few;
	struct ktrc_error err;
	bool failed = false;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		abort();
	few = (struct rlimit){ MOST_FILES, files.rlim_max };
	snprintf(dir, sizeof(dir), "%s/trace-files", base);
	if (setrlimit(RLIMIT_NOFILE, &few) < 0 || ktrc_trace_create(dir, &writer, &err) < 0)
		abort();
	for (u32 cpu = 0; cpu < 2 * MOST_FILES; cpu++)
		failed |= ktrc_trace_append(writer, capture, cpu, stream->bytes, SYNTH_PACKET_BYTES,
					    &err) < 0;
	ok(!failed, "more CPUs than files that may be open at first");
	ktrc_trace_destroy(writer);
	setrlimit(RLIMIT_NOFILE, &files);
}

int main(void)
{
	struct ktrc_capture *capture = build_capture();
	char command[96];

	if (!mkdtemp(base))
		abort();
	snprintf(dir, sizeof(dir), "%s/trace", base);
	test_full(capture);
	test_aborted(capture);
	test_kept(capture);
	test_killed(capture);
	test_unsynced(capture);
	test_interrupted(capture);
	test_shrunk(capture);
	test_many_files(capture);
	ktrc_capture_destroy(capture);
	snprintf(command, sizeof(command), "rm -r %s", base);
	if (system(command) != 0)
		abort();
	return end_of_tests();
}
