// SPDX-License-Identifier: GPL-2.0-or-later
/* Netlink: the connection, and one request with its answers and its verdict. */
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

	ktrc_hint(err, KTRC_HINT_LOAD);
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
static void take_kernel_text(struct ktrc_nl_call *call, struct nlmsghdr *header, int skip)
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
	struct ktrc_nl_call *call = arg;
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
	struct ktrc_nl_call *call = arg;

	(void)msg;
	call->is_done = true;
	return NL_STOP;
}

/* The end of a dump may itself be an error. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);
	struct ktrc_nl_call *call = arg;
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
	struct ktrc_nl_call *call = arg;
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
	struct ktrc_nl_call *call = arg;

	(void)msg;
	call->is_overtaken = true;
	return NL_OK;
}

int ktrc_nl_transact(struct ktrc_nl *nl, struct nl_msg *msg, struct ktrc_nl_call *call)
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

struct nl_msg *ktrc_nl_new_msg(struct ktrc_nl *nl, u8 cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, nl->family, 0, flags, cmd,
			       KTRC_GENL_VERSION))
		return msg;
	nlmsg_free(msg);
	return NULL;
}
