// SPDX-License-Identifier: GPL-2.0-or-later
/* --follow: show, or save, a stream session while it is being written. */
#include <errno.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/follow.h"
#include "read.h"

#define REDRAW_S 1
#define MOST_KEPT (1u << 16) /* tasks and stacks, of records that are printed one by one */

/* Where the records go: exactly one of the two is set. */
struct sink {
	struct ktrc_event_printer *events;
	struct ktrc_views *views;
	u64 nr_shown;
	time_t drawn_s;
};

/* --top=N ends events after N records; the rows of a view it only limits. */
static bool is_full(const struct ktrc_read *read, const struct sink *sink)
{
	return sink->events && read->cli.out.top && sink->nr_shown == read->cli.out.top;
}

static int out_of_memory(struct ktrc_error *err)
{
	return ktrc_fail(err, ENOMEM, "view");
}

/* What is taken is consumed in the next round, so it must be out by then. */
static int flush(const struct ktrc_follow *follow, struct ktrc_error *err)
{
	int ret = ktrc_cli_flush(err);

	if (ret < 0)
		ktrc_hint(err, "what was not written is still in session %s",
			  ktrc_follow_capture(follow)->session.name);
	return ret;
}

static int take_records(struct ktrc_read *read, struct ktrc_follow *follow, struct sink *sink,
			struct ktrc_error *err)
{
	struct ktrc_reader *reader = ktrc_follow_capture(follow)->reader;
	const struct ktrc_record *record;

	while (!is_full(read, sink) && !ferror(stdout) &&
	       (record = ktrc_reader_next(reader)) != NULL) {
		if (sink->views && ktrc_views_add(sink->views, record) < 0)
			return out_of_memory(err);
		if (sink->events)
			sink->nr_shown += ktrc_event_printer_add(sink->events, record);
	}
	if (sink->events && ktrc_reader_kept(reader) > MOST_KEPT && ktrc_reader_forget(reader) < 0)
		return out_of_memory(err);
	if (sink->views)
		ktrc_report_compat(sink->views, &read->cli);
	return flush(follow, err);
}

/* The rings were read one after the other: only until @held_ticks was each of them. */
static int finish(struct ktrc_follow *follow, u64 held_ticks, struct ktrc_error *err)
{
	struct ktrc_capture *capture = ktrc_follow_capture(follow);
	int ret = ktrc_follow_finish(follow, err);

	if (held_ticks < capture->settled_ticks)
		capture->settled_ticks = held_ticks;
	return ret;
}

/* On a terminal the view so far is drawn over the last one, once a second. */
static int redraw(struct ktrc_read *read, struct ktrc_follow *follow, struct sink *sink,
		  struct ktrc_error *err)
{
	time_t now_s = time(NULL);

	if (!sink->views || read->cli.compat || !sink->views->volume.records ||
	    !isatty(STDOUT_FILENO) || now_s < sink->drawn_s + REDRAW_S)
		return 0;
	sink->drawn_s = now_s;
	if (finish(follow, ktrc_reader_held(ktrc_follow_capture(follow)->reader), err) < 0)
		return -EIO;
	fputs("\033[H\033[2J", stdout);
	ktrc_report_views(sink->views, read->view, &read->cli);
	fflush(stdout);
	return 0;
}

static int show(struct ktrc_read *read, struct ktrc_follow *follow, struct sink *sink,
		struct ktrc_error *err)
{
	struct ktrc_reader *reader = ktrc_follow_capture(follow)->reader;
	u64 held_ticks;
	int ret = 1;

	while (ret > 0 && !ktrc_cli_is_interrupted() && !is_full(read, sink)) {
		ret = ktrc_follow_fill(follow, err);
		if (ret < 0 || take_records(read, follow, sink, err) < 0 ||
		    redraw(read, follow, sink, err) < 0)
			return -EIO;
		if (ret > 0 && !is_full(read, sink))
			ktrc_follow_wait(follow);
	}
	/* what was taken out of the rings is shown, and then consumed, to the last record */
	held_ticks = ktrc_reader_held(reader);
	ktrc_reader_hold(reader, UINT64_MAX);
	if (take_records(read, follow, sink, err) < 0)
		return -EIO;
	ret = finish(follow, held_ticks, err);
	/* the rest was not asked for */
	if (is_full(read, sink))
		ktrc_follow_capture(follow)->is_cut = false;
	return ret;
}

/* What was counted was consumed, and is nowhere else, unless it was to get out at once and could not. */
static int show_cut(struct ktrc_read *read, struct ktrc_follow *follow, struct sink *sink,
		    struct ktrc_error *err)
{
	ktrc_follow_capture(follow)->is_cut = true;
	if (sink->views && sink->views->volume.records && !ferror(stdout)) {
		ktrc_follow_cut(follow);
		ktrc_report_views(sink->views, read->view, &read->cli);
	}
	return ktrc_cli_error(err);
}

