// SPDX-License-Identifier: GPL-2.0-or-later
/* Releases, and the numbers of allocation flags. */
#include "kernel.h"

#include <stdio.h>
#include <string.h>

bool ktrc_kernel_is_before(const char *release, unsigned int major, unsigned int minor)
{
	unsigned int got_major, got_minor;

	if (sscanf(release, "%u.%u", &got_major, &got_minor) != 2)
		return false;
	return got_major < major || (got_major == major && got_minor < minor);
}

/* In the order in which the kernel takes them out of a number. */
static const struct {
	const char *name;
	u32 bits;
} gfp_5_10[] = {
	{ "GFP_TRANSHUGE", 0x1c24ca },
	{ "GFP_TRANSHUGE_LIGHT", 0x1c20ca },
	{ "GFP_HIGHUSER_MOVABLE", 0x100cca },
	{ "GFP_HIGHUSER", 0x100cc2 },
	{ "GFP_USER", 0x100cc0 },
	{ "GFP_KERNEL_ACCOUNT", 0x400cc0 },
	{ "GFP_KERNEL", 0xcc0 },
	{ "GFP_NOFS", 0xc40 },
	{ "GFP_ATOMIC", 0xa20 },
	{ "GFP_NOIO", 0xc00 },
	{ "GFP_NOWAIT", 0x800 },
	{ "GFP_DMA", 0x1 },
	{ "__GFP_HIGHMEM", 0x2 },
	{ "GFP_DMA32", 0x4 },
	{ "__GFP_HIGH", 0x20 },
	{ "__GFP_ATOMIC", 0x200 },
	{ "__GFP_IO", 0x40 },
	{ "__GFP_FS", 0x80 },
	{ "__GFP_NOWARN", 0x2000 },
	{ "__GFP_RETRY_MAYFAIL", 0x4000 },
	{ "__GFP_NOFAIL", 0x8000 },
	{ "__GFP_NORETRY", 0x10000 },
	{ "__GFP_COMP", 0x40000 },
	{ "__GFP_ZERO", 0x100 },
	{ "__GFP_NOMEMALLOC", 0x80000 },
	{ "__GFP_MEMALLOC", 0x20000 },
	{ "__GFP_HARDWALL", 0x100000 },
	{ "__GFP_THISNODE", 0x200000 },
	{ "__GFP_RECLAIMABLE", 0x10 },
	{ "__GFP_MOVABLE", 0x8 },
	{ "__GFP_ACCOUNT", 0x400000 },
	{ "__GFP_WRITE", 0x1000 },
	{ "__GFP_DIRECT_RECLAIM", 0x400 },
};

static bool is_gfp_known(const char *release)
{
	return !ktrc_kernel_is_before(release, 5, 10) && ktrc_kernel_is_before(release, 6, 4);
}

u32 ktrc_gfp_bits(const char *release, const char *name)
{
	for (size_t i = 0; is_gfp_known(release) && i < ARRAY_SIZE(gfp_5_10); i++)
		if (strcmp(gfp_5_10[i].name, name) == 0)
			return gfp_5_10[i].bits;
	return 0;
}

const char *ktrc_gfp_text(const char *release, u32 gfp, char room[KTRC_GFP_ROOM])
{
	bool is_known = is_gfp_known(release);
	size_t used = 0;
	u32 left = gfp;

	for (size_t i = 0; is_known && i < ARRAY_SIZE(gfp_5_10); i++) {
		if ((left & gfp_5_10[i].bits) != gfp_5_10[i].bits)
			continue;
		left &= ~gfp_5_10[i].bits;
		used += (size_t)snprintf(room + used, KTRC_GFP_ROOM - used, "%s%s", used ? "|" : "",
					 gfp_5_10[i].name);
	}
	if (left || !used)
		snprintf(room + used, KTRC_GFP_ROOM - used, "%s0x%x", used ? "|" : "", left);
	return room;
}
