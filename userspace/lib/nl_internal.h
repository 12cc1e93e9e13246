/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between nl.c (transactions), nl_request.c (what is asked) and nl_parse.c (what answers mean). */
#ifndef KTRC_NL_INTERNAL_H
#define KTRC_NL_INTERNAL_H

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "nl.h"

/**
 * struct ktrc_nl_call - a request under way
 * @on_nest: takes every nest of every answer; may be NULL
 * @arg: its own
 * @result: 0 or the first failure
 * @is_done: the verdict has come
 * @is_new: makes a session: what is not there is something else
 * @owner: of a new session: the file that it is bound to; -1: none
 * @is_overtaken: a dump whose parts do not go together
 * @kernel_text: the kernel's own sentence on a failure, or ""
 */
struct ktrc_nl_call {
	int (*on_nest)(struct ktrc_nl_call *call, struct nlattr *nest, u32 attr);
	void *arg;
	int result;
	bool is_done;
	bool is_new;
	int owner;
	bool is_overtaken;
	char kernel_text[200];
};

/** ktrc_nl_new_msg() - an empty request; NULL without memory */
struct nl_msg *ktrc_nl_new_msg(struct ktrc_nl *nl, u8 cmd, int flags);

/**
 * ktrc_nl_transact() - send @msg and hand every nest of every answer to the call
 *
 * Return: 0, a negative errno, or -EAGAIN when a dump was overtaken by a change.
 */
int ktrc_nl_transact(struct ktrc_nl *nl, struct nl_msg *msg, struct ktrc_nl_call *call);

/*
 * Each takes the payload of one kind of nest and returns 0, -ENOMEM, or -EPROTO
 * when the kernel's answer does not have the promised shape.
 */
int ktrc_nl_parse_session(struct nlattr *nest, struct ktrc_session *session);
int ktrc_nl_parse_notice(struct nlattr *nest, struct ktrc_notice_message *message);
int ktrc_nl_parse_event(struct nlattr *nest, struct ktrc_schema *schema);
int ktrc_nl_parse_value(struct nlattr *nest, struct ktrc_schema *schema);
int ktrc_nl_parse_counters(struct nlattr *nest, struct ktrc_counter_set *set);

#endif
