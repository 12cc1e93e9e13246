// SPDX-License-Identifier: GPL-2.0-or-later
/* Netlink attributes to structs. */
#include "nl_internal.h"

#include <errno.h>
#include <netlink/netlink.h>

#include "array.h"

#define POLICY_U32              \
	{                       \
		.type = NLA_U32 \
	}
#define POLICY_U64              \
	{                       \
		.type = NLA_U64 \
	}
#define POLICY_STRING                  \
	{                              \
		.type = NLA_NUL_STRING \
	}
#define POLICY_FLAG              \
	{                        \
		.type = NLA_FLAG \
	}

static u32 get_u32(struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static u64 get_u64(struct nlattr *attr)
{
	return attr ? nla_get_u64(attr) : 0;
}

/* A copy of an optional string; what is absent stays NULL. */
static int get_string(struct nlattr *attr, char **ret)
{
	if (!attr)
		return 0;
	*ret = strdup(nla_get_string(attr));
	return *ret ? 0 : -ENOMEM;
}

static int parse_rule(struct nlattr *nest, struct ktrc_session *session)
{
	static struct nla_policy policy[KTRC_A_RULE_MAX + 1] = {
		[KTRC_A_RULE_EVENT] = POLICY_U32,	[KTRC_A_RULE_FLAGS] = POLICY_U32,
		[KTRC_A_RULE_MIN_NS] = POLICY_U64,	[KTRC_A_RULE_SAMPLE] = POLICY_U32,
		[KTRC_A_RULE_USER_FRAMES] = POLICY_U32, [KTRC_A_RULE_KERNEL_FRAMES] = POLICY_U32,
		[KTRC_A_RULE_USER_BYTES] = POLICY_U32,
	};
	struct nlattr *a[KTRC_A_RULE_MAX + 1];
	u32 event;

	if (nla_parse_nested(a, KTRC_A_RULE_MAX, nest, policy) < 0 || !a[KTRC_A_RULE_EVENT])
		return -EPROTO;
	event = get_u32(a[KTRC_A_RULE_EVENT]);
	if (event >= KTRC_MAX_EVENTS)
		return -EPROTO;
	session->rules[event] = (struct ktrc_rule){
		.min_ns = get_u64(a[KTRC_A_RULE_MIN_NS]),
		.sample = get_u32(a[KTRC_A_RULE_SAMPLE]),
		.flags = get_u32(a[KTRC_A_RULE_FLAGS]),
		.user_frames = get_u32(a[KTRC_A_RULE_USER_FRAMES]),
		.kernel_frames = get_u32(a[KTRC_A_RULE_KERNEL_FRAMES]),
		.user_bytes = get_u32(a[KTRC_A_RULE_USER_BYTES]),
	};
	return 0;
}

static int parse_pid(struct nlattr *attr, struct ktrc_session *session)
{
	if (nla_len(attr) != sizeof(u32) || session->nr_pids == KTRC_MAX_PIDS)
		return -EPROTO;
	session->pids[session->nr_pids++] = nla_get_u32(attr);
	return 0;
}

/* What may come several times. */
static int parse_filters(struct nlattr *nest, struct ktrc_session *session)
{
	struct nlattr *attr;
	int left, ret = 0;

	nla_for_each_nested(attr, nest, left) {
		if (nla_type(attr) == KTRC_A_SESSION_RULE)
			ret = parse_rule(attr, session);
		else if (nla_type(attr) == KTRC_A_SESSION_PID)
			ret = parse_pid(attr, session);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int ktrc_nl_parse_session(struct nlattr *nest, struct ktrc_session *session)
{
	static struct nla_policy policy[KTRC_A_SESSION_MAX + 1] = {
		[KTRC_A_SESSION_NAME] = POLICY_STRING,
		[KTRC_A_SESSION_MODE] = POLICY_U32,
		[KTRC_A_SESSION_EVENTS] = POLICY_U64,
		[KTRC_A_SESSION_MEMORY] = POLICY_U64,
		[KTRC_A_SESSION_PACKET_BYTES] = POLICY_U32,
		[KTRC_A_SESSION_STATE] = POLICY_U32,
		[KTRC_A_SESSION_STOP_REASON] = POLICY_U32,
		[KTRC_A_SESSION_BOUND] = POLICY_FLAG,
		[KTRC_A_SESSION_CONSUMER] = POLICY_FLAG,
		[KTRC_A_SESSION_CGROUP] = POLICY_U64,
		[KTRC_A_SESSION_MAX_SECONDS] = POLICY_U32,
		[KTRC_A_SESSION_NAMES_MISSED] = POLICY_U64,
	};
	struct nlattr *a[KTRC_A_SESSION_MAX + 1];
	const char *name;

	if (nla_parse_nested(a, KTRC_A_SESSION_MAX, nest, policy) < 0 || !a[KTRC_A_SESSION_NAME])
		return -EPROTO;
	name = nla_get_string(a[KTRC_A_SESSION_NAME]);
	if (strlen(name) >= sizeof(session->name))
		return -EPROTO;
	*session = (struct ktrc_session){
		.mode = get_u32(a[KTRC_A_SESSION_MODE]),
		.state = get_u32(a[KTRC_A_SESSION_STATE]),
		.stop_reason = get_u32(a[KTRC_A_SESSION_STOP_REASON]),
		.packet_bytes = get_u32(a[KTRC_A_SESSION_PACKET_BYTES]),
		.events = get_u64(a[KTRC_A_SESSION_EVENTS]),
		.memory_bytes = get_u64(a[KTRC_A_SESSION_MEMORY]),
		.is_bound = a[KTRC_A_SESSION_BOUND],
		.has_consumer = a[KTRC_A_SESSION_CONSUMER],
		.cgid = get_u64(a[KTRC_A_SESSION_CGROUP]),
		.max_seconds = get_u32(a[KTRC_A_SESSION_MAX_SECONDS]),
		.names_missed = get_u64(a[KTRC_A_SESSION_NAMES_MISSED]),
	};
	strcpy(session->name, name);
	return parse_filters(nest, session);
}

int ktrc_nl_parse_notice(struct nlattr *nest, struct ktrc_notice_message *message)
{
	static struct nla_policy policy[KTRC_A_NOTICE_MAX + 1] = {
		[KTRC_A_NOTICE_KIND] = POLICY_U32,
		[KTRC_A_NOTICE_LOST] = POLICY_U64,
	};
	struct nlattr *a[KTRC_A_NOTICE_MAX + 1];

	if (nla_parse_nested(a, KTRC_A_NOTICE_MAX, nest, policy) < 0 || !a[KTRC_A_NOTICE_KIND])
		return -EPROTO;
	message->kind = get_u32(a[KTRC_A_NOTICE_KIND]);
	message->lost = get_u64(a[KTRC_A_NOTICE_LOST]);
	return 0;
}

static int parse_field(struct nlattr *nest, struct ktrc_event *event)
{
	static struct nla_policy policy[KTRC_A_FIELD_MAX + 1] = {
		[KTRC_A_FIELD_NAME] = POLICY_STRING, [KTRC_A_FIELD_OFFSET] = POLICY_U32,
		[KTRC_A_FIELD_WIDTH] = POLICY_U32,   [KTRC_A_FIELD_FORMAT] = POLICY_U32,
		[KTRC_A_FIELD_ENUM] = POLICY_STRING, [KTRC_A_FIELD_DOC] = POLICY_STRING,
	};
	struct nlattr *a[KTRC_A_FIELD_MAX + 1];
	struct ktrc_field *field;

	if (nla_parse_nested(a, KTRC_A_FIELD_MAX, nest, policy) < 0 || !a[KTRC_A_FIELD_NAME])
		return -EPROTO;
	field = ktrc_array_push(event->fields, event->nr_fields);
	if (!field)
		return -ENOMEM;
	field->offset_bits = get_u32(a[KTRC_A_FIELD_OFFSET]);
	field->width_bits = get_u32(a[KTRC_A_FIELD_WIDTH]);
	field->format = get_u32(a[KTRC_A_FIELD_FORMAT]);
	if (get_string(a[KTRC_A_FIELD_NAME], &field->name) < 0 ||
	    get_string(a[KTRC_A_FIELD_ENUM], &field->enum_name) < 0 ||
	    get_string(a[KTRC_A_FIELD_DOC], &field->doc) < 0)
		return -ENOMEM;
	return 0;
}

static int parse_fields(struct nlattr *nest, struct ktrc_event *event)
{
	struct nlattr *attr;
	int left, ret;

	nla_for_each_nested(attr, nest, left) {
		if (nla_type(attr) != KTRC_A_EVENT_FIELD)
			continue;
		ret = parse_field(attr, event);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int ktrc_nl_parse_event(struct nlattr *nest, struct ktrc_schema *schema)
{
	static struct nla_policy policy[KTRC_A_EVENT_MAX + 1] = {
		[KTRC_A_EVENT_ID] = POLICY_U32,	       [KTRC_A_EVENT_NAME] = POLICY_STRING,
		[KTRC_A_EVENT_LABEL] = POLICY_STRING,  [KTRC_A_EVENT_KIND] = POLICY_U32,
		[KTRC_A_EVENT_DOC] = POLICY_STRING,    [KTRC_A_EVENT_AVAIL] = POLICY_U32,
		[KTRC_A_EVENT_REASON] = POLICY_STRING, [KTRC_A_EVENT_HOOK] = POLICY_STRING,
		[KTRC_A_EVENT_BYTES] = POLICY_U32,     [KTRC_A_EVENT_RULES] = POLICY_U32,
	};
	struct nlattr *a[KTRC_A_EVENT_MAX + 1];
	struct ktrc_event *event;
	u32 id;

	if (nla_parse_nested(a, KTRC_A_EVENT_MAX, nest, policy) < 0 || !a[KTRC_A_EVENT_NAME] ||
	    !a[KTRC_A_EVENT_LABEL])
		return -EPROTO;
	id = get_u32(a[KTRC_A_EVENT_ID]);
	if (id >= KTRC_MAX_EVENTS || schema->events[id].name)
		return -EPROTO;
	event = &schema->events[id];
	event->id = id;
	event->kind = get_u32(a[KTRC_A_EVENT_KIND]);
	event->avail = get_u32(a[KTRC_A_EVENT_AVAIL]);
	event->bytes = get_u32(a[KTRC_A_EVENT_BYTES]);
	event->rules = get_u32(a[KTRC_A_EVENT_RULES]);
	if (get_string(a[KTRC_A_EVENT_NAME], &event->name) < 0 ||
	    get_string(a[KTRC_A_EVENT_LABEL], &event->label) < 0 ||
	    get_string(a[KTRC_A_EVENT_DOC], &event->doc) < 0 ||
	    get_string(a[KTRC_A_EVENT_REASON], &event->reason) < 0 ||
	    get_string(a[KTRC_A_EVENT_HOOK], &event->hook) < 0)
		return -ENOMEM;
	return parse_fields(nest, event);
}

int ktrc_nl_parse_value(struct nlattr *nest, struct ktrc_schema *schema)
{
	static struct nla_policy policy[KTRC_A_VALUE_MAX + 1] = {
		[KTRC_A_VALUE_ENUM] = POLICY_STRING,
		[KTRC_A_VALUE_NUMBER] = POLICY_U32,
		[KTRC_A_VALUE_NAME] = POLICY_STRING,
		[KTRC_A_VALUE_DOC] = POLICY_STRING,
	};
	struct nlattr *a[KTRC_A_VALUE_MAX + 1];

	if (nla_parse_nested(a, KTRC_A_VALUE_MAX, nest, policy) < 0 || !a[KTRC_A_VALUE_ENUM] ||
	    !a[KTRC_A_VALUE_NAME])
		return -EPROTO;
	return ktrc_schema_add_value(
		schema, nla_get_string(a[KTRC_A_VALUE_ENUM]), get_u32(a[KTRC_A_VALUE_NUMBER]),
		nla_get_string(a[KTRC_A_VALUE_NAME]),
		a[KTRC_A_VALUE_DOC] ? nla_get_string(a[KTRC_A_VALUE_DOC]) : "");
}

int ktrc_nl_parse_counters(struct nlattr *nest, struct ktrc_counter_set *set)
{
	struct nlattr *a[KTRC_A_COUNTERS_MAX + 1], *hist;
	struct ktrc_counters *row;

	if (nla_parse_nested(a, KTRC_A_COUNTERS_MAX, nest, NULL) < 0)
		return -EPROTO;
	row = ktrc_array_push(set->rows, set->nr);
	if (!row)
		return -ENOMEM;
	row->event = get_u32(a[KTRC_A_COUNTERS_EVENT]);
	if (row->event >= KTRC_MAX_EVENTS)
		return -EPROTO;
	row->cpu = get_u32(a[KTRC_A_COUNTERS_CPU]);
	for (size_t i = 0; i < KTRC_NR_COUNTERS; i++)
		*ktrc_counter_of(&ktrc_counter_table[i], row) =
			get_u64(a[ktrc_counter_table[i].attr]);
	hist = a[KTRC_A_COUNTERS_HIST];
	if (hist)
		nla_memcpy(row->hist, hist, sizeof(row->hist));
	return 0;
}
