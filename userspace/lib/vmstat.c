// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/vmstat, and the readings kept beside a detached session. */
#include "vmstat.h"

#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "json.h"
#include "kept.h"

#define BASE_FORMAT "ktrc.base/1"
#define BASE_KIND "json"

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

struct ktrc_base ktrc_base_load(const char *session, const u8 uuid[16])
{
	__ktrc_json json_t *document = ktrc_kept_load(session, BASE_KIND, uuid);
	struct ktrc_base base = { 0 };

	if (!document)
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

	return ktrc_kept_store(session, BASE_KIND, document, err);
}

void ktrc_base_forget(const char *session)
{
	ktrc_kept_forget(session, BASE_KIND);
}
