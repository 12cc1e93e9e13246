// SPDX-License-Identifier: GPL-2.0-or-later
/* Small helpers around jansson. */
#include "json.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "file.h"

json_t *ktrc_json_pack(const struct ktrc_json_member *members, size_t nr, const void *from)
{
	json_t *object = json_object();

	for (size_t i = 0; object && i < nr; i++) {
		const void *member = (const char *)from + members[i].offset;
		u64 number = members[i].bytes == 4 ? *(const u32 *)member : *(const u64 *)member;

		if (json_object_set_new(object, members[i].name, json_integer((s64)number)) < 0) {
			json_decref(object);
			object = NULL;
		}
	}
	return object;
}

int ktrc_json_unpack(const json_t *object, const struct ktrc_json_member *members, size_t nr,
		     void *to)
{
	for (size_t i = 0; i < nr; i++) {
		const json_t *number = json_object_get(object, members[i].name);
		void *member = (char *)to + members[i].offset;

		if (!json_is_integer(number))
			return -EPROTO;
		/* 64 bits may have come out negative, 32 bits cannot */
		if (members[i].bytes == 4 && !ktrc_json_is_u32(number))
			return -EPROTO;
		if (members[i].bytes == 4)
			*(u32 *)member = (u32)json_integer_value(number);
		else
			*(u64 *)member = (u64)json_integer_value(number);
	}
	return 0;
}

bool ktrc_json_is_u32(const json_t *number)
{
	return json_is_integer(number) && json_integer_value(number) >> 32 == 0;
}

bool ktrc_json_fits(const json_t *object, const char *format, ...)
{
	va_list keys;
	int ret;

	va_start(keys, format);
	ret = json_vunpack_ex((json_t *)object, NULL, JSON_VALIDATE_ONLY, format, keys);
	va_end(keys);
	return ret == 0;
}

int ktrc_json_each(const json_t *array, int (*take)(const json_t *member, void *to), void *to)
{
	const json_t *member;
	int ret = 0;
	size_t i;

	if (array && !json_is_array(array))
		return -EPROTO;
	json_array_foreach(array, i, member) {
		ret = take(member, to);
		if (ret)
			break;
	}
	return ret;
}

const char *ktrc_json_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

void ktrc_uuid_text(const u8 uuid[16], char text[37])
{
	for (int i = 0, at = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			text[at++] = '-';
		at += sprintf(text + at, "%02x", uuid[i]);
	}
}

json_t *ktrc_json_uuid(const u8 uuid[16])
{
	char text[37];

	ktrc_uuid_text(uuid, text);
	return json_string(text);
}

int ktrc_json_parse_uuid(const json_t *json, u8 uuid[16])
{
	const char *text = json_string_value(json);
	unsigned int byte;

	for (int i = 0; i < 16; i++) {
		if (text && *text == '-')
			text++;
		if (!text || !isxdigit((u8)text[0]) || !isxdigit((u8)text[1]))
			return -EPROTO;
		sscanf(text, "%2x", &byte);
		uuid[i] = (u8)byte;
		text += 2;
	}
	return *text ? -EPROTO : 0;
}

static const struct ktrc_json_member vmstat_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_vmstat, pgfault),
	KTRC_JSON_MEMBER(struct ktrc_vmstat, pgmajfault),
};

json_t *ktrc_json_vmstat(const struct ktrc_vmstat *vmstat)
{
	json_t *object;

	if (!vmstat->is_known)
		return json_null();
	object = ktrc_json_pack(vmstat_members, ARRAY_SIZE(vmstat_members), vmstat);
	if (object && vmstat->has_allocstall)
		json_object_set_new(object, "allocstall", json_integer((s64)vmstat->allocstall));
	if (object && vmstat->has_compact_stall)
		json_object_set_new(object, "compact_stall",
				    json_integer((s64)vmstat->compact_stall));
	if (object && vmstat->buddy.nr)
		json_object_set_new(object, "buddyinfo", ktrc_buddy_to_json(&vmstat->buddy));
	return object;
}

struct ktrc_vmstat ktrc_json_parse_vmstat(const json_t *object)
{
	const json_t *allocstall = json_object_get(object, "allocstall");
	const json_t *compact_stall = json_object_get(object, "compact_stall");
	struct ktrc_vmstat vmstat = { 0 };

	vmstat.has_allocstall = json_is_integer(allocstall);
	vmstat.allocstall = (u64)json_integer_value(allocstall);
	vmstat.has_compact_stall = json_is_integer(compact_stall);
	vmstat.compact_stall = (u64)json_integer_value(compact_stall);
	vmstat.buddy = ktrc_buddy_from_json(json_object_get(object, "buddyinfo"));
	vmstat.is_known = ktrc_json_unpack(object, vmstat_members, ARRAY_SIZE(vmstat_members),
					   &vmstat) == 0 &&
			  ktrc_json_fits(object, "{s?i, s?i}", "allocstall", "compact_stall");
	return vmstat;
}

int ktrc_json_save(const json_t *document, int dir, const char *path, const char *name,
		   struct ktrc_error *err)
{
	__ktrc_free char *text = json_dumps(document, JSON_INDENT(1));

	if (!text)
		return ktrc_fail(err, ENOMEM, "%s/%s", path, name);
	return ktrc_file_save(dir, path, name, text, strlen(text), err);
}
