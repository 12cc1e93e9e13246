// SPDX-License-Identifier: GPL-2.0-or-later
/* Names are renewed: paths of cgroups that the module has dropped since stay, if they are many those of the newest; files' do not. */
#include <stdio.h>

#include "decoder_synth.h"
#include "decoder_tap.h"

static void add(struct ktrc_names *names, u64 cgid, const char *path)
{
	struct ktrc_name name = { .cgid = cgid, .path = (char *)path };

	if (ktrc_names_add(names, &name) < 0)
		abort();
}

static bool is(const struct ktrc_names *names, u64 cgid, const char *path)
{
	const char *found = ktrc_names_find(names, cgid);

	return path ? found && strcmp(found, path) == 0 : !found;
}

static void test_dropped(void)
{
	struct ktrc_names names = { 0 }, fresh = { 0 };

	add(&names, 5, "/gone");
	add(&names, 7, "/old");
	add(&names, KTRC_NAME_FILE + 1, "/file");
	add(&names, KTRC_NAME_SHRINKER + 1, "shrink");
	add(&fresh, 7, "/new");
	add(&fresh, 9, "/more");
	ktrc_names_renew(&names, &fresh);
	ok(is(&names, 5, "/gone") && is(&names, 7, "/new") && is(&names, 9, "/more"),
	   "what was dropped, renamed and made");
	ok(is(&names, KTRC_NAME_FILE + 1, NULL) && is(&names, KTRC_NAME_SHRINKER + 1, NULL) &&
		   names.nr == 3 && !fresh.nr && !fresh.rows,
	   "numbers of files and shrinkers may be used again");
	add(&fresh, 11, "/last");
	ktrc_names_renew(&names, &fresh);
	ok(is(&names, 5, "/gone") && is(&names, 7, "/new") && is(&names, 9, "/more") &&
		   is(&names, 11, "/last"),
	   "more than once");
	ktrc_names_release(&names);
}

static void test_many(void)
{
	struct ktrc_names names = { 0 }, fresh = { 0 };
	bool is_sorted = true;

	for (u64 id = 1; id <= 70000; id++)
		add(&names, id, "/gone");
	add(&fresh, 100000, "/here");
	ktrc_names_renew(&names, &fresh);
	for (size_t i = 1; i < names.nr; i++)
		is_sorted = is_sorted && names.rows[i - 1].cgid < names.rows[i].cgid;
	ok(names.nr == 16385 && is_sorted && is(&names, 70000, "/gone") && is(&names, 100, NULL) &&
		   is(&names, 100000, "/here"),
	   "the newest of many");
	ktrc_names_release(&names);
}

int main(void)
{
	test_dropped();
	test_many();
	return end_of_tests();
}
