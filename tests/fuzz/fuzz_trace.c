// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A whole trace, opened as a directory.  An input: options, ktrc.json up to a zero
 * byte, and for each CPU from 0 on four bytes of length, little endian, and its file.  The files
 * are in memory: openat() and scandirat() stand in front of the real ones.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../userspace/lib/cleanup.h"
#include "../../userspace/lib/file.h"
#include "../../userspace/lib/packet.h"
#include "fuzz.h"

#define MAX_FILES 8
#define LENGTH_BYTES 4

/* The first is ktrc.json, the others are CPUs. */
struct input {
	const u8 *bytes[MAX_FILES];
	size_t size[MAX_FILES];
	size_t nr;
};

static struct input input;

static struct input cut_up(const u8 *data, size_t size)
{
	const u8 *end = data + size, *zero = memchr(data, 0, size);
	struct input cut = { { data }, { zero ? (size_t)(zero - data) : size }, 1 };
	const u8 *at = zero ? zero + 1 : end;

	while (cut.nr < MAX_FILES && end - at >= LENGTH_BYTES) {
		size_t len = ktrc_load_u32(at), left = (size_t)(end - at) - LENGTH_BYTES;

		at += LENGTH_BYTES;
		cut.bytes[cut.nr] = at;
		cut.size[cut.nr] = len < left ? len : left;
		at += cut.size[cut.nr++];
	}
	return cut;
}

static int file_number(const char *name)
{
	unsigned int cpu;

	if (strcmp(name, KTRC_TRACE_JSON) == 0)
		return 0;
	if (sscanf(name, "cpu_%u", &cpu) == 1 && cpu < MAX_FILES - 1)
		return (int)cpu + 1;
	return MAX_FILES;
}

int openat(int dir, const char *name, int flags, ...)
{
	size_t i = (size_t)file_number(name);
	int fd;

	(void)dir, (void)flags;
	if (i >= input.nr) {
		errno = ENOENT;
		return -1;
	}
	fd = memfd_create(name, MFD_CLOEXEC);
	must(fd >= 0 && ktrc_write_all(fd, input.bytes[i], input.size[i]) == 0);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* All names but that of ktrc.json, those of streams and others, as unsorted as a directory. */
int scandirat(int dir, const char *name, struct dirent ***ret_entries,
	      int (*is_wanted)(const struct dirent *),
	      int (*compare)(const struct dirent **, const struct dirent **))
{
	static const char *const others[] = { ".", "cpu_", "cpu_00", "cpu_4294967296", "metadata" };
	struct dirent **entries = calloc(ARRAY_SIZE(others) + MAX_FILES, sizeof(*entries));
	struct dirent entry;
	int nr = 0;

	(void)dir, (void)name, (void)compare;
	must(entries != NULL);
	for (size_t i = 0; i < ARRAY_SIZE(others) + input.nr - 1; i++) {
		memset(&entry, 0, sizeof(entry));
		if (i < ARRAY_SIZE(others))
			strcpy(entry.d_name, others[i]);
		else
			sprintf(entry.d_name, "cpu_%zu", i - ARRAY_SIZE(others));
		if (!is_wanted(&entry))
			continue;
		entries[nr] = malloc(sizeof(entry));
		must(entries[nr] != NULL);
		memcpy(entries[nr++], &entry, sizeof(entry));
	}
	*ret_entries = entries;
	return nr;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	__ktrc_capture struct ktrc_capture *capture = NULL;
	struct ktrc_error err;

	if (size < FUZZ_OPTIONS_BYTES)
		return 0;
	input = cut_up(data + FUZZ_OPTIONS_BYTES, size - FUZZ_OPTIONS_BYTES);
	if (ktrc_trace_open("/", &capture, &err) < 0)
		return 0;
	fuzz_save_again(capture);
	fuzz_read(capture, fuzz_options(data));
	return 0;
}

/* ---- one file changed, and the input put together again ---- */

static u8 *put(u8 *to, const void *bytes, size_t size)
{
	memcpy(to, bytes, size);
	return to + size;
}

/* @changed stands for file @i; returns the input's size, 0 if it does not fit. */
static size_t put_together(const struct input *cut, size_t i, const u8 *changed, size_t size,
			   u8 *data, size_t max)
{
	__ktrc_free u8 *whole = malloc(max);
	size_t needed = FUZZ_OPTIONS_BYTES;
	u8 *to = whole;

	for (size_t n = 0; n < cut->nr; n++)
		needed += LENGTH_BYTES + (n == i ? size : cut->size[n]);
	if (!whole || needed > max)
		return 0;
	to = put(to, data, FUZZ_OPTIONS_BYTES);
	for (size_t n = 0; n < cut->nr; n++) {
		u32 len = htole32((u32)(n == i ? size : cut->size[n]));

		if (n)
			to = put(to, &len, sizeof(len));
		to = put(to, n == i ? changed : cut->bytes[n], le32toh(len));
		if (n == 0)
			*to++ = '\0';
	}
	memcpy(data, whole, (size_t)(to - whole));
	return (size_t)(to - whole);
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	__ktrc_free u8 *changed = malloc(max);
	struct input cut;
	size_t i, len;

	if (!changed || fuzz_mutate_input(data, &size, max, &seed))
		return size;
	cut = cut_up(data + FUZZ_OPTIONS_BYTES, size - FUZZ_OPTIONS_BYTES);
	i = (size_t)rand_r(&seed) % cut.nr;
	len = cut.size[i];
	memcpy(changed, cut.bytes[i], len);
	if (i == 0)
		len = fuzz_mutate_document(changed, len, max, seed);
	else
		len = fuzz_mutate_stream(changed, len, max, seed);
	len = put_together(&cut, i, changed, len, data, max);
	return len ? len : LLVMFuzzerMutate(data, size, max);
}
