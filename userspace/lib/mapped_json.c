// SPDX-License-Identifier: GPL-2.0-or-later
/* What processes had mapped, as a trace keeps it. */
#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "json.h"
#include "mapped.h"

json_t *ktrc_mapped_to_json(const struct ktrc_mapped *mapped)
{
	json_t *rows = json_array(), *paths = json_array();

	for (size_t i = 0; i < mapped->nr; i++) {
		const struct ktrc_mapped_row *row = &mapped->rows[i];

		json_array_append_new(
			rows, json_pack("{s:i, s:I, s:I, s:I, s:i, s:i, s:b}", "pid", (int)row->pid,
					"begin", (json_int_t)row->area.begin, "end",
					(json_int_t)row->area.end, "offset",
					(json_int_t)row->area.offset, "file", (int)row->area.file,
					"kind", (int)row->area.kind, "is_left", row->is_left));
	}
	for (size_t i = 0; i < mapped->nr_paths; i++)
		json_array_append_new(paths, json_string(mapped->paths[i]));
	return json_pack("{s:o, s:o}", "rows", rows, "paths", paths);
}

static const struct ktrc_json_member row_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_mapped_row, pid),
};

static const struct ktrc_json_member area_members[] = {
	KTRC_JSON_MEMBER(struct ktrc_area, begin),  KTRC_JSON_MEMBER(struct ktrc_area, end),
	KTRC_JSON_MEMBER(struct ktrc_area, offset), KTRC_JSON_MEMBER(struct ktrc_area, file),
	KTRC_JSON_MEMBER(struct ktrc_area, kind),
};

static int row_from_json(const json_t *object, void *to)
{
	struct ktrc_mapped *mapped = to;
	struct ktrc_mapped_row *row = ktrc_array_push(mapped->rows, mapped->nr);

	if (!row)
		return -ENOMEM;
	if (!ktrc_json_fits(object, "{s?b}", "is_left") ||
	    ktrc_json_unpack(object, row_members, ARRAY_SIZE(row_members), row) < 0 ||
	    ktrc_json_unpack(object, area_members, ARRAY_SIZE(area_members), &row->area) < 0 ||
	    row->area.begin >= row->area.end || row->area.kind >= KTRC_NR_AREA_KINDS)
		return -EPROTO;
	row->is_left = json_is_true(json_object_get(object, "is_left")); /* older tools knew none */
	return 0;
}

static int path_from_json(const json_t *text, void *to)
{
	struct ktrc_mapped *mapped = to;
	char **path = json_is_string(text) ? ktrc_array_push(mapped->paths, mapped->nr_paths) :
					     NULL;

	if (!path)
		return json_is_string(text) ? -ENOMEM : -EPROTO;
	*path = ktrc_printable(json_string_value(text));
	return *path ? 0 : -ENOMEM;
}

int ktrc_mapped_from_json(struct ktrc_mapped *mapped, const json_t *object)
{
	int ret = ktrc_json_each(json_object_get(object, "paths"), path_from_json, mapped);

	return ret ? ret : ktrc_json_each(json_object_get(object, "rows"), row_from_json, mapped);
}
