// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/vmstat, and the readings kept beside a detached session. */
#include "vmstat.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "json.h"

#define BASE_FORMAT "ktrc.base/1"

struct ktrc_vmstat ktrc_vmstat_read(void)
{
	__ktrc_file FILE *file = fopen("/proc/vmstat", "re");
	struct ktrc_vmstat vmstat = { 0 };
	bool has_pgfault = false, has_pgmajfault = false;
	char name[64];
	u64 number;

	while (file && fscanf(file, "%63s %llu", name, &number) == 2) {
		if (strcmp(name, "pgfault") == 0) {
			vmstat.pgfault = number;
			has_pgfault = true;
		} else if (strcmp(name, "pgmajfault") == 0) {
			vmstat.pgmajfault = number;
			has_pgmajfault = true;
		} else if (strcmp(name, "compact_stall") == 0) {
			vmstat.compact_stall = number;
			vmstat.has_compact_stall = true;
		} else if (strncmp(name, "allocstall_", strlen("allocstall_")) == 0) {
			vmstat.allocstall += number;
			vmstat.has_allocstall = true;
		}
	}
	vmstat.is_known = has_pgfault && has_pgmajfault;
	vmstat.buddy = ktrc_buddy_read();
	return vmstat;
}

int ktrc_run_dir_open(bool make)
{
	if (make && mkdir(KTRC_RUN_DIR, 0755) < 0 && errno != EEXIST)
		return -errno;
	int fd = open(KTRC_RUN_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void base_name(const char *session, char name[64])
{
	snprintf(name, 64, "%s.json", session);
}

struct ktrc_base ktrc_base_load(const char *session, const u8 uuid[16])
{
	__ktrc_json json_t *document = NULL;
	struct ktrc_base base = { 0 };
	char path[128], name[64];
	u8 kept[16];

	base_name(session, name);
	snprintf(path, sizeof(path), KTRC_RUN_DIR "/%s", name);
	document = json_load_file(path, 0, NULL);
	if (!document || ktrc_json_parse_uuid(json_object_get(document, "uuid"), kept) < 0 ||
	    memcmp(kept, uuid, sizeof(kept)) != 0)
		return base;
	base.start = ktrc_json_parse_vmstat(json_object_get(document, "start"));
	base.stop = ktrc_json_parse_vmstat(json_object_get(document, "stop"));
	return base;
}

int ktrc_base_store(const char *session, const u8 uuid[16], const struct ktrc_base *base,
		    struct ktrc_error *err)
{
	__ktrc_json json_t *document = json_pack("{s:s, s:o, s:o, s:o}", "format", BASE_FORMAT,
						 "uuid", ktrc_json_uuid(uuid), "start",
						 ktrc_json_vmstat(&base->start), "stop",
						 ktrc_json_vmstat(&base->stop));
	__ktrc_fd int dir = ktrc_run_dir_open(true);
	char name[64];

	if (!document)
		return ktrc_fail(err, ENOMEM, KTRC_RUN_DIR);
	if (dir < 0)
		return ktrc_fail(err, -dir, KTRC_RUN_DIR ": cannot open");
	base_name(session, name);
	return ktrc_json_save(document, dir, KTRC_RUN_DIR, name, err);
}

void ktrc_base_forget(const char *session)
{
	__ktrc_fd int dir = ktrc_run_dir_open(false);
	char name[64];

	base_name(session, name);
	if (dir >= 0)
		unlinkat(dir, name, 0);
}
