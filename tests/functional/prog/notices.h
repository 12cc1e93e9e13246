/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who listens to notices, so that the kernel has to make them: it looks at what kinds came.
 */
#ifndef KTRC_TEST_NOTICES_H
#define KTRC_TEST_NOTICES_H

#include "genl.h"

#define NOTICE(kind) (1u << KTRC_NOTICE_##kind)

/* Return: a socket of the group */
static inline int notices_open(const struct genl *g)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	/* one without an address of its own is told nothing */
	struct sockaddr_nl any = { .nl_family = AF_NETLINK };

	if (fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof(any)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &g->group, sizeof(g->group)))
		err(1, "notices");
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
