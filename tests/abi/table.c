// SPDX-License-Identifier: GPL-2.0
/*
 * Views of the interface for people: `docs` prints docs/events.md, `layout` prints
 * what tests/abi/layout.txt pins.  Offsets and widths of an event are not taken from the
 * table: a field is set to all ones in the wire struct and found again in its bytes.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ktrc.h"
#include "ktrc_events.h"

struct view {
	void (*print_value)(const char *enumeration, int number, const char *name, const char *doc);
	void (*print_event)(int id, const char *label, const char *kind, size_t size,
			    const char *doc);
	void (*print_field)(const char *name, const char *format, const char *doc,
			    const unsigned char *bytes, size_t size);
};

static size_t first_bit(const unsigned char *bytes, size_t size)
{
	size_t i = 0;

	while (i < 8 * size && !(bytes[i / 8] >> i % 8 & 1))
		i++;
	return i;
}

static size_t nr_bits(const unsigned char *bytes, size_t size)
{
	size_t i, nr = 0;

	for (i = 0; i < 8 * size; i++)
		nr += bytes[i / 8] >> i % 8 & 1;
	return nr;
}

/* "ENUM(fault_mode)" names the enumeration, "TICKS" is the unit itself. */
static void print_format(const char *format)
{
	if (strncmp(format, "ENUM(", 5) == 0)
		printf("enum `%.*s`", (int)strlen(format) - 6, format + 5);
	else
		printf("%s", format);
}

static void docs_value(const char *enumeration, int number, const char *name, const char *doc)
{
	static const char *open = "";

	if (strcmp(open, enumeration) != 0) {
		printf("\n## enum `%s`\n\n| value | name | meaning |\n|---:|---|---|\n",
		       enumeration);
		open = enumeration;
	}
	printf("| %d | %s | %s |\n", number, name, doc);
}

static void docs_event(int id, const char *label, const char *kind, size_t size, const char *doc)
{
	printf("\n## `%s`\n\nId %d, %s, %zu bytes: %s.\n\n", label, id, kind, size, doc);
	printf("| bits | field | format | meaning |\n|---|---|---|---|\n");
}

static void docs_field(const char *name, const char *format, const char *doc,
		       const unsigned char *bytes, size_t size)
{
	size_t first = first_bit(bytes, size);

	printf("| %zu-%zu | %s | ", first, first + nr_bits(bytes, size) - 1, name);
	print_format(format);
	printf(" | %s |\n", doc);
}

static void layout_value(const char *enumeration, int number, const char *name, const char *doc)
{
	(void)doc;
	printf("value %s %d %s\n", enumeration, number, name);
}

static void layout_event(int id, const char *label, const char *kind, size_t size, const char *doc)
{
	(void)doc;
	printf("event %d %s %s bytes %zu\n", id, label, kind, size);
}

static void layout_field(const char *name, const char *format, const char *doc,
			 const unsigned char *bytes, size_t size)
{
	(void)doc;
	printf("  %s offset %zu width %zu %s\n", name, first_bit(bytes, size), nr_bits(bytes, size),
	       format);
}

static void walk_values(const struct view *view)
{
#define KTRC_VALUE(enm, value, name, doc) view->print_value(#enm, value, #name, doc);
#include "ktrc_events.def"
}

static void walk_events(const struct view *view)
{
	unsigned long long ones = ~0ULL;

#define FIELD(name, fmt, doc, set)          \
	memset(&record, 0, sizeof(record)); \
	set;                                \
	view->print_field(#name, fmt, doc, (const unsigned char *)&record, sizeof(record));
#define KTRC_EVENT(id, ev, label, kind, doc) \
	{                                    \
		struct ktrc_ev_##ev record;  \
		view->print_event(id, label, #kind, sizeof(record), doc);
#define KTRC_BITS(ev, type, name, width, fmt, doc) FIELD(name, #fmt, doc, record.name = ones)
#define KTRC_FIELD(ev, type, name, fmt, doc) FIELD(name, #fmt, doc, record.name = ones)
#define KTRC_TEXT(ev, name, len, doc) FIELD(name, "TEXT", doc, memset(record.name, 0xff, len))
#define KTRC_EVENT_END(ev) }
#include "ktrc_events.def"
}

/* What uapi/ktrc.h declares; header.awk has found the names. */
static void layout_header(void)
{
#define STRUCT(name) printf("struct " #name " bytes %zu\n", sizeof(struct name));
#define MEMBER(of, name)                                                        \
	printf("  " #name " offset %zu bytes %zu\n", offsetof(struct of, name), \
	       sizeof(((struct of *)NULL)->name));
#define NUMBER(name) printf("number " #name " %#llx\n", (unsigned long long)(name));
#define TEXT(name) printf("text " #name " %s\n", name);
#include "header.def"
}

static const struct view docs = { docs_value, docs_event, docs_field };
static const struct view layout = { layout_value, layout_event, layout_field };

static const char docs_head[] =
	"# Events\n\n"
	"What ktrc can record. Made from `uapi/ktrc_events.def` by `make docs`; edit that table.\n"
	"DATA events are what a session asks for; DICT events explain the records after them in\n"
	"the same packet. A record is a header (`docs/abi.md`) and this payload, bit 0 first,\n"
	"little endian.\n\n"
	"| format | meaning |\n|---|---|\n"
	"| COUNT | a number |\n"
	"| FLAG | 0 or 1 |\n"
	"| ID | an opaque number |\n"
	"| PAGE | an address >> 12 |\n"
	"| TICKS | a duration in clock ticks |\n"
	"| STAMP | clock ticks since the clock's zero |\n"
	"| NS | nanoseconds |\n"
	"| TEXT | UTF-8, padded with zeros |\n"
	"| PAD | always zero |\n";

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "docs") == 0) {
		printf("%s", docs_head);
		walk_events(&docs);
		walk_values(&docs);
	} else if (argc == 2 && strcmp(argv[1], "layout") == 0) {
		printf("schema %d\n", KTRC_SCHEMA);
		walk_events(&layout);
		walk_values(&layout);
		layout_header();
	} else {
		fprintf(stderr, "usage: table docs|layout\n");
		return 2;
	}
	return 0;
}
