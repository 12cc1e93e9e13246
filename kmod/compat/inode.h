/* SPDX-License-Identifier: GPL-2.0 */
/* When an inode was changed. */
#ifndef KTRC_COMPAT_INODE_H
#define KTRC_COMPAT_INODE_H

#include <linux/fs.h>

#include "have.h"

/* in ns; of one that is changed just now any time */
static inline u64 ktrc_inode_changed(const struct inode *inode)
{
#ifdef KTRC_HAVE_INODE_GET_CTIME
	struct timespec64 t = inode_get_ctime(inode);
#else
	struct timespec64 t = inode->i_ctime;
#endif

	return (u64)t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

#endif /* KTRC_COMPAT_INODE_H */
