/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build id and functions of a program or library, by elfutils. */
#ifndef KTRC_ELF_H
#define KTRC_ELF_H

#include "code.h"

struct ktrc_elf;

/**
 * ktrc_elf_open() - look at a file
 * @path: where it can be opened
 *
 * Return: NULL if it is none, or without memory.
 */
struct ktrc_elf *ktrc_elf_open(const char *path);
void ktrc_elf_close(struct ktrc_elf *elf);

/** ktrc_elf_build_id() - in hexadecimal; "" if it has none */
void ktrc_elf_build_id(const struct ktrc_elf *elf, char text[KTRC_BUILD_ID_ROOM]);

/**
 * ktrc_elf_function() - the function at an offset in the file
 * @elf: the file
 * @offset: in bytes
 * @function: set to where it begins and ends in the file, and its name, which lives as long as @elf
 */
bool ktrc_elf_function(const struct ktrc_elf *elf, u64 offset, struct ktrc_symbol *function);

#endif
