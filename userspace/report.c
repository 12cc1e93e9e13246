// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a capture once, and printing what was asked for. */
#include "report.h"

#include <errno.h>

#include "lib/cleanup.h"
#include "views/empty.h"

static int no_memory(void)
{
	struct ktrc_error err;

	ktrc_fail(&err, ENOMEM, "view");
	return ktrc_cli_error(&err);
}

static int empty(const struct ktrc_capture *capture)
{
	struct ktrc_error err;

	ktrc_explain_empty(capture, &err);
	return ktrc_cli_error(&err);
}

int ktrc_report_loss(const struct ktrc_capture *capture, const struct ktrc_cli *cli, int code)
{
	u64 lost = ktrc_capture_lost(capture);

	if (code || !cli->max_loss || lost <= *cli->max_loss)
		return code;
	fprintf(stderr, "%s: session %s: %llu hits lost, more than --max-loss=%llu\n",
		program_invocation_short_name, capture->session.name, lost, *cli->max_loss);
	return KTRC_EXIT_LOSS;
}

static void note_damage(const struct ktrc_capture *capture, const struct ktrc_cli *cli)
{
	const struct ktrc_damage *damage = ktrc_reader_damage(capture->reader);
	u64 cut = damage->cut_bytes;

	for (size_t i = 0; i < capture->nr_streams; i++)
		if (capture->streams[i].saved_len > capture->streams[i].len)
			cut += capture->streams[i].saved_len - capture->streams[i].len;
	if (cut)
		ktrc_cli_note(cli, "the trace is cut short: %llu bytes of packets are missing",
			      cut);
	if (capture->is_cut)
		ktrc_cli_note(cli,
			      "this is not all: reading ended before the session's records did");
	if (damage->bad_packets)
		ktrc_cli_note(cli, "%llu packets are damaged and were left out",
			      damage->bad_packets);
}

static int report_events(struct ktrc_capture *capture, bool with_dictionary,
			 const struct ktrc_cli *cli)
{
	struct ktrc_event_printer *printer =
		ktrc_event_printer_create(capture, cli->format, &cli->out);
	const struct ktrc_record *record;
	u64 printed = 0;

	if (!printer)
		return no_memory();
	while ((record = ktrc_reader_next(capture->reader)) != NULL) {
		if (!ktrc_event_is_data(record->event) && !with_dictionary)
			continue;
		if (cli->out.top && printed == cli->out.top)
			break;
		ktrc_event_printer_add(printer, record);
		printed++;
	}
	ktrc_event_printer_destroy(printer);
	note_damage(capture, cli);
	return ktrc_report_loss(capture, cli, printed ? 0 : empty(capture));
}

static int print_checked(const struct ktrc_capture *capture, struct ktrc_faults *faults,
			 enum ktrc_view view, const struct ktrc_cli *cli)
{
	__ktrc_check struct ktrc_check *check = ktrc_check_create(capture, faults);
	struct ktrc_summary summary;

	if (!check)
		return no_memory();
	if (view == KTRC_VIEW_CHECK) {
		ktrc_print_check(check, capture, cli->format, &cli->out);
		return check->is_balanced ? 0 : KTRC_EXIT_FAILED;
	}
	summary = ktrc_summarize(faults, check);
	ktrc_print_summary(&summary, cli->format, &cli->out);
	return 0;
}

int ktrc_report_faults(const struct ktrc_capture *capture, struct ktrc_faults *faults,
		       enum ktrc_view view, const struct ktrc_cli *cli)
{
	int code = 0;

	ktrc_faults_sort(faults);
	note_damage(capture, cli);
	if (view != KTRC_VIEW_CHECK && !faults->nr_rows)
		code = empty(capture);
	else if (view == KTRC_VIEW_FAULTS)
		ktrc_print_faults(faults, cli->format, &cli->out);
	else
		code = print_checked(capture, faults, view, cli);
	return ktrc_report_loss(capture, cli, code);
}

int ktrc_report(struct ktrc_capture *capture, enum ktrc_view view, bool with_dictionary,
		const struct ktrc_cli *cli)
{
	__ktrc_faults struct ktrc_faults *faults = NULL;
	const struct ktrc_record *record;

	if (view == KTRC_VIEW_EVENTS)
		return report_events(capture, with_dictionary, cli);
	faults = ktrc_faults_create(capture);
	if (!faults)
		return no_memory();
	while ((record = ktrc_reader_next(capture->reader)) != NULL)
		if (ktrc_faults_add(faults, record) < 0)
			return no_memory();
	return ktrc_report_faults(capture, faults, view, cli);
}
