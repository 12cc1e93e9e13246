/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A page to paste: labelled lines of at most 100 columns, as text or as Markdown. */
#ifndef KTRC_PAGE_H
#define KTRC_PAGE_H

#include "table.h"

#define KTRC_PAGE_COLUMNS 100
#define KTRC_PAGE_LABEL 10

/**
 * struct ktrc_page - a page being printed
 * @out: where it goes
 * @is_markdown: as Markdown
 * @is_in_table: rows come
 */
struct ktrc_page {
	const struct ktrc_output *out;
	bool is_markdown;
	bool is_in_table;
};

/** ktrc_page_title() - the line above all others */
void ktrc_page_title(struct ktrc_page *page, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** ktrc_page_verdict() - the line that says it all */
void ktrc_page_verdict(struct ktrc_page *page, const char *text);

/** ktrc_page_line() - one with a label, or with "" the continuation of the last one */
void ktrc_page_line(struct ktrc_page *page, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** ktrc_page_row() - a line of a table; the first one has a label */
void ktrc_page_row(struct ktrc_page *page, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** ktrc_page_end() - after the last line */
void ktrc_page_end(struct ktrc_page *page);

/* Room for a text that was shortened. */
#define KTRC_SHORT_ROOM 80

/** ktrc_shorten_path() - the end of a path is what tells it from others: ".../a.slice/b" */
const char *ktrc_shorten_path(const char *path, size_t columns, char room[KTRC_SHORT_ROOM]);

#endif
