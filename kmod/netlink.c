// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: policies, messages, and nothing else; the verbs are in
 * session.c.  Handlers run in process context, one at a time.
 */
#include <linux/module.h>
#include <net/genetlink.h>

#include "hook.h"
#include "netlink.h"
#include "schema.h"
#include "session.h"

static struct genl_family ktrc_family;

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

static int session_message(struct sk_buff *skb, const struct ktrc_session *s, u32 portid, u32 seq,
			   int flags)
{
	void *head = genlmsg_put(skb, portid, seq, &ktrc_family, flags, KTRC_CMD_SESSION_GET);

	if (!head)
		return -EMSGSIZE;
	if (put_session(skb, s)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
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
	err = s ? session_message(reply, s, info->snd_portid, info->snd_seq, 0) : -ENOENT;
	mutex_unlock(&ktrc_control);
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	return genlmsg_reply(reply, info);
}

/* ---- dumps ---- */

/**
 * struct dump - state between the parts of a dump
 * @name: counters: the session's
 * @row: next thing to send
 */
struct dump {
	char name[KTRC_NAME_LEN];
	u32 row;
};

static struct dump *dump_of(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct dump) > sizeof(cb->ctx));
	return (struct dump *)cb->ctx;
}

static int dump_start(struct netlink_callback *cb)
{
	struct nlattr *top[KTRC_A_MAX + 1], *tb[KTRC_A_SESSION_MAX + 1];
	int err;

	err = genlmsg_parse(cb->nlh, &ktrc_family, top, KTRC_A_MAX, top_policy, cb->extack);
	if (!err)
		err = parse_session(cb->skb, top[KTRC_A_SESSION], tb, name_policy, cb->extack);
	if (err)
		return err;
	strscpy(dump_of(cb)->name, name_of(tb), KTRC_NAME_LEN);
	return 0;
}

static int sessions_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *d = dump_of(cb);
	struct ktrc_session *s;
	u32 row = 0;

	mutex_lock(&ktrc_control);
	list_for_each_entry(s, &ktrc_sessions, node) {
		if (row++ < d->row)
			continue;
		if (session_message(skb, s, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				    NLM_F_MULTI))
			break;
		d->row = row;
	}
	mutex_unlock(&ktrc_control);
	return skb->len;
}

static int put_field(struct sk_buff *skb, const struct ktrc_field_desc *f, u32 offset)
{
	struct nlattr *nest = nla_nest_start(skb, KTRC_A_EVENT_FIELD);

	if (!nest || nla_put_string(skb, KTRC_A_FIELD_NAME, f->name) ||
	    nla_put_u32(skb, KTRC_A_FIELD_OFFSET, offset) ||
	    nla_put_u32(skb, KTRC_A_FIELD_WIDTH, f->width) ||
	    nla_put_u32(skb, KTRC_A_FIELD_FORMAT, f->format) ||
	    (f->enumeration && nla_put_string(skb, KTRC_A_FIELD_ENUM, f->enumeration)) ||
	    nla_put_string(skb, KTRC_A_FIELD_DOC, f->doc))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_fields(struct sk_buff *skb, u32 event)
{
	u32 i, offset = 0;

	for (i = 0; i < ktrc_nr_field_descs; i++) {
		const struct ktrc_field_desc *f = &ktrc_field_descs[i];

		if (f->event != event)
			continue;
		if (put_field(skb, f, offset))
			return -EMSGSIZE;
		offset += f->width;
	}
	return 0;
}

static int put_availability(struct sk_buff *skb, u32 event)
{
	const struct ktrc_probe *probe = ktrc_session_probe(event);
	int err;

	if (!probe)
		return nla_put_u32(skb, KTRC_A_EVENT_AVAIL, KTRC_AVAIL_YES);
	mutex_lock(&ktrc_control);
	err = probe->check();
	mutex_unlock(&ktrc_control);
	if (nla_put_string(skb, KTRC_A_EVENT_HOOK, probe->hook) ||
	    nla_put_u32(skb, KTRC_A_EVENT_AVAIL, err ? KTRC_AVAIL_NO : KTRC_AVAIL_YES))
		return -EMSGSIZE;
	return err ? nla_put_string(skb, KTRC_A_EVENT_REASON, ktrc_hook_reason(err)) : 0;
}

static int put_event(struct sk_buff *skb, const struct ktrc_event_desc *e)
{
	struct nlattr *nest = nla_nest_start(skb, KTRC_A_EVENT);

	if (!nest || nla_put_u32(skb, KTRC_A_EVENT_ID, e->id) ||
	    nla_put_string(skb, KTRC_A_EVENT_NAME, e->name) ||
	    nla_put_string(skb, KTRC_A_EVENT_LABEL, e->label) ||
	    nla_put_u32(skb, KTRC_A_EVENT_KIND, e->kind) ||
	    nla_put_string(skb, KTRC_A_EVENT_DOC, e->doc) ||
	    nla_put_u32(skb, KTRC_A_EVENT_BYTES, e->bytes) || put_availability(skb, e->id) ||
	    put_fields(skb, e->id))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_value(struct sk_buff *skb, const struct ktrc_value_desc *v)
{
	struct nlattr *nest = nla_nest_start(skb, KTRC_A_VALUE);

	if (!nest || nla_put_string(skb, KTRC_A_VALUE_ENUM, v->enumeration) ||
	    nla_put_u32(skb, KTRC_A_VALUE_NUMBER, v->number) ||
	    nla_put_string(skb, KTRC_A_VALUE_NAME, v->name) ||
	    nla_put_string(skb, KTRC_A_VALUE_DOC, v->doc))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int schema_message(struct sk_buff *skb, struct netlink_callback *cb, u32 row)
{
	void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &ktrc_family,
				 NLM_F_MULTI, KTRC_CMD_SCHEMA_GET);
	int err;

	if (!head)
		return -EMSGSIZE;
	if (row < ktrc_nr_event_descs)
		err = put_event(skb, &ktrc_event_descs[row]);
	else
		err = put_value(skb, &ktrc_value_descs[row - ktrc_nr_event_descs]);
	if (err) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

static int schema_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *d = dump_of(cb);

	for (; d->row < ktrc_nr_event_descs + ktrc_nr_value_descs; d->row++) {
		if (schema_message(skb, cb, d->row))
			break;
	}
	return skb->len;
}

/* ---- counters ---- */

static int put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, KTRC_A_COUNTERS_PAD);
}

