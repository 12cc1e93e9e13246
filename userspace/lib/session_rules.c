// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules as text, both ways. */
#include "session_rules.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "cleanup.h"
#include "number.h"
#include "suggest.h"

static const struct {
	const char *word;
	u32 flag;
} rule_words[] = {
	{ "min", KTRC_RULE_MIN },	{ "major", KTRC_RULE_MAJOR }, { "user", KTRC_RULE_USER },
	{ "kernel", KTRC_RULE_KERNEL }, { "count", KTRC_RULE_COUNT }, { "stack", KTRC_RULE_STACK },
	{ "copy", KTRC_RULE_COPY },
};

/* What they allow is said in words of its own. */
#define STACK_RULES (KTRC_RULE_STACK | KTRC_RULE_COPY)

const char *ktrc_rule_word(u32 flag)
{
	for (size_t i = 0; i < ARRAY_SIZE(rule_words); i++)
		if (rule_words[i].flag == flag)
			return rule_words[i].word;
	return NULL;
}

u32 ktrc_rule_flag_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(rule_words); i++)
		if (strcmp(rule_words[i].word, word) == 0)
			return rule_words[i].flag;
	return 0;
}

bool ktrc_parse_sample(const char *text, u32 *sample)
{
	u64 number;

	if (strncmp(text, "1/", 2) != 0 || !ktrc_parse_number(text + 2, UINT_MAX, &number) ||
	    !number)
		return false;
	*sample = (u32)number;
	return true;
}

/* ---- to text ---- */

__attribute__((format(printf, 3, 4))) static void append(char *room, char separator,
							 const char *fmt, ...)
{
	size_t used = strlen(room);
	va_list ap;

	if (used && used + 1 < KTRC_RULE_ROOM)
		room[used++] = separator;
	va_start(ap, fmt);
	vsnprintf(room + used, KTRC_RULE_ROOM - used, fmt, ap);
	va_end(ap);
}

/* ---- stacks ---- */

#define DEFAULT_DEPTH 32

/* COPY: the user stack's innermost frame, and a copy of it all */
enum { USER = 1, KERNEL = 2, COPY = 4 };

struct stack_word {
	const char *word;
	u32 which;
	u32 depth; /* 0: as asked for */
};

static const struct stack_word stack_words[] = {
	{ "none", 0, 0 },	 { "user", USER, 0 },
	{ "kernel", KERNEL, 0 }, { "both", USER | KERNEL, 0 },
	{ "ip", USER, 1 },	 { "dwarf", USER | KERNEL | COPY, 0 },
};

/* Events whose callers are half of the answer, and rare: what they record if nobody says. */
static const struct {
	const char *label;
	u32 which;
} stack_defaults[] = {
	{ "madvise", USER },
	{ "reclaim", USER | KERNEL },
	{ "compaction", USER | KERNEL },
};

static void set_stacks(struct ktrc_rule *rule, u32 which, u32 depth)
{
	rule->user_frames = which & COPY ? 1 : which & USER ? depth : 0;
	rule->kernel_frames = which & KERNEL ? depth : 0;
	rule->user_bytes = which & COPY ? KTRC_MAX_STACK_BYTES : 0;
}

static u32 default_stacks(const struct ktrc_event *event, const struct ktrc_rule *rule)
{
	if (!(event->rules & KTRC_RULE_STACK) || rule->flags & KTRC_RULE_COUNT)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(stack_defaults); i++)
		if (strcmp(stack_defaults[i].label, event->label) == 0)
			return stack_defaults[i].which;
	return 0;
}

static u32 max(u32 a, u32 b)
{
	return a > b ? a : b;
}

const char *ktrc_stacks_text(const struct ktrc_rule *rule, char room[KTRC_RULE_ROOM])
{
	u32 which = (rule->user_frames ? USER : 0) | (rule->kernel_frames ? KERNEL : 0) |
		    (rule->user_bytes ? COPY : 0);
	u32 depth = max(rule->user_frames, rule->kernel_frames);
	const struct stack_word *word = stack_words;

	for (size_t i = 0; i < ARRAY_SIZE(stack_words); i++)
		if ((stack_words[i].which == which || stack_words[i].which & which & COPY) &&
		    (!stack_words[i].depth || stack_words[i].depth == depth))
			word = &stack_words[i];
	snprintf(room, KTRC_RULE_ROOM, "stack=%s", word->word);
	if (which && !word->depth)
		append(room, ':', "depth=%u", depth);
	/* as another tool may have asked */
	if (which == (USER | KERNEL) && rule->user_frames != rule->kernel_frames)
		append(room, ' ', "(user %u, kernel %u)", rule->user_frames, rule->kernel_frames);
	return room;
}

