/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who listens to notices, so that the kernel has to make them: it looks at what kinds came.
 */
#ifndef KTRC_TEST_NOTICES_H
#define KTRC_TEST_NOTICES_H

#include "genl.h"

#define NOTICE(kind) (1u << KTRC_NOTICE_##kind)

/* Return: a socket of the family's group */
static inline int notices_open(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	const struct nlattr *id;
	/* one without an address of its own is told nothing */
	struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	static struct answer a;
	struct request r;
	struct genl genl;

	if (fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof(any)) || genl_open(&genl))
		err(1, "no socket");
	request_init(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	put(&r, CTRL_ATTR_FAMILY_NAME, KTRC_GENL_NAME, sizeof(KTRC_GENL_NAME));
	transact(&genl, &r, &a);
	/* the group is the only one, number 1 in the list */
	id = find_attr_of(find_attr_of(find_attr(&a, CTRL_ATTR_MCAST_GROUPS), 1),
			  CTRL_ATTR_MCAST_GRP_ID);
	if (!id || setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP,
			      (const char *)id + NLA_HDRLEN, sizeof(uint32_t)))
		err(1, "no group");
	close(genl.fd);
	return fd;
}

/* Return: the kinds (NOTICE()) of those that have come since, but for losses, which have their own time */
static inline uint32_t notices_take(int fd)
{
	static char buffer[65536] __attribute__((aligned(8)));
	static struct answer a;
	uint32_t kinds = 0;

	for (;;) {
		ssize_t got = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
		const struct nlattr *kind;

		if (got < 0 && errno == ENOBUFS)
			continue; /* one that the kernel could not make */
		if (got < 0 && errno != EAGAIN)
			err(1, "notices");
		if (got < 0)
			return kinds & ~NOTICE(LOSS);
		a.bytes = 0;
		take_message(&a, (const struct nlmsghdr *)buffer);
		kind = find_attr_of(find_attr(&a, KTRC_A_NOTICE | NLA_F_NESTED),
				    KTRC_A_NOTICE_KIND);
		if (!kind)
			errx(1, "a notice of no kind");
		kinds |= 1u << *(const uint32_t *)((const char *)kind + NLA_HDRLEN);
	}
}

#endif
