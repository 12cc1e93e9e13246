// SPDX-License-Identifier: GPL-2.0-or-later
/* Netlink transactions: one request, its answers, its verdict. */
#include "nl.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/family.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <sys/socket.h>

#include "array.h"
#include "cleanup.h"
#include "nl_internal.h"
#include "../../uapi/ktrc_events.h"

struct ktrc_nl {
	struct nl_sock *sock;
	int family;
};

/* A request under way. */
struct call {
	int (*on_nest)(struct call *call, struct nlattr *nest, u32 attr);
	void *arg;
	int result; /* 0 or the first failure */
	bool is_done;
	bool is_new; /* makes a session: what is not there is something else */
	int owner; /* of a new session: the file that it is bound to; -1: none */
	bool is_overtaken; /* a dump whose parts do not go together */
	char kernel_text[200];
};

static void cleanup_msg(struct nl_msg **msg)
{
	nlmsg_free(*msg);
}
#define __ktrc_msg KTRC_CLEANUP(cleanup_msg)

static void cleanup_cb(struct nl_cb **cb)
{
	nl_cb_put(*cb);
}
#define __ktrc_cb KTRC_CLEANUP(cleanup_cb)

void ktrc_nl_close(struct ktrc_nl *nl)
{
	if (!nl)
		return;
	nl_socket_free(nl->sock);
	free(nl);
}

void ktrc_cleanup_nl(struct ktrc_nl **nl)
{
	ktrc_nl_close(*nl);
}

/* libnl has its own error numbers; those a user can meet here, as errno. */
static int errno_of(int nlerr)
{
	switch (-nlerr) {
	case NLE_PERM:
	case NLE_NOACCESS:
		return EPERM;
	case NLE_NOMEM:
		return ENOMEM;
	case NLE_OBJ_NOTFOUND:
	case NLE_NODEV:
		return ENODEV;
	case NLE_INTR:
		return EINTR;
	default:
		return EIO;
	}
}

static int module_missing(struct ktrc_error *err)
{
	int ret = ktrc_fail_as(err, ENODEV, KTRC_EXIT_NOTHING, "the module ktrc is not loaded");

	ktrc_hint(err, "sudo modprobe ktrc    or, from a build tree,    sudo insmod ./ktrc.ko");
	return ret;
}

static int check_version(struct ktrc_nl *nl, struct ktrc_error *err)
{
	struct nl_cache *cache = NULL;
	struct genl_family *family;
	int version = -1, ret;

	ret = genl_ctrl_alloc_cache(nl->sock, &cache);
	if (ret < 0)
		return ktrc_fail(err, errno_of(ret), "netlink: list of families");
	family = genl_ctrl_search_by_name(cache, KTRC_GENL_NAME);
	if (family) {
		version = genl_family_get_version(family);
		genl_family_put(family);
	}
	nl_cache_free(cache);
	if (version == KTRC_GENL_VERSION)
		return 0;
	ret = ktrc_fail_as(err, EPROTO, KTRC_EXIT_ABI,
			   "the loaded module has ABI %d, this tool ABI %d (schema %d)", version,
			   KTRC_ABI, KTRC_SCHEMA);
	ktrc_hint(err, KTRC_HINT_ABI);
	return ret;
}

