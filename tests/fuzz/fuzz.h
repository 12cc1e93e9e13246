/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzzers share: reading a capture as the tools do, and damage that makes sense. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdio.h>

#include "../../userspace/lib/trace.h"

/* Ends the run: a promise of the decoder is broken. */
#define must(condition)                                                                         \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			__builtin_trap();                                                       \
		}                                                                               \
	} while (0)

/* libFuzzer calls the first two and offers the third. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);

/* Each input begins with as many bytes, little endian: what to do with the rest, as bits. */
#define FUZZ_OPTIONS_BYTES sizeof(u16)

enum {
	FUZZ_FORMAT = 3, /* an enum ktrc_output_format */
	FUZZ_VIEW = 7 << 2, /* a place in a table of views */
	FUZZ_QUIET = 1 << 5, /* no headings, no notes */
	FUZZ_COLOR = 1 << 6, /* and few rows */
	FUZZ_NOWHERE = 1 << 7, /* the records cannot be read again */
	FUZZ_ZONES = 1 << 8,
	FUZZ_COMPAT = 1 << 9, /* compactsnoop; with FUZZ_ZONES drsnoop */
	FUZZ_RUNNING = 1 << 10, /* fuzz_stream: the session records */
	FUZZ_PLACE = 31 << 11, /* fuzz_stream: where to cut, in 128 bytes */
};

/** fuzz_options() - of an input that is long enough */
static inline u16 fuzz_options(const u8 *data)
{
	return (u16)(data[0] | data[1] << 8);
}

/**
 * fuzz_read() - read every record of a capture, through a view and one by one
 * @capture: its reader is started
 * @options: which view and how to print, as bits
 */
void fuzz_read(struct ktrc_capture *capture, u16 options);

/** fuzz_save_again() - what was read can be saved again, and says the same then */
void fuzz_save_again(const struct ktrc_capture *capture);

/** fuzz_mutate_input() - change an input's options, or any byte; false: it is the caller's turn */
bool fuzz_mutate_input(u8 *data, size_t *size, size_t max, unsigned int *seed);

/** fuzz_mutate_document() - a JSON text with one value changed, or a byte */
size_t fuzz_mutate_document(u8 *data, size_t size, size_t max, unsigned int seed);

/** fuzz_mutate_stream() - packets with one member, record or packet changed, or a byte */
size_t fuzz_mutate_stream(u8 *data, size_t size, size_t max, unsigned int seed);

#endif
