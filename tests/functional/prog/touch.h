/* SPDX-License-Identifier: GPL-2.0 */
/* Touching pages, each once. */
#ifndef TOUCH_H
#define TOUCH_H

#include <stddef.h>

#define PAGE 4096ul
#define HUGE_PAGES 512ul /* in 2 MiB */

static inline void load(const char *p, size_t pages)
{
	size_t i;

	for (i = 0; i < pages; i++)
		(void)*(const volatile char *)(p + i * PAGE);
}

static inline void store(char *p, size_t pages)
{
	size_t i;

	for (i = 0; i < pages; i++)
		*(volatile char *)(p + i * PAGE) = 1;
}

#endif
