// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the tracepoints of the kernel that somebody is attached to.  What attaches by itself
 * shows nowhere in tracefs, so this reads the tracepoints' own counts.
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "__tracepoint_"

static int core;
static Elf64_Ehdr head;
static Elf64_Phdr segments[256];

static void open_core(void)
{
	size_t bytes;

	core = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (core < 0 || pread(core, &head, sizeof(head), 0) != sizeof(head))
		err(1, "/proc/kcore");
	bytes = head.e_phnum * sizeof(segments[0]);
	if (bytes > sizeof(segments) ||
	    pread(core, segments, bytes, head.e_phoff) != (ssize_t)bytes)
		errx(1, "/proc/kcore: segments");
}

static int32_t number_at(uint64_t address)
{
	int32_t number;
	int i;

	for (i = 0; i < head.e_phnum; i++) {
		const Elf64_Phdr *s = &segments[i];

		if (s->p_type != PT_LOAD || address < s->p_vaddr ||
		    address - s->p_vaddr >= s->p_memsz)
			continue;
		if (pread(core, &number, sizeof(number), address - s->p_vaddr + s->p_offset) ==
		    sizeof(number))
			return number;
	}
	errx(1, "/proc/kcore: nothing at %#llx", (unsigned long long)address);
}

/* struct tracepoint begins with its name's address; the count follows. */
int main(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char line[512], symbol[256], kind;
	unsigned long long address;

	if (!symbols)
		err(1, "/proc/kallsyms");
	open_core();
	while (fgets(line, sizeof(line), symbols))
		if (sscanf(line, "%llx %c %255s", &address, &kind, symbol) == 3 &&
		    (kind == 'd' || kind == 'D') && strncmp(symbol, PREFIX, strlen(PREFIX)) == 0 &&
		    !strchr(line, '[') && number_at(address + 8) > 0)
			puts(symbol + strlen(PREFIX));
	return 0;
}
