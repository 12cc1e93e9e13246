// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a session can be what it is asked to be.  Pure decisions of numbers from
 * user space, whose types netlink_policy.c has checked.
 */
#include <linux/ctype.h>

#include "attach.h"

static int check_name(const char *name, struct ktrc_why *why)
{
	const char *p;

	for (p = name; *p; p++) {
		if (!(isascii(*p) && isalnum(*p)) && !strchr("_.-", *p))
			break;
	}
	if (*p || p == name) {
		why->text = "name must be 1 to 31 of A-Z a-z 0-9 _ . -";
		return -EINVAL;
	}
	return 0;
}

static int check_config(const struct ktrc_config *c, struct ktrc_why *why)
{
	u32 i;

	for (i = 0; i < 64; i++) {
		if (c->events & BIT_ULL(i) && !ktrc_attach_probe(i)) {
			why->text = "events names an id that is no recordable event";
			return -EINVAL;
		}
	}
	if (c->max_seconds > KTRC_MAX_SECONDS) {
		why->text = "max-seconds is above 30 days";
		return -ERANGE;
	}
	if (!c->events) {
		why->text = "events is empty";
		return -EINVAL;
	}
	return check_name(c->name, why);
}

static int check_rule(const struct ktrc_config *c, const struct ktrc_wish *w, u32 event,
		      struct ktrc_why *why)
{
	const struct ktrc_probe *probe = ktrc_attach_probe(event);
	bool has_stacks = w->rule[event].user_frames || w->rule[event].kernel_frames;
	u32 asked = w->rule[event].flags | (w->rule[event].min_ns ? KTRC_RULE_MIN : 0) |
		    (has_stacks ? KTRC_RULE_STACK : 0) |
		    (w->rule[event].user_bytes ? KTRC_RULE_COPY : 0);

	if (!asked && !w->rule[event].sample)
		return 0;
	if (!(c->events & BIT_ULL(event))) {
		why->text = "rule: its event is not among the session's";
		return -EINVAL;
	}
	if (asked & ~(probe->rules | KTRC_RULE_COUNT)) {
		why->text =
			"rule: this event cannot tell what it asks; the schema says what it can";
		return -EINVAL;
	}
	if (w->rule[event].min_ns > KTRC_MAX_MIN_NS) {
		why->text = "rule: min-ns is above an hour";
		return -ERANGE;
	}
	if (w->rule[event].user_bytes % sizeof(u64)) {
		why->text = "rule: user-bytes is no multiple of 8";
		return -EINVAL;
	}
	if (w->rule[event].flags & KTRC_RULE_USER && w->rule[event].flags & KTRC_RULE_KERNEL) {
		why->text = "rule: user and kernel exclude each other";
		return -EINVAL;
	}
	return 0;
}

/**
 * ktrc_config_check() - check a session's configuration and rules, before any effect
 * @c: the configuration; its sizes are checked by memory.c
 * @w: the rules
 * @why: receives what is wrong
 *
 * Return: 0, -EINVAL or -ERANGE
 */
int ktrc_config_check(const struct ktrc_config *c, const struct ktrc_wish *w, struct ktrc_why *why)
{
	int err = check_config(c, why);
	u32 i;

	for (i = 0; i < KTRC_NR_EVENTS && !err; i++)
		err = check_rule(c, w, i, why);
	return err;
}