/* ---- rules ---- */

const char *ktrc_rule_text(const struct ktrc_rule *rule, char room[KTRC_RULE_ROOM])
{
	char min[KTRC_DURATION_ROOM];

	room[0] = '\0';
	if (rule->min_ns)
		append(room, ':', "min=%s", ktrc_duration_text(rule->min_ns, min));
	for (size_t i = 0; i < ARRAY_SIZE(rule_words); i++)
		if (rule->flags & rule_words[i].flag)
			append(room, ':', "%s", rule_words[i].word);
	if (rule->sample)
		append(room, ':', "1/%u", rule->sample);
	return room;
}

const char *ktrc_rules_text(u32 rules, char room[KTRC_RULE_ROOM])
{
	room[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(rule_words); i++)
		if (rules & rule_words[i].flag & ~STACK_RULES)
			append(room, ' ', "%s%s", rule_words[i].word,
			       rule_words[i].flag == KTRC_RULE_MIN ? "=TIME" : "");
	append(room, ' ', "1/N");
	if (rules & KTRC_RULE_STACK)
		append(room, ' ', "stack=user|kernel|both|ip%s|none depth=N",
		       rules & KTRC_RULE_COPY ? "|dwarf" : "");
	return room;
}

u32 ktrc_session_weight(const struct ktrc_session *session, u32 event)
{
	u32 sample = event < KTRC_MAX_EVENTS ? session->rules[event].sample : 0;

	return sample ? sample : 1;
}

static void put_filters(FILE *out, const struct ktrc_session *s, const struct ktrc_schema *schema)
{
	const char *separator = "";
	char rule[KTRC_RULE_ROOM];

	for (u32 i = 0; i < s->nr_pids; i++)
		fprintf(out, "%s%u", i ? "," : "pid ", s->pids[i]);
	if (s->nr_pids)
		separator = "; ";
	if (s->cgid) {
		fprintf(out, "%scgroup %llu", separator, s->cgid);
		separator = "; ";
	}
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		const struct ktrc_event *event = ktrc_schema_event(schema, id);

		if (!event || !*ktrc_rule_text(&s->rules[id], rule))
			continue;
		fprintf(out, "%s%s %s", separator, event->label, rule);
		separator = "; ";
	}
}

char *ktrc_session_filter_text(const struct ktrc_session *session, const struct ktrc_schema *schema)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	put_filters(out, session, schema);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* ---- from text ---- */

__attribute__((format(printf, 2, 3))) static int wrong(struct ktrc_error *err, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return ktrc_fail_as(err, EINVAL, KTRC_EXIT_USAGE, "%s", text);
}

static int unknown_event(const struct ktrc_schema *schema, const char *name, struct ktrc_error *err)
{
	struct ktrc_suggestion near = { .typed = name };
	int ret = wrong(err, "--events: no event \"%s\"", name);

	for (size_t i = 0; i < KTRC_MAX_EVENTS; i++)
		if (schema->events[i].name && schema->events[i].kind == KTRC_KIND_DATA)
			ktrc_suggest(&near, schema->events[i].label);
	if (near.best)
		ktrc_hint(err, "did you mean \"%s\"?  ktrc-ctl list shows all", near.best);
	else
		ktrc_hint(err, "ktrc-ctl list shows all events");
	return ret;
}

static int part_named(const struct ktrc_schema *schema, const struct ktrc_event *part,
		      struct ktrc_error *err)
{
	int ret = wrong(err, "--events: \"%s\" is not recorded by itself", part->label);

	for (size_t i = 0; i < KTRC_MAX_EVENTS; i++) {
		const struct ktrc_event *whole = &schema->events[i];

		if (whole->name && whole->kind == KTRC_KIND_DATA &&
		    ktrc_event_is_part_of(part, whole))
			ktrc_hint(err, "it comes with \"%s\"", whole->label);
	}
	return ret;
}

static int unavailable(const struct ktrc_event *event, struct ktrc_error *err)
{
	ktrc_fail_as(err, EOPNOTSUPP, KTRC_EXIT_UNAVAILABLE,
		     "event %s: unavailable on this kernel: %s", event->label,
		     event->reason ? event->reason : "no hook");
	ktrc_hint(err, "ktrc-ctl list shows what this kernel can record");
	return -EOPNOTSUPP;
}

static int bad_option(const struct ktrc_event *event, const char *option, struct ktrc_error *err)
{
	char can[KTRC_RULE_ROOM];
	int ret = wrong(err, "--events: %s: no option \"%s\"", event->label, option);

	ktrc_hint(err, "%s can have %s, each behind a colon", event->label,
		  ktrc_rules_text(event->rules, can));
	return ret;
}

