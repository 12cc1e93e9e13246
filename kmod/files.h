/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that were mapped, by number: a probe gives the number, a worker finds the path, if the
 * file can be held so long.  All in process context, but for ktrc_file_number().
 */
#ifndef KTRC_FILES_H
#define KTRC_FILES_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/types.h>

#include "bound.h"
#include "build_id.h"
#include "compat/inode.h"

#define KTRC_NR_FILES 16384 /* their numbers fit the field of map */
#define KTRC_NR_ANY_FILES 12288 /* the rest of them is for code, when these are full */
#define KTRC_FILE_REACH 32
#define KTRC_FILE_OWN_NAME 32 /* with its NUL; in a dentry there is room for as much at least */
#define KTRC_FILE_NAME_WORDS (KTRC_FILE_OWN_NAME / 8)
static_assert(KTRC_FILE_OWN_NAME <= DNAME_INLINE_LEN);
KTRC_BOUND(KTRC_FILE_REACH);
KTRC_BOUND(KTRC_FILE_OWN_NAME - 1);
KTRC_BOUND(KTRC_FILE_NAME_WORDS);

/**
 * struct ktrc_file - a file
 * @key: hash of its identity; 0: free
 * @file: a reference to it, until the worker has the path
 * @path: from the root of the file system; NULL: not known yet, or never
 * @build_id: of code
 * @name: of one that is not held: the last part of its path, its first byte written last
 */
struct ktrc_file {
	u64 key;
	struct file *file;
	const char *path;
	struct ktrc_build_id build_id;
	char name[KTRC_FILE_OWN_NAME];
};

/**
 * struct ktrc_files - all of them; of the sessions that are there
 * @secret: odd; nobody can make up two files with one hash
 * @missed: times that a file, mapped once more or not, found no room
 * @wake: gets the worker going, out of the probe's context
 * @at: open addressing in each of two parts; number i lies at i - 1
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

/*
 * May a reference to it outlive the mapping for a moment?  One for writing keeps a file from being
 * run, one that is locked or leased stays so, a device or other thing of the kernel's stays open.
 * No secret is there either: what has a file system of the kernel's own is never read.
 */
static inline bool ktrc_file_may_be_held(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return !(file->f_mode & FMODE_WRITE) && S_ISREG(inode->i_mode) &&
	       !(inode->i_sb->s_flags & SB_NOUSER) && !ktrc_inode_is_locked(inode);
}

/* A rename meanwhile may mix two; the memory of either is there as long as this cannot sleep. */
static inline void ktrc_file_copy_name(char to[KTRC_FILE_OWN_NAME], const struct file *file)
{
	const unsigned char *name = READ_ONCE(file->f_path.dentry->d_name.name);
	u32 i;

	for (i = 0; i < KTRC_FILE_OWN_NAME - 1; i++) {
		to[i] = READ_ONCE(name[i]);
		if (!to[i])
			return;
	}
}

/*
 * What tells a file from others is its inode, and its name, since on some file systems inodes'
 * numbers are soon used again, and when it was changed; @name: NULL, or what is known of it in
 * place of a path.
 */
static inline u64 ktrc_file_key(const struct ktrc_files *files, const struct file *file,
				const char *name)
{
	const struct inode *inode = file_inode(file);
	u64 key, words[KTRC_FILE_NAME_WORDS];
	u32 i;

	key = ((u64)inode->i_sb->s_dev << 32 | inode->i_generation) * files->secret[0] +
	      inode->i_ino * files->secret[1] + ktrc_file_version(inode) * files->secret[3] +
	      (READ_ONCE(file->f_path.dentry->d_name.hash_len) ^ (unsigned long)inode->i_sb) *
		      files->secret[2];
	if (name) {
		memcpy(words, name, sizeof(words));
		for (i = 0; i < KTRC_FILE_NAME_WORDS; i++)
			key = (key ^ key >> 32 ^ words[i]) * files->secret[i];
	}
	return (key ^ key >> 32) | 1;
}

/* what is kept of a file that is new; @name: of one that is not held */
static inline void ktrc_file_keep(struct ktrc_files *files, struct ktrc_file *f, struct file *file,
				  const char *name)
{
	if (name) {
		memcpy(f->name + 1, name + 1, sizeof(f->name) - 1);
		/* pairs with the acquire in path_of() */
		smp_store_release(&f->name[0], name[0]);
		return;
	}
	get_file(file);
	/* pairs with the acquire in resolve() */
	smp_store_release(&f->file, file);
	irq_work_queue(&files->wake);
}

/* where a file is in a part of the table; @may_take: if nowhere, a free place; NULL: there is none */
static inline struct ktrc_file *ktrc_file_place(struct ktrc_file *part, u32 nr, u64 key,
						bool may_take, bool *is_new)
{
	u32 i;

	for (i = 0; i < KTRC_FILE_REACH; i++) {
		struct ktrc_file *f = &part[((key >> 1) + i) % nr];
		u64 found = READ_ONCE(f->key);

		if (found == key)
			return f;
		if (found)
			continue;
		if (!may_take)
			return NULL;
		found = cmpxchg(&f->key, 0, key);
		*is_new = !found;
		if (!found || found == key)
			return f;
	}
	return NULL;
}

/**
 * ktrc_file_number() - the number of a file
 * @file: the file; the caller holds a reference
 * @is_code: it is mapped to be run
 *
 * Context: task; preemption disabled.
 * Return: 0 if there is no room, or no table.
 */
static inline u32 ktrc_file_number(struct file *file, bool is_code)
{
	struct ktrc_files *files = READ_ONCE(ktrc_files);
	bool is_held = ktrc_file_may_be_held(file), is_new = false;
	char name[KTRC_FILE_OWN_NAME] = {};
	struct ktrc_file *f;
	u64 key;

	if (!files)
		return 0;
	if (!is_held)
		ktrc_file_copy_name(name, file);
	key = ktrc_file_key(files, file, is_held ? NULL : name);
	f = ktrc_file_place(files->at, KTRC_NR_ANY_FILES, key, true, &is_new);
	if (!f)
		f = ktrc_file_place(files->at + KTRC_NR_ANY_FILES,
				    KTRC_NR_FILES - KTRC_NR_ANY_FILES, key, is_code, &is_new);
	if (!f) {
		atomic_long_inc(&files->missed);
		return 0;
	}
	if (is_new)
		ktrc_file_keep(files, f, file, is_held ? NULL : name);
	return f - files->at + 1;
}

struct ktrc_name;

int ktrc_files_open(void);
void ktrc_files_close(void);
void ktrc_files_exit(void);
bool ktrc_files_next(u32 *number, struct ktrc_name *name);
u64 ktrc_files_missed(void);

#endif /* KTRC_FILES_H */
