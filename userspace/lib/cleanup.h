/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope guards: a variable declared with one of these is released when its
 * scope ends, whichever way it ends.  ktrc_steal() hands it on instead.
 */
#ifndef KTRC_CLEANUP_H
#define KTRC_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define KTRC_CLEANUP(fn) __attribute__((cleanup(fn)))

static inline void ktrc_cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void ktrc_cleanup_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void ktrc_cleanup_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

/* memory from malloc() */
#define __ktrc_free KTRC_CLEANUP(ktrc_cleanup_free)
/* a file descriptor, -1 if none */
#define __ktrc_fd KTRC_CLEANUP(ktrc_cleanup_fd)
/* a stream, NULL if none */
#define __ktrc_file KTRC_CLEANUP(ktrc_cleanup_file)

#define ktrc_steal(p)                       \
	({                                  \
		__typeof__(p) stolen = (p); \
		(p) = NULL;                 \
		stolen;                     \
	})

#endif
