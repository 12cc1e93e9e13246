// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records, one by one.  Written by hand and not through jansson: this is the one
 * output whose length is that of the trace.
 */
#include <stdlib.h>

#include "../lib/kernel.h"
#include "format.h"

#define STAMP_ROOM 24

struct ktrc_event_printer {
	const struct ktrc_capture *capture;
	enum ktrc_output_format format;
	const struct ktrc_output *out;
	bool with_dictionary;
	u64 nr_printed;
	struct ktrc_spaces *spaces; /* NULL: not needed, not known, or no memory */
	u64 start_ticks; /* before, they are not known */
	/* the second that @second_text stands for; most records share it */
	u64 second;
	char second_text[STAMP_ROOM];
	char zone_text[8];
};

static void forget_mappings(struct ktrc_event_printer *printer)
{
	ktrc_spaces_destroy(printer->spaces);
	printer->spaces = NULL;
}

struct ktrc_event_printer *ktrc_event_printer_create(const struct ktrc_capture *capture,
						     enum ktrc_output_format format,
						     const struct ktrc_output *out,
						     bool with_dictionary)
{
	struct ktrc_event_printer *printer = calloc(1, sizeof(*printer));

	if (!printer)
		return NULL;
	printer->capture = capture;
	printer->format = format;
	printer->out = out;
	printer->with_dictionary = with_dictionary;
	printer->start_ticks = ktrc_capture_window_start(capture);
	if (out->has_stacks && ktrc_capture_has_mappings(capture))
		printer->spaces = ktrc_spaces_create(capture->schema, printer->start_ticks);
	if (printer->spaces && ktrc_mapped_put(&capture->mapped, printer->spaces, true) < 0)
		forget_mappings(printer);
	if (format == KTRC_OUT_JSON)
		fputs("{\"events\":[", out->file);
	return printer;
}

/* Behind the records: who follows a session knows what was lost when it ends. */
static void put_rest(const struct ktrc_event_printer *printer)
{
	const struct ktrc_capture *capture = printer->capture;
	json_t *rest = ktrc_json_document("ktrc.events/1", capture, capture->start_ticks);

	if (printer->format == KTRC_OUT_NDJSON) {
		ktrc_print_document(rest, KTRC_OUT_NDJSON, printer->out);
		return;
	}
	fputs("\n],", printer->out->file);
	json_dumpf(rest, printer->out->file, JSON_EMBED | JSON_COMPACT | KTRC_JSON_NUMBERS);
	fputs("}\n", printer->out->file);
	json_decref(rest);
}

void ktrc_event_printer_destroy(struct ktrc_event_printer *printer)
{
	if (!printer)
		return;
	if (printer->format != KTRC_OUT_TEXT)
		put_rest(printer);
	ktrc_spaces_destroy(printer->spaces);
	free(printer);
}

static void put_stamp(struct ktrc_event_printer *printer, u64 ticks)
{
	u64 real_ns = ktrc_ticks_to_real_ns(&printer->capture->clock, ticks);
	char text[KTRC_TEXT_ROOM];

	if (real_ns / NSEC_PER_SEC != printer->second) {
		ktrc_text_stamp(real_ns, text);
		printer->second = real_ns / NSEC_PER_SEC;
		/* date and time take 19 characters, point and nanoseconds 10 */
		snprintf(printer->second_text, sizeof(printer->second_text), "%.19s", text);
		snprintf(printer->zone_text, sizeof(printer->zone_text), "%.7s", text + 29);
	}
	fprintf(printer->out->file, "%s.%09llu%s", printer->second_text, real_ns % NSEC_PER_SEC,
		printer->zone_text);
}

/* Names of tasks are any bytes; all that is printed has the same plain text for them, as ktrc_comm_copy() makes. */
static void put_safe_text(const char *text, bool is_json, FILE *file)
{
	for (; *text; text++) {
		u8 c = (u8)*text;

		if (c < ' ' || c > '~')
			putc('?', file);
		else if (is_json && (c == '"' || c == '\\'))
			fprintf(file, "\\%c", c);
		else
			putc(c, file);
	}
}

