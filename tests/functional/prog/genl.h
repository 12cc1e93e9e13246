/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink without a library, for tests that must be able to send what no
 * library would: a request of any bytes, its errno, the kernel's sentence, and the
 * bytes of the answer.
 */
#ifndef KTRC_TEST_GENL_H
#define KTRC_TEST_GENL_H

#include <err.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../../uapi/ktrc.h"
#include "../../../uapi/ktrc_events.h"

#define GENL_HEAD (NLMSG_HDRLEN + GENL_HDRLEN)

struct genl {
	int fd;
	uint16_t family;
	uint32_t group; /* of notices */
};

struct request {
	uint32_t bytes; /* aligned, from the netlink header on */
	union {
		struct nlmsghdr nl;
		char data[4096];
	};
};

struct answer {
	int error; /* errno, 0: success */
	char text[256]; /* the kernel's sentence, "" if there is none */
	size_t bytes;
	char data[65536]; /* attributes of all messages of the answer */
};

static inline void request_init(struct request *r, uint16_t family, uint8_t cmd, uint16_t flags)
{
	struct genlmsghdr *genl = (void *)(r->data + NLMSG_HDRLEN);

	memset(r, 0, sizeof(*r));
	r->bytes = GENL_HEAD;
	r->nl.nlmsg_type = family;
	r->nl.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	genl->cmd = cmd;
	genl->version = 1;
}

static inline struct nlattr *put(struct request *r, uint16_t type, const void *data, uint16_t bytes)
{
	struct nlattr *a = (void *)(r->data + r->bytes);

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + bytes;
	if (bytes)
		memcpy((char *)a + NLA_HDRLEN, data, bytes);
	r->bytes += NLA_ALIGN(a->nla_len);
	return a;
}

static inline void nest_end(const struct request *r, struct nlattr *nest)
{
	nest->nla_len = r->data + r->bytes - (char *)nest;
}

static inline void take_text(struct answer *a, const char *p, const char *end)
{
	while (p + NLA_HDRLEN <= end) {
		const struct nlattr *attr = (const void *)p;

		if (attr->nla_len < NLA_HDRLEN)
			return;
		if (attr->nla_type == NLMSGERR_ATTR_MSG)
			snprintf(a->text, sizeof(a->text), "%s", p + NLA_HDRLEN);
		p += NLA_ALIGN(attr->nla_len);
	}
}

/* Return: whether this message ends the answer */
static inline int take_message(struct answer *a, const struct nlmsghdr *nl)
{
	const char *body = (const char *)nl + NLMSG_HDRLEN, *end = (const char *)nl + nl->nlmsg_len;
	size_t bytes = nl->nlmsg_len - GENL_HEAD, echo = 0;

	if (nl->nlmsg_type == NLMSG_ERROR && !(nl->nlmsg_flags & NLM_F_CAPPED))
		echo = NLMSG_ALIGN(((const struct nlmsgerr *)body)->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (nl->nlmsg_type == NLMSG_ERROR || nl->nlmsg_type == NLMSG_DONE) {
		a->error = -*(const int *)body;
		body += nl->nlmsg_type == NLMSG_DONE ? sizeof(int) : sizeof(struct nlmsgerr) + echo;
		if (nl->nlmsg_flags & NLM_F_ACK_TLVS)
			take_text(a, body, end);
		return 1;
	}
	if (a->bytes + bytes > sizeof(a->data))
		errx(1, "answer too long");
	memcpy(a->data + a->bytes, body + GENL_HDRLEN, bytes);
	a->bytes += bytes;
	return 0;
}

static inline void transact(const struct genl *g, struct request *r, struct answer *a)
{
	static char buffer[65536] __attribute__((aligned(8)));
	int done = 0;

	memset(a, 0, sizeof(*a));
	if (!r->nl.nlmsg_len)
		r->nl.nlmsg_len = r->bytes;
	if (send(g->fd, r->data, r->bytes, 0) != (ssize_t)r->bytes)
		err(1, "send");
	while (!done) {
		ssize_t got = recv(g->fd, buffer, sizeof(buffer), 0);
		struct nlmsghdr *nl = (void *)buffer;

		if (got < 0)
			err(1, "recv");
		for (; !done && NLMSG_OK(nl, got); nl = NLMSG_NEXT(nl, got))
			done = take_message(a, nl);
	}
}

static inline const struct nlattr *find_attr_in(const char *at, const char *end, uint16_t type)
{
	while (at + NLA_HDRLEN <= end) {
		const struct nlattr *attr = (const void *)at;

		if (attr->nla_type == type)
			return attr;
		at += NLA_ALIGN(attr->nla_len);
	}
	return NULL;
}

static inline const struct nlattr *find_attr(const struct answer *a, uint16_t type)
{
	return find_attr_in(a->data, a->data + a->bytes, type);
}

/* of those inside of @nest, if there is one */
static inline const struct nlattr *find_attr_of(const struct nlattr *nest, uint16_t type)
{
	return nest ? find_attr_in((const char *)nest + NLA_HDRLEN,
				   (const char *)nest + nest->nla_len, type) :
		      NULL;
}

/* Return: 0, or the errno with which the family cannot be found */
static inline int genl_open(struct genl *g)
{
	struct timeval patience = { .tv_sec = 10 };
	const struct nlattr *id, *group;
	struct request r;
	static struct answer a;
	int on = 1;

	g->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (g->fd < 0 || setsockopt(g->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)) ||
	    setsockopt(g->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		err(1, "netlink socket");
	request_init(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	put(&r, CTRL_ATTR_FAMILY_NAME, KTRC_GENL_NAME, sizeof(KTRC_GENL_NAME));
	transact(g, &r, &a);
	id = find_attr(&a, CTRL_ATTR_FAMILY_ID);
	if (id)
		memcpy(&g->family, (const char *)id + NLA_HDRLEN, sizeof(g->family));
	/* the only one, number 1 in the list */
	group = find_attr_of(find_attr_of(find_attr(&a, CTRL_ATTR_MCAST_GROUPS), 1),
			     CTRL_ATTR_MCAST_GRP_ID);
	if (group)
		memcpy(&g->group, (const char *)group + NLA_HDRLEN, sizeof(g->group));
	return id ? 0 : a.error;
}

/* all sessions and the counters of "default": what no bad request may change */
static inline void control_state(const struct genl *g, struct answer *sessions,
				 struct answer *counters)
{
	struct request r;

	request_init(&r, g->family, KTRC_CMD_SESSION_GET, NLM_F_DUMP);
	transact(g, &r, sessions);
	request_init(&r, g->family, KTRC_CMD_COUNTERS_GET, NLM_F_DUMP);
	transact(g, &r, counters);
}

#endif
