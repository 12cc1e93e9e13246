/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing files so that what claims to be whole is whole, and reading those that need not be. */
#ifndef KTRC_FILE_H
#define KTRC_FILE_H

#include "error.h"
#include "types.h"

/** ktrc_write_all() - write every byte, through short writes and interruptions; 0 or -errno */
int ktrc_write_all(int fd, const void *bytes, size_t len);

/** ktrc_read_at() - read so many bytes of a file; 0, -ENODATA if it ends before, or -errno, which is not -EILSEQ */
int ktrc_read_at(int fd, void *bytes, size_t len, u64 at);

/**
 * ktrc_allow_files() - let this process have as many files open as it may: a trace has one for each CPU
 *
 * What it starts after that may have as many.
 */
void ktrc_allow_files(void);

/** ktrc_sync_and_close() - bring a file to the disk and close it; 0 or -errno */
int ktrc_sync_and_close(int fd);

/**
 * ktrc_file_save() - make a file in a directory and bring it to the disk
 * @dir: the directory
 * @path: what it is called, for messages
 * @name: of the file; if it is there it is replaced in one step
 */
int ktrc_file_save(int dir, const char *path, const char *name, const void *bytes, size_t len,
		   struct ktrc_error *err);

/** ktrc_file_remove() - remove a file of ktrc_file_save(), and what that or ktrc_file_reserve() has left without its name */
void ktrc_file_remove(int dir, const char *name);

/** ktrc_file_reserve() - take so much room that ktrc_file_save() does not need any more */
int ktrc_file_reserve(int dir, const char *path, const char *name, size_t len,
		      struct ktrc_error *err);

#endif
