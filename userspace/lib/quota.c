// SPDX-License-Identifier: GPL-2.0-or-later
/* A sorted array of quotas. */
#include "quota.h"

#include <errno.h>
#include <fts.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "array.h"
#include "cleanup.h"
#include "json.h"
#include "kept.h"

#define QUOTAS_KIND "quotas"

static int add(struct ktrc_quotas *quotas, const struct ktrc_quota *quota, bool is_newer)
{
	size_t at = ktrc_array_before(quotas->rows, quotas->nr, quota->cgid);
	struct ktrc_quota *row;

	if (at == quotas->nr || quotas->rows[at].cgid != quota->cgid) {
		if (!ktrc_array_push(quotas->rows, quotas->nr))
			return -ENOMEM;
		row = &quotas->rows[at];
		memmove(row + 1, row, (quotas->nr - 1 - at) * sizeof(*row));
		*row = *quota;
		return 0;
	}
	row = &quotas->rows[at];
	if (!is_newer)
		return 0;
	row->is_changed = row->is_changed || row->quota_us != quota->quota_us ||
			  row->period_us != quota->period_us;
	if (!quota->quota_us) /* what throttled is the limit that was there */
		return 0;
	row->quota_us = quota->quota_us;
	row->period_us = quota->period_us;
	return 0;
}

void ktrc_quotas_release(struct ktrc_quotas *quotas)
{
	free(quotas->rows);
	*quotas = (struct ktrc_quotas){ 0 };
}

const struct ktrc_quota *ktrc_quotas_find(const struct ktrc_quotas *quotas, u64 cgid)
{
	size_t at = ktrc_array_before(quotas->rows, quotas->nr, cgid);

	return at < quotas->nr && quotas->rows[at].cgid == cgid ? &quotas->rows[at] : NULL;
}

/* ---- cpu.max ---- */

/* "max 100000", "20000 100000" */
static bool read_quota(const char *dir, struct ktrc_quota *quota)
{
	__ktrc_file FILE *file = NULL;
	char path[PATH_MAX], limit[24];

	if (snprintf(path, sizeof(path), "%s/cpu.max", dir) >= (int)sizeof(path))
		return false;
	file = fopen(path, "re");
	if (!file || fscanf(file, "%23s %llu", limit, &quota->period_us) != 2)
		return false;
	quota->quota_us = strtoull(limit, NULL, 10);
	return true;
}

static int scan_below(char *root, struct ktrc_quotas *quotas, bool is_newer)
{
	char *roots[] = { root, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	FTSENT *entry;
	int ret = 0;

	while (fts && ret == 0 && (entry = fts_read(fts)) != NULL) {
		struct ktrc_quota quota = { 0 };

		if (entry->fts_info != FTS_D)
			continue;
		quota.cgid = entry->fts_statp->st_ino;
		if (read_quota(entry->fts_accpath, &quota))
			ret = add(quotas, &quota, is_newer);
	}
	if (fts)
		fts_close(fts);
	return ret;
}

int ktrc_quotas_scan(struct ktrc_quotas *quotas, bool is_newer)
{
	/* where cgroup v2 is mounted alone, and beside v1 */
	static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(roots) && ret == 0; i++) {
		char root[64];
		struct statfs fs;

		snprintf(root, sizeof(root), "%s", roots[i]);
		if (statfs(root, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
			ret = scan_below(root, quotas, is_newer);
	}
	return ret;
}

/* ---- JSON ---- */

static const struct ktrc_json_member members[] = {
	KTRC_JSON_MEMBER(struct ktrc_quota, cgid),
	KTRC_JSON_MEMBER(struct ktrc_quota, quota_us),
	KTRC_JSON_MEMBER(struct ktrc_quota, period_us),
};

json_t *ktrc_quotas_to_json(const struct ktrc_quotas *quotas)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < quotas->nr; i++) {
		const struct ktrc_quota *quota = &quotas->rows[i];
		json_t *row = ktrc_json_pack(members, ARRAY_SIZE(members), quota);

		json_object_set_new(row, "is_changed", json_boolean(quota->is_changed));
		json_array_append_new(rows, row);
	}
	return rows;
}

int ktrc_quotas_from_json(struct ktrc_quotas *quotas, const json_t *rows)
{
	struct ktrc_quota quota;
	const json_t *row;
	size_t i;
	int ret = 0;

	json_array_foreach(rows, i, row) {
		quota = (struct ktrc_quota){ .is_changed = json_is_true(
						     json_object_get(row, "is_changed")) };
		/* saved in order: put in at other places, many would take too long */
		if (!ktrc_json_fits(row, "{s?b}", "is_changed") ||
		    ktrc_json_unpack(row, members, ARRAY_SIZE(members), &quota) < 0 ||
		    (quotas->nr && quotas->rows[quotas->nr - 1].cgid >= quota.cgid))
			return -EPROTO;
		ret = add(quotas, &quota, true);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int ktrc_quotas_load(struct ktrc_quotas *quotas, const char *session, const u8 uuid[16])
{
	__ktrc_json json_t *document = ktrc_kept_load(session, QUOTAS_KIND, uuid);

	if (!document)
		return -ENOENT;
	return ktrc_quotas_from_json(quotas, json_object_get(document, "cpu_max"));
}

int ktrc_quotas_store(const struct ktrc_quotas *quotas, const char *session, const u8 uuid[16],
		      struct ktrc_error *err)
{
	__ktrc_json json_t *document = json_pack("{s:s, s:o, s:o}", "format", "ktrc.quotas/1",
						 "uuid", ktrc_json_uuid(uuid), "cpu_max",
						 ktrc_quotas_to_json(quotas));

	return ktrc_kept_store(session, QUOTAS_KIND, document, err);
}

void ktrc_quotas_forget(const char *session)
{
	ktrc_kept_forget(session, QUOTAS_KIND);
}
