// SPDX-License-Identifier: GPL-2.0-or-later
/* The check view. */
#include <stdlib.h>

#include "format.h"

static const struct ktrc_check_row *row_at(const void *data, size_t row)
{
	return &((const struct ktrc_check *)data)->rows[row];
}

static struct ktrc_cell event(const void *data, size_t row)
{
	return ktrc_cell_text(row_at(data, row)->event ? row_at(data, row)->event->label : NULL);
}

static struct ktrc_cell cpu(const void *data, size_t row)
{
	u32 number = row_at(data, row)->cpu;

	return number == KTRC_CPU_NONE ? KTRC_CELL_EMPTY : ktrc_cell_number(number);
}

#define NUMBER_COLUMN(member)                                            \
	static struct ktrc_cell member(const void *data, size_t row)     \
	{                                                                \
		return ktrc_cell_number((u64)row_at(data, row)->member); \
	}

#define DIFFERENCE_COLUMN(member)                                                 \
	static struct ktrc_cell member(const void *data, size_t row)              \
	{                                                                         \
		s64 difference = row_at(data, row)->member;                       \
                                                                                  \
		return ktrc_cell_number(difference < 0 ? 0ull - (u64)difference : \
							 (u64)difference);        \
	}

NUMBER_COLUMN(hits)
NUMBER_COLUMN(written)
NUMBER_COLUMN(filtered)
NUMBER_COLUMN(lost)
NUMBER_COLUMN(read)
NUMBER_COLUMN(absent)
DIFFERENCE_COLUMN(unbalanced_hits)
DIFFERENCE_COLUMN(unbalanced_written)

static const struct ktrc_column columns[] = {
	{ "event", event },
	{ "cpu", cpu },
	{ "hits", hits },
	{ "written", written },
	{ "filtered", filtered },
	{ "lost", lost },
	{ "read", read },
	{ "overwritten", absent },
	{ "unbalanced_hits", unbalanced_hits },
	{ "unbalanced_written", unbalanced_written },
};

static struct ktrc_table check_table(const struct ktrc_check *check)
{
	return (struct ktrc_table){
		.columns = columns,
		.nr_columns = ARRAY_SIZE(columns),
		.nr_rows = check->nr_rows,
		.data = check,
	};
}

static json_t *reconciled_to_json(const struct ktrc_reconciled *r)
{
	json_t *object;

	if (r->why_unknown)
		return json_pack("{s:s}", "why_unknown", r->why_unknown);
	object = json_pack("{s:I, s:I}", "traced", (json_int_t)r->traced, "vmstat",
			   (json_int_t)r->kernel);
	if (r->kernel)
		json_object_set_new(object, "covered_percent",
				    json_real(ktrc_reconciled_percent(r)));
	return object;
}

json_t *ktrc_check_to_json(const struct ktrc_check *check)
{
	const struct ktrc_check_row *t = &check->total;

	return json_pack(
		"{s:b, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I}",
		"is_balanced", check->is_balanced, "is_stopped", check->is_stopped, "is_final",
		check->is_final, "hits", (json_int_t)t->hits, "written", (json_int_t)t->written,
		"filtered", (json_int_t)t->filtered, "lost", (json_int_t)t->lost, "read",
		(json_int_t)t->read, "overwritten", (json_int_t)t->absent, "pgfault",
		reconciled_to_json(&check->pgfault), "pgmajfault",
		reconciled_to_json(&check->pgmajfault), "allocstall",
		reconciled_to_json(&check->allocstall), "compact_stall",
		reconciled_to_json(&check->compact_stall), "user_stacks",
		(json_int_t)check->user_stacks, "one_frame_stacks", (json_int_t)check->one_frame,
		"copied_stacks", (json_int_t)check->copied, "unwound_stacks",
		(json_int_t)check->unwound);
}

const char *ktrc_text_books(const struct ktrc_check *check, char room[KTRC_LINE_ROOM])
{
	const struct ktrc_damage *damage = &check->damage;
	const char *rest = check->is_cut ? "; this is not all" : "";
	int used;

	if (check->is_balanced) {
		snprintf(room, KTRC_LINE_ROOM, "books balance%s", rest);
		return room;
	}
	used = snprintf(room, KTRC_LINE_ROOM, "BOOKS DO NOT BALANCE: hits %+lld, written %+lld%s",
			check->total.unbalanced_hits, check->total.unbalanced_written, rest);
	if (damage->bad_packets || damage->cut_bytes)
		snprintf(room + used, KTRC_LINE_ROOM - (size_t)used,
			 "; %llu packets damaged, %llu bytes cut off", damage->bad_packets,
			 damage->cut_bytes);
	return room;
}

