/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build id and functions of a program or library, by elfutils. */
#ifndef KTRC_ELF_H
#define KTRC_ELF_H

#include <elfutils/libdwfl.h>

#include "code.h"

/**
 * ktrc_elf_read() - look at a file
 * @fd: the file; closed
 * @build_id: set to its build id in hexadecimal; "" if it has none
 * @functions: set to all its functions, by offset in the file
 *
 * A file may be made to do harm, and may change meanwhile: to be called where it can do none.
 * What is no ELF file has no functions.  No other file is opened, whatever it says.
 * Return: 0 or -ENOMEM.
 */
int ktrc_elf_read(int fd, char build_id[KTRC_BUILD_ID_ROOM], struct ktrc_symbols *functions);

/** ktrc_elf_find_nothing() - which file has what this one lacks it may say itself: none is looked for */
int ktrc_elf_find_nothing(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **found);

#endif