static int connect_family(struct ktrc_nl *nl, struct ktrc_error *err)
{
	int on = 1, ret;

	ret = genl_connect(nl->sock);
	if (ret < 0)
		return ktrc_fail(err, errno_of(ret), "netlink: cannot connect");
	setsockopt(nl_socket_get_fd(nl->sock), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	nl_socket_set_buffer_size(nl->sock, 1 << 20, 0);
	nl->family = genl_ctrl_resolve(nl->sock, KTRC_GENL_NAME);
	if (nl->family < 0)
		return errno_of(nl->family) == ENODEV ?
			       module_missing(err) :
			       ktrc_fail(err, errno_of(nl->family), "netlink: family ktrc");
	return 0;
}

int ktrc_nl_open(struct ktrc_nl **ret_nl, struct ktrc_error *err)
{
	__ktrc_nl struct ktrc_nl *nl = NULL;
	int ret;

	ret = ktrc_nl_open_any(&nl, err);
	if (ret == 0)
		ret = check_version(nl, err);
	if (ret == 0)
		*ret_nl = ktrc_steal(nl);
	return ret;
}

int ktrc_nl_open_any(struct ktrc_nl **ret_nl, struct ktrc_error *err)
{
	__ktrc_nl struct ktrc_nl *nl = calloc(1, sizeof(*nl));
	int ret;

	if (!nl)
		return ktrc_fail(err, ENOMEM, "netlink");
	nl->sock = nl_socket_alloc();
	if (!nl->sock)
		return ktrc_fail(err, ENOMEM, "netlink");
	ret = connect_family(nl, err);
	if (ret < 0)
		return ret;
	*ret_nl = ktrc_steal(nl);
	return 0;
}

/* The kernel's sentence stands behind the error, and behind the request if that is sent back. */
static void take_kernel_text(struct call *call, struct nlmsghdr *header, int skip)
{
	int left = (int)header->nlmsg_len - NLMSG_HDRLEN - skip;
	struct nlattr *text;

	if (!(header->nlmsg_flags & NLM_F_ACK_TLVS) || left < NLA_HDRLEN)
		return;
	text = nla_find((struct nlattr *)((char *)NLMSG_DATA(header) + skip), left,
			NLMSGERR_ATTR_MSG);
	if (text)
		nla_strlcpy(call->kernel_text, text, sizeof(call->kernel_text));
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
	struct nlmsghdr *header = (struct nlmsghdr *)((char *)error - NLMSG_HDRLEN);
	struct call *call = arg;
	int skip = sizeof(*error);

	(void)from;
	if (!(header->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(error->msg.nlmsg_len) - NLMSG_HDRLEN;
	call->result = error->error;
	call->is_done = true;
	take_kernel_text(call, header, skip);
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct call *call = arg;

	(void)msg;
	call->is_done = true;
	return NL_STOP;
}

/* The end of a dump may itself be an error. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);
	struct call *call = arg;
	int error = 0;

	if (header->nlmsg_len >= NLMSG_LENGTH(sizeof(error)))
		memcpy(&error, NLMSG_DATA(header), sizeof(error));
	if (error < 0 && call->result == 0) {
		call->result = error;
		take_kernel_text(call, header, sizeof(error));
	}
	call->is_done = true;
	return NL_STOP;
}

static int on_answer(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);
	struct call *call = arg;
	struct nlattr *attr;
	int left, ret;

	if (!genlmsg_valid_hdr(header, 0))
		return NL_SKIP;
	nlmsg_for_each_attr(attr, header, GENL_HDRLEN, left) {
		ret = call->on_nest ? call->on_nest(call, attr, (u32)nla_type(attr)) : 0;
		if (ret < 0 && call->result == 0)
			call->result = ret;
	}
	return NL_OK;
}

/* Its other parts are read all the same: the next answer stands behind them. */
static int on_overtaken(struct nl_msg *msg, void *arg)
{
	struct call *call = arg;

	(void)msg;
	call->is_overtaken = true;
	return NL_OK;
}

/* Sends @msg and hands every nest of every answer to the call. */
static int transact(struct ktrc_nl *nl, struct nl_msg *msg, struct call *call)
{
	__ktrc_cb struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int ret;

	if (!cb)
		return -ENOMEM;
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, call);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, call);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, call);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_answer, call);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_overtaken, call);
	ret = nl_send_auto(nl->sock, msg);
	while (ret >= 0 && !call->is_done) {
		ret = nl_recvmsgs(nl->sock, cb);
		if (ret == -NLE_INTR)
			ret = 0;
	}
	if (call->result)
		return call->result;
	if (ret < 0 && !call->is_done)
		return -errno_of(ret);
	return call->is_overtaken ? -EAGAIN : 0;
}

static struct nl_msg *new_msg(struct ktrc_nl *nl, u8 cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, nl->family, 0, flags, cmd,
			       KTRC_GENL_VERSION))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

static int put_rule(struct nl_msg *msg, u32 event, const struct ktrc_rule *rule)
{
	struct nlattr *nest;
	int ret;

	if (!rule->min_ns && !rule->sample && !rule->flags)
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
		       const struct call *call)
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
		     struct call *call)
{
	__ktrc_msg struct nl_msg *msg = new_msg(nl, cmd, flags);

