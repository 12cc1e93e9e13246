/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that were mapped, by number: a probe gives the number, a worker finds the path.  All in
 * process context, but for ktrc_file_number().
 */
#ifndef KTRC_FILES_H
#define KTRC_FILES_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/types.h>

#include "build_id.h"
#include "compat/inode.h"

#define KTRC_NR_FILES 16384 /* power of two; their numbers fit the field of map */
#define KTRC_FILE_REACH 32

/**
 * struct ktrc_file - a file
 * @key: hash of its identity; 0: free
 * @file: a reference to it, until the worker has the path
 * @path: from the root of the file system; NULL: not known yet, or never
 * @build_id: of code
 */
struct ktrc_file {
	u64 key;
	struct file *file;
	const char *path;
	struct ktrc_build_id build_id;
};

/**
 * struct ktrc_files - all of them; of the sessions that are there
 * @secret: odd; nobody can make up two files with one hash
 * @missed: files for which there was no room
 * @wake: gets the worker going, out of the probe's context
 * @at: open addressing; number i lies at i - 1
 */
struct ktrc_files {
	u64 secret[4];
	atomic_long_t missed;
	struct irq_work wake;
	struct ktrc_file at[KTRC_NR_FILES];
};

/* NULL: no session asks for them; in probe_map.c */
extern struct ktrc_files *ktrc_files;

/* what tells a file from what it was before somebody wrote to it; of one that is being written nothing does */
static inline u64 ktrc_file_version(const struct inode *inode)
{
	return atomic_read(&inode->i_writecount) > 0 ? 0 : ktrc_inode_changed(inode);
}

/**
 * ktrc_file_number() - the number of a file
 * @file: the file; the caller holds a reference
 *
 * Not of one that was opened for writing and may be run: a reference, held a moment longer
 * than its user has it, keeps a file that can be written from being run.  What tells it from
 * others is its inode, and its name, since on some file systems inodes' numbers are soon used again,
 * and when it was changed.
 *
 * Context: task; preemption disabled.
 * Return: 0 if it is none of these, there is no room, or no table.
 */
static inline u32 ktrc_file_number(struct file *file)
{
	struct ktrc_files *files = READ_ONCE(ktrc_files);
	const struct inode *inode = file_inode(file);
	u64 key;
	u32 i;

	if (!files || (file->f_mode & FMODE_WRITE && inode->i_mode & 0111))
		return 0;
	key = ((u64)inode->i_sb->s_dev << 32 | inode->i_generation) * files->secret[0] +
	      inode->i_ino * files->secret[1] + ktrc_file_version(inode) * files->secret[3] +
	      (READ_ONCE(file->f_path.dentry->d_name.hash_len) ^ (unsigned long)inode->i_sb) *
		      files->secret[2];
	key = (key ^ key >> 32) | 1;
	for (i = 0; i < KTRC_FILE_REACH; i++) {
		u32 at = ((key >> 1) + i) & (KTRC_NR_FILES - 1);
		struct ktrc_file *f = &files->at[at];
		u64 found = READ_ONCE(f->key) ?: cmpxchg(&f->key, 0, key);

		if (!found) {
			get_file(file);
			/* pairs with the acquire in files.c */
			smp_store_release(&f->file, file);
			irq_work_queue(&files->wake);
		}
		if (!found || found == key)
			return at + 1;
	}
	atomic_long_inc(&files->missed);
	return 0;
}

struct ktrc_name;

int ktrc_files_open(void);
void ktrc_files_close(void);
bool ktrc_files_next(u32 *number, struct ktrc_name *name);
u64 ktrc_files_missed(void);

#endif /* KTRC_FILES_H */
