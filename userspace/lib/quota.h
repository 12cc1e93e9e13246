/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU quotas of cgroups, from their cpu.max: records do not carry them.  Taken when a session
 * that records throttling starts, stops and is read, kept between the tools' runs (kept.h), and
 * saved beside the records.
 */
#ifndef KTRC_QUOTA_H
#define KTRC_QUOTA_H

#include <jansson.h>

#include "error.h"
#include "types.h"

/**
 * struct ktrc_quota - a cgroup's
 * @cgid: the cgroup
 * @quota_us: CPU time in each period, of all CPUs together: the last limit that was seen; 0: none was
 * @period_us: the period
 * @is_changed: it was another one before, or has been lifted
 */
struct ktrc_quota {
	u64 cgid;
	u64 quota_us;
	u64 period_us;
	bool is_changed;
};

/**
 * struct ktrc_quotas - those that were seen
 * @rows: by rising id
 * @nr: their number
 */
struct ktrc_quotas {
	struct ktrc_quota *rows;
	size_t nr;
};

/**
 * ktrc_quotas_scan() - read cpu.max of every cgroup of v2 there is
 * @quotas: what is there is added
 * @is_newer: what is known already is replaced; else it stays
 *
 * Return: 0 or -ENOMEM; what cannot be read is left out
 */
int ktrc_quotas_scan(struct ktrc_quotas *quotas, bool is_newer);
void ktrc_quotas_release(struct ktrc_quotas *quotas);

/** ktrc_quotas_find() - a cgroup's; NULL: not known */
const struct ktrc_quota *ktrc_quotas_find(const struct ktrc_quotas *quotas, u64 cgid);

/** ktrc_quotas_load() - add what was kept for the session; -ENOENT: nothing was */
int ktrc_quotas_load(struct ktrc_quotas *quotas, const char *session, const u8 uuid[16]);
int ktrc_quotas_store(const struct ktrc_quotas *quotas, const char *session, const u8 uuid[16],
		      struct ktrc_error *err);

/** ktrc_quotas_forget() - the session is gone */
void ktrc_quotas_forget(const char *session);

/** ktrc_quotas_to_json() - an array of objects; NULL without memory */
json_t *ktrc_quotas_to_json(const struct ktrc_quotas *quotas);

/** ktrc_quotas_from_json() - the reverse; absent in traces that have none; 0, -ENOMEM or -EPROTO */
int ktrc_quotas_from_json(struct ktrc_quotas *quotas, const json_t *rows);

#endif