/* Opaque numbers that stand for something: known by the field's name. */
static bool is_id(const struct ktrc_field *field, const char *name)
{
	return field->format == KTRC_FMT_ID && strcmp(field->name, name) == 0;
}

static void put_value(const struct ktrc_field *field, const u8 *payload, bool is_json, FILE *file)
{
	const char *quote = is_json ? "\"" : "";
	const char *name;
	char text[KTRC_MAX_PAYLOAD_BYTES + 1];
	u64 number;

	if (field->format == KTRC_FMT_TEXT) {
		ktrc_get_text(field, payload, text);
		putc('"', file);
		put_safe_text(text, is_json, file);
		putc('"', file);
		return;
	}
	number = ktrc_get(&field->get, payload);
	name = ktrc_enum_name(field->enm, number);
	if (name)
		fprintf(file, "%s%s%s", quote, name, quote);
	else if (field->format == KTRC_FMT_ADDRESS)
		fprintf(file, "%s0x%llx%s", quote, number, quote);
	else if ((field->format == KTRC_FMT_PAGE || is_id(field, "gfp")) && !is_json)
		fprintf(file, "0x%llx", number);
	else
		fprintf(file, "%llu", number);
}

static void put_named(const char *name, const char *text, bool is_json, FILE *file)
{
	fprintf(file, is_json ? ",\"%s\":\"" : " %s=\"", name);
	put_safe_text(text, is_json, file);
	putc('"', file);
}

/* A mapped file's name, and of code its build id. */
static void put_file(const struct ktrc_capture *capture, u32 number, bool is_json, FILE *file)
{
	const struct ktrc_name *name = ktrc_names_row(&capture->names, KTRC_NAME_FILE + number);

	if (name)
		put_named("file", name->path, is_json, file);
	if (name && *name->build_id)
		put_named("build_id", name->build_id, is_json, file);
}

/* What follows from a number: a duration in nanoseconds, a name. */
static void put_meaning(struct ktrc_event_printer *printer, const struct ktrc_field *field,
			const u8 *payload, bool is_json)
{
	const struct ktrc_capture *capture = printer->capture;
	FILE *file = printer->out->file;
	char room[KTRC_GFP_ROOM];
	const char *path;

	if (field->format == KTRC_FMT_TICKS) {
		fprintf(file, is_json ? ",\"%s_ns\":%llu" : " %s_ns=%llu", field->name,
			ktrc_ticks_to_ns(&capture->clock, ktrc_get(&field->get, payload)));
	} else if (is_id(field, "gfp")) {
		put_named("gfp_flags",
			  ktrc_gfp_text(capture->kernel, (u32)ktrc_get(&field->get, payload), room),
			  is_json, file);
	} else if (is_id(field, "cgid")) {
		path = ktrc_names_find(&capture->names, ktrc_get(&field->get, payload));
		if (path)
			put_named("cgroup", path, is_json, file);
	} else if (is_id(field, "limiter_id")) {
		path = ktrc_names_find(&capture->names, ktrc_get(&field->get, payload));
		if (path)
			put_named("limiter", path, is_json, file);
	} else if (is_id(field, "shrinker_id")) {
		path = ktrc_names_shrinker(&capture->names, ktrc_get(&field->get, payload));
		if (path)
			put_named("shrinker", path, is_json, file);
	} else if (is_id(field, "file_id")) {
		put_file(capture, (u32)ktrc_get(&field->get, payload), is_json, file);
	}
}

static void put_fields(struct ktrc_event_printer *printer, const struct ktrc_record *record,
		       bool is_json)
{
	const char *shape = is_json ? "%s\"%s\":" : "%s%s=";
	const char *between = is_json ? "" : " ";
	FILE *file = printer->out->file;

	for (size_t i = 0; i < record->event->nr_fields; i++) {
		const struct ktrc_field *field = &record->event->fields[i];

		if (field->format == KTRC_FMT_PAD)
			continue;
		fprintf(file, shape, between, field->name);
		put_value(field, record->payload, is_json, file);
		between = is_json ? "," : " ";
		put_meaning(printer, field, record->payload, is_json);
	}
}

