// SPDX-License-Identifier: GPL-2.0-or-later
/* Notices: what the module tells whoever listens, on a socket of their own. */
#include <errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "cleanup.h"
#include "nl_internal.h"

#define RECEIVE_BYTES (1 << 20)

struct ktrc_notices {
	struct nl_sock *sock;
	struct nl_cb *cb;
	struct ktrc_notice_message *message; /* where the next one goes */
	int result; /* 1: it is there; 0: none yet; negative: it was damaged */
};

void ktrc_notices_close(struct ktrc_notices *notices)
{
	if (!notices)
		return;
	nl_cb_put(notices->cb);
	nl_socket_free(notices->sock);
	free(notices);
}

void ktrc_cleanup_notices(struct ktrc_notices **notices)
{
	ktrc_notices_close(*notices);
}

static int on_notice(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);
	struct ktrc_notices *notices = arg;
	struct nlattr *notice, *session;

	if (!genlmsg_valid_hdr(header, 0) ||
	    ((struct genlmsghdr *)nlmsg_data(header))->cmd != KTRC_CMD_NOTICE)
		return NL_SKIP;
	notice = nlmsg_find_attr(header, GENL_HDRLEN, KTRC_A_NOTICE);
	session = nlmsg_find_attr(header, GENL_HDRLEN, KTRC_A_SESSION);
	if (notice && session && ktrc_nl_parse_notice(notice, notices->message) == 0 &&
	    ktrc_nl_parse_session(session, &notices->message->session) == 0)
		notices->result = 1;
	else
		notices->result = -EPROTO;
	return NL_OK;
}

/* Notices answer nothing, so their numbers follow no request. */
static int any_number(struct nl_msg *msg, void *arg)
{
	(void)msg, (void)arg;
	return NL_OK;
}

static int join(struct ktrc_notices *notices, struct ktrc_error *err)
{
	int group, ret;

	nl_socket_disable_seq_check(notices->sock);
	if (genl_connect(notices->sock) < 0)
		return ktrc_fail_as(err, EIO, KTRC_EXIT_FAILED, "netlink: cannot connect");
	group = genl_ctrl_resolve_grp(notices->sock, KTRC_GENL_NAME, KTRC_GENL_NOTICES);
	if (group < 0) {
		ret = ktrc_fail_as(err, ENODEV, KTRC_EXIT_ABI,
				   "netlink: the loaded module sends no notices");
		ktrc_hint(err, KTRC_HINT_ABI);
		return ret;
	}
	ret = nl_socket_add_membership(notices->sock, group);
	if (ret < 0) {
		ret = ktrc_fail_as(err, EPERM, KTRC_EXIT_PERMISSION,
				   "netlink: cannot listen to notices: %s", nl_geterror(ret));
		ktrc_hint(err, "run it as root (sudo): this kernel asks for CAP_SYS_ADMIN");
		return ret;
	}
	nl_socket_set_buffer_size(notices->sock, RECEIVE_BYTES, 0);
	nl_socket_set_nonblocking(notices->sock);
	return 0;
}

int ktrc_notices_open(struct ktrc_notices **ret_notices, struct ktrc_error *err)
{
	__ktrc_notices struct ktrc_notices *notices = calloc(1, sizeof(*notices));
	int ret;

	if (!notices)
		return ktrc_fail(err, ENOMEM, "netlink");
	notices->sock = nl_socket_alloc();
	notices->cb = nl_cb_alloc(NL_CB_DEFAULT);
	if (!notices->sock || !notices->cb)
		return ktrc_fail(err, ENOMEM, "netlink");
	nl_cb_set(notices->cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, any_number, NULL);
	nl_cb_set(notices->cb, NL_CB_VALID, NL_CB_CUSTOM, on_notice, notices);
	ret = join(notices, err);
	if (ret < 0)
		return ret;
	*ret_notices = ktrc_steal(notices);
	return 0;
}

int ktrc_notices_fd(const struct ktrc_notices *notices)
{
	return nl_socket_get_fd(notices->sock);
}

int ktrc_notices_next(struct ktrc_notices *notices, struct ktrc_notice_message *message,
		      struct ktrc_error *err)
{
	int ret = 0;

	notices->message = message;
	notices->result = 0;
	while (ret == 0 && notices->result == 0) {
		ret = nl_recvmsgs(notices->sock, notices->cb);
		ret = ret > 0 || ret == -NLE_INTR ? 0 : ret;
	}
	if (notices->result < 0)
		return ktrc_fail_as(err, EPROTO, KTRC_EXIT_ABI,
				    "netlink: a notice is not what this tool knows");
	if (notices->result || ret == -NLE_AGAIN)
		return notices->result;
	if (ret == -NLE_NOMEM)
		return ktrc_fail_as(err, ENOBUFS, KTRC_EXIT_FAILED,
				    "netlink: some notices were dropped");
	return ktrc_fail_as(err, EIO, KTRC_EXIT_FAILED, "netlink: %s", nl_geterror(ret));
}
