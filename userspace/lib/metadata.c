// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TSDL.  Field names carry a leading underscore, which readers strip: without
 * it, a field called "event" would be a keyword.
 */
#include "metadata.h"

#include <stdio.h>

#include "cleanup.h"
#include "json.h"
#include "session_rules.h"

static const char preamble[] =
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n\n";

static const char clock_types[] =
	"typealias integer { size = 27; align = 1; signed = false; map = clock.ktrc.value; }"
	" := ticks27_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.ktrc.value; }"
	" := ticks64_t;\n\n";

/* struct ktrc_packet_header; cpu and its zero padding read as one 64-bit number */
static const char stream_types[] = "struct packet_context {\n"
				   "\tticks64_t timestamp_begin;\n"
				   "\tticks64_t timestamp_end;\n"
				   "\tuint64_t content_size;\n"
				   "\tuint64_t packet_size;\n"
				   "\tuint64_t packet_seq_num;\n"
				   "\tuint64_t events_discarded;\n"
				   "\tuint64_t cpu_id;\n"
				   "};\n\n"
				   "struct event_header {\n"
				   "\tenum : integer { size = 5; align = 1; signed = false; } "
				   "{ compact = 0 ... 30, extended = 31 } id;\n"
				   "\tvariant <id> {\n"
				   "\t\tstruct {\n"
				   "\t\t\tticks27_t timestamp;\n"
				   "\t\t} compact;\n"
				   "\t\tstruct {\n"
				   "\t\t\tinteger { size = 32; align = 32; signed = false; } id;\n"
				   "\t\t\tticks64_t timestamp;\n"
				   "\t\t} extended;\n"
				   "\t} v;\n"
				   "} align(32);\n\n"
				   "stream {\n"
				   "\tid = 0;\n"
				   "\tpacket.context := struct packet_context;\n"
				   "\tevent.header := struct event_header;\n"
				   "};\n\n";

static void put_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		if ((u8)*text >= ' ')
			putc(*text, out);
	}
	putc('"', out);
}

static void put_env_text(FILE *out, const char *key, const char *text)
{
	fprintf(out, "\t%s = ", key);
	put_string(out, text);
	fputs(";\n", out);
}

/* What was not recorded on purpose, and how much a record stands for. */
static void put_filters(FILE *out, const struct ktrc_capture *capture)
{
	const struct ktrc_session *s = &capture->session;
	char rule[KTRC_RULE_ROOM], key[80];

	for (u32 i = 0; i < s->nr_pids; i++)
		fprintf(out, "\tfilter_pid_%u = %u;\n", i, s->pids[i]);
	if (s->cgid)
		fprintf(out, "\tfilter_cgroup = %llu;\n", s->cgid);
	if (s->max_seconds)
		fprintf(out, "\tmax_seconds = %u;\n", s->max_seconds);
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		const struct ktrc_event *event = ktrc_schema_event(capture->schema, id);

		if (!event || !*ktrc_rule_text(&s->rules[id], rule))
			continue;
		snprintf(key, sizeof(key), "rule_%.60s", event->name);
		put_env_text(out, key, rule);
	}
}

static void put_env(FILE *out, const struct ktrc_capture *capture)
{
	fputs("env {\n", out);
	put_env_text(out, "hostname", capture->host);
	put_env_text(out, "domain", "kernel");
	put_env_text(out, "kernel_release", capture->kernel);
	put_env_text(out, "tracer_name", "ktrc");
	put_env_text(out, "session", capture->session.name);
	put_env_text(out, "mode", ktrc_word(&ktrc_modes, capture->session.mode));
	put_filters(out, capture);
	fprintf(out, "\tlost = %llu;\n", ktrc_capture_lost(capture));
	fputs("};\n\n", out);
}

static void put_clock(FILE *out, const struct ktrc_timebase *tb, const char *uuid)
{
	struct ktrc_clock_offset zero = ktrc_clock_offset(tb);

	fprintf(out,
		"clock {\n"
		"\tname = ktrc;\n"
		"\tuuid = \"%s\";\n"
		"\tdescription = \"%s\";\n"
		"\tfreq = %llu;\n"
		"\toffset_s = %llu;\n"
		"\toffset = %llu;\n"
		"\tabsolute = true;\n"
		"};\n\n",
		uuid, tb->kind == KTRC_CLOCK_TSC ? "time stamp counter / 4" : "monotonic clock",
		tb->hz, zero.seconds, zero.ticks);
}

static void put_trace(FILE *out, const char *uuid)
{
	fprintf(out,
		"trace {\n"
		"\tmajor = 1;\n"
		"\tminor = 8;\n"
		"\tuuid = \"%s\";\n"
		"\tbyte_order = le;\n"
		"\tpacket.header := struct {\n"
		"\t\tuint32_t magic;\n"
		"\t\tuint8_t uuid[16];\n"
		"\t\tuint32_t stream_id;\n"
		"\t};\n"
		"};\n\n",
		uuid);
}

static void put_enum(FILE *out, const struct ktrc_field *field)
{
	fprintf(out, "\t\tenum : integer { size = %u; align = 1; signed = false; } {",
		field->width_bits);
	for (size_t i = 0; i < field->enm->nr_values; i++) {
		fputs(i ? ", " : " ", out);
		put_string(out, field->enm->values[i].name);
		fprintf(out, " = %u", field->enm->values[i].number);
	}
	fprintf(out, " } _%s;\n", field->name);
}

static bool is_hex(const struct ktrc_field *field)
{
	return field->format == KTRC_FMT_PAGE || field->format == KTRC_FMT_ADDRESS;
}

static void put_field(FILE *out, const struct ktrc_field *field)
{
	if (field->format == KTRC_FMT_TEXT)
		fprintf(out,
			"\t\tinteger { size = 8; align = 8; signed = false; encoding = UTF8; } "
			"_%s[%u];\n",
			field->name, field->width_bits / 8);
	else if (field->enm && field->enm->nr_values)
		put_enum(out, field);
	else
		fprintf(out,
			"\t\tinteger { size = %u; align = 1; signed = false; base = %s; } _%s;\n",
			field->width_bits, is_hex(field) ? "hex" : "decimal", field->name);
}

static void put_event(FILE *out, const struct ktrc_event *event)
{
	fputs("event {\n\tname = ", out);
	put_string(out, event->label);
	fprintf(out, ";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n", event->id);
	for (size_t i = 0; i < event->nr_fields; i++)
		put_field(out, &event->fields[i]);
	fputs("\t};\n};\n\n", out);
}

static void put_all(FILE *out, const struct ktrc_capture *capture)
{
	char uuid[37];

	ktrc_uuid_text(capture->uuid, uuid);
	fputs("/* CTF 1.8 */\n\n", out);
	fputs(preamble, out);
	put_trace(out, uuid);
	put_env(out, capture);
	put_clock(out, &capture->clock, uuid);
	fputs(clock_types, out);
	fputs(stream_types, out);
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++)
		if (ktrc_schema_event(capture->schema, id))
			put_event(out, ktrc_schema_event(capture->schema, id));
}

char *ktrc_metadata_text(const struct ktrc_capture *capture)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	bool failed;

	if (!out)
		return NULL;
	put_all(out, capture);
	failed = ferror(out);
	if (fclose(out) == 0 && !failed)
		return text;
	free(text);
	return NULL;
}
