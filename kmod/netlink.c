// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: messages about sessions, and nothing else; the verbs are in
 * session.c, the policies in netlink_policy.c, the dumps of schema and counters in
 * netlink_dump.c.  Handlers run in process context, several at a time.
 */
#include <linux/file.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include "device.h"
#include "names.h"
#include "netlink.h"

static const struct nla_policy top_policy[KTRC_A_MAX + 1] = {
	[KTRC_A_SESSION] = { .type = NLA_NESTED },
};

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

static int put_rule(struct sk_buff *skb, const struct ktrc_session *s, u32 event)
{
	u32 user = s->wish.rule[event].user_frames, kernel = s->wish.rule[event].kernel_frames;
	u32 sample = s->wish.rule[event].sample, flags = s->wish.rule[event].flags;
	u32 bytes = s->wish.rule[event].user_bytes;
	u64 min_ns = s->wish.rule[event].min_ns;
	struct nlattr *nest;

	if (!min_ns && !sample && !flags && !user && !kernel && !bytes)
		return 0;
	nest = nla_nest_start(skb, KTRC_A_SESSION_RULE);
	if (!nest || nla_put_u32(skb, KTRC_A_RULE_EVENT, event) ||
	    nla_put_u32(skb, KTRC_A_RULE_FLAGS, flags) ||
	    nla_put_u64_64bit(skb, KTRC_A_RULE_MIN_NS, min_ns, KTRC_A_RULE_PAD) ||
	    (sample && nla_put_u32(skb, KTRC_A_RULE_SAMPLE, sample)) ||
	    (user && nla_put_u32(skb, KTRC_A_RULE_USER_FRAMES, user)) ||
	    (kernel && nla_put_u32(skb, KTRC_A_RULE_KERNEL_FRAMES, kernel)) ||
	    (bytes && nla_put_u32(skb, KTRC_A_RULE_USER_BYTES, bytes)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_wish(struct sk_buff *skb, const struct ktrc_session *s)
{
	const struct ktrc_wish *w = &s->wish;
	u32 i;
	int err = 0;

	if (w->cgid)
		err = nla_put_u64_64bit(skb, KTRC_A_SESSION_CGROUP, w->cgid, KTRC_A_SESSION_PAD);
	for (i = 0; i < w->nr_tgids && !err; i++)
		err = nla_put_u32(skb, KTRC_A_SESSION_PID, w->tgid[i]);
	for (i = 0; i < KTRC_NR_EVENTS && !err; i++)
		err = put_rule(skb, s, i);
	if (!err)
		err = nla_put_u64_64bit(skb, KTRC_A_SESSION_NAMES_MISSED, ktrc_names_missed(),
					KTRC_A_SESSION_PAD);
	if (s->config.max_seconds && !err)
		err = nla_put_u32(skb, KTRC_A_SESSION_MAX_SECONDS, s->config.max_seconds);
	return err;
}

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
	    (s->consumer && nla_put_flag(skb, KTRC_A_SESSION_CONSUMER)) || put_wish(skb, s))
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
	if (tb[KTRC_A_SESSION_MAX_SECONDS])
		c->max_seconds = nla_get_u32(tb[KTRC_A_SESSION_MAX_SECONDS]);
	return 0;
}

/* @seen: events that have a rule already, as bits */
static int rule_from(const struct nlattr *nest, struct ktrc_wish *w, u64 *seen,
		     struct netlink_ext_ack *extack)
{
	struct nlattr *tb[KTRC_A_RULE_MAX + 1];
	u32 event;
	int err = ktrc_netlink_parse_rule(nest, tb, extack);

	if (err)
		return err;
	if (!tb[KTRC_A_RULE_EVENT]) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "rule: its event is missing");
		return -EINVAL;
	}
	event = array_index_nospec(nla_get_u32(tb[KTRC_A_RULE_EVENT]), KTRC_NR_EVENTS);
	if (*seen & BIT_ULL(event)) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "rule: an event has at most one");
		return -EINVAL;
	}
	*seen |= BIT_ULL(event);
	if (tb[KTRC_A_RULE_FLAGS])
		w->rule[event].flags = nla_get_u32(tb[KTRC_A_RULE_FLAGS]);
	if (tb[KTRC_A_RULE_MIN_NS])
		w->rule[event].min_ns = nla_get_u64(tb[KTRC_A_RULE_MIN_NS]);
	if (tb[KTRC_A_RULE_SAMPLE])
		w->rule[event].sample = nla_get_u32(tb[KTRC_A_RULE_SAMPLE]);
	if (tb[KTRC_A_RULE_USER_FRAMES])
		w->rule[event].user_frames = nla_get_u32(tb[KTRC_A_RULE_USER_FRAMES]);
	if (tb[KTRC_A_RULE_KERNEL_FRAMES])
		w->rule[event].kernel_frames = nla_get_u32(tb[KTRC_A_RULE_KERNEL_FRAMES]);
	if (tb[KTRC_A_RULE_USER_BYTES])
		w->rule[event].user_bytes = nla_get_u32(tb[KTRC_A_RULE_USER_BYTES]);
	return 0;
}

