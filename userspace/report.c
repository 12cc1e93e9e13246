// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a capture once, and printing what was asked for. */
#include "report.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/cleanup.h"
#include "views/empty.h"

static int no_memory(void)
{
	struct ktrc_error err;

	ktrc_fail(&err, ENOMEM, "view");
	return ktrc_cli_error(&err);
}

#define ALL_EVENTS (~0ull)

static int empty(const struct ktrc_capture *capture, u64 events)
{
	struct ktrc_error err;

	ktrc_explain_empty(capture, events, &err);
	return ktrc_cli_error(&err);
}

int ktrc_report_loss(const struct ktrc_capture *capture, const struct ktrc_cli *cli, bool is_stated,
		     int code)
{
	bool has_limit = cli->max_loss && (!code || code == KTRC_EXIT_NOTHING);
	u64 lost = ktrc_capture_lost(capture);

	if (has_limit && lost > *cli->max_loss) {
		fprintf(stderr, "%s: session %s: %llu hits lost, more than --max-loss=%llu\n",
			program_invocation_short_name, capture->session.name, lost, *cli->max_loss);
		return KTRC_EXIT_LOSS;
	}
	if (lost && !is_stated)
		ktrc_cli_note(cli, "session %s: %llu hits lost", capture->session.name, lost);
	if (has_limit && !ktrc_capture_is_whole(capture)) {
		fprintf(stderr,
			"%s: session %s: it is cut or damaged: more than --max-loss=%llu may be missing\n",
			program_invocation_short_name, capture->session.name, *cli->max_loss);
		return KTRC_EXIT_LOSS;
	}
	return code;
}

/* Whether a view says how much was lost, in its heading or as a member. */
static bool states_loss(enum ktrc_view view, const struct ktrc_cli *cli)
{
	if (ktrc_is_document(cli->format))
		return true;
	return view != KTRC_VIEW_EVENTS && cli->out.has_header && !cli->compat;
}

int ktrc_report_damage(const struct ktrc_capture *capture, const struct ktrc_cli *cli)
{
	struct ktrc_damage damage = ktrc_capture_damage(capture);
	struct ktrc_error err;
	int code = 0;

	if (ktrc_capture_read_error(capture, &err) < 0)
		code = ktrc_cli_error(&err);
	damage.cut_bytes -= damage.unread_bytes;
	if (damage.cut_bytes && damage.bad_packets)
		ktrc_cli_note(
			cli,
			"%llu packets are damaged and were left out; %llu bytes of packets are missing",
			damage.bad_packets, damage.cut_bytes);
	else if (damage.cut_bytes)
		ktrc_cli_note(cli, "the trace is cut short: %llu bytes of packets are missing",
			      damage.cut_bytes);
	else if (damage.bad_packets)
		ktrc_cli_note(cli, "%llu packets are damaged and were left out",
			      damage.bad_packets);
	if (capture->is_cut)
		ktrc_cli_note(cli,
			      "this is not all: reading ended before the session's records did");
	return code;
}

static int report_events(struct ktrc_capture *capture, bool with_dictionary,
			 const struct ktrc_cli *cli)
{
	struct ktrc_event_printer *printer =
		ktrc_event_printer_create(capture, cli->format, &cli->out, with_dictionary);
	const struct ktrc_record *record;
	u64 printed = 0;
	int code;

	if (!printer)
		return no_memory();
	while ((!cli->out.top || printed < cli->out.top) &&
	       (record = ktrc_reader_next(capture->reader)) != NULL)
		printed += ktrc_event_printer_add(printer, record);
	ktrc_event_printer_destroy(printer);
	code = ktrc_report_damage(capture, cli);
	if (!code && !printed)
		code = empty(capture, ALL_EVENTS);
	return ktrc_report_loss(capture, cli,
				code != KTRC_EXIT_NOTHING && states_loss(KTRC_VIEW_EVENTS, cli),
				code);
}

void ktrc_views_destroy(struct ktrc_views *views)
{
	if (!views)
		return;
	ktrc_faults_destroy(views->faults);
	ktrc_reclaim_destroy(views->reclaim);
	ktrc_madvise_destroy(views->madvise);
	ktrc_throttle_destroy(views->throttle);
	ktrc_compaction_destroy(views->compaction);
	free(views);
}

void ktrc_cleanup_views(struct ktrc_views **views)
{
	ktrc_views_destroy(*views);
}

