// SPDX-License-Identifier: GPL-2.0-or-later
/* list: what can be recorded. */
#include "ctl.h"
#include "lib/cleanup.h"
#include "lib/trace.h"

static void list_fields(const struct ktrc_event *event, FILE *file)
{
	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct ktrc_field *field = &event->fields[i];
		const char *format = ktrc_format_name(field->format);

		if (field->format != KTRC_FMT_PAD)
			fprintf(file, "    %-14s %-5s %2u bits  %s\n", field->name,
				format ? format : "?", field->width_bits,
				field->doc ? field->doc : "");
	}
}

static void list_event(const struct ktrc_ctl_show *show, const struct ktrc_event *event)
{
	FILE *file = show->cli.out.file;
	char rules[KTRC_RULE_ROOM];

	if (ktrc_event_is_data(event))
		fprintf(file, "%-20s %-11s %s\n", event->label, ktrc_ctl_avail_text(event->avail),
			event->reason ? event->reason :
			event->hook   ? event->hook :
					"");
	else if (show->is_verbose)
		fprintf(file, "%-20s %-11s\n", event->label, "always");
	else
		return;
	if (event->doc)
		fprintf(file, "    %s\n", event->doc);
	if (event->kind == KTRC_KIND_DATA)
		fprintf(file, "    options: %s\n", ktrc_rules_text(event->rules, rules));
	if (show->is_verbose)
		list_fields(event, file);
}

static void list_json(const struct ktrc_ctl_show *show, const struct ktrc_schema *schema)
{
	json_t *document = ktrc_schema_to_json(schema), *event;
	size_t i;

	if (show->cli.format == KTRC_OUT_NDJSON) {
		json_array_foreach(json_object_get(document, "events"), i, event)
			ktrc_print_json_line(json_incref(event), &show->cli.out);
		json_decref(document);
		return;
	}
	json_object_set_new(document, "format", json_string("ktrc.schema/1"));
	ktrc_print_json(document, &show->cli.out);
}

int ktrc_ctl_list(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "verbose", KTRC_OPT_VERBOSE, NULL, 0, "show fields, and dictionary events", 0 },
		KTRC_ARGP_FORMAT,
		{ 0 },
	};
	static const char doc[] = "List events, whether this kernel can record them, and how.\n\n"
				  "  ktrc-ctl list -v";
	__ktrc_schema struct ktrc_schema *schema = NULL;
	__ktrc_nl struct ktrc_nl *nl = NULL;
	struct ktrc_ctl_show show;
	struct ktrc_error err;

	ktrc_ctl_parse_show(options, doc, argc, argv, &show);
	if (ktrc_ctl_connect(&nl, &err) < 0 || ktrc_nl_schema(nl, &schema, &err) < 0)
		return ktrc_cli_error(&err);
	if (show.cli.format != KTRC_OUT_TEXT) {
		list_json(&show, schema);
		return 0;
	}
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++)
		if (ktrc_schema_event(schema, id))
			list_event(&show, &schema->events[id]);
	return 0;
}
