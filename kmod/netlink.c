// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: policies, messages about sessions, and nothing else; the verbs
 * are in session.c, the dumps of schema and counters in netlink_dump.c.  Handlers
 * run in process context, several at a time.
 */
#include <linux/module.h>
#include <net/genetlink.h>

#include "netlink.h"
#include "session.h"

static const struct nla_policy top_policy[KTRC_A_MAX + 1] = {
	[KTRC_A_SESSION] = { .type = NLA_NESTED },
};

/* each command takes the attributes of its policy and no others */

static const struct nla_policy name_policy[KTRC_A_SESSION_MAX + 1] = {
	[KTRC_A_SESSION_NAME] = { .type = NLA_NUL_STRING, .len = KTRC_NAME_LEN - 1 },
};

static const struct nla_policy set_policy[KTRC_A_SESSION_MAX + 1] = {
	[KTRC_A_SESSION_NAME] = { .type = NLA_NUL_STRING, .len = KTRC_NAME_LEN - 1 },
	[KTRC_A_SESSION_STATE] = NLA_POLICY_RANGE(NLA_U32, KTRC_STATE_RUNNING, KTRC_STATE_STOPPED),
};

static const struct nla_policy new_policy[KTRC_A_SESSION_MAX + 1] = {
	[KTRC_A_SESSION_NAME] = { .type = NLA_NUL_STRING, .len = KTRC_NAME_LEN - 1 },
	[KTRC_A_SESSION_MODE] = NLA_POLICY_MAX(NLA_U32, KTRC_MODE_STREAM),
	[KTRC_A_SESSION_EVENTS] = { .type = NLA_U64 },
	[KTRC_A_SESSION_MEMORY] = { .type = NLA_U64 },
	[KTRC_A_SESSION_PACKET_BYTES] = { .type = NLA_U32 },
	[KTRC_A_SESSION_REPLACE] = { .type = NLA_FLAG },
};

/* the nest of a request; a missing one is an empty one */
static int parse_session(struct sk_buff *skb, struct nlattr *nest, struct nlattr **tb,
			 const struct nla_policy *policy, struct netlink_ext_ack *extack)
{
	/* the sender and who opened its socket: it may have been handed to a privileged program */
	if (!ktrc_may_control() ||
	    !(netlink_capable(skb, CAP_PERFMON) || netlink_capable(skb, CAP_SYS_ADMIN))) {
		NL_SET_ERR_MSG(extack, "needs CAP_PERFMON or CAP_SYS_ADMIN");
		return -EPERM;
	}
	memset(tb, 0, (KTRC_A_SESSION_MAX + 1) * sizeof(*tb));
	return nest ? nla_parse_nested(tb, KTRC_A_SESSION_MAX, nest, policy, extack) : 0;
}

static const char *name_of(struct nlattr **tb)
{
	const char *name = tb[KTRC_A_SESSION_NAME] ? nla_data(tb[KTRC_A_SESSION_NAME]) : "";

	return *name ? name : "default";
}

static struct ktrc_session *find(struct nlattr **tb, struct netlink_ext_ack *extack)
{
	struct ktrc_session *s = ktrc_session_find(name_of(tb));

	if (!s)
		NL_SET_ERR_MSG(extack, "no session of that name");
	return s;
}

/* ---- sessions ---- */