struct ktrc_views *ktrc_views_create(const struct ktrc_capture *capture, const struct ktrc_cli *cli)
{
	__ktrc_views struct ktrc_views *views = calloc(1, sizeof(*views));

	if (!views)
		return NULL;
	views->capture = capture;
	views->faults = ktrc_faults_create(capture);
	views->reclaim = ktrc_reclaim_create(capture);
	views->madvise = ktrc_madvise_create(capture);
	views->throttle = ktrc_throttle_create(capture);
	views->compaction = ktrc_compaction_create(capture);
	if (!views->faults || !views->reclaim || !views->madvise || !views->throttle ||
	    !views->compaction)
		return NULL;
	views->compaction->keeps_attempts = cli->with_zones ||
					    cli->compat == KTRC_COMPAT_COMPACTSNOOP;
	views->reclaim->keeps_direct = cli->compat == KTRC_COMPAT_DRSNOOP;
	return ktrc_steal(views);
}

/* The compact header is what all but a few records have. */
#define HEADER_BYTES sizeof(u32)

static void count_volume(struct ktrc_views *views, const struct ktrc_record *record)
{
	const struct ktrc_rule *rule = &views->capture->session.rules[record->event->id];
	const struct ktrc_stack *user = record->stacks.user;

	views->volume.records += ktrc_event_is_data(record->event);
	views->volume.bytes += HEADER_BYTES + record->event->bytes;
	if (user && rule->user_frames > 1) {
		views->volume.user_stacks++;
		views->volume.one_frame += user->nr == 1;
	}
	if (ktrc_capture_is_copied(views->capture, record)) {
		views->volume.copied++;
		views->volume.unwound += ktrc_capture_unwound(views->capture, record) != NULL;
	}
}

int ktrc_views_add(struct ktrc_views *views, const struct ktrc_record *record)
{
	int ret;

	if (record->ticks >= views->faults->start_ticks)
		count_volume(views, record);
	ret = ktrc_faults_add(views->faults, record);
	if (ret >= 0)
		ret = ktrc_reclaim_add(views->reclaim, record);
	if (ret >= 0)
		ret = ktrc_madvise_add(views->madvise, record);
	if (ret >= 0)
		ret = ktrc_compaction_add(views->compaction, record);
	return ret < 0 ? ret : ktrc_throttle_add(views->throttle, record);
}

/* Of what a view has no numbers, and what would record them; a document says it itself. */
static void note_needs(const struct ktrc_cli *cli, const struct ktrc_capture *capture,
		       const char *const *needs)
{
	__ktrc_free char *text = ktrc_is_document(cli->format) ? NULL :
								 ktrc_text_needs(capture, needs);

	if (text)
		ktrc_cli_note(cli, "%s", text);
}

/* Where a duration is the most that a record can say; a document says it itself. */
static void note_saturated(const struct ktrc_cli *cli, const struct ktrc_faults *faults)
{
	if (faults->saturated && !ktrc_is_document(cli->format))
		ktrc_cli_note(
			cli,
			"%llu attempts at page faults took longer than a record can say: their time is the most that it can",
			faults->saturated);
}

static int print_checked(const struct ktrc_views *views, enum ktrc_view view,
			 const struct ktrc_cli *cli)
{
	__ktrc_check struct ktrc_check *check = ktrc_check_create(views->capture, views->faults);
	__ktrc_tallies struct ktrc_tallies *tallies = ktrc_tallies_create(views->capture);
	struct ktrc_summary summary;

	if (!check || !tallies)
		return no_memory();
	ktrc_check_stalls(check, views->reclaim);
	ktrc_check_compaction(check, views->compaction);
	check->user_stacks = views->volume.user_stacks;
	check->one_frame = views->volume.one_frame;
	check->copied = views->volume.copied;
	check->unwound = views->volume.unwound;
	if (view == KTRC_VIEW_CHECK) {
		ktrc_print_check(check, views->capture, cli->format, &cli->out);
		return check->is_balanced ? 0 : KTRC_EXIT_FAILED;
	}
	summary = ktrc_summarize(views->faults, views->reclaim, tallies, check, views->volume);
	ktrc_print_summary(&summary, cli->format, &cli->out);
	note_needs(cli, views->capture, summary.needs);
	note_saturated(cli, views->faults);
	return 0;
}

/* Says why a view has nothing to show, and returns the exit code; 0: it has something. */
static int nothing(const struct ktrc_capture *capture, const char *label,
		   const struct ktrc_event *event, bool is_empty)
{
	struct ktrc_error err;

	if (event)
		return is_empty ? empty(capture, 1ull << event->id) : 0;
	ktrc_explain_unrecorded(capture, label, &err);
	return ktrc_cli_error(&err);
}