static int check_rule(const struct ktrc_event *event, const struct ktrc_rule *rule,
		      struct ktrc_error *err)
{
	u32 both = KTRC_RULE_USER | KTRC_RULE_KERNEL;
	int ret;

	if ((rule->flags & both) != both)
		return 0;
	ret = wrong(err, "%s: user and kernel exclude each other", event->label);
	ktrc_hint(err, "name one of them; without either both are recorded");
	return ret;
}

/* What the options of one event say. */
struct options {
	struct ktrc_rule rule;
	const struct stack_word *stack; /* NULL: not said */
	u32 depth; /* 0: not said */
};

static int parse_stack(const struct ktrc_event *event, const char *word, struct options *o,
		       struct ktrc_error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(stack_words); i++) {
		if (strcmp(stack_words[i].word, word) != 0 ||
		    (stack_words[i].which & COPY && !(event->rules & KTRC_RULE_COPY)))
			continue;
		o->stack = &stack_words[i];
		return 0;
	}
	return wrong(err, "--events: %s: stack=\"%s\" is none of user, kernel, both, ip, %snone",
		     event->label, word, event->rules & KTRC_RULE_COPY ? "dwarf, " : "");
}

static int parse_depth(const struct ktrc_event *event, const char *text, struct options *o,
		       struct ktrc_error *err)
{
	u64 depth;

	if (!ktrc_parse_number(text, KTRC_MAX_FRAMES, &depth) || depth == 0)
		return wrong(err,
			     "--events: %s: depth=\"%s\" is not a number of frames from 1 to %u",
			     event->label, text, KTRC_MAX_FRAMES);
	o->depth = (u32)depth;
	return 0;
}

static int parse_option(const struct ktrc_event *event, const char *option, struct options *o,
			struct ktrc_error *err)
{
	struct ktrc_rule *rule = &o->rule;
	u32 flag = ktrc_rule_flag_of(option);

	if (strncmp(option, "stack=", 6) == 0 && event->rules & KTRC_RULE_STACK)
		return parse_stack(event, option + 6, o, err);
	if (strncmp(option, "depth=", 6) == 0 && event->rules & KTRC_RULE_STACK)
		return parse_depth(event, option + 6, o, err);

	if (strncmp(option, "min=", 4) == 0 && option[4] && event->rules & KTRC_RULE_MIN) {
		option += 4;
		/* a number alone would be seconds, which nobody means */
		if (!isdigit((unsigned char)option[strlen(option) - 1]) &&
		    ktrc_parse_duration(option, &rule->min_ns))
			return 0;
		return wrong(err, "--events: %s: min=\"%s\" is not a duration such as 1ms",
			     event->label, option);
	}
	if (strncmp(option, "1/", 2) == 0) {
		if (ktrc_parse_sample(option, &rule->sample))
			return 0;
		return wrong(err, "--events: %s: \"%s\" is not one in so many, such as 1/64",
			     event->label, option);
	}
	if (flag & (KTRC_RULE_MIN | STACK_RULES) || !(flag & event->rules))
		return bad_option(event, option, err);
	rule->flags |= flag;
	return 0;
}

/* Which stacks, and how deep, once all options are known. */
static int take_stacks(const struct ktrc_event *event, struct options *o, struct ktrc_error *err)
{
	u32 which = o->stack ? o->stack->which : default_stacks(event, &o->rule);
	u32 depth = o->stack ? o->stack->depth : 0;
	int ret;

	if (which && o->rule.flags & KTRC_RULE_COUNT)
		return wrong(err, "--events: %s: what is only counted has no stacks", event->label);
	if (o->depth && (depth || !which)) {
		ret = wrong(err, "--events: %s: depth=%u: there is no stack to be so deep",
			    event->label, o->depth);
		ktrc_hint(err, "%s:stack=user:depth=%u", event->label, o->depth);
		return ret;
	}
	if (!depth)
		depth = o->depth ? o->depth : DEFAULT_DEPTH;
	set_stacks(&o->rule, which, depth);
	return 0;
}

/*
 * Parts of which all that belong to one whole are added up, or each is held against the one before:
 * every one is recorded, however few of the whole are.
 */
static const char *const unselected[] = { "compaction.zone", "reclaim.wake", "reclaim.sleep" };

static bool is_selected(const struct ktrc_event *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(unselected); i++)
		if (strcmp(unselected[i], event->label) == 0)
			return false;
	return true;
}

/* What of @rule an event can follow. */
static struct ktrc_rule possible(const struct ktrc_event *event, const struct ktrc_rule *rule)
{
	bool selects = is_selected(event);

