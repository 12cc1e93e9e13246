/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From result structs to bytes: text, JSON documents, NDJSON.  No analysis here. */
#ifndef KTRC_FORMAT_H
#define KTRC_FORMAT_H

#include "../lib/capture.h"
#include "../views/check.h"
#include "../views/compaction.h"
#include "../views/faults.h"
#include "../views/frag.h"
#include "../views/madvise.h"
#include "../views/reclaim.h"
#include "../views/summary.h"
#include "../views/throttle.h"
#include "table.h"

enum ktrc_output_format {
	KTRC_OUT_TEXT,
	KTRC_OUT_JSON,
	KTRC_OUT_NDJSON,
	KTRC_OUT_MARKDOWN, /* the summary only */
};

/** ktrc_is_document() - a format for programs: what is printed says all by itself, loss included */
static inline bool ktrc_is_document(enum ktrc_output_format format)
{
	return format == KTRC_OUT_JSON || format == KTRC_OUT_NDJSON;
}

/* Room for the texts below. */
#define KTRC_TEXT_ROOM 80

/** ktrc_text_ns() - a duration for people: "3.9 us" */
const char *ktrc_text_ns(u64 ns, char room[KTRC_TEXT_ROOM]);

/** ktrc_text_bytes() - a size for people: "64 MiB" */
const char *ktrc_text_bytes(u64 bytes, char room[KTRC_TEXT_ROOM]);

/** ktrc_text_overhead() - "overhead ~0.21% of a CPU (est.)" */
const char *ktrc_text_overhead(const struct ktrc_capture *capture, char room[KTRC_TEXT_ROOM]);

/** ktrc_text_stamp() - local time with nanoseconds and offset, for a machine to read as well */
const char *ktrc_text_stamp(u64 real_ns, char room[KTRC_TEXT_ROOM]);

/** ktrc_text_window() - "2026-11-21 11:42:07..11:42:37 +0100 (10:42:07Z, 30.0 s)" */
const char *ktrc_text_window(const struct ktrc_capture *capture, u64 start_ticks,
			     char room[KTRC_TEXT_ROOM]);

/** ktrc_print_head() - what a view's text begins with: event, window, loss, overhead */
void ktrc_print_head(const struct ktrc_capture *capture, const char *label, u64 start_ticks,
		     const struct ktrc_output *out);

/**
 * ktrc_text_filter() - what the session leaves out on purpose, and what a record stands for
 *
 * Paths are shortened to @path_columns.  The caller frees it; NULL when it leaves out nothing,
 * and without memory.
 */
char *ktrc_text_filter(const struct ktrc_capture *capture, size_t path_columns);

/** ktrc_print_filter() - that as a line, if there is something to say */
void ktrc_print_filter(const struct ktrc_capture *capture, const struct ktrc_output *out);

/** ktrc_needs_to_json() - which of the events, up to NULL, were not recorded, and why */
json_t *ktrc_needs_to_json(const struct ktrc_capture *capture, const char *const *needs);

/** ktrc_text_needs() - as text, which the caller frees; NULL when all were, and without memory */
char *ktrc_text_needs(const struct ktrc_capture *capture, const char *const *needs);

/** ktrc_print_left_out() - how much a view left out, if anything; @what: what it counts */
void ktrc_print_left_out(u64 left_out, const char *what, const struct ktrc_output *out);

/** ktrc_print_unnamed() - how many of its cgroups have no name, if any */
void ktrc_print_unnamed(u64 nr_unnamed, const struct ktrc_output *out);

/** ktrc_cell_cgroup() - its path, or the id of one without a name; empty for 0 */
struct ktrc_cell ktrc_cell_cgroup(const struct ktrc_capture *capture, u64 cgid);

/** ktrc_json_document() - a new document with what all have: host, window, loss, damage, overhead... */
json_t *ktrc_json_document(const char *format, const struct ktrc_capture *capture, u64 start_ticks);

/** ktrc_json_set_number() - a member that is a number */
void ktrc_json_set_number(json_t *object, const char *key, u64 number);

/** ktrc_json_text_or_null() - a string, or null for NULL */
json_t *ktrc_json_text_or_null(const char *text);

/**
 * ktrc_print_document() - a document, as JSON or as NDJSON; takes the reference
 *
 * In NDJSON each member of its arrays is a line, which names the array as `table`; all that is
 * in none is the last line, which has the document's `format` as `of`.
 */
void ktrc_print_document(json_t *document, enum ktrc_output_format format,
			 const struct ktrc_output *out);

void ktrc_print_summary(const struct ktrc_summary *summary, enum ktrc_output_format format,
			const struct ktrc_output *out);
void ktrc_print_faults(const struct ktrc_faults *faults, enum ktrc_output_format format,
		       const struct ktrc_output *out);
