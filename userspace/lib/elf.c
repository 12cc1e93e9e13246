// SPDX-License-Identifier: GPL-2.0-or-later
/* The file stands alone, at the addresses for which it was linked. */
#include "elf.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

#include "cleanup.h"

#define MAX_NAME 511
#define MAX_FUNCTIONS (1 << 20)

int ktrc_elf_find_nothing(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = ktrc_elf_find_nothing,
	.section_address = dwfl_offline_section_address,
};

static void end_dwfl(Dwfl **dwfl)
{
	if (*dwfl)
		dwfl_end(*dwfl);
}

static void read_build_id(Dwfl_Module *module, char text[KTRC_BUILD_ID_ROOM])
{
	const unsigned char *bits;
	GElf_Addr at;
	int len = dwfl_module_build_id(module, &bits, &at);

	if (len > 0)
		ktrc_build_id_text(bits, (size_t)len, text);
}

/* The segment in which an address is loaded from the file. */
static bool find_segment(Elf *elf, GElf_Addr address, GElf_Phdr *found)
{
	size_t nr = 0;

	if (elf_getphdrnum(elf, &nr) != 0)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, (int)i, found) && found->p_type == PT_LOAD &&
		    address >= found->p_vaddr && address - found->p_vaddr < found->p_filesz)
			return true;
	return false;
}

static int add_function(struct ktrc_symbols *functions, Elf *elf, const GElf_Sym *symbol,
			GElf_Addr address, const char *name)
{
	GElf_Phdr segment;
	u64 begin, room;
	char copy[MAX_NAME + 1];

	/* what has no size may end anywhere */
	if (!name || !*name || GELF_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_size ||
	    !find_segment(elf, address, &segment) ||
	    segment.p_offset > UINT64_MAX - segment.p_filesz)
		return 0;
	begin = segment.p_offset + (address - segment.p_vaddr);
	room = segment.p_filesz - (address - segment.p_vaddr);
	snprintf(copy, sizeof(copy), "%s", name);
	return ktrc_symbols_add(
		functions, &(struct ktrc_symbol){
				   .begin = begin,
				   .end = begin + (symbol->st_size < room ? symbol->st_size : room),
				   .name = copy,
			   });
}

static int read_functions(Dwfl_Module *module, struct ktrc_symbols *functions)
{
	GElf_Addr bias, address;
	Elf *elf = dwfl_module_getelf(module, &bias);
	int nr = elf ? dwfl_module_getsymtab(module) : 0, ret = 0;
	const char *name;
	GElf_Sym symbol;

	for (int i = 0; ret == 0 && i < nr && i < MAX_FUNCTIONS; i++) {
		name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
		ret = add_function(functions, elf, &symbol, address - bias, name);
	}
	if (ret == 0)
		ktrc_symbols_sort(functions);
	return ret;
}

int ktrc_elf_read(int fd, char build_id[KTRC_BUILD_ID_ROOM], struct ktrc_symbols *functions)
{
	KTRC_CLEANUP(end_dwfl) Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module = NULL;

	build_id[0] = '\0';
	if (dwfl) {
		dwfl_report_begin(dwfl);
		module = dwfl_report_elf(dwfl, "", "", fd, 0, false);
		dwfl_report_end(dwfl, NULL, NULL);
	}
	if (!module) {
		close(fd);
		return dwfl ? 0 : -ENOMEM;
	}
	read_build_id(module, build_id);
	return read_functions(module, functions);
}
