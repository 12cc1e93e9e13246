// SPDX-License-Identifier: GPL-2.0-or-later
/* Netlink: what is asked of the module. */
#include <errno.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>

#include "array.h"
#include "cleanup.h"
#include "nl_internal.h"
#include "../../uapi/ktrc_events.h"

static void cleanup_msg(struct nl_msg **msg)
{
	nlmsg_free(*msg);
}
#define __ktrc_msg KTRC_CLEANUP(cleanup_msg)

static int put_rule(struct nl_msg *msg, u32 event, const struct ktrc_rule *rule)
{
	struct nlattr *nest;
	int ret;

	if (!rule->min_ns && !rule->sample && !rule->flags && !ktrc_rule_has_stacks(rule))
		return 0;
	nest = nla_nest_start(msg, KTRC_A_SESSION_RULE | NLA_F_NESTED);
	if (!nest)
		return -ENOMEM;
	ret = nla_put_u32(msg, KTRC_A_RULE_EVENT, event);
	if (ret == 0)
		ret = nla_put_u32(msg, KTRC_A_RULE_FLAGS, rule->flags);
	if (ret == 0)
		ret = nla_put_u64(msg, KTRC_A_RULE_MIN_NS, rule->min_ns);
	if (ret == 0 && rule->sample)
		ret = nla_put_u32(msg, KTRC_A_RULE_SAMPLE, rule->sample);
	if (ret == 0 && rule->user_frames)
		ret = nla_put_u32(msg, KTRC_A_RULE_USER_FRAMES, rule->user_frames);
	if (ret == 0 && rule->kernel_frames)
		ret = nla_put_u32(msg, KTRC_A_RULE_KERNEL_FRAMES, rule->kernel_frames);
	if (ret == 0 && rule->user_bytes)
		ret = nla_put_u32(msg, KTRC_A_RULE_USER_BYTES, rule->user_bytes);
	nla_nest_end(msg, nest);
	return ret;
}

/* What only a new session is told. */
static int put_filters(struct nl_msg *msg, const struct ktrc_session *s, int owner)
{
	int ret = nla_put_flag(msg, KTRC_A_SESSION_REPLACE);

	if (ret == 0 && owner >= 0)
		ret = nla_put_u32(msg, KTRC_A_SESSION_BIND, (u32)owner);
	for (u32 i = 0; ret == 0 && i < s->nr_pids; i++)
		ret = nla_put_u32(msg, KTRC_A_SESSION_PID, s->pids[i]);
	if (ret == 0 && s->cgid)
		ret = nla_put_u64(msg, KTRC_A_SESSION_CGROUP, s->cgid);
	if (ret == 0 && s->max_seconds)
		ret = nla_put_u32(msg, KTRC_A_SESSION_MAX_SECONDS, s->max_seconds);
	for (u32 id = 0; ret == 0 && id < KTRC_MAX_EVENTS; id++)
		ret = put_rule(msg, id, &s->rules[id]);
	return ret;
}

/* A request about a session: all its non-zero members, or only those a verb needs. */
static int put_session(struct nl_msg *msg, u8 cmd, const struct ktrc_session *s,
		       const struct ktrc_nl_call *call)
{
	struct nlattr *nest = nla_nest_start(msg, KTRC_A_SESSION | NLA_F_NESTED);
	int ret;

	if (!nest)
		return -ENOMEM;
	ret = nla_put_string(msg, KTRC_A_SESSION_NAME, s->name);
	if (ret == 0 && cmd == KTRC_CMD_SESSION_NEW)
		ret = put_filters(msg, s, call->owner);
	if (ret == 0 && s->mode)
		ret = nla_put_u32(msg, KTRC_A_SESSION_MODE, s->mode);
	if (ret == 0 && s->events)
		ret = nla_put_u64(msg, KTRC_A_SESSION_EVENTS, s->events);
	if (ret == 0 && s->memory_bytes)
		ret = nla_put_u64(msg, KTRC_A_SESSION_MEMORY, s->memory_bytes);
	if (ret == 0 && s->packet_bytes)
		ret = nla_put_u32(msg, KTRC_A_SESSION_PACKET_BYTES, s->packet_bytes);
	if (ret == 0 && s->state)
		ret = nla_put_u32(msg, KTRC_A_SESSION_STATE, s->state);
	if (ret < 0)
		return -ENOMEM;
	nla_nest_end(msg, nest);
	return 0;
}

/* A dump can be overtaken by a change; it is then asked for again. */
#define DUMP_TRIES 5

static int call_once(struct ktrc_nl *nl, u8 cmd, int flags, const struct ktrc_session *session,
		     struct ktrc_nl_call *call)
{
	__ktrc_msg struct nl_msg *msg = ktrc_nl_new_msg(nl, cmd, flags);

