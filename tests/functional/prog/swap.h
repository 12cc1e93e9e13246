/* SPDX-License-Identifier: GPL-2.0 */
/* Where a page is, and having it swapped out; _GNU_SOURCE */
#ifndef SWAP_H
#define SWAP_H

#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "touch.h"

/* of /proc/PID/pagemap */
#define IS_PRESENT (1ull << 63)
#define IS_SWAPPED (1ull << 62)

#define TRIES 1000

static inline bool is_page(volatile char *page, uint64_t where)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry;

	if (fd < 0 || pread(fd, &entry, sizeof(entry), (uintptr_t)page / PAGE * sizeof(entry)) !=
			      sizeof(entry))
		err(1, "pagemap");
	close(fd);
	return entry & where;
}

static inline void swap_out(volatile char *page)
{
	int i;

	*page = 1;
	for (i = 0; i < TRIES && !is_page(page, IS_SWAPPED); i++) {
		if (madvise((char *)page, PAGE, MADV_PAGEOUT))
			err(1, "MADV_PAGEOUT");
		usleep(1000);
	}
	if (i == TRIES)
		errx(1, "the page stays");
}

#endif
