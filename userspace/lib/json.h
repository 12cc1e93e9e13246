/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structs to JSON objects and back, by tables of their numeric members. */
#ifndef KTRC_JSON_H
#define KTRC_JSON_H

#include <jansson.h>

#include "error.h"
#include "session.h"
#include "types.h"
#include "vmstat.h"

/**
 * struct ktrc_json_member - an unsigned member of a struct
 * @name: key
 * @offset: in the struct
 * @bytes: 4 or 8
 */
struct ktrc_json_member {
	const char *name;
	size_t offset;
	size_t bytes;
};

#define KTRC_JSON_MEMBER(type, member)                                       \
	{                                                                    \
#member, offsetof(type, member), sizeof(((type *)0)->member) \
	}

/** ktrc_json_pack() - a new object of the members; NULL without memory */
json_t *ktrc_json_pack(const struct ktrc_json_member *members, size_t nr, const void *from);

/** ktrc_json_unpack() - the reverse; -EPROTO if a member is missing or not such a number */
int ktrc_json_unpack(const json_t *object, const struct ktrc_json_member *members, size_t nr,
		     void *to);

/** ktrc_json_is_u32() - is it an integer of 32 bits */
bool ktrc_json_is_u32(const json_t *number);

/** ktrc_json_fits() - has an object members of these kinds; @format: of json_unpack() */
bool ktrc_json_fits(const json_t *object, const char *format, ...);

/** ktrc_json_text() - a string member; NULL if it is missing */
const char *ktrc_json_text(const json_t *object, const char *key);

/**
 * ktrc_json_each() - take each member of an array, until that does not return 0
 *
 * Return: what that returned; 0 if there is no array, -EPROTO if there is something else.
 */
int ktrc_json_each(const json_t *array, int (*take)(const json_t *member, void *to), void *to);

/** ktrc_json_uuid() - as text with hyphens */
json_t *ktrc_json_uuid(const u8 uuid[16]);
int ktrc_json_parse_uuid(const json_t *text, u8 uuid[16]);
void ktrc_uuid_text(const u8 uuid[16], char text[37]);

/** ktrc_json_vmstat() - an object, or null when it is not known */
json_t *ktrc_json_vmstat(const struct ktrc_vmstat *vmstat);
struct ktrc_vmstat ktrc_json_parse_vmstat(const json_t *object);

/**
 * ktrc_json_save() - write a document and bring it to the disk
 * @document: the document
 * @dir: directory
 * @path: what it is called, for messages
 * @name: file in it
 */
int ktrc_json_save(const json_t *document, int dir, const char *path, const char *name,
		   struct ktrc_error *err);

static inline void ktrc_cleanup_json(json_t **json)
{
	json_decref(*json);
}
#define __ktrc_json KTRC_CLEANUP(ktrc_cleanup_json)

#endif
