// SPDX-License-Identifier: GPL-2.0-or-later
/* The summary: at most 25 lines of 100 columns, the verdict first. */
#include "format.h"

#define TOP_PROCESSES 5

static const char *const mode_texts[KTRC_NR_FAULT_MODES] = {
	[KTRC_FAULT_USER] = "in user mode",
	[KTRC_FAULT_KERNEL] = "in kernel mode (copying to or from its memory)",
	[KTRC_FAULT_GUP] = "through get_user_pages (populate, pinning)",
	[KTRC_FAULT_OTHER] = "in an unknown mode",
};

static const char *const mode_names[KTRC_NR_FAULT_MODES] = {
	[KTRC_FAULT_USER] = "user",
	[KTRC_FAULT_KERNEL] = "kernel",
	[KTRC_FAULT_GUP] = "gup",
	[KTRC_FAULT_OTHER] = "other",
};

static void print_verdict(const struct ktrc_summary *s, FILE *file)
{
	const struct ktrc_fault_row *c = s->culprit;

	switch (s->verdict) {
	case KTRC_VERDICT_FAULT_CPU:
		fprintf(file, "fault: %s[%u] spends %.1f%% of a CPU in %llu page faults, %.0f%% %s",
			c->comm, c->pid, s->percent, c->faults, s->mode_percent,
			mode_names[s->mode]);
		break;
	case KTRC_VERDICT_FAULT_WAIT:
		fprintf(file, "fault: %s[%u] waits %.1f%% of the time in major page faults: %llu",
			c->comm, c->pid, s->percent, c->majors);
		break;
	case KTRC_VERDICT_FAULT_RATE:
		fprintf(file, "fault: %s[%u] takes %.0f page faults/s: %llu, %.1f%% %s", c->comm,
			c->pid, s->faults_per_s, c->faults, s->mode_percent, mode_names[s->mode]);
		break;
	default:
		fputs("quiet: little time goes into page faults", file);
		if (c)
			fprintf(file, "; busiest %s[%u], %llu faults", c->comm, c->pid, c->faults);
	}
}

static void print_culprit(const struct ktrc_summary *s, FILE *file)
{
	const struct ktrc_fault_row *c = s->culprit;
	const struct ktrc_timebase *tb = &s->faults->capture->clock;
	char p50[KTRC_TEXT_ROOM], p99[KTRC_TEXT_ROOM], max[KTRC_TEXT_ROOM];

	fprintf(file, "fault     %llu faults, %.0f/s, %.1f%% %s\n", c->faults, s->faults_per_s,
		s->mode_percent, mode_texts[s->mode]);
	if (s->faults->has_duration)
		fprintf(file, "          each: p50 %s, p99 %s, max %s; %llu major, %llu writes\n",
			ktrc_text_ns(ktrc_ticks_to_ns(tb, ktrc_faults_percentile_ticks(c, 50)),
				     p50),
			ktrc_text_ns(ktrc_ticks_to_ns(tb, ktrc_faults_percentile_ticks(c, 99)),
				     p99),
			ktrc_text_ns(ktrc_ticks_to_ns(tb, c->max_ticks), max), c->majors,
			c->writes);
	else
		fputs("          duration, result and populate: not seen by this hook\n", file);
}