	if (!msg || (session && put_session(msg, cmd, session, call) < 0))
		return -ENOMEM;
	return ktrc_nl_transact(nl, msg, call);
}

/* A failed call in words; @session is NULL for calls that concern none. */
static int say_failure(int ret, const struct ktrc_nl_call *call, const char *session,
		       struct ktrc_error *err)
{
	const char *noun = session ? "session " : "netlink";
	const char *name = session ? session : "";

	if (ret == 0)
		return 0;
	if (ret == -ENOENT && session && !call->is_new) {
		ktrc_fail_as(err, ENOENT, KTRC_EXIT_NOTHING, "there is no session \"%s\"", name);
		ktrc_hint(err, "ktrc-ctl start --session=%s    makes it and starts recording",
			  name);
		return ret;
	}
	ktrc_fail(err, -ret, "%s%s", noun, name);
	if (ret == -EAGAIN)
		snprintf(err->text, sizeof(err->text), "%s%s: it changes while it is read", noun,
			 name);
	else if (ret == -EPERM)
		snprintf(err->text, sizeof(err->text), "%s%s: needs CAP_PERFMON or CAP_SYS_ADMIN",
			 noun, name);
	else if (call->kernel_text[0])
		snprintf(err->text, sizeof(err->text), "%s%s: %s", noun, name, call->kernel_text);
	if (ret == -EOPNOTSUPP && session) {
		err->code = KTRC_EXIT_UNAVAILABLE;
		ktrc_hint(err, "ktrc-ctl doctor    shows every hook");
	}
	if (err->code == KTRC_EXIT_PERMISSION)
		ktrc_hint(err, KTRC_HINT_RIGHTS);
	return ret;
}

static int request(struct ktrc_nl *nl, u8 cmd, const struct ktrc_session *session,
		   struct ktrc_nl_call *call, struct ktrc_error *err)
{
	int ret = call_once(nl, cmd, NLM_F_ACK, session, call);

	return say_failure(ret, call, session->name, err);
}

int ktrc_nl_session_new(struct ktrc_nl *nl, const struct ktrc_session *session, int owner,
			struct ktrc_error *err)
{
	struct ktrc_nl_call call = { .is_new = true, .owner = owner };
	int ret = request(nl, KTRC_CMD_SESSION_NEW, session, &call, err);

	/* it is sessions that there are too many of, and no disk that is full */
	if (ret == -ENOSPC)
		err->hint[0] = '\0';
	return ret;
}

static int named(struct ktrc_session *session, const char *name, struct ktrc_error *err)
{
	if (strlen(name) >= sizeof(session->name) || !name[0])
		return ktrc_fail_as(err, EINVAL, KTRC_EXIT_USAGE,
				    "session \"%s\": a name has 1 to %d characters", name,
				    KTRC_NAME_LEN - 1);
	strcpy(session->name, name);
	return 0;
}

int ktrc_nl_session_set(struct ktrc_nl *nl, const char *name, u32 state, struct ktrc_error *err)
{
	struct ktrc_session session = { .state = state };
	struct ktrc_nl_call call = { 0 };
	int ret = named(&session, name, err);

	return ret < 0 ? ret : request(nl, KTRC_CMD_SESSION_SET, &session, &call, err);
}

int ktrc_nl_session_del(struct ktrc_nl *nl, const char *name, struct ktrc_error *err)
{
	struct ktrc_session session = { 0 };
	struct ktrc_nl_call call = { 0 };
	int ret = named(&session, name, err);

	return ret < 0 ? ret : request(nl, KTRC_CMD_SESSION_DEL, &session, &call, err);
}

static int on_session(struct ktrc_nl_call *call, struct nlattr *nest, u32 attr)
{
	return attr == KTRC_A_SESSION ? ktrc_nl_parse_session(nest, call->arg) : 0;
}

int ktrc_nl_session_get(struct ktrc_nl *nl, const char *name, struct ktrc_session *session,
			struct ktrc_error *err)
{
	struct ktrc_session wanted = { 0 };
	struct ktrc_nl_call call = { .on_nest = on_session, .arg = session };
	int ret = named(&wanted, name, err);

	if (ret < 0)
		return ret;
	memset(session, 0, sizeof(*session));
	return request(nl, KTRC_CMD_SESSION_GET, &wanted, &call, err);
}

/* Dumps until one is not overtaken; @forget empties what an overtaken one had filled. */
static int dump(struct ktrc_nl *nl, u8 cmd, const struct ktrc_session *session,
		struct ktrc_nl_call *call, void (*forget)(void *arg))
{
	struct ktrc_nl_call fresh = *call;
	int ret = -EAGAIN;

