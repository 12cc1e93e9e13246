// SPDX-License-Identifier: GPL-2.0-or-later
/* A sorted array of names. */
#include "names.h"

#include <errno.h>
#include <netlink/attr.h>

#include "array.h"
#include "json.h"

#define MOST_DROPPED 16384 /* the module keeps as many that are there */

char *ktrc_printable(const char *text)
{
	char *copy = malloc(4 * strlen(text) + 1), *to = copy;

	for (; copy && *text; text++) {
		u8 c = (u8)*text;

		if (c < ' ' || c > '~')
			to += sprintf(to, "\\x%02x", c);
		else
			*to++ = (char)c;
	}
	if (copy)
		*to = '\0';
	return copy;
}

void ktrc_build_id_text(const u8 *bytes, size_t len, char text[KTRC_BUILD_ID_ROOM])
{
	*text = '\0';
	for (size_t i = 0; i < len && 2 * i + 2 < KTRC_BUILD_ID_ROOM; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
}

bool ktrc_build_id_is_text(const char *text)
{
	return text && strlen(text) < KTRC_BUILD_ID_ROOM &&
	       strspn(text, "0123456789abcdef") == strlen(text);
}

int ktrc_names_add(struct ktrc_names *names, const struct ktrc_name *name)
{
	char *copy = ktrc_printable(name->path);
	size_t at = ktrc_array_before(names->rows, names->nr, name->cgid);

	if (!copy)
		return -ENOMEM;
	if (at < names->nr && names->rows[at].cgid == name->cgid) {
		free(names->rows[at].path);
	} else if (!ktrc_array_push(names->rows, names->nr)) {
		free(copy);
		return -ENOMEM;
	} else {
		memmove(&names->rows[at + 1], &names->rows[at],
			(names->nr - 1 - at) * sizeof(*names->rows));
	}
	names->rows[at] = *name;
	names->rows[at].path = copy;
	return 0;
}

void ktrc_names_release(struct ktrc_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->rows[i].path);
	free(names->rows);
	*names = (struct ktrc_names){ 0 };
}

/* Ids of cgroups, in the order in which they were made, are not used again. */
static bool is_dropped(const struct ktrc_name *name, const struct ktrc_names *fresh)
{
	return name->cgid < KTRC_NAME_FILE && !ktrc_names_row(fresh, name->cgid);
}

static int by_cgid(const void *pa, const void *pb)
{
	const struct ktrc_name *a = pa, *b = pb;

	return a->cgid < b->cgid ? -1 : a->cgid > b->cgid;
}

void ktrc_names_renew(struct ktrc_names *names, struct ktrc_names *fresh)
{
	size_t nr = fresh->nr, nr_dropped = 0;
	struct ktrc_name *slot;

	for (size_t i = names->nr; i && nr_dropped < MOST_DROPPED; i--) {
		struct ktrc_name *name = &names->rows[i - 1];

		if (!is_dropped(name, &(struct ktrc_names){ fresh->rows, nr }))
			continue;
		/* without memory there are fewer */
		slot = ktrc_array_push(fresh->rows, fresh->nr);
		if (!slot)
			break;
		*slot = *name;
		name->path = NULL;
		nr_dropped++;
	}
	if (nr_dropped)
		qsort(fresh->rows, fresh->nr, sizeof(*fresh->rows), by_cgid);
	ktrc_names_release(names);
	*names = *fresh;
	*fresh = (struct ktrc_names){ 0 };
}

const struct ktrc_name *ktrc_names_row(const struct ktrc_names *names, u64 cgid)
{
	size_t at = ktrc_array_before(names->rows, names->nr, cgid);

	return at < names->nr && names->rows[at].cgid == cgid ? &names->rows[at] : NULL;
}

const char *ktrc_names_find(const struct ktrc_names *names, u64 cgid)
{
	const struct ktrc_name *row = ktrc_names_row(names, cgid);

	return row ? row->path : NULL;
}

const char *ktrc_names_shrinker(const struct ktrc_names *names, u64 number)
{
	return ktrc_names_find(names, KTRC_NAME_SHRINKER + number);
}

const char *ktrc_names_file(const struct ktrc_names *names, u64 number)
{
	return ktrc_names_find(names, KTRC_NAME_FILE + number);
}

int ktrc_names_parse(struct nlattr *nest, struct ktrc_names *names)
{
	static struct nla_policy policy[KTRC_A_NAME_MAX + 1] = {
		[KTRC_A_NAME_CGROUP] = { .type = NLA_U64 },
		[KTRC_A_NAME_PATH] = { .type = NLA_NUL_STRING },
		[KTRC_A_NAME_BUILD_ID] = { .maxlen = KTRC_BUILD_ID_ROOM / 2 },
	};
	struct nlattr *a[KTRC_A_NAME_MAX + 1];
	struct ktrc_name name = { 0 };

	if (nla_parse_nested(a, KTRC_A_NAME_MAX, nest, policy) < 0 || !a[KTRC_A_NAME_CGROUP] ||
	    !a[KTRC_A_NAME_PATH])
		return -EPROTO;
	name.cgid = nla_get_u64(a[KTRC_A_NAME_CGROUP]);
	name.path = nla_get_string(a[KTRC_A_NAME_PATH]);
	if (a[KTRC_A_NAME_BUILD_ID])
		ktrc_build_id_text(nla_data(a[KTRC_A_NAME_BUILD_ID]),
				   (size_t)nla_len(a[KTRC_A_NAME_BUILD_ID]), name.build_id);
	return ktrc_names_add(names, &name);
}

json_t *ktrc_names_to_json(const struct ktrc_names *names)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < names->nr; i++) {
		const struct ktrc_name *name = &names->rows[i];
		json_t *row =
			json_pack("{s:I, s:s}", "cgid", (json_int_t)name->cgid, "path", name->path);

		if (*name->build_id)
			json_object_set_new(row, "build_id", json_string(name->build_id));
		json_array_append_new(rows, row);
	}
	return rows;
}

/* They were saved in order: put in at other places, many would take too long. */
static bool is_last(const struct ktrc_names *names, u64 cgid)
{
	return !names->nr || names->rows[names->nr - 1].cgid < cgid;
}

int ktrc_names_from_json(struct ktrc_names *names, const json_t *rows)
{
	struct ktrc_name name = { 0 };
	const json_t *row, *cgid;
	const char *path, *build_id;
	size_t i;
	int ret = 0;

	json_array_foreach(rows, i, row) {
		cgid = json_object_get(row, "cgid");
		path = ktrc_json_text(row, "path");
		if (!json_is_integer(cgid) || !path ||
		    !is_last(names, (u64)json_integer_value(cgid)))
			return -EPROTO;
		name.cgid = (u64)json_integer_value(cgid);
		name.path = (char *)path;
		build_id = ktrc_json_text(row, "build_id");
		if (!ktrc_json_fits(row, "{s?s}", "build_id") ||
		    (build_id && !ktrc_build_id_is_text(build_id)))
			return -EPROTO;
		strcpy(name.build_id, build_id ? build_id : "");
		ret = ktrc_names_add(names, &name);
		if (ret < 0)
			return ret;
	}
	return 0;
}
