// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: which attributes each command takes, of which type and range, and
 * what is said of one that is not so.
 */
#include <net/genetlink.h>

#include "netlink.h"
#include "session.h"

/* each command takes the attributes of its policy and no others */

static const struct nla_policy name_policy[KTRC_A_SESSION_MAX + 1] = {
	[KTRC_A_SESSION_NAME] = { .type = NLA_NUL_STRING, .len = KTRC_NAME_LEN - 1 },
};

static const struct nla_policy set_policy[KTRC_A_SESSION_MAX + 1] = {
	[KTRC_A_SESSION_NAME] = { .type = NLA_NUL_STRING, .len = KTRC_NAME_LEN - 1 },
	[KTRC_A_SESSION_STATE] = NLA_POLICY_RANGE(NLA_U32, KTRC_STATE_RUNNING, KTRC_STATE_STOPPED),
};

static const struct nla_policy rule_policy[KTRC_A_RULE_MAX + 1] = {
	[KTRC_A_RULE_EVENT] = NLA_POLICY_MAX(NLA_U32, KTRC_NR_EVENTS - 1),
	[KTRC_A_RULE_FLAGS] = NLA_POLICY_MASK(NLA_U32, KTRC_RULE_COUNT | KTRC_RULE_MAJOR |
							       KTRC_RULE_USER | KTRC_RULE_KERNEL),
	[KTRC_A_RULE_MIN_NS] = { .type = NLA_U64 },
	[KTRC_A_RULE_SAMPLE] = NLA_POLICY_MIN(NLA_U32, 1),
	[KTRC_A_RULE_USER_FRAMES] = NLA_POLICY_MAX(NLA_U32, KTRC_MAX_FRAMES),
	[KTRC_A_RULE_KERNEL_FRAMES] = NLA_POLICY_MAX(NLA_U32, KTRC_MAX_FRAMES),
	[KTRC_A_RULE_USER_BYTES] = NLA_POLICY_MAX(NLA_U32, KTRC_MAX_STACK_BYTES),
};

static const struct nla_policy new_policy[KTRC_A_SESSION_MAX + 1] = {
	[KTRC_A_SESSION_NAME] = { .type = NLA_NUL_STRING, .len = KTRC_NAME_LEN - 1 },
	[KTRC_A_SESSION_MODE] = NLA_POLICY_MAX(NLA_U32, KTRC_MODE_STREAM),
	[KTRC_A_SESSION_EVENTS] = { .type = NLA_U64 },
	[KTRC_A_SESSION_MEMORY] = { .type = NLA_U64 },
	[KTRC_A_SESSION_PACKET_BYTES] = { .type = NLA_U32 },
	[KTRC_A_SESSION_REPLACE] = { .type = NLA_FLAG },
	[KTRC_A_SESSION_RULE] = { .type = NLA_NESTED }, /* rule_from() */
	[KTRC_A_SESSION_PID] = NLA_POLICY_MIN(NLA_U32, 1),
	[KTRC_A_SESSION_CGROUP] = { .type = NLA_U64 },
	[KTRC_A_SESSION_MAX_SECONDS] = { .type = NLA_U32 },
	[KTRC_A_SESSION_STATE] = NLA_POLICY_RANGE(NLA_U32, KTRC_STATE_NEW, KTRC_STATE_RUNNING),
	[KTRC_A_SESSION_BIND] = { .type = NLA_U32 },
};

/* what the policies demand, for people */
static const char *const session_limits[KTRC_A_SESSION_MAX + 1] = {
	[KTRC_A_SESSION_NAME] = "name must be a string of 1 to 31 of A-Z a-z 0-9 _ . -",
	[KTRC_A_SESSION_MODE] = "mode must be a u32, of a new session: 0 (flight) or 1 (stream)",
	[KTRC_A_SESSION_EVENTS] = "events must be a u64, of a new session",
	[KTRC_A_SESSION_MEMORY] = "memory must be a u64, of a new session",
	[KTRC_A_SESSION_PACKET_BYTES] = "packet-bytes must be a u32, of a new session",
	[KTRC_A_SESSION_STATE] =
		"state must be a u32: 0 (new) or 1 (running) of a new session, 1 or 2 (stopped) to set",
	[KTRC_A_SESSION_STOP_REASON] = "stop-reason is for replies",
	[KTRC_A_SESSION_BOUND] = "bound is for replies",
	[KTRC_A_SESSION_CONSUMER] = "consumer is for replies",
	[KTRC_A_SESSION_REPLACE] = "replace must be a flag, of a new session",
	[KTRC_A_SESSION_RULE] = "rule must be a nest, of a new session",
	[KTRC_A_SESSION_PID] = "pid must be a u32 from 1, of a new session",
	[KTRC_A_SESSION_CGROUP] = "cgroup must be a u64, of a new session",
	[KTRC_A_SESSION_MAX_SECONDS] = "max-seconds must be a u32, of a new session",
	[KTRC_A_SESSION_NAMES_MISSED] = "names-missed is for replies",
	[KTRC_A_SESSION_BIND] = "bind must be a u32, of a new session",
};

