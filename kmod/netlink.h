/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family: netlink.c. */
#ifndef KTRC_NETLINK_H
#define KTRC_NETLINK_H

int ktrc_netlink_init(void);
void ktrc_netlink_exit(void);

#endif /* KTRC_NETLINK_H */