	if (!msg || (session && put_session(msg, cmd, session, call) < 0))
		return -ENOMEM;
	return transact(nl, msg, call);
}

/* A failed call in words; @session is NULL for calls that concern none. */
static int say_failure(int ret, const struct call *call, const char *session,
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
		ktrc_hint(err, "run it as root (sudo), or with CAP_PERFMON");
	return ret;
}

static int request(struct ktrc_nl *nl, u8 cmd, const struct ktrc_session *session,
		   struct call *call, struct ktrc_error *err)
{
	int ret = call_once(nl, cmd, NLM_F_ACK, session, call);

	return say_failure(ret, call, session->name, err);
}

int ktrc_nl_session_new(struct ktrc_nl *nl, const struct ktrc_session *session, int owner,
			struct ktrc_error *err)
{
	struct call call = { .is_new = true, .owner = owner };
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
	struct call call = { 0 };
	int ret = named(&session, name, err);

	return ret < 0 ? ret : request(nl, KTRC_CMD_SESSION_SET, &session, &call, err);
}

int ktrc_nl_session_del(struct ktrc_nl *nl, const char *name, struct ktrc_error *err)
{
	struct ktrc_session session = { 0 };
	struct call call = { 0 };
	int ret = named(&session, name, err);

	return ret < 0 ? ret : request(nl, KTRC_CMD_SESSION_DEL, &session, &call, err);
}

static int on_session(struct call *call, struct nlattr *nest, u32 attr)
{
	return attr == KTRC_A_SESSION ? ktrc_nl_parse_session(nest, call->arg) : 0;
}

int ktrc_nl_session_get(struct ktrc_nl *nl, const char *name, struct ktrc_session *session,
			struct ktrc_error *err)
{
	struct ktrc_session wanted = { 0 };
	struct call call = { .on_nest = on_session, .arg = session };
	int ret = named(&wanted, name, err);

	if (ret < 0)
		return ret;
	memset(session, 0, sizeof(*session));
	return request(nl, KTRC_CMD_SESSION_GET, &wanted, &call, err);
}

/* Dumps until one is not overtaken; @forget empties what an overtaken one had filled. */
static int dump(struct ktrc_nl *nl, u8 cmd, const struct ktrc_session *session, struct call *call,
		void (*forget)(void *arg))
{
	struct call fresh = *call;
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

static int on_session_row(struct call *call, struct nlattr *nest, u32 attr)
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
	struct call call = { .on_nest = on_session_row, .arg = &list };
	int ret = dump(nl, KTRC_CMD_SESSION_GET, NULL, &call, forget_sessions);

	if (ret < 0) {
		free(list.rows);
		return say_failure(ret, &call, NULL, err);
	}
	*sessions = list.rows;
	*nr = list.nr;
	return 0;
}

static int on_schema_row(struct call *call, struct nlattr *nest, u32 attr)
{
	struct ktrc_schema *schema = *(struct ktrc_schema **)call->arg;

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
	struct call call = { .on_nest = on_schema_row, .arg = &schema };
	int ret = dump(nl, KTRC_CMD_SCHEMA_GET, NULL, &call, forget_schema);

	if (ret < 0)
		return say_failure(ret, &call, NULL, err);
	ret = ktrc_schema_finish(schema, err);
	if (ret == 0)
		*ret_schema = ktrc_steal(schema);
	return ret;
}

static int on_counters_row(struct call *call, struct nlattr *nest, u32 attr)
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
	struct call call = { .on_nest = on_counters_row, .arg = set };
	int ret = named(&session, name, err);

	*set = (struct ktrc_counter_set){ 0 };
	if (ret < 0)
		return ret;
	ret = dump(nl, KTRC_CMD_COUNTERS_GET, &session, &call, forget_counters);
	if (ret < 0)
		forget_counters(set);
	return say_failure(ret, &call, name, err);
}

static int on_name_row(struct call *call, struct nlattr *nest, u32 attr)
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
	struct call call = { .on_nest = on_name_row, .arg = &fresh };
	int ret = dump(nl, KTRC_CMD_NAMES_GET, NULL, &call, forget_names);

	if (ret < 0) {
		ktrc_names_release(&fresh);
		return say_failure(ret, &call, NULL, err);
	}
	ktrc_names_release(names);
	*names = fresh;
	return 0;
}