/* Which events tell it is worth knowing without headings too; a document says it itself. */
static void note_unknown(const struct ktrc_cli *cli, const char *what, const char *why)
{
	if (why && !ktrc_is_document(cli->format))
		ktrc_cli_note(cli, "%s is not known: %s", what, why);
}

static int print_faults(struct ktrc_views *views, const struct ktrc_cli *cli)
{
	const struct ktrc_faults *faults = views->faults;
	int code = nothing(views->capture, "fault", faults->event,
			   !faults->processes.nr && !faults->nr_short);

	if (code)
		return code;
	ktrc_print_faults(faults, cli->format, &cli->out);
	note_unknown(cli, "how long faults took", ktrc_faults_why_no_durations(faults));
	note_unknown(cli, "what was mapped", faults->why_no_mappings);
	note_saturated(cli, faults);
	return 0;
}

/* Which rows are not there, where another tool's columns have no place for it. */
static void note_rows(const struct ktrc_capture *capture, u64 left_out, const struct ktrc_cli *cli)
{
	__ktrc_free char *filter = ktrc_text_filter(capture, SIZE_MAX);

	if (filter)
		ktrc_cli_note(cli, "only %s", filter);
	if (left_out)
		ktrc_cli_note(
			cli,
			"%llu older stalls are left out: other CPUs do not reach back that far",
			left_out);
}

void ktrc_report_compat(struct ktrc_views *views, const struct ktrc_cli *cli)
{
	struct ktrc_reclaim *reclaim = views->reclaim;
	struct ktrc_compaction *compaction = views->compaction;

	if (cli->compat == KTRC_COMPAT_DRSNOOP && reclaim->event) {
		ktrc_print_drsnoop(reclaim, &views->bcc, &cli->out);
		reclaim->nr_direct = 0;
	} else if (cli->compat == KTRC_COMPAT_COMPACTSNOOP && compaction->event) {
		ktrc_print_compactsnoop(compaction, &views->bcc, &cli->out);
		compaction->nr_attempts = 0;
	}
}

static int print_reclaim(struct ktrc_views *views, const struct ktrc_cli *cli)
{
	const struct ktrc_reclaim *reclaim = views->reclaim;
	int code =
		nothing(views->capture, "reclaim", reclaim->event, ktrc_reclaim_is_empty(reclaim));

	if (code)
		return code;
	if (cli->compat == KTRC_COMPAT_DRSNOOP) {
		ktrc_report_compat(views, cli);
		note_rows(views->capture, reclaim->left_out, cli);
		return 0;
	}
	ktrc_print_reclaim(reclaim, cli->format, &cli->out);
	note_unknown(cli, "which stalls are under way", reclaim->under_way.why_unknown);
	note_needs(cli, views->capture, reclaim->needs);
	return 0;
}

/* Of a record without its stack, or of functions that have no names. */
static void note_guesses(const struct ktrc_compaction *compaction, const struct ktrc_cli *cli)
{
	const char *why = ktrc_compaction_why_guessed(compaction);

	if (why && !ktrc_is_document(cli->format))
		ktrc_cli_note(cli, "of %llu stalls the cause is told by order and flags alone: %s",
			      compaction->guessed, why);
}

static int print_compaction(struct ktrc_views *views, const struct ktrc_cli *cli)
{
	const struct ktrc_compaction *compaction = views->compaction;
	int code = nothing(views->capture, "compaction", compaction->event,
			   ktrc_compaction_is_empty(compaction));

	if (code)
		return code;
	if (cli->compat == KTRC_COMPAT_COMPACTSNOOP) {
		ktrc_report_compat(views, cli);
		note_needs(cli, views->capture, (const char *[]){ "compaction.zone", NULL });
		note_rows(views->capture, compaction->left_out, cli);
		return 0;
	}
	ktrc_print_compaction(compaction, cli->format, &cli->out);
	note_unknown(cli, "how many pages stalls moved", compaction->why_no_pages);
	note_unknown(cli, "which stalls are under way", compaction->under_way.why_unknown);
	note_needs(cli, views->capture, compaction->needs);
	note_guesses(compaction, cli);
	return 0;
}