static int put_books(struct sk_buff *skb, const struct ktrc_books *b, u64 missed)
{
	if (put_u64(skb, KTRC_A_COUNTERS_HITS, b->hits + missed) ||
	    put_u64(skb, KTRC_A_COUNTERS_WRITTEN, b->written) ||
	    put_u64(skb, KTRC_A_COUNTERS_FILTERED, b->filtered) ||
	    put_u64(skb, KTRC_A_COUNTERS_LOST_FULL, b->lost_by[KTRC_LOST_FULL]) ||
	    put_u64(skb, KTRC_A_COUNTERS_LOST_NEST, b->lost_by[KTRC_LOST_NEST]) ||
	    put_u64(skb, KTRC_A_COUNTERS_LOST_RECURSION, b->lost_by[KTRC_LOST_RECURSION]) ||
	    put_u64(skb, KTRC_A_COUNTERS_LOST_NORING, b->lost_by[KTRC_LOST_NORING]) ||
	    put_u64(skb, KTRC_A_COUNTERS_LOST_MISSED, missed))
		return -EMSGSIZE;
	return 0;
}

static int put_durations(struct sk_buff *skb, const struct ktrc_count *n)
{
	u64 hist[KTRC_HIST_BUCKETS];
	u32 i;

	for (i = 0; i < KTRC_HIST_BUCKETS; i++)
		hist[i] = local_read(&n->hist[i]);
	if (put_u64(skb, KTRC_A_COUNTERS_NESTED, local_read(&n->nested)) ||
	    put_u64(skb, KTRC_A_COUNTERS_SUM, local_read(&n->sum)) ||
	    put_u64(skb, KTRC_A_COUNTERS_LONGEST, READ_ONCE(n->longest)) ||
	    nla_put(skb, KTRC_A_COUNTERS_HIST, sizeof(hist), hist))
		return -EMSGSIZE;
	return 0;
}

/* row @cpu of an event's counters; past the last CPU: what no CPU can be given */
static int put_counters(struct sk_buff *skb, const struct ktrc_session *s, u32 event, u32 cpu)
{
	struct nlattr *nest = nla_nest_start(skb, KTRC_A_COUNTERS);
	bool is_cpu = cpu < nr_cpu_ids;
	const struct ktrc_count *n = NULL;
	struct ktrc_books books = {};

	if (is_cpu) {
		n = &per_cpu_ptr(s->cpus, cpu)->count[event];
		ktrc_count_read(n, &books);
	}
	if (!nest || nla_put_u32(skb, KTRC_A_COUNTERS_EVENT, event) ||
	    nla_put_u32(skb, KTRC_A_COUNTERS_CPU, is_cpu ? cpu : KTRC_CPU_NONE) ||
	    put_books(skb, &books, is_cpu ? 0 : ktrc_session_missed(s, event)) ||
	    (is_cpu && put_durations(skb, n)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int counters_message(struct sk_buff *skb, struct netlink_callback *cb,
			    const struct ktrc_session *s, u32 event, u32 cpu)
{
	void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &ktrc_family,
				 NLM_F_MULTI, KTRC_CMD_COUNTERS_GET);

	if (!head)
		return -EMSGSIZE;
	if (put_counters(skb, s, event, cpu)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

static void dump_rows(struct sk_buff *skb, struct netlink_callback *cb,
		      const struct ktrc_session *s)
{
	struct dump *d = dump_of(cb);
	u32 rows = nr_cpu_ids + 1;

	for (; d->row < KTRC_NR_EVENTS * rows; d->row++) {
		u32 event = d->row / rows, cpu = d->row % rows;

		if (!(s->config.events & BIT_ULL(event)) ||
		    (cpu < nr_cpu_ids && !cpu_possible(cpu)))
			continue;
		if (counters_message(skb, cb, s, event, cpu))
			return;
	}
}

static int counters_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ktrc_session *s;

	mutex_lock(&ktrc_control);
	s = ktrc_session_find(dump_of(cb)->name);
	if (s)
		dump_rows(skb, cb, s);
	else
		NL_SET_ERR_MSG(cb->extack, "no session of that name");
	mutex_unlock(&ktrc_control);
	return s ? skb->len : -ENOENT;
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
	{ .cmd = KTRC_CMD_SCHEMA_GET, .start = dump_start, .dumpit = schema_dump },
	{ .cmd = KTRC_CMD_COUNTERS_GET, .start = dump_start, .dumpit = counters_dump },
};

static struct genl_family ktrc_family __ro_after_init = {
	.name = KTRC_GENL_NAME,
	.version = KTRC_GENL_VERSION,
	.maxattr = KTRC_A_MAX,
	.policy = top_policy,
	.module = THIS_MODULE,
	.ops = ktrc_ops,
	.n_ops = ARRAY_SIZE(ktrc_ops),
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