static int follow_view(struct ktrc_read *read, struct ktrc_follow *follow)
{
	struct ktrc_capture *capture = ktrc_follow_capture(follow);
	struct ktrc_error err;
	struct sink sink = { 0 };
	int code;

	if (ktrc_report_prepare(capture, read->view, &read->cli) < 0) {
		out_of_memory(&err);
		return ktrc_cli_error(&err);
	}
	/* the first fill tells where the window begins */
	if (ktrc_follow_fill(follow, &err) < 0)
		return ktrc_cli_error(&err);
	if (read->view == KTRC_VIEW_EVENTS)
		sink.events = ktrc_event_printer_create(capture, read->cli.format, &read->cli.out,
							read->with_dictionary);
	else
		sink.views = ktrc_views_create(capture, &read->cli);
	if (!sink.events && !sink.views)
		out_of_memory(&err);
	if ((!sink.events && !sink.views) || take_records(read, follow, &sink, &err) < 0 ||
	    show(read, follow, &sink, &err) < 0)
		code = show_cut(read, follow, &sink, &err);
	else if (sink.views)
		code = ktrc_report_views(sink.views, read->view, &read->cli);
	else
		code = ktrc_report_loss(capture, &read->cli, ktrc_is_document(read->cli.format),
					ktrc_report_damage(capture, &read->cli));
	ktrc_event_printer_destroy(sink.events);
	ktrc_views_destroy(sink.views);
	return code;
}

/* What was consumed is nowhere else: finish the trace with it, or say where it lies. */
static int save_cut(struct ktrc_read *read, struct ktrc_follow *follow,
		    struct ktrc_trace_writer *writer, struct ktrc_error *err)
{
	struct ktrc_capture *capture = ktrc_follow_capture(follow);
	struct ktrc_error late;
	const char *where;

	if (!ktrc_trace_unfinished(writer))
		return ktrc_cli_error(err);
	capture->is_cut = true;
	/* of a stopped session it knows better: all of it may have been read */
	ktrc_follow_finish(follow, &late);
	if (capture->is_cut)
		capture->end_ticks = ktrc_trace_end_ticks(writer);
	if (ktrc_trace_settle(writer, capture, &late) == 0)
		ktrc_trace_finish(writer, capture, &late);
	where = ktrc_trace_unfinished(writer);
	if (capture->is_cut)
		ktrc_hint(err, "what was read before is saved in %s; the rest is in session %s",
			  where ? where : read->cli.save, capture->session.name);
	else
		ktrc_hint(err, "%s holds all records, as far as the disk took them",
			  where ? where : read->cli.save);
	return ktrc_cli_error(err);
}

static int save_all(struct ktrc_follow *follow, struct ktrc_trace_writer *writer,
		    struct ktrc_error *err)
{
	struct ktrc_capture *capture = ktrc_follow_capture(follow);
	int ret;

	do {
		ret = ktrc_follow_save(follow, writer, false, err);
		if (ret > 0)
			ktrc_follow_wait(follow);
	} while (ret > 0 && !ktrc_cli_is_interrupted());
	if (ret >= 0)
		ret = ktrc_follow_save(follow, writer, true, err);
	if (ret >= 0)
		ret = ktrc_follow_finish(follow, err);
	if (ret >= 0)
		ret = ktrc_trace_settle(writer, capture, err);
	return ret < 0 ? ret : ktrc_trace_finish(writer, capture, err);
}

static int follow_save(struct ktrc_read *read, struct ktrc_follow *follow)
{
	__ktrc_trace struct ktrc_trace_writer *writer = NULL;
	struct ktrc_error err;

	if (ktrc_trace_create(read->cli.save, &writer, &err) < 0 ||
	    ktrc_trace_reserve(writer, ktrc_follow_capture(follow), &err) < 0)
		return ktrc_cli_error(&err);
	if (save_all(follow, writer, &err) < 0)
		return save_cut(read, follow, writer, &err);
	ktrc_cli_note(&read->cli, "saved to %s", read->cli.save);
	return ktrc_report_loss(ktrc_follow_capture(follow), &read->cli, false, 0);
}

int ktrc_read_follow(struct ktrc_read *read)
{
	__ktrc_follow struct ktrc_follow *follow = NULL;
	__ktrc_nl struct ktrc_nl *nl = NULL;
	struct ktrc_error err;

	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, NULL, _IOLBF, 0);
	ktrc_cli_catch_signals();
	if (ktrc_nl_open(&nl, &err) < 0 ||
	    ktrc_follow_open(nl, read->cli.session,
			     read->cli.save || read->view == KTRC_VIEW_FAULTS, &follow, &err) < 0)
		return ktrc_cli_error(&err);
	return read->cli.save ? follow_save(read, follow) : follow_view(read, follow);
}