static int print_madvise(struct ktrc_views *views, const struct ktrc_cli *cli)
{
	const struct ktrc_madvise *madvise = views->madvise;
	int code = nothing(views->capture, "madvise", madvise->event, !madvise->all->records);

	if (!code)
		ktrc_print_madvise(madvise, cli->format, &cli->out);
	return code;
}

static int print_throttle(struct ktrc_views *views, const struct ktrc_cli *cli)
{
	const struct ktrc_throttle *throttle = views->throttle;
	int code = nothing(views->capture, "throttle", throttle->event,
			   ktrc_throttle_is_empty(throttle));

	if (code)
		return code;
	ktrc_print_throttle(throttle, cli->format, &cli->out);
	note_unknown(cli, "who is kept off at the end", throttle->under_way.why_unknown);
	note_needs(cli, views->capture, throttle->needs);
	return 0;
}

static int print_frag(struct ktrc_views *views, const struct ktrc_cli *cli)
{
	__ktrc_frag struct ktrc_frag *frag = ktrc_frag_create(views->capture);
	struct ktrc_error err;

	if (!frag)
		return no_memory();
	if (frag->why_unknown) {
		ktrc_explain_unknown(views->capture, frag->why_unknown, &err);
		return ktrc_cli_error(&err);
	}
	ktrc_print_frag(frag, cli->format, &cli->out);
	return 0;
}

/* Views that come from no check of the books. */
static int (*const unchecked[])(struct ktrc_views *views, const struct ktrc_cli *cli) = {
	[KTRC_VIEW_FAULTS] = print_faults,	   [KTRC_VIEW_RECLAIM] = print_reclaim,
	[KTRC_VIEW_COMPACTION] = print_compaction, [KTRC_VIEW_FRAG] = print_frag,
	[KTRC_VIEW_MADVISE] = print_madvise,	   [KTRC_VIEW_THROTTLE] = print_throttle,
};

static bool has_summary(const struct ktrc_views *views)
{
	return views->volume.records || !ktrc_reclaim_is_empty(views->reclaim) ||
	       ktrc_needs_no_record(views->capture);
}

int ktrc_report_views(struct ktrc_views *views, enum ktrc_view view, const struct ktrc_cli *cli)
{
	int unread, code;

	ktrc_faults_sort(views->faults);
	ktrc_madvise_sort(views->madvise);
	if (ktrc_reclaim_finish(views->reclaim) < 0 ||
	    ktrc_compaction_finish(views->compaction) < 0 ||
	    ktrc_throttle_finish(views->throttle) < 0)
		return no_memory();
	unread = ktrc_report_damage(views->capture, cli);
	if (view < ARRAY_SIZE(unchecked) && unchecked[view])
		code = unchecked[view](views, cli);
	else if (view == KTRC_VIEW_SUMMARY && !has_summary(views))
		code = empty(views->capture, ALL_EVENTS);
	else
		code = print_checked(views, view, cli);
	return ktrc_report_loss(views->capture, cli,
				code != KTRC_EXIT_NOTHING && states_loss(view, cli),
				unread ? unread : code);
}

int ktrc_report_prepare(struct ktrc_capture *capture, enum ktrc_view view,
			const struct ktrc_cli *cli)
{
	bool shows_stacks = view == KTRC_VIEW_EVENTS && cli->out.has_stacks;
	bool counts_unwound = (view == KTRC_VIEW_CHECK || view == KTRC_VIEW_SUMMARY) &&
			      ktrc_capture_has_copies(capture);
	bool needs_code = shows_stacks || counts_unwound;

	if (shows_stacks && !ktrc_capture_has_stacks(capture))
		ktrc_cli_note(
			cli,
			"no event has stacks: EVENT:stack=user, =kernel or =both records them");
	if (view != KTRC_VIEW_COMPACTION && !needs_code)
		return 0;
	return ktrc_capture_need_symbols(capture, needs_code);
}

int ktrc_report(struct ktrc_capture *capture, enum ktrc_view view, bool with_dictionary,
		const struct ktrc_cli *cli)
{
	__ktrc_views struct ktrc_views *views = NULL;
	const struct ktrc_record *record;

	if (ktrc_report_prepare(capture, view, cli) < 0)
		return no_memory();
	if (view == KTRC_VIEW_EVENTS)
		return report_events(capture, with_dictionary, cli);
	views = ktrc_views_create(capture, cli);
	if (!views)
		return no_memory();
	while ((record = ktrc_reader_next(capture->reader)) != NULL)
		if (ktrc_views_add(views, record) < 0)
			return no_memory();
	return ktrc_report_views(views, view, cli);
}
