// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Saving where it goes wrong: the disk gets full after any number of bytes, a signal
 * comes at any time.  write() and fsync() stand in front of the real ones.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../userspace/lib/trace.h"
#include "decoder_synth.h"

#define NR_FAULTS 200003 /* so many that a stream is written in several pieces */

static int nr_tests, nr_failed;

static void ok(bool passed, const char *what)
{
	nr_tests++;
	nr_failed += !passed;
	printf("%sok %d - %s\n", passed ? "" : "not ", nr_tests, what);
}

static size_t disk_left = SIZE_MAX;
static char base[] = "/tmp/decoder_save.XXXXXX", dir[64];
static char synced[300]; /* what fsync was called for last */
static bool was_there; /* and whether the trace had its name by then */

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
	return 0;
}

static struct ktrc_capture *build_capture(void)
{
	struct ktrc_ev_task task = { .tid = 42, .tgid = 42, .comm = "storm" };
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

/* What a full disk leaves of a stream is a trace all the same. */
static void test_kept(struct ktrc_capture *capture)
{
	struct ktrc_trace_writer *writer = NULL;
	struct ktrc_stream *stream = &capture->streams[0];
	size_t half = stream->len / 2 / SYNTH_PACKET_BYTES * SYNTH_PACKET_BYTES;
	struct ktrc_capture *saved = NULL;
	struct ktrc_error err;
	bool failed;

	snprintf(dir + strlen(dir), sizeof(dir) - strlen(dir), "-cut");
	if (ktrc_trace_create(dir, &writer, &err) < 0 ||
	    ktrc_trace_reserve(writer, capture, &err) < 0 ||
	    ktrc_trace_append(writer, 0, stream->bytes, half, &err) < 0)
		abort();
	ktrc_trace_keep(writer);
	disk_left = 5000;
	failed = ktrc_trace_append(writer, 0, stream->bytes + half, stream->len - half, &err) < 0;
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
	ktrc_capture_destroy(capture);
	snprintf(command, sizeof(command), "rm -r %s", base);
	if (system(command) != 0)
		abort();
	printf("1..%d\n", nr_tests);
	return nr_failed != 0;
}
