// SPDX-License-Identifier: GPL-2.0-or-later
/* A sorted array of names. */
#include "names.h"

#include <errno.h>
#include <netlink/attr.h>

#include "array.h"
#include "json.h"

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

int ktrc_names_add(struct ktrc_names *names, u64 cgid, const char *path)
{
	char *copy = ktrc_printable(path);
	size_t at = ktrc_array_before(names->rows, names->nr, cgid);

	if (!copy)
		return -ENOMEM;
	if (at < names->nr && names->rows[at].cgid == cgid) {
		free(names->rows[at].path);
	} else if (!ktrc_array_push(names->rows, names->nr)) {
		free(copy);
		return -ENOMEM;
	} else {
		memmove(&names->rows[at + 1], &names->rows[at],
			(names->nr - 1 - at) * sizeof(*names->rows));
	}
	names->rows[at] = (struct ktrc_name){ cgid, copy };
	return 0;
}

void ktrc_names_release(struct ktrc_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->rows[i].path);
	free(names->rows);
	*names = (struct ktrc_names){ 0 };
}

const char *ktrc_names_find(const struct ktrc_names *names, u64 cgid)
{
	size_t at = ktrc_array_before(names->rows, names->nr, cgid);

	return at < names->nr && names->rows[at].cgid == cgid ? names->rows[at].path : NULL;
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
	};
	struct nlattr *a[KTRC_A_NAME_MAX + 1];

	if (nla_parse_nested(a, KTRC_A_NAME_MAX, nest, policy) < 0 || !a[KTRC_A_NAME_CGROUP] ||
	    !a[KTRC_A_NAME_PATH])
		return -EPROTO;
	return ktrc_names_add(names, nla_get_u64(a[KTRC_A_NAME_CGROUP]),
			      nla_get_string(a[KTRC_A_NAME_PATH]));
}

json_t *ktrc_names_to_json(const struct ktrc_names *names)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < names->nr; i++)
		json_array_append_new(rows, json_pack("{s:I, s:s}", "cgid",
						      (json_int_t)names->rows[i].cgid, "path",
						      names->rows[i].path));
	return rows;
}

/* They were saved in order: put in at other places, many would take too long. */
static bool is_last(const struct ktrc_names *names, u64 cgid)
{
	return !names->nr || names->rows[names->nr - 1].cgid < cgid;
}

int ktrc_names_from_json(struct ktrc_names *names, const json_t *rows)
{
	const json_t *row, *cgid;
	const char *path;
	size_t i;
	int ret = 0;

	json_array_foreach(rows, i, row) {
		cgid = json_object_get(row, "cgid");
		path = ktrc_json_text(row, "path");
		if (!json_is_integer(cgid) || !path ||
		    !is_last(names, (u64)json_integer_value(cgid)))
			return -EPROTO;
		ret = ktrc_names_add(names, (u64)json_integer_value(cgid), path);
		if (ret < 0)
			return ret;
	}
	return 0;
}
