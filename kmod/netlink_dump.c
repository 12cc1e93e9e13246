// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: dumps of the schema and of a session's counters.  Each message is
 * one row; a dump that does not fit one buffer goes on from the row it came to.
 */
#include "attach.h"
#include "hook.h"
#include "names.h"
#include "netlink.h"
#include "schema.h"

/**
 * ktrc_dump_begin() - begin one message of a dump
 * @skb: to fill
 * @cb: the dump, with @cb->seq set if it walks sessions
 * @cmd: enum ktrc_cmd
 *
 * Return: for ktrc_dump_end(); NULL when there is no room.
 */
void *ktrc_dump_begin(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &ktrc_family,
				 NLM_F_MULTI, cmd);

	if (head)
		genl_dump_check_consistent(cb, head);
	return head;
}

/**
 * ktrc_dump_end() - end a message, or take it back
 * @skb: it is in
 * @head: what began it
 * @err: not zero: it did not fit
 *
 * Return: 0 or -EMSGSIZE
 */
int ktrc_dump_end(struct sk_buff *skb, void *head, int err)
{
	if (err) {
		/* not genlmsg_cancel(): it has a WARN */
		skb_trim(skb, (u8 *)head - GENL_HDRLEN - NLMSG_HDRLEN - skb->data);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

/**
 * ktrc_dump_part() - what dumpit returns
 * @skb: filled as far as possible
 * @err: -EMSGSIZE when a message did not fit
 *
 * Return: the error if not even one fitted, which no further part would mend
 */
int ktrc_dump_part(const struct sk_buff *skb, int err)
{
	return skb->len ? skb->len : err;
}

/* ---- schema ---- */

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
	const struct ktrc_probe *probe = ktrc_attach_probe(event);
	int err;

	if (!probe)
		return nla_put_u32(skb, KTRC_A_EVENT_AVAIL, KTRC_AVAIL_YES);
	mutex_lock(&ktrc_control);
	err = probe->check();
	mutex_unlock(&ktrc_control);
	if (nla_put_string(skb, KTRC_A_EVENT_HOOK, probe->hook) ||
	    nla_put_u32(skb, KTRC_A_EVENT_RULES, probe->rules | KTRC_RULE_COUNT) ||
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
	void *head = ktrc_dump_begin(skb, cb, KTRC_CMD_SCHEMA_GET);
	int err;

	if (!head)
		return -EMSGSIZE;
	if (row < ktrc_nr_event_descs)
		err = put_event(skb, &ktrc_event_descs[row]);
	else
		err = put_value(skb, &ktrc_value_descs[row - ktrc_nr_event_descs]);
	return ktrc_dump_end(skb, head, err);
}

/**
 * ktrc_schema_dump() - one message for each event and each value of an enumeration
 * @skb: to fill
 * @cb: the dump
 *
 * Return: as netlink's dumpit
 */
int ktrc_schema_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ktrc_dump *d = ktrc_dump_of(cb);
	int err = 0;

	for (; d->row < ktrc_nr_event_descs + ktrc_nr_value_descs; d->row++) {
		err = schema_message(skb, cb, d->row);
		if (err)
			break;
	}
	return ktrc_dump_part(skb, err);
}

/* ---- names ---- */

static int put_name(struct sk_buff *skb, const struct ktrc_name *name)
{
	struct nlattr *nest = nla_nest_start(skb, KTRC_A_NAME);

	if (!nest || nla_put_u64_64bit(skb, KTRC_A_NAME_CGROUP, name->cgid, KTRC_A_NAME_PAD) ||
	    nla_put_string(skb, KTRC_A_NAME_PATH, name->path))
		return -EMSGSIZE;
	if (name->build_id.len &&
	    nla_put(skb, KTRC_A_NAME_BUILD_ID, name->build_id.len, name->build_id.bytes))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int name_message(struct sk_buff *skb, struct netlink_callback *cb,
			const struct ktrc_name *name)
{
	void *head = ktrc_dump_begin(skb, cb, KTRC_CMD_NAMES_GET);

	return head ? ktrc_dump_end(skb, head, put_name(skb, name)) : -EMSGSIZE;
}

/**
 * ktrc_names_dump() - one message for each cgroup whose path is known
 * @skb: to fill
 * @cb: the dump
 *
 * Return: as netlink's dumpit
 */
int ktrc_names_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ktrc_dump *d = ktrc_dump_of(cb);
	struct ktrc_name *name = kmalloc(sizeof(*name), KTRC_GFP);
	int err = 0;

	if (!name)
		return -ENOMEM;
	name->cgid = d->row;
	while (!err && ktrc_names_next(name)) {
		err = name_message(skb, cb, name);
		if (!err)
			d->row = ++name->cgid;
	}
	kfree(name);
	return ktrc_dump_part(skb, err);
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

	ktrc_count_hist(n, hist);
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
	    put_books(skb, &books, is_cpu ? 0 : ktrc_attach_missed(s, event)) ||
	    (is_cpu && put_durations(skb, n)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int counters_message(struct sk_buff *skb, struct netlink_callback *cb,
			    const struct ktrc_session *s, u32 event, u32 cpu)
{
	void *head = ktrc_dump_begin(skb, cb, KTRC_CMD_COUNTERS_GET);

	return head ? ktrc_dump_end(skb, head, put_counters(skb, s, event, cpu)) : -EMSGSIZE;
}

static int dump_rows(struct sk_buff *skb, struct netlink_callback *cb, const struct ktrc_session *s)
{
	struct ktrc_dump *d = ktrc_dump_of(cb);
	u32 rows = nr_cpu_ids + 1;
	int err;

	for (; d->row < KTRC_NR_EVENTS * rows; d->row++) {
		u32 event = (u32)d->row / rows, cpu = (u32)d->row % rows;

		if (!(s->config.events & BIT_ULL(event)) ||
		    (cpu < nr_cpu_ids && !cpu_possible(cpu)))
			continue;
		err = counters_message(skb, cb, s, event, cpu);
		if (err)
			return err;
	}
	return 0;
}

/**
 * ktrc_counters_dump() - one message for each event and CPU of the session named at the start
 * @skb: to fill
 * @cb: the dump
 *
 * Return: as netlink's dumpit
 */
int ktrc_counters_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ktrc_session *s;
	int err = -ENOENT;

	mutex_lock(&ktrc_control);
	cb->seq = ktrc_sessions_seq;
	s = ktrc_session_find(ktrc_dump_of(cb)->name);
	if (s)
		err = ktrc_dump_part(skb, dump_rows(skb, cb, s));
	else
		NL_SET_ERR_MSG(cb->extack, "no session of that name");
	mutex_unlock(&ktrc_control);
	return err;
}
