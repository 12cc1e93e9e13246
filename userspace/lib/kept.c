// SPDX-License-Identifier: GPL-2.0-or-later
/* Files in KTRC_RUN_DIR. */
#include "kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "json.h"

static int open_dir(bool make)
{
	if (make && mkdir(KTRC_RUN_DIR, 0755) < 0 && errno != EEXIST)
		return -errno;
	int fd = open(KTRC_RUN_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void file_name(const char *session, const char *kind, char name[64])
{
	snprintf(name, 64, "%s.%s", session, kind);
}

json_t *ktrc_kept_load(const char *session, const char *kind, const u8 uuid[16])
{
	__ktrc_json json_t *document = NULL;
	char path[128], name[64];
	u8 kept[16];

	file_name(session, kind, name);
	snprintf(path, sizeof(path), KTRC_RUN_DIR "/%s", name);
	document = json_load_file(path, 0, NULL);
	if (!document || ktrc_json_parse_uuid(json_object_get(document, "uuid"), kept) < 0 ||
	    memcmp(kept, uuid, sizeof(kept)) != 0)
		return NULL;
	return ktrc_steal(document);
}

int ktrc_kept_store(const char *session, const char *kind, const json_t *document,
		    struct ktrc_error *err)
{
	__ktrc_fd int dir = open_dir(true);
	char name[64];

	if (!document)
		return ktrc_fail(err, ENOMEM, KTRC_RUN_DIR);
	if (dir < 0)
		return ktrc_fail(err, -dir, KTRC_RUN_DIR ": cannot open");
	file_name(session, kind, name);
	return ktrc_json_save(document, dir, KTRC_RUN_DIR, name, err);
}

void ktrc_kept_forget(const char *session, const char *kind)
{
	__ktrc_fd int dir = open_dir(false);
	char name[64];

	file_name(session, kind, name);
	if (dir >= 0)
		unlinkat(dir, name, 0);
}
