/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved traces: a CTF 1.8 directory with one stream file for each CPU.  What CTF
 * has no place for is in ktrc/ktrc.json in it: a directory of its own, because
 * CTF readers take every file beside the metadata for a stream.
 */
#ifndef KTRC_TRACE_H
#define KTRC_TRACE_H

#include <jansson.h>

#include "capture.h"

#define KTRC_TRACE_FORMAT "ktrc.trace/1"
#define KTRC_TRACE_SUBDIR "ktrc"
#define KTRC_TRACE_JSON KTRC_TRACE_SUBDIR "/ktrc.json"

struct ktrc_trace_writer;

/**
 * ktrc_trace_create() - begin to save
 * @path: directory that will appear when the trace is whole; must not exist
 * @writer: set
 */
int ktrc_trace_create(const char *path, struct ktrc_trace_writer **writer, struct ktrc_error *err);

/**
 * ktrc_trace_append() - add packets of a CPU
 * @writer: the writer
 * @capture: what they are of
 * @cpu: the CPU
 * @bytes: closed, whole packets; their discarded counts are made relative
 * @len: their length
 */
int ktrc_trace_append(struct ktrc_trace_writer *writer, const struct ktrc_capture *capture, u32 cpu,
		      u8 *bytes, size_t len, struct ktrc_error *err);

/** ktrc_trace_ask() - ask @is_aborted now and then; if true nothing is saved; may be NULL */
void ktrc_trace_ask(struct ktrc_trace_writer *writer, bool (*is_aborted)(void));

/**
 * ktrc_trace_reserve() - a first description, and room for the last one on a disk that gets full
 *
 * From here on what is appended can be opened, also when it is never finished.
 */
int ktrc_trace_reserve(struct ktrc_trace_writer *writer, const struct ktrc_capture *capture,
		       struct ktrc_error *err);

/**
 * ktrc_trace_settle() - of what was followed: what processes had mapped before, near to what was recorded
 * @writer: has all records
 * @capture: with what was seen first; what processes gave up since is added
 */
int ktrc_trace_settle(struct ktrc_trace_writer *writer, struct ktrc_capture *capture,
		      struct ktrc_error *err);

/** ktrc_trace_end_ticks() - time of the last record appended; 0 if there is none */
u64 ktrc_trace_end_ticks(const struct ktrc_trace_writer *writer);

/**
 * ktrc_trace_finish() - describe the capture, bring all to the disk, let the directory appear
 *
 * Also without the names of functions and files, if there is no room but what was reserved: it appears then, and
 * this fails.
 */
int ktrc_trace_finish(struct ktrc_trace_writer *writer, const struct ktrc_capture *capture,
		      struct ktrc_error *err);

/** ktrc_trace_keep() - what is appended so far is nowhere else: never remove it */
void ktrc_trace_keep(struct ktrc_trace_writer *writer);

/** ktrc_trace_unfinished() - the directory that holds it until it is finished; NULL: nothing kept */
const char *ktrc_trace_unfinished(const struct ktrc_trace_writer *writer);

/** ktrc_trace_destroy() - release a writer; what is not finished or kept is removed */
void ktrc_trace_destroy(struct ktrc_trace_writer *writer);
void ktrc_cleanup_trace(struct ktrc_trace_writer **writer);
#define __ktrc_trace KTRC_CLEANUP(ktrc_cleanup_trace)

/** ktrc_trace_probe() - could a trace be saved there, as far as can be told before */
int ktrc_trace_probe(const char *path, struct ktrc_error *err);

/**
 * ktrc_trace_save() - save a whole capture
 * @path: directory to make
 * @capture: what to save
 * @is_aborted: asked now and then; if true nothing is saved and nothing left; may be NULL
 */
int ktrc_trace_save(const char *path, const struct ktrc_capture *capture, bool (*is_aborted)(void),
		    struct ktrc_error *err);

/**
 * ktrc_trace_rescue() - save a capture that nobody can read again
 * @path: directory to make
 * @capture: what to save
 * @is_aborted: as of ktrc_trace_save()
 *
 * Where not all fits, the oldest records are saved as a trace that says it is cut; that is
 * still a failure, and its hint says how much was saved.
 */
int ktrc_trace_rescue(const char *path, const struct ktrc_capture *capture,
		      bool (*is_aborted)(void), struct ktrc_error *err);

/**
 * ktrc_trace_open() - open a saved trace
 *
 * A stream file that is shorter than the trace says is read as far as it goes:
 * see ktrc_stream.saved_len.
 */
int ktrc_trace_open(const char *path, struct ktrc_capture **capture, struct ktrc_error *err);

/** ktrc_capture_to_json() - ktrc.json without the list of streams; NULL without memory */
json_t *ktrc_capture_to_json(const struct ktrc_capture *capture);

/** ktrc_capture_from_json() - the reverse */
int ktrc_capture_from_json(struct ktrc_capture *capture, const json_t *document,
			   struct ktrc_error *err);

/** ktrc_schema_to_json() - events and enumerations; NULL without memory */
json_t *ktrc_schema_to_json(const struct ktrc_schema *schema);
struct ktrc_schema *ktrc_schema_from_json(const json_t *object, struct ktrc_error *err);

/** ktrc_filters_to_json() - a session's filters, rules and maximum time; NULL without memory */
json_t *ktrc_filters_to_json(const struct ktrc_session *session, const struct ktrc_schema *schema);

/** ktrc_counters_to_json() - an array of rows; events by label */
json_t *ktrc_counters_to_json(const struct ktrc_counter_set *set, const struct ktrc_schema *schema);

#endif