static double share(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_process(const struct ktrc_summary *s, const struct ktrc_fault_row *r, FILE *file)
{
	const struct ktrc_timebase *tb = &s->faults->capture->clock;

	fprintf(file, "%-9s %7u %-15s %9llu %5.1f %5.1f", "", r->pid, r->comm, r->faults,
		share(r->by_mode[KTRC_FAULT_USER], r->faults),
		share(r->by_mode[KTRC_FAULT_KERNEL], r->faults));
	if (s->faults->has_duration)
		fprintf(file, " %5.1f %7llu %9.1f %9.1f %7.2f\n",
			share(r->by_mode[KTRC_FAULT_GUP], r->faults), r->majors,
			(double)ktrc_ticks_to_ns(tb, ktrc_faults_percentile_ticks(r, 99)) / 1e3,
			(double)ktrc_ticks_to_ns(tb, r->max_ticks) / 1e3,
			ktrc_faults_cpu_percent(s->faults, r));
	else
		fprintf(file, " %5s %7s %9s %9s %7s\n", "-", "-", "-", "-", "-");
}

static void print_processes(const struct ktrc_summary *s, FILE *file)
{
	const struct ktrc_faults *faults = s->faults;

	if (!faults->nr_rows)
		return;
	fprintf(file, "%-9s %7s %-15s %9s %5s %5s %5s %7s %9s %9s %7s\n", "processes", "pid",
		"comm", "faults", "user%", "kern%", "gup%", "major", "p99_us", "max_us", "cpu%");
	for (size_t i = 0; i < faults->nr_rows && i < TOP_PROCESSES; i++)
		print_process(s, faults->rows[i], file);
	if (faults->nr_rows > TOP_PROCESSES)
		fprintf(file, "%-9s %7s %zu more: %llu faults in all, %llu unfinished\n", "", "",
			faults->nr_rows - TOP_PROCESSES, faults->all->faults,
			faults->all->unfinished);
}

static void print_next(const struct ktrc_capture *capture, FILE *file)
{
	const char *name = capture->session.name;
	char option[KTRC_NAME_LEN + 16] = "";

	if (strcmp(name, "default") != 0)
		snprintf(option, sizeof(option), " --session=%s", name);
	if (!capture->trace)
		fprintf(file, "next      ktrc-read faults%s    |    ktrc-read --save=DIR%s\n",
			option, option);
	else if (capture->trace[0])
		fprintf(file, "next      ktrc-read faults %s\n", capture->trace);
	else
		fputs("next      sudo ktrc-ctl run 10s --save=DIR; ktrc-read faults DIR\n", file);
}

static void print_text(const struct ktrc_summary *s, const struct ktrc_output *out)
{
	const struct ktrc_capture *capture = s->faults->capture;
	char room[KTRC_TEXT_ROOM];

	if (out->has_header)
		fprintf(out->file, "ktrc  %s  %s  %s  lost %llu\n", capture->host, capture->kernel,
			ktrc_text_window(capture, s->faults->start_ticks, room),
			ktrc_capture_lost(capture));
	fputs(out->has_color ? "\033[1mVERDICT   " : "VERDICT   ", out->file);
	print_verdict(s, out->file);
	fputs(out->has_color ? "\033[0m\n" : "\n", out->file);
	if (s->verdict != KTRC_VERDICT_QUIET)
		print_culprit(s, out->file);
	print_processes(s, out->file);
	fputs("check     ", out->file);
	ktrc_print_check_line(s->check, out->file);
	print_next(capture, out->file);
}

static json_t *to_json(const struct ktrc_summary *s, const struct ktrc_output *out)
{
	struct ktrc_table table = ktrc_faults_table(s->faults);
	json_t *document =
		ktrc_json_document("ktrc.summary/1", s->faults->capture, s->faults->start_ticks);
	json_t *verdict = json_pack("{s:s}", "kind", ktrc_verdict_name(s->verdict));

	if (s->culprit)
		json_object_update(verdict,
				   json_pack("{s:i, s:s, s:I, s:f, s:f, s:s, s:f}", "pid",
					     (int)s->culprit->pid, "comm", s->culprit->comm,
					     "faults", (json_int_t)s->culprit->faults, "percent",
					     s->percent, "faults_per_s", s->faults_per_s, "mode",
					     mode_names[s->mode], "mode_percent", s->mode_percent));
	json_object_set_new(document, "verdict", verdict);
	json_object_set_new(document, "event",
			    s->faults->event ? json_string(s->faults->event->label) : json_null());
	json_object_set_new(document, "faults", json_integer((json_int_t)s->faults->all->faults));
	json_object_set_new(document, "processes", ktrc_table_rows(&table, out));
	json_object_set_new(document, "check", ktrc_check_to_json(s->check));
	return document;
}

void ktrc_print_summary(const struct ktrc_summary *summary, enum ktrc_output_format format,
			const struct ktrc_output *out)
{
	json_t *document;

	if (format == KTRC_OUT_TEXT) {
		print_text(summary, out);
		return;
	}
	document = to_json(summary, out);
	if (format == KTRC_OUT_JSON) {
		ktrc_print_json(document, out);
		return;
	}
	json_dumpf(document, out->file, JSON_COMPACT | JSON_REAL_PRECISION(6));
	putc('\n', out->file);
	json_decref(document);
}