/* attributes that may come several times */
static int wish_from(const struct nlattr *nest, struct nlattr **tb, struct ktrc_wish *w,
		     struct netlink_ext_ack *extack)
{
	const struct nlattr *a;
	int left, err = 0;
	u64 seen = 0;

	if (tb[KTRC_A_SESSION_CGROUP])
		w->cgid = nla_get_u64(tb[KTRC_A_SESSION_CGROUP]);
	nla_for_each_nested(a, nest, left) {
		if (nla_type(a) == KTRC_A_SESSION_RULE)
			err = rule_from(a, w, &seen, extack);
		if (err)
			return err;
		if (nla_type(a) != KTRC_A_SESSION_PID)
			continue;
		if (w->nr_tgids == KTRC_MAX_PIDS) {
			NL_SET_ERR_MSG_ATTR(extack, a, "pid: at most 16 of them");
			return -E2BIG;
		}
		w->tgid[w->nr_tgids++] = nla_get_u32(a);
	}
	return 0;
}

static int create(struct nlattr **tb, const struct ktrc_config *config,
		  const struct ktrc_wish *wish, struct file *owner, struct ktrc_why *why)
{
	struct ktrc_making how = {
		.replace = tb[KTRC_A_SESSION_REPLACE],
		.running = tb[KTRC_A_SESSION_STATE] &&
			   nla_get_u32(tb[KTRC_A_SESSION_STATE]) == KTRC_STATE_RUNNING,
	};
	struct ktrc_session *s;
	int err = 0;

	mutex_lock(&ktrc_control);
	if (owner && ktrc_device_is_attached(owner)) {
		why->text = "bind: the file has a session already";
		err = -EISCONN;
	}
	if (!err)
		err = ktrc_session_create(config, wish, &how, &s, why);
	if (!err && owner)
		ktrc_device_bind(owner, s);
	mutex_unlock(&ktrc_control);
	ktrc_session_bury(how.old);
	return err;
}

static struct file *owner_from(const struct nlattr *bind, struct ktrc_why *why)
{
	struct file *owner = bind ? ktrc_device_get(nla_get_u32(bind)) : NULL;

	if (IS_ERR(owner))
		why->text = "bind: not an open file of " KTRC_DEVICE;
	return owner;
}

/* @wish: nothing so far */
static int create_as_asked(struct sk_buff *skb, struct genl_info *info, struct ktrc_wish *wish)
{
	struct nlattr *tb[KTRC_A_SESSION_MAX + 1];
	struct nlattr *nest = info->attrs[KTRC_A_SESSION];
	struct ktrc_config config = {};
	struct ktrc_why why = {};
	struct file *owner;
	int err;

	err = ktrc_netlink_parse(skb, KTRC_CMD_SESSION_NEW, nest, tb, info->extack);
	if (!err)
		err = config_from(tb, &config, info->extack);
	if (!err)
		err = wish_from(nest, tb, wish, info->extack);
	if (err)
		return err;
	owner = owner_from(tb[KTRC_A_SESSION_BIND], &why);
	err = PTR_ERR_OR_ZERO(owner) ?: create(tb, &config, wish, owner, &why);
	if (!IS_ERR_OR_NULL(owner))
		fput(owner);
	if (why.text)
		info->extack->_msg = why.text;
	return err;
}

