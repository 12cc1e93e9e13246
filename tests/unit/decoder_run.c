// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What ktrc-ctl run knows of CPU quotas: those of the beginning, and whether they changed until
 * the end.  Directories stand in for cgroups, and for the session what changes while it records.
 */
#include <dlfcn.h>
#include <fts.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "../../userspace/ctl.h"
#include "decoder_synth.h"
#include "decoder_tap.h"

static char root[] = "/tmp/ktrc-quotas-XXXXXX";

/* ---- cgroups ---- */

int statfs(const char *path, struct statfs *fs)
{
	fs->f_type = strcmp(path, "/sys/fs/cgroup") == 0 ? CGROUP2_SUPER_MAGIC : 0;
	return 0;
}

FTS *fts_open(char *const *paths, int options, int (*compare)(const FTSENT **, const FTSENT **))
{
	char *roots[] = { root, NULL };
	FTS *(*real)(char *const *, int, int (*)(const FTSENT **, const FTSENT **)) =
		(__typeof__(real))dlsym(RTLD_NEXT, "fts_open");

	(void)paths;
	return real(roots, options, compare);
}

static const char *path_of(const char *cgroup, const char *file)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s%s", root, cgroup, file);
	return path;
}

static void set_quota(const char *cgroup, const char *text)
{
	FILE *file = fopen(path_of(cgroup, "/cpu.max"), "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static u64 make_cgroup(const char *cgroup, const char *quota)
{
	struct stat st;

	if (mkdir(path_of(cgroup, ""), 0755) || stat(path_of(cgroup, ""), &st))
		abort();
	set_quota(cgroup, quota);
	return st.st_ino;
}

static void remove_cgroup(const char *cgroup)
{
	if (remove(path_of(cgroup, "/cpu.max")) || remove(path_of(cgroup, "")))
		abort();
}

/* ---- a session ---- */

static u64 same, changed, lifted, removed, made;

static int start_session(struct ktrc_device *dev, struct ktrc_error *err)
{
	(void)dev, (void)err;
	set_quota("changed", "30000 100000\n");
	set_quota("lifted", "max 100000\n");
	/* in this order: a directory's number is used again */
	made = make_cgroup("made", "40000 100000\n");
	remove_cgroup("removed");
	return 0;
}

static int stop_session(struct ktrc_device *dev, struct ktrc_error *err)
{
	(void)dev, (void)err;
	return 0;
}

/* As of a session that has stopped: with the quotas that there are now. */
static int capture_session(struct ktrc_nl *nl, struct ktrc_device *dev, bool with_mapped,
			   struct ktrc_capture **capture, struct ktrc_error *err)
{
	(void)nl, (void)dev, (void)with_mapped, (void)err;
	*capture = ktrc_capture_create();
	return ktrc_quotas_scan(&(*capture)->quotas, false);
}

bool ktrc_ctl_needs_quotas(const struct ktrc_ctl_request *request)
{
	return request->session.events >> KTRC_EV_throttle & 1;
}

int ktrc_ctl_connect(struct ktrc_nl **nl, struct ktrc_error *err)
{
	(void)nl;
	return ktrc_fail(err, ENODEV, "no module");
}

int ktrc_ctl_make(struct ktrc_nl *nl, struct ktrc_ctl_request *request, u32 state, int owner,
		  struct ktrc_error *err)
{
	(void)nl, (void)request, (void)state, (void)owner;
	return ktrc_fail(err, ENODEV, "no module");
}

void ktrc_ctl_request_init(struct ktrc_ctl_request *request)
{
	*request = (struct ktrc_ctl_request){ 0 };
}

error_t ktrc_ctl_option(int key, char *arg, struct argp_state *state,
			struct ktrc_ctl_request *request)
{
	(void)key, (void)arg, (void)state, (void)request;
	return ARGP_ERR_UNKNOWN;
}

#define ktrc_device_start start_session
#define ktrc_device_stop stop_session
#define ktrc_capture_live capture_session
#include "../../userspace/ctl_run.c"

/* ---- a run ---- */

static bool is_quota(const struct ktrc_capture *capture, u64 cgid, u64 quota_us, bool is_changed)
{
	const struct ktrc_quota *quota = ktrc_quotas_find(&capture->quotas, cgid);

	return quota && quota->quota_us == quota_us && quota->is_changed == is_changed;
}

static void test_quotas(void)
{
	struct run run = { .request.session.events = 1ull << KTRC_EV_throttle, .duration_ns = 1 };
	struct ktrc_device dev = { .fd = -1 };
	struct ktrc_capture *capture;
	struct ktrc_error err;

	if (capture_run(&run, NULL, &dev, &capture, &err) < 0)
		abort();
	ok(is_quota(capture, same, 10000, false), "a quota that stays");
	ok(is_quota(capture, changed, 30000, true), "that one was changed while it recorded");
	ok(is_quota(capture, lifted, 60000, true),
	   "that one was lifted: what throttled was the one before");
	ok(is_quota(capture, removed, 50000, false), "that of a cgroup that was removed");
	ok(is_quota(capture, made, 40000, false), "and of one that was made");
	ktrc_capture_destroy(capture);
}

int main(void)
{
	if (!mkdtemp(root))
		abort();
	same = make_cgroup("same", "10000 100000\n");
	changed = make_cgroup("changed", "20000 100000\n");
	lifted = make_cgroup("lifted", "60000 100000\n");
	removed = make_cgroup("removed", "50000 100000\n");
	test_quotas();
	remove_cgroup("same");
	remove_cgroup("changed");
	remove_cgroup("lifted");
	remove_cgroup("made");
	remove(root);
	return end_of_tests();
}
