// SPDX-License-Identifier: GPL-2.0-or-later
/* The file stands alone, at the addresses for which it was linked. */
#include "elf.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cleanup.h"

struct ktrc_elf {
	Dwfl *dwfl;
	Dwfl_Module *module;
};

/* Symbols of a separate file are looked for on this machine only. */
static char *debuginfo_path;
static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debuginfo_path,
};

/* A regular file; what waits for somebody, as a FIFO does, is not opened. */
static int open_regular(const char *path)
{
	__ktrc_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode))
		return -1;
	return dup(fd);
}

struct ktrc_elf *ktrc_elf_open(const char *path)
{
	struct ktrc_elf *elf = calloc(1, sizeof(*elf));
	int fd = elf ? open_regular(path) : -1;

	if (fd >= 0) {
		unsetenv("DEBUGINFOD_URLS");
		elf->dwfl = dwfl_begin(&callbacks);
	}
	if (fd >= 0 && elf->dwfl) {
		elf->module = dwfl_report_elf(elf->dwfl, "", path, fd, 0, false);
		if (elf->module)
			fd = -1; /* it is the module's now */
		dwfl_report_end(elf->dwfl, NULL, NULL);
	}
	if (fd >= 0)
		close(fd);
	if (elf && elf->module)
		return elf;
	ktrc_elf_close(elf);
	return NULL;
}

void ktrc_elf_close(struct ktrc_elf *elf)
{
	if (!elf)
		return;
	if (elf->dwfl)
		dwfl_end(elf->dwfl);
	free(elf);
}

void ktrc_elf_build_id(const struct ktrc_elf *elf, char text[KTRC_BUILD_ID_ROOM])
{
	const unsigned char *bits;
	GElf_Addr at;
	GElf_Addr bias;
	int len;

	text[0] = '\0';
	if (!dwfl_module_getelf(elf->module, &bias))
		return;
	len = dwfl_module_build_id(elf->module, &bits, &at);
	for (int i = 0; i < len && 2 * i + 2 < KTRC_BUILD_ID_ROOM; i++)
		sprintf(text + 2 * i, "%02x", bits[i]);
}

/* The segment in which a byte of the file is loaded. */
static bool find_segment(Elf *elf, u64 offset, GElf_Phdr *found)
{
	size_t nr = 0;

	if (elf_getphdrnum(elf, &nr) != 0)
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (gelf_getphdr(elf, (int)i, found) && found->p_type == PT_LOAD &&
		    offset >= found->p_offset && offset - found->p_offset < found->p_filesz)
			return true;
	}
	return false;
}

bool ktrc_elf_function(const struct ktrc_elf *elf, u64 offset, struct ktrc_symbol *function)
{
	GElf_Addr bias, at;
	GElf_Off into;
	GElf_Phdr segment;
	GElf_Sym symbol;
	const char *name;
	Elf *file = dwfl_module_getelf(elf->module, &bias);

	if (!file || !find_segment(file, offset, &segment))
		return false;
	at = segment.p_vaddr + (offset - segment.p_offset);
	name = dwfl_module_addrinfo(elf->module, at + bias, &into, &symbol, NULL, NULL, NULL);
	/* what has no size may end anywhere */
	if (!name || into > offset || into >= symbol.st_size)
		return false;
	*function = (struct ktrc_symbol){
		.begin = offset - into,
		.end = offset - into + symbol.st_size,
		.name = (char *)name,
	};
	return true;
}
