// SPDX-License-Identifier: GPL-2.0-or-later
/* What ktrc-read does with a trace: what it prints must be what it should look like. */
#include <stdlib.h>
#include <string.h>

#include "../../userspace/lib/cleanup.h"
#include "../../userspace/lib/metadata.h"
#include "../../userspace/report.h"
#include "fuzz.h"

/* What is printed to goes here, to be looked at. */
struct paper {
	FILE *file;
	char *text;
	size_t len;
};

static void open_paper(struct paper *paper)
{
	*paper = (struct paper){ 0 };
	paper->file = open_memstream(&paper->text, &paper->len);
	must(paper->file);
}

/* A document, or with @is_rows one on each line; numbers may be larger than jansson's integers. */
static void must_be_json(const char *text, size_t len, bool is_rows)
{
	const char *end = text + len, *next;
	json_error_t where;
	json_t *document;

	for (; text < end; text = next + 1) {
		next = is_rows ? memchr(text, '\n', (size_t)(end - text)) : end - 1;
		must(next);
		document = json_loadb(text, (size_t)(next - text), JSON_DECODE_INT_AS_REAL, &where);
		must(document);
		json_decref(document);
	}
}

/* At most 25 lines of 100 columns, as the summary promises. */
static void must_be_a_page(const char *text)
{
	size_t lines = 0, columns;

	for (; *text; text += columns + 1, lines++) {
		columns = strcspn(text, "\n");
		must(columns <= 100);
	}
	must(lines <= 25);
}

/* Nothing in it moves a terminal's cursor, or worse. */
static void must_be_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		must((text[i] >= ' ' || text[i] < 0 || text[i] == '\n' || text[i] == '\t') &&
		     text[i] != '\x7f');
}

static void close_paper(struct paper *paper, const struct ktrc_cli *cli, enum ktrc_view view)
{
	must(fclose(paper->file) == 0);
	if (!cli->out.has_color)
		must_be_plain(paper->text, paper->len);
	if (ktrc_is_document(cli->format))
		must_be_json(paper->text, paper->len, cli->format == KTRC_OUT_NDJSON);
	else if (cli->format == KTRC_OUT_TEXT && view == KTRC_VIEW_SUMMARY && !cli->out.has_color)
		must_be_a_page(paper->text);
	free(paper->text);
}

static void report(struct ktrc_capture *capture, enum ktrc_view view, struct ktrc_cli *cli)
{
	struct paper paper;

	open_paper(&paper);
	cli->out.file = paper.file;
	ktrc_report(capture, view, true, cli);
	close_paper(&paper, cli, view);
}

/* Every record lies in order in the bytes that were fed, so there are no more than words. */
static void read_events(struct ktrc_capture *capture, struct ktrc_cli *cli)
{
	const struct ktrc_damage *damage;
	u64 fed = 0;

	for (size_t i = 0; i < capture->nr_streams; i++)
		fed += capture->streams[i].len;
	report(capture, KTRC_VIEW_EVENTS, cli);
	damage = ktrc_reader_damage(capture->reader);
	must(damage->cut_bytes <= fed && damage->bad_packets <= fed / 80 + capture->nr_streams);
}

static void read_view(struct ktrc_capture *capture, u16 options, struct ktrc_cli *cli)
{
	static const enum ktrc_view views[] = {
		KTRC_VIEW_SUMMARY, KTRC_VIEW_FAULTS,   KTRC_VIEW_RECLAIM,    KTRC_VIEW_CHECK,
		KTRC_VIEW_MADVISE, KTRC_VIEW_THROTTLE, KTRC_VIEW_COMPACTION, KTRC_VIEW_FRAG,
	};

	report(capture, views[(options & FUZZ_VIEW) / 4], cli);
}

void fuzz_save_again(const struct ktrc_capture *capture)
{
	__ktrc_capture struct ktrc_capture *again = ktrc_capture_create();
	__ktrc_free char *text = ktrc_metadata_text(capture);
	json_t *first = ktrc_capture_to_json(capture), *second;
	struct ktrc_error err;

	must(text && first && again);
	must(ktrc_capture_from_json(again, first, &err) == 0);
	/* known from the packets */
	memcpy(again->lost_since, capture->lost_since, sizeof(again->lost_since));
	second = ktrc_capture_to_json(again);
	must(json_equal(first, second));
	json_decref(first);
	json_decref(second);
}

void fuzz_read(struct ktrc_capture *capture, u16 options)
{
	struct ktrc_cli cli = {
		.format = options & FUZZ_FORMAT,
		.is_quiet = options & FUZZ_QUIET,
		.with_zones = options & FUZZ_ZONES,
		.out = {
			.has_header = !(options & FUZZ_QUIET),
			.has_color = options & FUZZ_COLOR,
			.has_stacks = options & FUZZ_ZONES,
			.top = options & FUZZ_COLOR ? 2 : 0,
		},
	};
	struct ktrc_error err;

	/* which prints text, and ktrc-read takes no other format with it */
	if (options & FUZZ_COMPAT && cli.format == KTRC_OUT_TEXT)
		cli.compat = options & FUZZ_ZONES ? KTRC_COMPAT_DRSNOOP : KTRC_COMPAT_COMPACTSNOOP;
	capture->trace = options & FUZZ_NOWHERE ? "" : "DIR";
	read_view(capture, options, &cli);
	if (cli.format == KTRC_OUT_MARKDOWN)
		cli.format = KTRC_OUT_TEXT;
	cli.out.top = 0;
	must(ktrc_capture_start_reader(capture, &err) == 0);
	read_events(capture, &cli);
}

bool fuzz_mutate_input(u8 *data, size_t *size, size_t max, unsigned int *seed)
{
	u32 what = (u32)rand_r(seed) % 16;

	if (*size > FUZZ_OPTIONS_BYTES && what > 1)
		return false;
	if (*size > FUZZ_OPTIONS_BYTES && what == 1)
		data[(u32)rand_r(seed) % FUZZ_OPTIONS_BYTES] = (u8)rand_r(seed);
	else
		*size = LLVMFuzzerMutate(data, *size, max);
	return true;
}
