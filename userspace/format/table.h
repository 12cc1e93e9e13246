/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables: one list of columns makes the text, the JSON and the NDJSON, so the
 * names are the same in all of them.
 */
#ifndef KTRC_TABLE_H
#define KTRC_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "../lib/types.h"

/**
 * struct ktrc_output - where and how to print
 * @file: the stream
 * @has_color: use colours
 * @has_header: print headings
 * @has_stacks: print the call stacks of records
 * @has_timestamp: print the times of another tool
 * @top: rows at most; 0: all
 */
struct ktrc_output {
	FILE *file;
	bool has_color;
	bool has_header;
	bool has_stacks;
	bool has_timestamp;
	size_t top;
};

enum ktrc_cell_kind {
	KTRC_CELL_NONE, /* "-" in text, null in JSON */
	KTRC_CELL_NUMBER,
	KTRC_CELL_SIGNED,
	KTRC_CELL_PERCENT,
	KTRC_CELL_TEXT,
};

struct ktrc_cell {
	enum ktrc_cell_kind kind;
	u64 number;
	s64 difference;
	double percent;
	const char *text;
};

static inline struct ktrc_cell ktrc_cell_number(u64 number)
{
	return (struct ktrc_cell){ .kind = KTRC_CELL_NUMBER, .number = number };
}

static inline struct ktrc_cell ktrc_cell_signed(s64 number)
{
	return (struct ktrc_cell){ .kind = KTRC_CELL_SIGNED, .difference = number };
}

static inline struct ktrc_cell ktrc_cell_percent(double percent)
{
	return (struct ktrc_cell){ .kind = KTRC_CELL_PERCENT, .percent = percent };
}

static inline struct ktrc_cell ktrc_cell_text(const char *text)
{
	if (!text)
		return (struct ktrc_cell){ .kind = KTRC_CELL_NONE };
	return (struct ktrc_cell){ .kind = KTRC_CELL_TEXT, .text = text };
}

#define KTRC_CELL_EMPTY ((struct ktrc_cell){ .kind = KTRC_CELL_NONE })

/**
 * struct ktrc_column - a column
 * @name: heading and key
 * @cell: its value in a row
 */
struct ktrc_column {
	const char *name;
	struct ktrc_cell (*cell)(const void *data, size_t row);
};

/**
 * struct ktrc_table - a table over some data
 * @name: what JSON calls it, of several tables
 * @title: what text says above it, likewise
 * @columns: the columns
 * @nr_columns: their number
 * @nr_rows: number of rows
 * @data: given to each column's @cell
 */
struct ktrc_table {
	const char *name;
	const char *title;
	const struct ktrc_column *columns;
	size_t nr_columns;
	size_t nr_rows;
	const void *data;
};

/* one of several tables over the columns of an array */
#define KTRC_TABLE(title_, name_, columns_, nr_, data_)           \
	((struct ktrc_table){ .name = (name_),                    \
			      .title = (title_),                  \
			      .columns = (columns_),              \
			      .nr_columns = ARRAY_SIZE(columns_), \
			      .nr_rows = (nr_),                   \
			      .data = (data_) })

/** ktrc_table_print() - as text: columns as wide as needed, numbers to the right */
void ktrc_table_print(const struct ktrc_table *table, const struct ktrc_output *out);

/** ktrc_table_rows() - as a JSON array of objects */
json_t *ktrc_table_rows(const struct ktrc_table *table, const struct ktrc_output *out);

/** ktrc_tables_print() - those that have rows, each below its title */
void ktrc_tables_print(const struct ktrc_table *tables, size_t nr, const struct ktrc_output *out);

/** ktrc_tables_set_json() - put them into an object, by their names */
void ktrc_tables_set_json(const struct ktrc_table *tables, size_t nr, json_t *object,
			  const struct ktrc_output *out);

/* How numbers that are no integers are written. */
#define KTRC_JSON_NUMBERS JSON_REAL_PRECISION(6)

/** ktrc_print_json_line() - a document on one line; takes the reference */
void ktrc_print_json_line(json_t *document, const struct ktrc_output *out);

/** ktrc_print_json() - a document and a newline; takes the reference */
void ktrc_print_json(json_t *document, const struct ktrc_output *out);

#endif