	return (struct ktrc_rule){
		.min_ns = selects && event->rules & KTRC_RULE_MIN ? rule->min_ns : 0,
		.sample = selects ? rule->sample : 0,
		.flags = rule->flags & event->rules,
		.user_frames = event->rules & KTRC_RULE_STACK ? rule->user_frames : 0,
		.kernel_frames = event->rules & KTRC_RULE_STACK ? rule->kernel_frames : 0,
		.user_bytes = event->rules & KTRC_RULE_COPY ? rule->user_bytes : 0,
	};
}

static void add_with_parts(const struct ktrc_schema *schema, const struct ktrc_event *whole,
			   const struct ktrc_rule *rule, struct ktrc_session *session)
{
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		const struct ktrc_event *event = ktrc_schema_event(schema, id);

		if (!event || (event != whole && (!ktrc_event_is_part_of(event, whole) ||
						  event->avail == KTRC_AVAIL_NO)))
			continue;
		session->events |= 1ull << id;
		session->rules[id] = possible(event, rule);
	}
}

/* "fault:min=1ms:major"; @item is cut up. */
static int parse_event(const struct ktrc_schema *schema, char *item, struct ktrc_session *session,
		       struct ktrc_error *err)
{
	const char *name = strsep(&item, ":"), *option;
	const struct ktrc_event *event = ktrc_schema_find(schema, name);
	struct options options = { 0 };
	int ret = 0;

	if (!event || event->kind == KTRC_KIND_DICT)
		return unknown_event(schema, name, err);
	if (event->kind == KTRC_KIND_PART)
		return part_named(schema, event, err);
	if (event->avail == KTRC_AVAIL_NO)
		return unavailable(event, err);
	if (session->events >> event->id & 1)
		return wrong(err, "--events: \"%s\" is named twice", event->label);
	while (ret == 0 && (option = strsep(&item, ":")) != NULL)
		ret = parse_option(event, option, &options, err);
	if (ret == 0)
		ret = take_stacks(event, &options, err);
	if (ret == 0)
		ret = check_rule(event, &options.rule, err);
	if (ret == 0)
		add_with_parts(schema, event, &options.rule, session);
	return ret;
}

static int empty_event(const char *list, struct ktrc_error *err)
{
	int ret = wrong(err, "--events: no event in an empty place of \"%s\"", list);

	ktrc_hint(err, "--events=fault,fault.light    names two; ktrc-ctl list shows all");
	return ret;
}

int ktrc_session_parse_events(const struct ktrc_schema *schema, const char *list,
			      struct ktrc_session *session, struct ktrc_error *err)
{
	__ktrc_free char *copy = strdup(list);
	char *rest = copy, *item;
	int ret;

	if (!copy)
		return ktrc_fail(err, ENOMEM, "--events");
	session->events = 0;
	memset(session->rules, 0, sizeof(session->rules));
	while ((item = strsep(&rest, ",")) != NULL) {
		ret = *item ? parse_event(schema, item, session, err) : empty_event(list, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Is there an event that can follow each part of @rule? */
static int check_any_can(const struct ktrc_schema *schema, const struct ktrc_rule *rule,
			 const struct ktrc_session *session, struct ktrc_error *err)
{
	u32 asked = rule->flags | (rule->min_ns ? KTRC_RULE_MIN : 0), can = 0;
	int ret;

	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++)
		if (session->events >> id & 1)
			can |= schema->events[id].rules;
	for (size_t i = 0; i < ARRAY_SIZE(rule_words); i++) {
		if (!(asked & ~can & rule_words[i].flag))
			continue;
		ret = wrong(err, "--%s: none of the events can be filtered by it",
			    rule_words[i].word);
		ktrc_hint(err, "ktrc-ctl list shows what each can be filtered by");
		return ret;
	}
	return 0;
}

int ktrc_session_apply_rule(const struct ktrc_schema *schema, const struct ktrc_rule *all,
			    struct ktrc_session *session, struct ktrc_error *err)
{
	int ret = check_any_can(schema, all, session, err);

	for (u32 id = 0; ret == 0 && id < KTRC_MAX_EVENTS; id++) {
		struct ktrc_rule *rule = &session->rules[id], add;

		if (!(session->events >> id & 1))
			continue;
		add = possible(&schema->events[id], all);
		rule->flags |= add.flags;
		rule->min_ns = rule->min_ns ? rule->min_ns : add.min_ns;
		rule->sample = rule->sample ? rule->sample : add.sample;
		if (rule->flags & KTRC_RULE_COUNT)
			set_stacks(rule, 0, 0); /* of no record */
		ret = check_rule(&schema->events[id], rule, err);
	}
	return ret;
}
