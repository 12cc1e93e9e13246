// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The library against a module that is not there: what an ioctl and a netlink
 * socket would answer is made up here, by functions of libc and libnl that stand
 * in front of the real ones.
 */
#include <errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/family.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "../../uapi/ktrc_events.h"
#include "../../userspace/lib/device.h"
#include "../../userspace/lib/nl.h"
#include "decoder_tap.h"

/* ---- the device ---- */

static u32 module_abi = KTRC_ABI;

int ioctl(int fd, unsigned long request, ...)
{
	struct ktrc_ioc_info *info;
	va_list ap;

	(void)fd;
	if (request != KTRC_IOC_INFO)
		return 0;
	va_start(ap, request);
	info = va_arg(ap, struct ktrc_ioc_info *);
	va_end(ap);
	*info = (struct ktrc_ioc_info){
		.size = sizeof(*info),
		.abi = module_abi,
		.schema = KTRC_SCHEMA + 41,
		.clock_hz = 1,
		.packet_bytes = 4096,
		.nr_packets = 2,
	};
	return 0;
}

static void test_device(void)
{
	struct ktrc_device dev = { .fd = -1 };
	struct ktrc_error err = { 0 };
	char abis[80];

	ok(ktrc_device_attach(&dev, "default", 0, &err) == 0,
	   "a module with another schema is good enough");
	module_abi = KTRC_ABI + 41;
	snprintf(abis, sizeof(abis), "ABI %d (schema %d), this tool ABI %d (schema %d)",
		 KTRC_ABI + 41, KTRC_SCHEMA + 41, KTRC_ABI, KTRC_SCHEMA);
	ok(ktrc_device_attach(&dev, "default", 0, &err) < 0 && err.code == KTRC_EXIT_ABI,
	   "a device with another ABI is refused: exit code 7");
	ok(strstr(err.text, abis) && strstr(err.hint, "modprobe"),
	   "and both ABIs and schemas are named");
}

/* ---- generic netlink ---- */

static unsigned int family_version = KTRC_GENL_VERSION;
static struct {
	int requests;
	int overtaken; /* so many dumps are */
	u32 seq;
	bool is_begun; /* the first part of the answer has been taken */
} kernel;

int genl_connect(struct nl_sock *sock)
{
	(void)sock;
	return 0;
}

int genl_ctrl_resolve(struct nl_sock *sock, const char *name)
{
	(void)sock, (void)name;
	return 33;
}

int genl_ctrl_alloc_cache(struct nl_sock *sock, struct nl_cache **cache)
{
	(void)sock;
	*cache = NULL;
	return 0;
}

struct genl_family *genl_ctrl_search_by_name(struct nl_cache *cache, const char *name)
{
	struct genl_family *family = genl_family_alloc();

	(void)cache;
	genl_family_set_name(family, name);
	genl_family_set_version(family, (u8)family_version);
	return family;
}

int nl_send_auto(struct nl_sock *sock, struct nl_msg *msg)
{
	nl_complete_msg(sock, msg);
	kernel.seq = nlmsg_hdr(msg)->nlmsg_seq;
	kernel.is_begun = false;
	kernel.requests++;
	return 1;
}

/* A dump of one session, named after the request that asked for it, in two parts. */
static struct nl_msg *answer_part(void)
{
	struct nl_msg *msg = nlmsg_alloc();
	struct nlattr *nest;
	char name[16];

	if (kernel.is_begun) {
		nlmsg_put(msg, 0, kernel.seq, NLMSG_DONE, 4, NLM_F_MULTI);
		return msg;
	}
	genlmsg_put(msg, 0, kernel.seq, 33, 0,
		    NLM_F_MULTI | (kernel.requests <= kernel.overtaken ? NLM_F_DUMP_INTR : 0),
		    KTRC_CMD_SESSION_GET, KTRC_GENL_VERSION);
	snprintf(name, sizeof(name), "request-%d", kernel.requests);
	nest = nla_nest_start(msg, KTRC_A_SESSION);
	nla_put_string(msg, KTRC_A_SESSION_NAME, name);
	nla_nest_end(msg, nest);
	return msg;
}

ssize_t recvmsg(int fd, struct msghdr *to, int flags)
{
	struct sockaddr_nl from = { .nl_family = AF_NETLINK };
	struct nl_msg *msg = answer_part();
	size_t len = nlmsg_hdr(msg)->nlmsg_len, room = to->msg_iov[0].iov_len;

	(void)fd;
	memcpy(to->msg_iov[0].iov_base, nlmsg_hdr(msg), len < room ? len : room);
	memcpy(to->msg_name, &from, sizeof(from));
	to->msg_namelen = sizeof(from);
	to->msg_flags = len > room ? MSG_TRUNC : 0;
	to->msg_controllen = 0;
	nlmsg_free(msg);
	if (!(flags & MSG_PEEK))
		kernel.is_begun = true;
	return (ssize_t)len;
}

static void test_netlink_version(void)
{
	struct ktrc_nl *nl = NULL;
	struct ktrc_error err = { 0 };

	family_version = KTRC_GENL_VERSION + 41;
	ok(ktrc_nl_open(&nl, &err) < 0 && err.code == KTRC_EXIT_ABI,
	   "a family of another version is refused: exit code 7");
	ok(strstr(err.text, "has ABI 42, this tool ABI 1") && strstr(err.hint, "modprobe"),
	   "and both versions are named");
	family_version = KTRC_GENL_VERSION;
}

static void test_overtaken(void)
{
	struct ktrc_session *sessions = NULL;
	struct ktrc_nl *nl = NULL;
	struct ktrc_error err = { 0 };
	size_t nr = 0;

	if (ktrc_nl_open(&nl, &err) < 0)
		abort();
	kernel.overtaken = 2;
	ok(ktrc_nl_sessions(nl, &sessions, &nr, &err) == 0 && nr == 1 &&
		   strcmp(sessions[0].name, "request-3") == 0,
	   "a dump that was overtaken by a change is asked for again");
	free(sessions);
	kernel.overtaken = 1000;
	ok(ktrc_nl_sessions(nl, &sessions, &nr, &err) < 0 && kernel.requests < 20 &&
		   strstr(err.text, "changes while it is read"),
	   "but not for ever");
	ktrc_nl_close(nl);
}

int main(void)
{
	test_device();
	test_netlink_version();
	test_overtaken();
	return end_of_tests();
}