/* What a frame is, as far as that is known. */
struct frame {
	u64 address;
	const struct ktrc_symbol *function;
	u64 into; /* bytes from its beginning */
	const struct ktrc_code_file *file; /* of a user stack */
	u64 offset; /* in it */
};

static struct frame frame_of(const struct ktrc_event_printer *printer,
			     const struct ktrc_record *record, const struct ktrc_stack *stack,
			     u32 i)
{
	struct frame frame = { .address = stack->frames[i] };
	struct ktrc_place place;

	if (stack->is_kernel) {
		frame.function = ktrc_symbols_caller(&printer->capture->symbols, frame.address);
		frame.into = frame.function ? frame.address - frame.function->begin : 0;
		return frame;
	}
	place = ktrc_code_find(&printer->capture->code,
			       record->ticks < printer->start_ticks ? NULL : printer->spaces,
			       record, stack, i);
	frame.function = place.function;
	frame.file = place.file;
	frame.offset = place.offset;
	frame.into = place.function ? place.offset - place.function->begin : 0;
	return frame;
}

/* The hook's own frames are shown to nobody. */
static u32 skipped(const struct ktrc_event_printer *printer, const struct ktrc_stack *stack)
{
	return stack->is_kernel ? ktrc_symbols_skip(&printer->capture->symbols, stack) : 0;
}

/* As perf script shows them; what has no name is a place in a file. */
static void put_frame_text(const struct frame *frame, FILE *file)
{
	fprintf(file, "\t%16llx", frame->address);
	if (frame->function)
		fprintf(file, " %s+0x%llx", frame->function->name, frame->into);
	else if (frame->file)
		fprintf(file, " +0x%llx", frame->offset);
	if (frame->function && frame->function->module)
		fprintf(file, " [%s]", frame->function->module);
	if (frame->file)
		fprintf(file, " (%s)", frame->file->path);
	putc('\n', file);
}

static void put_frame_json(const struct frame *frame, FILE *file)
{
	fprintf(file, "{\"address\":\"0x%llx\"", frame->address);
	if (frame->function) {
		put_named("function", frame->function->name, true, file);
		fprintf(file, ",\"offset\":%llu", frame->into);
	}
	if (frame->function && frame->function->module)
		put_named("module", frame->function->module, true, file);
	if (frame->file) {
		put_named("file", frame->file->path, true, file);
		fprintf(file, ",\"file_offset\":%llu", frame->offset);
	}
	if (frame->file && *frame->file->build_id)
		put_named("build_id", frame->file->build_id, true, file);
	putc('}', file);
}

/* Each frame on a line of its own below the record, and why the stack ends, unless @why says more. */
static void put_stack_text(struct ktrc_event_printer *printer, const char *kind,
			   const struct ktrc_record *record, const struct ktrc_stack *stack,
			   const char *why)
{
	FILE *file = printer->out->file;
	u32 nr = stack ? stack->nr : 0;
	struct frame frame;

	if (!stack && !why)
		return;
	for (u32 i = nr ? skipped(printer, stack) : 0; i < nr; i++) {
		frame = frame_of(printer, record, stack, i);
		put_frame_text(&frame, file);
	}
	fprintf(file, "\t%16s %s\n", kind,
		why ? why : ktrc_stack_end_text(printer->capture->schema, stack));
}

/* Addresses as text: more than 53 bits are not safe as a number. */
static void put_stack_json(struct ktrc_event_printer *printer, const char *kind,
			   const struct ktrc_record *record, const struct ktrc_stack *stack,
			   const char *more)
{
	FILE *file = printer->out->file;
	const char *between = "";
	struct frame frame;

	if (!stack)
		return;
	fprintf(file, ",\"%s_stack\":{\"stack_end\":\"%s\",\"frames\":[", kind,
		ktrc_stack_end_text(printer->capture->schema, stack));
	for (u32 i = skipped(printer, stack); i < stack->nr; i++) {
		frame = frame_of(printer, record, stack, i);
		fputs(between, file);
		put_frame_json(&frame, file);
		between = ",";
	}
	fprintf(file, "]%s}", more);
}