void ktrc_print_reclaim(const struct ktrc_reclaim *reclaim, enum ktrc_output_format format,
			const struct ktrc_output *out);
void ktrc_print_madvise(const struct ktrc_madvise *madvise, enum ktrc_output_format format,
			const struct ktrc_output *out);
void ktrc_print_throttle(const struct ktrc_throttle *throttle, enum ktrc_output_format format,
			 const struct ktrc_output *out);
void ktrc_print_compaction(const struct ktrc_compaction *compaction, enum ktrc_output_format format,
			   const struct ktrc_output *out);

/**
 * struct ktrc_bcc - how far another tool's rows have been printed, which may come a few at a time
 * @has_begun: the heading was, if there is to be one
 * @nr: rows
 * @first_ticks: end of the first one
 */
struct ktrc_bcc {
	bool has_begun;
	u64 nr;
	u64 first_ticks;
};

/** ktrc_print_compactsnoop() - zones that were compacted, as compactsnoop of bcc prints them */
void ktrc_print_compactsnoop(const struct ktrc_compaction *compaction, struct ktrc_bcc *bcc,
			     const struct ktrc_output *out);
/** ktrc_print_drsnoop() - stalls in direct reclaim, as drsnoop of bcc prints them */
void ktrc_print_drsnoop(const struct ktrc_reclaim *reclaim, struct ktrc_bcc *bcc,
			const struct ktrc_output *out);
void ktrc_print_frag(const struct ktrc_frag *frag, enum ktrc_output_format format,
		     const struct ktrc_output *out);
void ktrc_print_check(const struct ktrc_check *check, const struct ktrc_capture *capture,
		      enum ktrc_output_format format, const struct ktrc_output *out);

/** struct ktrc_faults_data - a view, and those of its rows that a table is of */
struct ktrc_faults_data {
	const struct ktrc_faults *faults;
	const struct ktrc_fault_rows *rows;
};

/** ktrc_faults_saturated_json() - attempts longer than a record can say; null: none says how long */
json_t *ktrc_faults_saturated_json(const struct ktrc_faults *faults);

/** ktrc_faults_table() - of processes; @data: room for what it is made of */
struct ktrc_table ktrc_faults_table(const struct ktrc_faults *faults,
				    struct ktrc_faults_data *data);

/** ktrc_reclaim_set_json() - put all tables of the view, and totals, into an object */
void ktrc_reclaim_set_json(const struct ktrc_reclaim *reclaim, json_t *object,
			   const struct ktrc_output *out);

/** ktrc_tallies_to_json() - the counters of each event */
json_t *ktrc_tallies_to_json(const struct ktrc_tallies *tallies);

/** ktrc_check_to_json() - balance and reconciliation, without the rows */
json_t *ktrc_check_to_json(const struct ktrc_check *check);

/* Room for a sentence. */
#define KTRC_LINE_ROOM 300

/** ktrc_text_counted() - the verdict where there are only counters */
void ktrc_text_counted(const struct ktrc_tallies *tallies, char line[KTRC_LINE_ROOM]);

struct ktrc_page;
/** ktrc_print_tallies() - what was counted without a record; @with_cpus: and on which CPUs */
void ktrc_print_tallies(const struct ktrc_tallies *tallies, bool with_cpus, struct ktrc_page *page);

/** ktrc_text_books() - do they balance */
const char *ktrc_text_books(const struct ktrc_check *check, char room[KTRC_LINE_ROOM]);

/** ktrc_text_stacks() - how many user stacks end at once; NULL: there are none */
const char *ktrc_text_stacks(const struct ktrc_check *check, char room[KTRC_LINE_ROOM]);

/** ktrc_text_kernel() - how much of what the kernel counted was recorded */
const char *ktrc_text_kernel(const struct ktrc_check *check, char room[KTRC_LINE_ROOM]);

struct ktrc_event_printer;

/**
 * ktrc_event_printer_create() - prints records one by one
 * @capture: where they come from
 * @format: text and NDJSON can go on for ever; JSON is one document
 * @out: where they go
 * @with_dictionary: those that explain others as well
 */
struct ktrc_event_printer *ktrc_event_printer_create(const struct ktrc_capture *capture,
						     enum ktrc_output_format format,
						     const struct ktrc_output *out,
						     bool with_dictionary);

/**
 * ktrc_event_printer_add() - the next record
 *
 * To be called for each: frames are named by what records said before.  Return: whether it was printed.
 */
bool ktrc_event_printer_add(struct ktrc_event_printer *printer, const struct ktrc_record *record);
/** ktrc_event_printer_destroy() - also prints what of the document is no record: loss as it is then */
void ktrc_event_printer_destroy(struct ktrc_event_printer *printer);

#endif
