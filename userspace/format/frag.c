// SPDX-License-Identifier: GPL-2.0-or-later
/* The frag view. */
#include "format.h"

static const struct ktrc_frag_row *row_at(const void *data, size_t row)
{
	return &((const struct ktrc_frag *)data)->rows[row];
}

static struct ktrc_cell node(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->node);
}

static struct ktrc_cell zone(const void *data, size_t row)
{
	return ktrc_cell_text(row_at(data, row)->zone);
}

static struct ktrc_cell order(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->order);
}

static struct ktrc_cell before(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->before);
}

static struct ktrc_cell after(const void *data, size_t row)
{
	return ktrc_cell_number(row_at(data, row)->after);
}

static struct ktrc_cell delta(const void *data, size_t row)
{
	return ktrc_cell_signed((s64)(row_at(data, row)->after - row_at(data, row)->before));
}

static struct ktrc_cell index_before(const void *data, size_t row)
{
	return ktrc_cell_signed(row_at(data, row)->index_before);
}

static struct ktrc_cell index_after(const void *data, size_t row)
{
	return ktrc_cell_signed(row_at(data, row)->index_after);
}

static const struct ktrc_column columns[] = {
	{ "node", node },
	{ "zone", zone },
	{ "order", order },
	{ "before", before },
	{ "after", after },
	{ "delta", delta },
	{ "index_before", index_before },
	{ "index_after", index_after },
};

void ktrc_print_frag(const struct ktrc_frag *frag, enum ktrc_output_format format,
		     const struct ktrc_output *out)
{
	const struct ktrc_capture *capture = frag->capture;
	const struct ktrc_table table = { .columns = columns,
					  .nr_columns = ARRAY_SIZE(columns),
					  .nr_rows = frag->nr_rows,
					  .data = frag };
	json_t *document;

	if (format != KTRC_OUT_TEXT) {
		document = ktrc_json_document("ktrc.frag/1", capture, capture->start_ticks);
		json_object_set_new(document, "rows", ktrc_table_rows(&table, out));
		ktrc_print_document(document, format, out);
	} else {
		ktrc_print_head(capture, "free blocks", capture->start_ticks, out);
		if (out->has_header)
			fputs("index in thousandths; -1000: there is a block of that order, towards 0: too "
			      "little memory, towards 1000: in pieces\n\n",
			      out->file);
		ktrc_table_print(&table, out);
	}
}