/* Of a copy where it leads to, as far as that is known; else what was followed when it was recorded. */
static void put_stacks(struct ktrc_event_printer *printer, const struct ktrc_record *record,
		       bool is_json)
{
	const struct ktrc_stack *unwound = ktrc_capture_unwound(printer->capture, record);
	const struct ktrc_stack *user = unwound ? unwound : record->stacks.user;
	bool is_copied = ktrc_capture_is_copied(printer->capture, record);
	const char *more = unwound ? ",\"unwound\":true" : ",\"unwound\":false";

	if (is_json) {
		put_stack_json(printer, "kernel", record, record->stacks.kernel, "");
		put_stack_json(printer, "user", record, user, is_copied ? more : "");
		return;
	}
	put_stack_text(printer, "kernel", record, record->stacks.kernel, NULL);
	put_stack_text(printer, "user", record, user, is_copied && !unwound ? "not unwound" : NULL);
}

static void put_text(struct ktrc_event_printer *printer, const struct ktrc_record *record)
{
	FILE *file = printer->out->file;

	put_stamp(printer, record->ticks);
	fprintf(file, " %llu %u ", record->ticks, record->cpu);
	if (record->task->tid == KTRC_TID_NOBODY)
		fputs("- \"", file);
	else
		fprintf(file, "%u \"", record->task->tid);
	put_safe_text(record->task->comm, false, file);
	fprintf(file, "\" %s:", record->event->label);
	put_fields(printer, record, false);
	putc('\n', file);
	if (printer->out->has_stacks)
		put_stacks(printer, record, false);
}

static void put_task(const struct ktrc_task *task, FILE *file)
{
	if (task->tid == KTRC_TID_NOBODY) {
		fputs(",\"tid\":null,\"pid\":null,\"comm\":null,\"cgid\":null", file);
		return;
	}
	fprintf(file, ",\"tid\":%u,\"pid\":%u,\"comm\":\"", task->tid, task->tgid);
	put_safe_text(task->comm, true, file);
	fprintf(file, "\",\"cgid\":%llu", task->cgid);
}

static void put_json(struct ktrc_event_printer *printer, const struct ktrc_record *record)
{
	FILE *file = printer->out->file;
	const char *path;

	fputs(printer->format == KTRC_OUT_NDJSON ? "{\"table\":\"events\",\"time\":\"" :
						   "{\"time\":\"",
	      file);
	put_stamp(printer, record->ticks);
	fprintf(file, "\",\"ticks\":%llu,\"cpu\":%u", record->ticks, record->cpu);
	put_task(record->task, file);
	path = ktrc_names_find(&printer->capture->names, record->task->cgid);
	if (path)
		put_named("cgroup", path, true, file);
	fprintf(file, ",\"event\":\"%s\",\"event_id\":%u,\"fields\":{", record->event->label,
		record->event->id);
	put_fields(printer, record, true);
	putc('}', file);
	if (printer->out->has_stacks)
		put_stacks(printer, record, true);
	putc('}', file);
}

/* What a record says of memory holds for those after it.  Half of it would name wrong places. */
static void follow_mappings(struct ktrc_event_printer *printer, const struct ktrc_record *record)
{
	if (printer->spaces && ktrc_spaces_add(printer->spaces, record) < 0)
		forget_mappings(printer);
}

static void put_record(struct ktrc_event_printer *printer, const struct ktrc_record *record)
{
	FILE *file = printer->out->file;

	if (printer->format == KTRC_OUT_TEXT) {
		if (!printer->nr_printed++ && printer->out->has_header)
			fputs("# time ticks cpu tid comm event: fields\n", file);
		put_text(printer, record);
		return;
	}
	if (printer->format == KTRC_OUT_JSON)
		fputs(printer->nr_printed++ ? ",\n" : "\n", file);
	put_json(printer, record);
	if (printer->format == KTRC_OUT_NDJSON)
		putc('\n', file);
}

bool ktrc_event_printer_add(struct ktrc_event_printer *printer, const struct ktrc_record *record)
{
	bool is_shown = printer->with_dictionary || ktrc_event_is_data(record->event);

	if (is_shown)
		put_record(printer, record);
	follow_mappings(printer, record);
	return is_shown;
}
