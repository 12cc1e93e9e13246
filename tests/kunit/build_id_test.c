// SPDX-License-Identifier: GPL-2.0
/* The build id of a file, whatever its owner wrote into it. */
#include <kunit/test.h>
#include <linux/elf.h>
#include <linux/slab.h>

#include "../../kmod/build_id.h"

#define SEGMENTS 3

/* a file of 64 bits: a segment of code, notes of somebody else, notes with the id last */
struct image {
	struct elf64_hdr elf;
	struct elf64_phdr segment[SEGMENTS];
	struct elf32_note other;
	char other_name[8];
	u8 other_desc[8];
	struct elf32_note gnu;
	char gnu_name[4];
	u8 gnu_desc[16];
	struct elf32_note id;
	char id_name[4];
	u8 bytes[KTRC_BUILD_ID_BYTES];
};

static void make_image(struct image *image)
{
	u32 i;

	*image = (struct image){
		.elf = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 },
			.e_phoff = offsetof(struct image, segment),
			.e_phentsize = sizeof(struct elf64_phdr),
			.e_phnum = SEGMENTS,
		},
		.segment = {
			{ .p_type = PT_LOAD, .p_filesz = sizeof(*image) },
			{ .p_type = PT_NOTE, .p_offset = offsetof(struct image, other),
			  .p_filesz = offsetof(struct image, gnu) - offsetof(struct image, other) },
			{ .p_type = PT_NOTE, .p_offset = offsetof(struct image, gnu),
			  .p_filesz = sizeof(*image) - offsetof(struct image, gnu) },
		},
		/* of another owner the number means something else */
		.other = { 5, sizeof(image->other_desc), 3 },
		.other_name = "else",
		.gnu = { 4, 13, 1 },
		.gnu_name = "GNU",
		.id = { 4, sizeof(image->bytes), 3 },
		.id_name = "GNU",
	};
	for (i = 0; i < sizeof(image->bytes); i++)
		image->bytes[i] = 0xa0 + i;
}

/* as much of it as there is, where each access beyond it is seen */
static u8 parse(struct kunit *test, const void *image, size_t bytes, struct ktrc_build_id *id)
{
	void *copy = kmalloc(bytes ?: 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy, image, bytes);
	ktrc_build_id_parse(id, copy, bytes);
	kfree(copy);
	return id->len;
}

static void is_found(struct kunit *test)
{
	struct ktrc_build_id id;
	struct image image;

	make_image(&image);
	KUNIT_EXPECT_EQ(test, parse(test, &image, sizeof(image), &id), KTRC_BUILD_ID_BYTES);
	KUNIT_EXPECT_EQ(test, memcmp(id.bytes, image.bytes, sizeof(id.bytes)), 0);
	image.id.n_descsz = 8;
	KUNIT_EXPECT_EQ(test, parse(test, &image, sizeof(image), &id), 8);
	image.id.n_descsz = KTRC_BUILD_ID_BYTES + 1;
	KUNIT_EXPECT_EQ(test, parse(test, &image, sizeof(image), &id), 0);
}

static void of_32_bits(struct kunit *test)
{
	struct {
		struct elf32_hdr elf;
		struct elf32_phdr segment;
		struct elf32_note id;
		char name[4];
		u8 bytes[8];
	} image = {
		.elf = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32 },
			.e_phoff = sizeof(image.elf),
			.e_phentsize = sizeof(image.segment),
			.e_phnum = 1,
		},
		.segment = { .p_type = PT_NOTE, .p_offset = offsetof(typeof(image), id),
			     .p_filesz = sizeof(image) - offsetof(typeof(image), id) },
		.id = { 4, sizeof(image.bytes), 3 },
		.name = "GNU",
		.bytes = "\1\2\3\4\5\6\7",
	};
	struct ktrc_build_id id;

	KUNIT_EXPECT_EQ(test, parse(test, &image, sizeof(image), &id), 8);
	KUNIT_EXPECT_EQ(test, memcmp(id.bytes, image.bytes, 8), 0);
}

/* cut anywhere it has none; each byte, and each pair that makes a length, may be anything */
static void is_anything(struct kunit *test)
{
	static const u8 values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct ktrc_build_id id;
	struct image image;
	u32 found = 0;
	size_t i, v;

	make_image(&image);
	for (i = 0; i < sizeof(image); i++)
		KUNIT_EXPECT_EQ(test, parse(test, &image, i, &id), 0);
	for (i = 0; i < sizeof(image); i++) {
		for (v = 0; v < ARRAY_SIZE(values); v++) {
			make_image(&image);
			((u8 *)&image)[i] = values[v];
			found += parse(test, &image, sizeof(image), &id) == KTRC_BUILD_ID_BYTES;
			memset((u8 *)&image + i, values[v], min(sizeof(image) - i, sizeof(u64)));
			parse(test, &image, sizeof(image), &id);
		}
	}
	KUNIT_EXPECT_GT(test, found, 100);
	KUNIT_EXPECT_LT(test, found, sizeof(image) * ARRAY_SIZE(values));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(is_found),
	KUNIT_CASE(of_32_bits),
	KUNIT_CASE(is_anything),
	{},
};

static struct kunit_suite suite = {
	.name = "ktrc_build_id",
	.test_cases = cases,
};
kunit_test_suites(&suite);
