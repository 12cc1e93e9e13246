/* SPDX-License-Identifier: GPL-2.0 */
/* References to open files. */
#ifndef KTRC_COMPAT_FILE_H
#define KTRC_COMPAT_FILE_H

#include <linux/fs.h>

#include "have.h"

/* Give a reference back that is not the last one.  Return: false: it may be, and is held still. */
static inline bool ktrc_file_put_unless_last(struct file *file)
{
#ifdef KTRC_HAVE_FILE_F_COUNT
	return atomic_long_add_unless(&file->f_count, -1, 1);
#else
	return false;
#endif
}

#endif /* KTRC_COMPAT_FILE_H */