/* A wish grows with the number of events: the stack is no place for it. */
static int session_new(struct sk_buff *skb, struct genl_info *info)
{
	struct ktrc_wish *wish = kzalloc(sizeof(*wish), GFP_KERNEL | __GFP_NOWARN);
	int err = wish ? create_as_asked(skb, info, wish) : -ENOMEM;

	kfree(wish);
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

	err = ktrc_netlink_parse(skb, KTRC_CMD_SESSION_SET, info->attrs[KTRC_A_SESSION], tb,
				 info->extack);
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

	err = ktrc_netlink_parse(skb, KTRC_CMD_SESSION_DEL, info->attrs[KTRC_A_SESSION], tb,
				 info->extack);
	if (err)
		return err;
	mutex_lock(&ktrc_control);
	s = find(tb, info->extack);
	if (s)
		ktrc_session_delete(s);
	mutex_unlock(&ktrc_control);
	ktrc_session_bury(s);
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

	err = ktrc_netlink_parse(skb, KTRC_CMD_SESSION_GET, info->attrs[KTRC_A_SESSION], tb,
				 info->extack);
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

	/* its later parts wait for nobody, not for the end of a load that fails either */
	if (!ktrc_sessions_are_allowed())
		return -EBUSY;
	err = genlmsg_parse(cb->nlh, &ktrc_family, top, KTRC_A_MAX, top_policy, cb->extack);
	if (!err)
		err = ktrc_netlink_parse(cb->skb, KTRC_CMD_SESSION_GET, top[KTRC_A_SESSION], tb,
					 cb->extack);
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

/* ---- notices ---- */

static const struct genl_multicast_group ktrc_groups[] = {
	{ .name = KTRC_GENL_NOTICES, KTRC_GENL_MCAST_FLAGS },
};

static int put_notice(struct sk_buff *skb, const struct ktrc_session *s, u32 kind)
{
	struct nlattr *nest = nla_nest_start(skb, KTRC_A_NOTICE);

	if (!nest || nla_put_u32(skb, KTRC_A_NOTICE_KIND, kind) ||
	    nla_put_u64_64bit(skb, KTRC_A_NOTICE_LOST, ktrc_session_lost(s), KTRC_A_NOTICE_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return put_session(skb, s);
}

/*
 * A notice that cannot be sent is one that was not seen: nobody waits for it.  Asked and
 * sent as genl_has_listeners() and genlmsg_multicast() do, which have a WARN.
 */
static void notify(const struct ktrc_session *s, u32 kind)
{
	const u32 group = ktrc_family.mcgrp_offset; /* the family's only one */
	struct sk_buff *skb;
	void *head;

	if (!netlink_has_listeners(init_net.genl_sock, group))
		return;
	skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!skb)
		return;
	head = genlmsg_put(skb, 0, 0, &ktrc_family, 0, KTRC_CMD_NOTICE);
	if (!head || put_notice(skb, s, kind)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	nlmsg_multicast(init_net.genl_sock, skb, 0, group, GFP_KERNEL);
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
	{ .cmd = KTRC_CMD_NAMES_GET, .start = dump_start, .dumpit = ktrc_names_dump },
};

struct genl_family ktrc_family __ro_after_init = {
	.name = KTRC_GENL_NAME,
	.version = KTRC_GENL_VERSION,
	.maxattr = KTRC_A_MAX,
	.policy = top_policy,
	.module = THIS_MODULE,
	.ops = ktrc_ops,
	.n_ops = ARRAY_SIZE(ktrc_ops),
	.mcgrps = ktrc_groups,
	.n_mcgrps = ARRAY_SIZE(ktrc_groups),
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
	ktrc_session_notice = notify;
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