static int put_session(struct sk_buff *skb, const struct ktrc_session *s)
{
	struct nlattr *nest = nla_nest_start(skb, KTRC_A_SESSION);

	if (!nest || nla_put_string(skb, KTRC_A_SESSION_NAME, s->config.name) ||
	    nla_put_u32(skb, KTRC_A_SESSION_MODE, s->config.mode) ||
	    nla_put_u64_64bit(skb, KTRC_A_SESSION_EVENTS, s->config.events, KTRC_A_SESSION_PAD) ||
	    nla_put_u64_64bit(skb, KTRC_A_SESSION_MEMORY, s->config.memory, KTRC_A_SESSION_PAD) ||
	    nla_put_u32(skb, KTRC_A_SESSION_PACKET_BYTES, s->config.packet_bytes) ||
	    nla_put_u32(skb, KTRC_A_SESSION_STATE, s->state) ||
	    nla_put_u32(skb, KTRC_A_SESSION_STOP_REASON, s->stop_reason) ||
	    (s->owner && nla_put_flag(skb, KTRC_A_SESSION_BOUND)) ||
	    (s->consumer && nla_put_flag(skb, KTRC_A_SESSION_CONSUMER)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int config_from(struct nlattr **tb, struct ktrc_config *c, struct netlink_ext_ack *extack)
{
	if (!tb[KTRC_A_SESSION_EVENTS]) {
		NL_SET_ERR_MSG(extack, "events is missing");
		return -EINVAL;
	}
	strscpy(c->name, name_of(tb), sizeof(c->name));
	c->events = nla_get_u64(tb[KTRC_A_SESSION_EVENTS]);
	if (tb[KTRC_A_SESSION_MODE])
		c->mode = nla_get_u32(tb[KTRC_A_SESSION_MODE]);
	if (tb[KTRC_A_SESSION_MEMORY])
		c->memory = nla_get_u64(tb[KTRC_A_SESSION_MEMORY]);
	if (tb[KTRC_A_SESSION_PACKET_BYTES])
		c->packet_bytes = nla_get_u32(tb[KTRC_A_SESSION_PACKET_BYTES]);
	return 0;
}

static int session_new(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *tb[KTRC_A_SESSION_MAX + 1];
	struct ktrc_config config = {};
	struct ktrc_why why = {};
	int err;

	err = parse_session(skb, info->attrs[KTRC_A_SESSION], tb, new_policy, info->extack);
	if (!err)
		err = config_from(tb, &config, info->extack);
	if (err)
		return err;
	mutex_lock(&ktrc_control);
	err = ktrc_session_create(&config, tb[KTRC_A_SESSION_REPLACE], &why);
	mutex_unlock(&ktrc_control);
	info->extack->_msg = why.text;
	return err;
}

static int set_state(struct ktrc_session *s, u32 state, struct ktrc_why *why)
{
	if (state == KTRC_STATE_RUNNING)
		return ktrc_session_start(s, why);
	if (s->state != KTRC_STATE_RUNNING) {
		why->text = "the session is not running";
		return -EALREADY;
	}
	ktrc_session_stop(s, KTRC_STOP_ASKED);
	return 0;
}

static int session_set(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *tb[KTRC_A_SESSION_MAX + 1];
	struct ktrc_why why = {};
	struct ktrc_session *s;
	int err;

	err = parse_session(skb, info->attrs[KTRC_A_SESSION], tb, set_policy, info->extack);
	if (err)
		return err;
	if (!tb[KTRC_A_SESSION_STATE]) {
		NL_SET_ERR_MSG(info->extack, "state is missing");
		return -EINVAL;
	}
	mutex_lock(&ktrc_control);
	s = find(tb, info->extack);
	err = s ? set_state(s, nla_get_u32(tb[KTRC_A_SESSION_STATE]), &why) : -ENOENT;
	mutex_unlock(&ktrc_control);
	if (why.text)
		info->extack->_msg = why.text;
	return err;
}

static int session_del(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *tb[KTRC_A_SESSION_MAX + 1];
	struct ktrc_session *s;
	int err;

	err = parse_session(skb, info->attrs[KTRC_A_SESSION], tb, name_policy, info->extack);
	if (err)
		return err;
	mutex_lock(&ktrc_control);
	s = find(tb, info->extack);
	if (s)
		ktrc_session_delete(s);
	mutex_unlock(&ktrc_control);
	return s ? 0 : -ENOENT;
}

static int session_reply(struct sk_buff *skb, struct genl_info *info, const struct ktrc_session *s)
{
	void *head = genlmsg_put_reply(skb, info, &ktrc_family, 0, KTRC_CMD_SESSION_GET);

	if (!head || put_session(skb, s))
		return -EMSGSIZE;
	genlmsg_end(skb, head);
	return 0;
}

static int session_get(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *tb[KTRC_A_SESSION_MAX + 1];
	struct ktrc_session *s;
	struct sk_buff *reply;
	int err;

	err = parse_session(skb, info->attrs[KTRC_A_SESSION], tb, name_policy, info->extack);
	if (err)
		return err;
	reply = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	mutex_lock(&ktrc_control);
	s = find(tb, info->extack);
	err = s ? session_reply(reply, info, s) : -ENOENT;
	mutex_unlock(&ktrc_control);
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	return genlmsg_reply(reply, info);
}

/* ---- dumps ---- */

static int dump_start(struct netlink_callback *cb)
{
	struct nlattr *top[KTRC_A_MAX + 1], *tb[KTRC_A_SESSION_MAX + 1];
	int err;

	err = genlmsg_parse(cb->nlh, &ktrc_family, top, KTRC_A_MAX, top_policy, cb->extack);
	if (!err)
		err = parse_session(cb->skb, top[KTRC_A_SESSION], tb, name_policy, cb->extack);
	if (err)
		return err;
	strscpy(ktrc_dump_of(cb)->name, name_of(tb), KTRC_NAME_LEN);
	return 0;
}

static int session_dump(struct sk_buff *skb, struct netlink_callback *cb,
			const struct ktrc_session *s)
{
	void *head = ktrc_dump_begin(skb, cb, KTRC_CMD_SESSION_GET);

	return head ? ktrc_dump_end(skb, head, put_session(skb, s)) : -EMSGSIZE;
}

static int sessions_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ktrc_dump *d = ktrc_dump_of(cb);
	struct ktrc_session *s;
	u32 row = 0;
	int err = 0;

	mutex_lock(&ktrc_control);
	cb->seq = ktrc_sessions_seq;
	list_for_each_entry(s, &ktrc_sessions, node) {
		if (row++ < d->row)
			continue;
		err = session_dump(skb, cb, s);
		if (err)
			break;
		d->row = row;
	}
	mutex_unlock(&ktrc_control);
	return ktrc_dump_part(skb, err);
}

/* ---- family ---- */

static const struct genl_ops ktrc_ops[] = {
	{ .cmd = KTRC_CMD_SESSION_NEW, .doit = session_new },
	{ .cmd = KTRC_CMD_SESSION_SET, .doit = session_set },
	{
		.cmd = KTRC_CMD_SESSION_GET,
		.doit = session_get,
		.start = dump_start,
		.dumpit = sessions_dump,
	},
	{ .cmd = KTRC_CMD_SESSION_DEL, .doit = session_del },
	{ .cmd = KTRC_CMD_SCHEMA_GET, .start = dump_start, .dumpit = ktrc_schema_dump },
	{ .cmd = KTRC_CMD_COUNTERS_GET, .start = dump_start, .dumpit = ktrc_counters_dump },
};

struct genl_family ktrc_family __ro_after_init = {
	.name = KTRC_GENL_NAME,
	.version = KTRC_GENL_VERSION,
	.maxattr = KTRC_A_MAX,
	.policy = top_policy,
	.module = THIS_MODULE,
	.ops = ktrc_ops,
	.n_ops = ARRAY_SIZE(ktrc_ops),
	.parallel_ops = true, /* ktrc_control is enough; a stop waits for grace periods */
};

/**
 * ktrc_netlink_init() - register the family
 *
 * Return: 0 or a negative error
 */
int __init ktrc_netlink_init(void)
{
	ktrc_genl_check_headers(&ktrc_family);
	return genl_register_family(&ktrc_family);
}

/**
 * ktrc_netlink_exit() - unregister the family; waits for handlers
 */
void ktrc_netlink_exit(void)
{
	genl_unregister_family(&ktrc_family);
}

MODULE_ALIAS_GENL_FAMILY(KTRC_GENL_NAME);
