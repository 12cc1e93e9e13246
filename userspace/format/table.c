// SPDX-License-Identifier: GPL-2.0-or-later
/* Printing tables. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/cleanup.h"

#define CELL_ROOM 64

static size_t nr_printed(const struct ktrc_table *table, const struct ktrc_output *out)
{
	return out->top && out->top < table->nr_rows ? out->top : table->nr_rows;
}

static const char *cell_text(const struct ktrc_cell *cell, char room[CELL_ROOM])
{
	switch (cell->kind) {
	case KTRC_CELL_NUMBER:
		snprintf(room, CELL_ROOM, "%llu", cell->number);
		return room;
	case KTRC_CELL_SIGNED:
		snprintf(room, CELL_ROOM, "%lld", cell->difference);
		return room;
	case KTRC_CELL_PERCENT:
		snprintf(room, CELL_ROOM, "%.2f", cell->percent);
		return room;
	case KTRC_CELL_TEXT:
		return cell->text;
	default:
		return "-";
	}
}

static void put_cell(const char *text, int width, bool is_last, FILE *file)
{
	int used = 0;

	for (; width > 0 && used < width - (int)strlen(text); used++)
		putc(' ', file);
	for (const char *c = text; *c; c++, used++)
		putc(*c, file);
	for (; !is_last && used < -width; used++)
		putc(' ', file);
}

/* Positive: to the right; negative: to the left, for text. */
static int column_width(const struct ktrc_table *table, size_t column, size_t rows,
			const struct ktrc_output *out)
{
	size_t width = out->has_header ? strlen(table->columns[column].name) : 1, len;
	bool is_text = false;
	char room[CELL_ROOM];

	for (size_t row = 0; row < rows; row++) {
		struct ktrc_cell cell = table->columns[column].cell(table->data, row);

		len = strlen(cell_text(&cell, room));
		width = len > width ? len : width;
		is_text = is_text || cell.kind == KTRC_CELL_TEXT;
	}
	return is_text ? -(int)width : (int)width;
}

static void print_row(const struct ktrc_table *table, size_t row, const int *widths, FILE *file)
{
	char room[CELL_ROOM];

	for (size_t i = 0; i < table->nr_columns; i++) {
		struct ktrc_cell cell = table->columns[i].cell(table->data, row);

		if (i)
			fputs("  ", file);
		put_cell(cell_text(&cell, room), widths[i], i + 1 == table->nr_columns, file);
	}
	putc('\n', file);
}

void ktrc_table_print(const struct ktrc_table *table, const struct ktrc_output *out)
{
	__ktrc_free int *widths = calloc(table->nr_columns, sizeof(*widths));
	size_t rows = nr_printed(table, out);

	if (!widths)
		return;
	for (size_t i = 0; i < table->nr_columns; i++)
		widths[i] = column_width(table, i, rows, out);
	for (size_t i = 0; out->has_header && i < table->nr_columns; i++) {
		if (i)
			fputs("  ", out->file);
		put_cell(table->columns[i].name, widths[i], i + 1 == table->nr_columns, out->file);
	}
	if (out->has_header)
		putc('\n', out->file);
	for (size_t row = 0; row < rows; row++)
		print_row(table, row, widths, out->file);
}

static json_t *cell_to_json(const struct ktrc_cell *cell)
{
	switch (cell->kind) {
	case KTRC_CELL_NUMBER:
		return json_integer((json_int_t)cell->number);
	case KTRC_CELL_SIGNED:
		return json_integer((json_int_t)cell->difference);
	case KTRC_CELL_PERCENT:
		return json_real(cell->percent);
	case KTRC_CELL_TEXT:
		return json_string(cell->text);
	default:
		return json_null();
	}
}

static json_t *row_to_json(const struct ktrc_table *table, size_t row)
{
	json_t *object = json_object();

	for (size_t i = 0; i < table->nr_columns; i++) {
		struct ktrc_cell cell = table->columns[i].cell(table->data, row);

		json_object_set_new(object, table->columns[i].name, cell_to_json(&cell));
	}
	return object;
}

json_t *ktrc_table_rows(const struct ktrc_table *table, const struct ktrc_output *out)
{
	json_t *rows = json_array();

	for (size_t row = 0; row < nr_printed(table, out); row++)
		json_array_append_new(rows, row_to_json(table, row));
	return rows;
}

void ktrc_print_json_line(json_t *document, const struct ktrc_output *out)
{
	json_dumpf(document, out->file, JSON_COMPACT | KTRC_JSON_NUMBERS);
	putc('\n', out->file);
	json_decref(document);
}

void ktrc_tables_print(const struct ktrc_table *tables, size_t nr, const struct ktrc_output *out)
{
	for (size_t i = 0; i < nr; i++) {
		if (!tables[i].nr_rows)
			continue;
		if (out->has_header)
			fprintf(out->file, "\n%s\n", tables[i].title);
		ktrc_table_print(&tables[i], out);
	}
}

void ktrc_tables_set_json(const struct ktrc_table *tables, size_t nr, json_t *object,
			  const struct ktrc_output *out)
{
	for (size_t i = 0; i < nr; i++)
		json_object_set_new(object, tables[i].name, ktrc_table_rows(&tables[i], out));
}

void ktrc_print_json(json_t *document, const struct ktrc_output *out)
{
	json_dumpf(document, out->file, JSON_INDENT(2) | KTRC_JSON_NUMBERS);
	putc('\n', out->file);
	json_decref(document);
}
