/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between nl.c (transactions) and nl_parse.c (what the answers mean). */
#ifndef KTRC_NL_INTERNAL_H
#define KTRC_NL_INTERNAL_H

#include <netlink/attr.h>

#include "nl.h"

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
