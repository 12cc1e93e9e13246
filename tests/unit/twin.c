// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twin TRACE: the decoder's half of a comparison with another one.  Takes the schema from
 * TRACE, then from standard input streams of one CPU: four bytes of length, little endian, and
 * so many bytes.  Prints of each every record, "CPU TICKS EVENT TID TGID CGID START COMM
 * FIELD..." with text in hexadecimal and "NUMBER:NAME" of enumerations, "user END FRAME..." and
 * "kernel END FRAME..." if it has such stacks, "copy ID" of a copy of its user stack, and at its end
 * "= BAD_PACKETS CUT_BYTES".
 *
 * twin: takes from standard input lines, each the path of a trace, and prints the same of all its
 * CPUs by time, with "unwound END FRAME..." where it says that, or "! WHY" if it refuses the trace;
 * then the next line.
 */
#include <stdio.h>

#include "../../userspace/lib/cleanup.h"
#include "../../userspace/lib/trace.h"

static void put_text(const char *text)
{
	putchar('\'');
	for (; *text; text++)
		printf("%02x", (u8)*text);
}

static void put_field(const struct ktrc_field *field, const u8 *payload)
{
	char text[KTRC_MAX_PAYLOAD_BYTES + 1];

	const char *name;

	putchar(' ');
	if (field->format != KTRC_FMT_TEXT) {
		name = ktrc_enum_name(field->enm, ktrc_get(&field->get, payload));
		printf("%llu", ktrc_get(&field->get, payload));
		if (name)
			printf(":%s", name);
		return;
	}
	ktrc_get_text(field, payload, text);
	put_text(text);
}

static void put_stack(const char *kind, const struct ktrc_stack *stack)
{
	if (!stack)
		return;
	printf(" %s %u", kind, stack->end);
	for (u32 i = 0; i < stack->nr; i++)
		printf(" %llx", stack->frames[i]);
}

static void put_record(const struct ktrc_record *r)
{
	printf("%u %llu %s %u %u %llu %llu ", r->cpu, r->ticks, r->event->label, r->task->tid,
	       r->task->tgid, r->task->cgid, r->task->start_ns);
	put_text(r->task->comm);
	for (size_t i = 0; i < r->event->nr_fields; i++)
		put_field(&r->event->fields[i], r->payload);
	put_stack("user", r->stacks.user);
	put_stack("kernel", r->stacks.kernel);
	if (r->stacks.copy)
		printf(" copy %llx", r->stacks.copy);
}

/* Without a capture nothing says where copies lead to. */
static void put_all(struct ktrc_reader *reader, const struct ktrc_capture *capture)
{
	const struct ktrc_damage *damage = ktrc_reader_damage(reader);
	const struct ktrc_record *record;

	while ((record = ktrc_reader_next(reader)) != NULL) {
		put_record(record);
		if (capture)
			put_stack("unwound", ktrc_capture_unwound(capture, record));
		putchar('\n');
	}
	printf("= %llu %llu\n", damage->bad_packets, damage->cut_bytes);
}

static void decode(const struct ktrc_schema *schema, const u8 *bytes, size_t len)
{
	struct ktrc_reader *reader = ktrc_reader_create(schema);

	if (!reader || ktrc_reader_feed(reader, 0, bytes, len) < 0)
		abort();
	put_all(reader, NULL);
	ktrc_reader_destroy(reader);
}

/* In memory of exactly its size, so that a sanitizer sees a step beyond. */
static bool decode_next(const struct ktrc_schema *schema)
{
	u8 word[4];
	u32 len;

	if (fread(word, sizeof(word), 1, stdin) != 1)
		return false;
	memcpy(&len, word, sizeof(len));
	len = le32toh(len);
	__ktrc_free u8 *bytes = malloc(len);

	if (!bytes || fread(bytes, 1, len, stdin) != len)
		abort();
	decode(schema, bytes, len);
	return true;
}

static void decode_trace(const char *path)
{
	__ktrc_capture struct ktrc_capture *capture = NULL;
	struct ktrc_error err;

	if (ktrc_trace_open(path, &capture, &err) < 0)
		printf("! %s\n", err.text);
	else
		put_all(capture->reader, capture);
	fflush(stdout);
}

static int decode_traces(void)
{
	char path[4096];

	while (fgets(path, sizeof(path), stdin)) {
		path[strcspn(path, "\n")] = '\0';
		decode_trace(path);
	}
	return 0;
}

int main(int argc, char **argv)
{
	__ktrc_capture struct ktrc_capture *capture = NULL;
	struct ktrc_error err;

	if (argc == 1)
		return decode_traces();
	if (argc != 2) {
		fputs("usage: twin TRACE <STREAMS\n       twin <PATHS\n", stderr);
		return 2;
	}
	if (ktrc_trace_open(argv[1], &capture, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	while (decode_next(capture->schema))
		;
	return 0;
}
