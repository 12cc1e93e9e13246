// SPDX-License-Identifier: GPL-2.0-or-later
/* Events that a view takes numbers from, and that have no records. */
#include <stdlib.h>
#include <string.h>

#include "../lib/cleanup.h"
#include "../views/empty.h"
#include "format.h"

json_t *ktrc_needs_to_json(const struct ktrc_capture *capture, const char *const *needs)
{
	json_t *list = json_array();
	char room[KTRC_WHY_ROOM];

	for (; *needs; needs++) {
		const char *why = ktrc_why_not_recorded(capture, *needs, room);

		if (why)
			json_array_append_new(list,
					      json_pack("{s:s, s:s}", "event", *needs, "why", why));
	}
	return list;
}

char *ktrc_text_needs(const struct ktrc_capture *capture, const char *const *needs)
{
	char room[KTRC_WHY_ROOM], last[KTRC_WHY_ROOM] = "", *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	for (; file && *needs; needs++) {
		const char *why = ktrc_why_not_recorded(capture, *needs, room);

		if (!why)
			continue;
		/* those of one reason together */
		if (*last && strcmp(last, why) != 0)
			fprintf(file, " not recorded: %s; ", last);
		else if (*last)
			fputs(", ", file);
		fputs(*needs, file);
		strcpy(last, why);
	}
	if (*last)
		fprintf(file, " not recorded: %s", last);
	if (file)
		fclose(file);
	if (!*last)
		free(ktrc_steal(text));
	return text;
}
