// SPDX-License-Identifier: GPL-2.0
/*
 * The first page of a file says where its notes are, and linkers place them there, too.  What it
 * says is whatever its owner wants.
 */
#include <linux/align.h>
#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "build_id.h"

#define NOTE_BUILD_ID 3
#define NOTE_ALIGN 4
#define MAX_SEGMENTS 64

struct segment {
	u32 type;
	u64 offset;
	u64 bytes;
};

/* a piece of the head, copied; false if that is not all there */
static bool take(void *to, size_t len, const void *head, size_t bytes, u64 at)
{
	if (at > bytes || len > bytes - at)
		return false;
	memcpy(to, head + at, len);
	return true;
}

/* program header @i of a file of that many bits; false if there is none */
#define TAKE_SEGMENT(bits)                                                                        \
	static bool take_segment_##bits(struct segment *s, const void *head, size_t bytes, u32 i) \
	{                                                                                         \
		struct elf##bits##_hdr elf;                                                       \
		struct elf##bits##_phdr p;                                                        \
		if (!take(&elf, sizeof(elf), head, bytes, 0) || i >= elf.e_phnum ||               \
		    elf.e_phentsize != sizeof(p) || elf.e_phoff > bytes ||                        \
		    !take(&p, sizeof(p), head, bytes, elf.e_phoff + i * sizeof(p)))               \
			return false;                                                             \
		*s = (struct segment){ p.p_type, p.p_offset, p.p_filesz };                        \
		return true;                                                                      \
	}
TAKE_SEGMENT(64)
TAKE_SEGMENT(32)

/* true if the note at @at is the one; else @at is behind it */
static bool take_note(struct ktrc_build_id *id, const void *head, size_t bytes, u64 *at)
{
	struct elf32_note note; /* the same for 64 bits */
	char name[4];
	u64 desc;

	if (!take(&note, sizeof(note), head, bytes, *at)) {
		*at = bytes;
		return false;
	}
	desc = *at + sizeof(note) + ALIGN((u64)note.n_namesz, NOTE_ALIGN);
	if (note.n_type == NOTE_BUILD_ID && note.n_namesz == sizeof(name) &&
	    take(name, sizeof(name), head, bytes, *at + sizeof(note)) &&
	    !memcmp(name, "GNU", sizeof(name)) && note.n_descsz <= sizeof(id->bytes) &&
	    take(id->bytes, note.n_descsz, head, bytes, desc)) {
		id->len = note.n_descsz;
		return true;
	}
	*at = desc + ALIGN((u64)note.n_descsz, NOTE_ALIGN);
	return false;
}

static bool find_note(struct ktrc_build_id *id, const void *head, size_t bytes,
		      const struct segment *s)
{
	u64 at = s->offset;

	if (at > bytes)
		return false;
	bytes = min_t(u64, bytes, at + min_t(u64, s->bytes, bytes));
	while (at < bytes)
		if (take_note(id, head, bytes, &at))
			return true;
	return false;
}

/**
 * ktrc_build_id_parse() - look for a build id
 * @id: set to it
 * @head: how the file begins
 * @bytes: so much of it
 */
void ktrc_build_id_parse(struct ktrc_build_id *id, const void *head, size_t bytes)
{
	unsigned char ident[EI_NIDENT];
	struct segment s;
	u32 i;

	id->len = 0;
	if (!take(ident, sizeof(ident), head, bytes, 0) || memcmp(ident, ELFMAG, SELFMAG))
		return;
	for (i = 0; i < MAX_SEGMENTS; i++) {
		if (ident[EI_CLASS] == ELFCLASS64 ? !take_segment_64(&s, head, bytes, i) :
						    !take_segment_32(&s, head, bytes, i))
			return;
		if (s.type == PT_NOTE && find_note(id, head, bytes, &s))
			return;
	}
}

/**
 * ktrc_build_id_read() - that of a file
 * @id: set to it
 * @file: one that is mapped, not what an overlay shows of it
 * @room: a page to work in
 *
 * Only what is in memory, as it is where somebody just mapped the file to run it: a read may wait
 * for a disk, a network or a process.
 * Context: process
 */
void ktrc_build_id_read(struct ktrc_build_id *id, const struct file *file, void *room)
{
	struct page *page = find_get_page(file->f_mapping, 0);

	id->len = 0;
	if (!page)
		return;
	/* one whose memory is damaged stays where it is */
	if (PageUptodate(page) && !PageHWPoison(page)) {
		/* a copy: its owner may write to it meanwhile; not all that is in memory can be read */
		const void *head = kmap_local_page(page);
		bool is_read = !copy_from_kernel_nofault(room, head, PAGE_SIZE);

		kunmap_local(head);
		if (is_read)
			ktrc_build_id_parse(id, room, PAGE_SIZE);
	}
	put_page(page);
}