static const char *const rule_limits[KTRC_A_RULE_MAX + 1] = {
	[KTRC_A_RULE_EVENT] = "rule: its event must be a u32, an id of the schema",
	[KTRC_A_RULE_FLAGS] = "rule: its flags must be a u32 of 1, 2, 4, 8 and their sums",
	[KTRC_A_RULE_MIN_NS] = "rule: its min-ns must be a u64",
	[KTRC_A_RULE_SAMPLE] = "rule: its sample must be a u32 from 1",
	[KTRC_A_RULE_USER_FRAMES] = "rule: its user-frames must be a u32 up to 64",
	[KTRC_A_RULE_KERNEL_FRAMES] = "rule: its kernel-frames must be a u32 up to 64",
	[KTRC_A_RULE_USER_BYTES] = "rule: its user-bytes must be a u32 up to 2048",
};

/* nla_parse_nested() that names the attribute and its limit instead of the rule it broke */
static int parse_nest(struct nlattr **tb, int max, const struct nlattr *nest,
		      const struct nla_policy *policy, const char *const *limits,
		      struct netlink_ext_ack *extack)
{
	int err = nla_parse_nested(tb, max, nest, policy, extack);
	const char *limit = NULL;

	if (err && extack && extack->bad_attr && nla_type(extack->bad_attr) <= max)
		limit = limits[nla_type(extack->bad_attr)];
	if (limit)
		extack->_msg = limit;
	return err;
}

static const struct nla_policy *policy_of(u8 cmd)
{
	switch (cmd) {
	case KTRC_CMD_SESSION_NEW:
		return new_policy;
	case KTRC_CMD_SESSION_SET:
		return set_policy;
	default:
		return name_policy;
	}
}

/**
 * ktrc_netlink_parse() - the attributes of a request's nest, and who sent it
 * @skb: the request
 * @cmd: enum ktrc_cmd
 * @nest: KTRC_A_SESSION; NULL: as an empty one
 * @tb: receives them, by enum ktrc_attr_session
 * @extack: receives what is wrong
 *
 * Return: 0, -EPERM, or what the policy answers
 */
int ktrc_netlink_parse(struct sk_buff *skb, u8 cmd, const struct nlattr *nest, struct nlattr **tb,
		       struct netlink_ext_ack *extack)
{
	/* the sender and who opened its socket: it may have been handed to a privileged program */
	if (!ktrc_may_control() ||
	    !(netlink_capable(skb, CAP_PERFMON) || netlink_capable(skb, CAP_SYS_ADMIN))) {
		NL_SET_ERR_MSG(extack, "needs CAP_PERFMON or CAP_SYS_ADMIN");
		return -EPERM;
	}
	memset(tb, 0, (KTRC_A_SESSION_MAX + 1) * sizeof(*tb));
	return nest ? parse_nest(tb, KTRC_A_SESSION_MAX, nest, policy_of(cmd), session_limits,
				 extack) :
		      0;
}

/**
 * ktrc_netlink_parse_rule() - the attributes of one KTRC_A_SESSION_RULE
 * @nest: it
 * @tb: receives them, by enum ktrc_attr_rule
 * @extack: receives what is wrong
 *
 * Return: 0 or what the policy answers
 */
int ktrc_netlink_parse_rule(const struct nlattr *nest, struct nlattr **tb,
			    struct netlink_ext_ack *extack)
{
	return parse_nest(tb, KTRC_A_RULE_MAX, nest, rule_policy, rule_limits, extack);
}