	for (int i = 0; i < DUMP_TRIES && ret == -EAGAIN; i++) {
		forget(call->arg);
		*call = fresh;
		ret = call_once(nl, cmd, NLM_F_DUMP, session, call);
	}
	return ret;
}

struct session_list {
	struct ktrc_session *rows;
	size_t nr;
};

static int on_session_row(struct ktrc_nl_call *call, struct nlattr *nest, u32 attr)
{
	struct session_list *list = call->arg;
	struct ktrc_session *row;

	if (attr != KTRC_A_SESSION)
		return 0;
	row = ktrc_array_push(list->rows, list->nr);
	return row ? ktrc_nl_parse_session(nest, row) : -ENOMEM;
}

static void forget_sessions(void *arg)
{
	struct session_list *list = arg;

	free(list->rows);
	*list = (struct session_list){ 0 };
}

int ktrc_nl_sessions(struct ktrc_nl *nl, struct ktrc_session **sessions, size_t *nr,
		     struct ktrc_error *err)
{
	struct session_list list = { 0 };
	struct ktrc_nl_call call = { .on_nest = on_session_row, .arg = &list };
	int ret = dump(nl, KTRC_CMD_SESSION_GET, NULL, &call, forget_sessions);

	if (ret < 0) {
		free(list.rows);
		return say_failure(ret, &call, NULL, err);
	}
	*sessions = list.rows;
	*nr = list.nr;
	return 0;
}

static int on_schema_row(struct ktrc_nl_call *call, struct nlattr *nest, u32 attr)
{
	struct ktrc_schema *schema = *(struct ktrc_schema **)call->arg;

	if (!schema)
		return -ENOMEM;
	if (attr == KTRC_A_EVENT)
		return ktrc_nl_parse_event(nest, schema);
	return attr == KTRC_A_VALUE ? ktrc_nl_parse_value(nest, schema) : 0;
}

static void forget_schema(void *arg)
{
	struct ktrc_schema **schema = arg;

	ktrc_schema_destroy(*schema);
	*schema = ktrc_schema_create();
}

int ktrc_nl_schema(struct ktrc_nl *nl, struct ktrc_schema **ret_schema, struct ktrc_error *err)
{
	__ktrc_schema struct ktrc_schema *schema = NULL;
	struct ktrc_nl_call call = { .on_nest = on_schema_row, .arg = &schema };
	int ret = dump(nl, KTRC_CMD_SCHEMA_GET, NULL, &call, forget_schema);

	if (ret < 0)
		return say_failure(ret, &call, NULL, err);
	ret = ktrc_schema_finish(schema, err);
	if (ret == 0)
		*ret_schema = ktrc_steal(schema);
	return ret;
}

static int on_counters_row(struct ktrc_nl_call *call, struct nlattr *nest, u32 attr)
{
	return attr == KTRC_A_COUNTERS ? ktrc_nl_parse_counters(nest, call->arg) : 0;
}

static void forget_counters(void *arg)
{
	struct ktrc_counter_set *set = arg;

	free(set->rows);
	*set = (struct ktrc_counter_set){ 0 };
}

int ktrc_nl_counters(struct ktrc_nl *nl, const char *name, struct ktrc_counter_set *set,
		     struct ktrc_error *err)
{
	struct ktrc_session session = { 0 };
	struct ktrc_nl_call call = { .on_nest = on_counters_row, .arg = set };
	int ret = named(&session, name, err);

	*set = (struct ktrc_counter_set){ 0 };
	if (ret < 0)
		return ret;
	ret = dump(nl, KTRC_CMD_COUNTERS_GET, &session, &call, forget_counters);
	if (ret < 0)
		forget_counters(set);
	return say_failure(ret, &call, name, err);
}

static int on_name_row(struct ktrc_nl_call *call, struct nlattr *nest, u32 attr)
{
	return attr == KTRC_A_NAME ? ktrc_names_parse(nest, call->arg) : 0;
}

static void forget_names(void *arg)
{
	ktrc_names_release(arg);
}

int ktrc_nl_names(struct ktrc_nl *nl, struct ktrc_names *names, struct ktrc_error *err)
{
	struct ktrc_names fresh = { 0 };
	struct ktrc_nl_call call = { .on_nest = on_name_row, .arg = &fresh };
	int ret = dump(nl, KTRC_CMD_NAMES_GET, NULL, &call, forget_names);

	if (ret < 0) {
		ktrc_names_release(&fresh);
		return say_failure(ret, &call, NULL, err);
	}
	ktrc_names_renew(names, &fresh);
	return 0;
}
