// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines that fit. */
#include "page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_ROOM 512

/* What does not fit into @columns ends in three dots. */
static void clip(char *line, size_t columns)
{
	if (strlen(line) > columns)
		strcpy(line + columns - 3, "...");
}

static void put_markdown(const char *text, FILE *file)
{
	for (; *text; text++) {
		if (strchr("\\`*_[]<>#|~", *text))
			putc('\\', file);
		putc(*text, file);
	}
}

static void leave_table(struct ktrc_page *page)
{
	if (page->is_in_table && page->is_markdown)
		fputs("```\n", page->out->file);
	page->is_in_table = false;
}

__attribute__((format(printf, 3, 0))) static void format(char line[LINE_ROOM], size_t columns,
							 const char *fmt, va_list ap)
{
	vsnprintf(line, LINE_ROOM, fmt, ap);
	clip(line, columns);
}

void ktrc_page_title(struct ktrc_page *page, const char *fmt, ...)
{
	char line[LINE_ROOM];
	va_list ap;

	va_start(ap, fmt);
	format(line, KTRC_PAGE_COLUMNS, fmt, ap);
	va_end(ap);
	if (page->is_markdown)
		put_markdown(line, page->out->file);
	else
		fputs(line, page->out->file);
	fputs(page->is_markdown ? "\n\n" : "\n", page->out->file);
}

void ktrc_page_verdict(struct ktrc_page *page, const char *text)
{
	const char *bold = page->out->has_color ? "\033[1m" : "";
	const char *plain = page->out->has_color ? "\033[0m" : "";
	char line[LINE_ROOM];

	snprintf(line, sizeof(line), "%s", text);
	clip(line, KTRC_PAGE_COLUMNS - KTRC_PAGE_LABEL);
	if (!page->is_markdown) {
		fprintf(page->out->file, "%s%-*s%s%s\n", bold, KTRC_PAGE_LABEL, "VERDICT", line,
			plain);
		return;
	}
	fputs("**VERDICT** ", page->out->file);
	put_markdown(line, page->out->file);
	fputs("\n\n", page->out->file);
}

void ktrc_page_line(struct ktrc_page *page, const char *label, const char *fmt, ...)
{
	char line[LINE_ROOM];
	va_list ap;

	leave_table(page);
	va_start(ap, fmt);
	format(line, KTRC_PAGE_COLUMNS - KTRC_PAGE_LABEL, fmt, ap);
	va_end(ap);
	if (!page->is_markdown) {
		fprintf(page->out->file, "%-*s%s\n", KTRC_PAGE_LABEL, label, line);
		return;
	}
	if (*label)
		fprintf(page->out->file, "- **%s** ", label);
	else
		fputs("  - ", page->out->file);
	put_markdown(line, page->out->file);
	putc('\n', page->out->file);
}

void ktrc_page_row(struct ktrc_page *page, const char *label, const char *fmt, ...)
{
	char line[LINE_ROOM];
	va_list ap;

	if (!page->is_in_table && page->is_markdown)
		fputs("\n```text\n", page->out->file);
	page->is_in_table = true;
	va_start(ap, fmt);
	format(line, KTRC_PAGE_COLUMNS - KTRC_PAGE_LABEL, fmt, ap);
	va_end(ap);
	fprintf(page->out->file, "%-*s%s\n", KTRC_PAGE_LABEL, label, line);
}

void ktrc_page_end(struct ktrc_page *page)
{
	leave_table(page);
}

const char *ktrc_shorten_path(const char *path, size_t columns, char room[KTRC_SHORT_ROOM])
{
	size_t len = strlen(path);
	const char *from;

	if (len <= columns)
		return path;
	if (columns >= KTRC_SHORT_ROOM)
		columns = KTRC_SHORT_ROOM - 1;
	from = path + len - (columns - 3);
	/* whole names, if that leaves some */
	if (strchr(from, '/'))
		from = strchr(from, '/');
	snprintf(room, KTRC_SHORT_ROOM, "...%s", from);
	return room;
}
