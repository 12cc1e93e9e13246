/* SPDX-License-Identifier: GPL-2.0 */
/* What an inode is, when it was changed, and whether it is locked. */
#ifndef KTRC_COMPAT_INODE_H
#define KTRC_COMPAT_INODE_H

#include <linux/fs.h>

#include "have.h"

/* is it a file of a file system; newer kernels give anonymous inodes that type as well */
static inline bool ktrc_inode_is_regular(const struct inode *inode)
{
#ifdef S_ANON_INODE
	if (inode->i_flags & S_ANON_INODE)
		return false;
#endif
	return S_ISREG(inode->i_mode);
}

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

/* by whoever opened it: flock(2), a lease, F_OFD_SETLK, which lies among those of processes */
static inline bool ktrc_inode_is_locked(const struct inode *inode)
{
#ifdef CONFIG_FILE_LOCKING
	const struct file_lock_context *locks = READ_ONCE(inode->i_flctx);

	return locks && (READ_ONCE(locks->flc_flock.next) != &locks->flc_flock ||
			 READ_ONCE(locks->flc_posix.next) != &locks->flc_posix ||
			 READ_ONCE(locks->flc_lease.next) != &locks->flc_lease);
#else
	return false;
#endif
}

#endif /* KTRC_COMPAT_INODE_H */
