/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family: netlink.c, netlink_policy.c, netlink_dump.c. */
#ifndef KTRC_NETLINK_H
#define KTRC_NETLINK_H

#include <net/genetlink.h>

#include "../uapi/ktrc.h"

extern struct genl_family ktrc_family;

int ktrc_netlink_parse(struct sk_buff *skb, u8 cmd, const struct nlattr *nest, struct nlattr **tb,
		       struct netlink_ext_ack *extack);
int ktrc_netlink_parse_rule(const struct nlattr *nest, struct nlattr **tb,
			    struct netlink_ext_ack *extack);

int ktrc_netlink_init(void);
void ktrc_netlink_exit(void);

/**
 * struct ktrc_dump - state between the parts of a dump
 * @name: counters: the session's
 * @row: next thing to send; names: the next id
 */
struct ktrc_dump {
	char name[KTRC_NAME_LEN];
	u64 row;
};

static inline struct ktrc_dump *ktrc_dump_of(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct ktrc_dump) > sizeof(cb->ctx));
	return (struct ktrc_dump *)cb->ctx;
}

void *ktrc_dump_begin(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd);
int ktrc_dump_end(struct sk_buff *skb, void *head, int err);
int ktrc_dump_part(const struct sk_buff *skb, int err);
int ktrc_schema_dump(struct sk_buff *skb, struct netlink_callback *cb);
int ktrc_names_dump(struct sk_buff *skb, struct netlink_callback *cb);
int ktrc_counters_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* KTRC_NETLINK_H */