const char *ktrc_text_kernel(const struct ktrc_check *check, char room[KTRC_LINE_ROOM])
{
	const struct {
		const char *name;
		const struct ktrc_reconciled *r;
	} counters[] = { { "pgfault", &check->pgfault },
			 { "pgmajfault", &check->pgmajfault },
			 { "allocstall", &check->allocstall },
			 { "compact_stall", &check->compact_stall } };
	const char *why = check->pgfault.why_unknown;
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		if (counters[i].r->why_unknown)
			continue;
		used += (size_t)snprintf(room + used, KTRC_LINE_ROOM - used, "%s %s ",
					 used ? "," : "vs vmstat:", counters[i].name);
		if (counters[i].r->kernel)
			used += (size_t)snprintf(room + used, KTRC_LINE_ROOM - used, "%.2f%%",
						 ktrc_reconciled_percent(counters[i].r));
		else if (counters[i].r->traced)
			used += (size_t)snprintf(room + used, KTRC_LINE_ROOM - used, "%llu of none",
						 counters[i].r->traced);
		else
			used += (size_t)snprintf(room + used, KTRC_LINE_ROOM - used, "none");
	}
	if (!check->has_faults)
		why = check->allocstall.why_unknown;
	if (!used)
		snprintf(room, KTRC_LINE_ROOM, "vmstat: %s", why);
	return room;
}

const char *ktrc_text_stacks(const struct ktrc_check *check, char room[KTRC_LINE_ROOM])
{
	int used = 0;

	if (!check->user_stacks && !check->copied)
		return NULL;
	if (check->user_stacks)
		used = snprintf(room, KTRC_LINE_ROOM, "%.2f%% of %llu user stacks have one frame%s",
				100.0 * (double)check->one_frame / (double)check->user_stacks,
				check->user_stacks,
				check->one_frame ? ": code without frame pointers" : "");
	if (check->copied)
		snprintf(room + used, KTRC_LINE_ROOM - (size_t)used,
			 "%s%llu of %llu copied stacks not unwound", used ? "; " : "",
			 check->copied - check->unwound, check->copied);
	return room;
}

/* @note: what to know of the two numbers; the kernel's stands behind it. */
static void print_reconciled(const char *name, const struct ktrc_reconciled *r, const char *note,
			     FILE *file)
{
	fprintf(file, "%-14s ", name);
	if (r->why_unknown) {
		fprintf(file, "not compared: %s\n", r->why_unknown);
		return;
	}
	if (r->kernel)
		fprintf(file, "%.2f%% covered: ", ktrc_reconciled_percent(r));
	fprintf(file, "%llu recorded%s %llu\n", r->traced, note, r->kernel);
}

static void print_all_reconciled(const struct ktrc_check *check, FILE *file)
{
	print_reconciled("pgfault", &check->pgfault, ", /proc/vmstat counted", file);
	print_reconciled("pgmajfault", &check->pgmajfault, ", /proc/vmstat counted", file);
	print_reconciled("allocstall", &check->allocstall,
			 "; /proc/vmstat, a repeated one again:", file);
	print_reconciled("compact_stall", &check->compact_stall, ", /proc/vmstat counted", file);
}

void ktrc_print_check(const struct ktrc_check *check, const struct ktrc_capture *capture,
		      enum ktrc_output_format format, const struct ktrc_output *out)
{
	struct ktrc_table table = check_table(check);
	char room[KTRC_LINE_ROOM], overhead[KTRC_TEXT_ROOM];
	const char *stacks;
	json_t *document;

	if (format != KTRC_OUT_TEXT) {
		document = ktrc_json_document("ktrc.check/1", capture, capture->start_ticks);
		json_object_set_new(document, "total", ktrc_check_to_json(check));
		json_object_set_new(document, "books", ktrc_table_rows(&table, out));
		ktrc_print_document(document, format, out);
	} else {
		ktrc_print_filter(capture, out);
		ktrc_table_print(&table, out);
		fprintf(out->file, "books          %s", ktrc_text_books(check, room));
		fputs(check->is_final ? "\n" : " (as of each CPU's newest packet)\n", out->file);
		print_all_reconciled(check, out->file);
		stacks = ktrc_text_stacks(check, room);
		if (stacks)
			fprintf(out->file, "stacks         %s\n", stacks);
		fprintf(out->file, "cost           %s\n", ktrc_text_overhead(capture, overhead));
	}
}
