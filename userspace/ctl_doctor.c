// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor: everything a recording needs, looked at in that order. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "ctl.h"
#include "lib/cleanup.h"
#include "lib/device.h"

/* The first thing found wrong decides the exit code and the advice. */
struct doctor {
	FILE *file;
	int code;
	const char *next;
	char room[300]; /* for advice that names something of this host */
};

static void fine(const struct doctor *doctor, const char *what, const char *how)
{
	fprintf(doctor->file, "ok     %-10s %s\n", what, how);
}

static void wrong(struct doctor *doctor, int code, const char *what, const char *why,
		  const char *next)
{
	fprintf(doctor->file, "WRONG  %-10s %s\n", what, why);
	if (doctor->code)
		return;
	doctor->code = code;
	doctor->next = next;
}

static bool read_line(const char *path, char *text, size_t room)
{
	__ktrc_file FILE *file = fopen(path, "re");

	if (!file || !fgets(text, (int)room, file))
		return false;
	text[strcspn(text, "\n")] = '\0';
	return true;
}

static bool has_headers(const struct utsname *name)
{
	char path[sizeof(name->release) + 32];

	snprintf(path, sizeof(path), "/lib/modules/%s/build", name->release);
	return access(path, F_OK) == 0;
}

static void check_kernel(struct doctor *doctor)
{
	struct utsname name;
	char text[300];

	if (uname(&name) < 0)
		return;
	snprintf(text, sizeof(text), "%s, headers %s", name.release,
		 has_headers(&name) ? "installed" :
				      "not installed (only needed to build the module)");
	fine(doctor, "kernel", text);
}

/* ---- may the module be loaded ---- */

/* "none [integrity] confidentiality": the one in brackets */
static bool is_locked_down(char *text, size_t room)
{
	char line[80], *from, *to;

	snprintf(text, room, "none: this kernel has no lockdown, or securityfs is not mounted");
	if (!read_line("/sys/kernel/security/lockdown", line, sizeof(line)))
		return false;
	from = strchr(line, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to)
		return false;
	*to = '\0';
	snprintf(text, room, "%s", from + 1);
	return strcmp(text, "none") != 0;
}

#define SECURE_BOOT "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

static const char *secure_boot(void)
{
	__ktrc_fd int fd = open(SECURE_BOOT, O_RDONLY | O_CLOEXEC);
	u8 value[5]; /* four bytes of attributes, then the variable */

	if (fd < 0)
		return access("/sys/firmware/efi", F_OK) < 0 ? "no: not started by EFI" :
							       "cannot be told";
	if (read(fd, value, sizeof(value)) != sizeof(value))
		return "cannot be told";
	return value[4] ? "on" : "off";
}

/*
 * What modinfo says of the module that modprobe would load; false: there is none.
 * It lies where the PATH of most users does not lead.
 */
static bool find_installed(char *signer, size_t room)
{
	FILE *pipe = popen("PATH=$PATH:/usr/sbin:/sbin modinfo -F signer ktrc 2>/dev/null", "re");

	signer[0] = '\0';
	if (pipe && fgets(signer, (int)room, pipe))
		signer[strcspn(signer, "\n")] = '\0';
	return pipe && pclose(pipe) == 0;
}

/* Whether the module is signed, as far as that can be told; @text says it. */
static bool is_signed(bool is_loaded, char *text, size_t room)
{
	char taint[20] = "", signer[120];

	if (is_loaded && read_line("/sys/module/ktrc/taint", taint, sizeof(taint))) {
		bool is_unsigned = strchr(taint, 'E');

		snprintf(text, room, "the loaded module %s",
			 is_unsigned ? "is not signed by a key that this kernel knows" :
				       "is signed");
		return !is_unsigned;
	}
	if (!find_installed(signer, sizeof(signer)))
		snprintf(text, room, "no module is installed for this kernel");
	else
		snprintf(text, room, "the installed module is %s%s",
			 *signer ? "signed by " : "not signed", signer);
	return *signer;
}

static void check_signature(struct doctor *doctor, bool is_loaded)
{
	char lockdown[100], enforced[8] = "N", module[200], text[300];
	bool is_locked = is_locked_down(lockdown, sizeof(lockdown));
	bool has_signature = is_signed(is_loaded, module, sizeof(module));
	bool must;

	read_line("/sys/module/module/parameters/sig_enforce", enforced, sizeof(enforced));
	must = enforced[0] == 'Y' || is_locked;
	fine(doctor, "lockdown", lockdown);
	fine(doctor, "secureboot", secure_boot());
	snprintf(text, sizeof(text), "%s; this kernel %s", module,
		 must ? "loads signed modules only" : "loads unsigned ones too");
	if (must && !has_signature && !is_loaded)
		wrong(doctor, KTRC_EXIT_PERMISSION, "signature", text,
		      "sign ktrc.ko with a key enrolled by mokutil --import    (DKMS does so)");
	else
		fine(doctor, "signature", text);
}

/* ---- who may record ---- */

#define CAP_SYS_ADMIN_BIT 21
#define CAP_PERFMON_BIT 38

static void check_rights(struct doctor *doctor)
{
	__ktrc_file FILE *file = fopen("/proc/self/status", "re");
	char line[200];
	u64 caps = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (caps >> CAP_PERFMON_BIT & 1 || caps >> CAP_SYS_ADMIN_BIT & 1)
		fine(doctor, "rights",
		     "CAP_PERFMON or CAP_SYS_ADMIN is needed to record and to read; you have it");
	else
		wrong(doctor, KTRC_EXIT_PERMISSION, "rights",
		      "CAP_PERFMON or CAP_SYS_ADMIN is needed to record and to read; you lack it",
		      "sudo ktrc-ctl doctor    (or give the tools CAP_PERFMON)");
}

/* How a module that is not loaded gets there. */
static const char *loading_advice(struct doctor *doctor)
{
	const char *in_tree = "in ktrc's sources: sudo make dkms-install    (or sudo make install)";
	struct utsname name;
	char signer[120];

	if (find_installed(signer, sizeof(signer)))
		return "sudo modprobe ktrc    (ktrc-ctl run does so)";
	if (uname(&name) < 0 || has_headers(&name))
		return in_tree;
	snprintf(doctor->room, sizeof(doctor->room),
		 "sudo apt-get install linux-headers-%s; then, %s", name.release, in_tree);
	return doctor->room;
}

static bool check_module(struct doctor *doctor)
{
	char version[40] = "unknown", text[120];

	if (access("/sys/module/ktrc", F_OK) < 0) {
		wrong(doctor, KTRC_EXIT_NOTHING, "module", "ktrc is not loaded",
		      loading_advice(doctor));
		return false;
	}
	read_line("/sys/module/ktrc/version", version, sizeof(version));
	snprintf(text, sizeof(text), "loaded, version %s; this tool is %s, ABI %d", version,
		 KTRC_VERSION, KTRC_ABI);
	fine(doctor, "module", text);
	return true;
}

/* "root:ktrc 0640"; a number without a name stays one */
static void say_owner(const struct stat *st, char *text, size_t room)
{
	const struct passwd *user = getpwuid(st->st_uid);
	const struct group *group = getgrgid(st->st_gid);
	char uid[16], gid[16];

	snprintf(uid, sizeof(uid), "%u", st->st_uid);
	snprintf(gid, sizeof(gid), "%u", st->st_gid);
	snprintf(text, room, "%s:%s %04o", user ? user->pw_name : uid, group ? group->gr_name : gid,
		 st->st_mode & 07777);
}

static const char *who_reads(const struct stat *st)
{
	if (st->st_mode & S_IROTH)
		return "all";
	return st->st_mode & S_IRGRP ? "owner and group" : "the owner";
}

static void check_device(struct doctor *doctor)
{
	__ktrc_fd int fd = open(KTRC_DEVICE, O_RDONLY | O_CLOEXEC);
	int errnum = errno;
	char text[300], owner[100];
	struct stat st;

	if (stat(KTRC_DEVICE, &st) < 0) {
		wrong(doctor, KTRC_EXIT_NOTHING, "device", KTRC_DEVICE " does not exist",
		      "sudo rmmod ktrc; sudo modprobe ktrc    (is devtmpfs mounted on /dev?)");
		return;
	}
	say_owner(&st, owner, sizeof(owner));
	if (fd < 0) {
		snprintf(text, sizeof(text), KTRC_DEVICE " (%s): %s", owner, strerror(errnum));
		wrong(doctor, KTRC_EXIT_PERMISSION, "device", text,
		      errnum == EACCES ? "sudo usermod -aG ktrc $USER    (and log in again)" :
					 "sudo ktrc-ctl doctor    (or give the tools CAP_PERFMON)");
		return;
	}
	snprintf(text, sizeof(text),
		 KTRC_DEVICE " is %s; who may read: %s, if they have CAP_PERFMON or CAP_SYS_ADMIN",
		 owner, who_reads(&st));
	fine(doctor, "device", text);
}

static void check_event(struct doctor *doctor, const struct ktrc_event *event)
{
	char text[300];

	snprintf(text, sizeof(text), "%s: %s%s%s", event->label, event->hook ? event->hook : "",
		 event->hook && event->reason ? "; " : "", event->reason ? event->reason : "");
	if (event->avail == KTRC_AVAIL_NO)
		wrong(doctor, KTRC_EXIT_UNAVAILABLE, "event", text,
		      "ktrc-ctl list    shows what this kernel can record");
	else
		fine(doctor, event->avail == KTRC_AVAIL_DEGRADED ? "degraded" : "event", text);
}

static void check_events(struct doctor *doctor, struct ktrc_nl *nl)
{
	__ktrc_schema struct ktrc_schema *schema = NULL;
	struct ktrc_error err;

	if (ktrc_nl_schema(nl, &schema, &err) < 0) {
		wrong(doctor, (int)err.code, "schema", err.text, "ktrc-ctl list");
		return;
	}
	for (u32 id = 0; id < KTRC_MAX_EVENTS; id++) {
		const struct ktrc_event *event = ktrc_schema_event(schema, id);

		if (event && ktrc_event_is_data(event))
			check_event(doctor, event);
	}
}

static bool is_held(void)
{
	char users[20];

	return read_line("/sys/module/ktrc/refcnt", users, sizeof(users)) &&
	       strcmp(users, "0") != 0;
}

/* A session keeps the module in place: say which, and how to end it. */
static void check_sessions(struct doctor *doctor, struct ktrc_nl *nl)
{
	__ktrc_free struct ktrc_session *sessions = NULL;
	struct ktrc_error err;
	char text[200];
	size_t nr = 0;

	if (ktrc_nl_sessions(nl, &sessions, &nr, &err) < 0) {
		wrong(doctor, (int)err.code, "sessions", err.text, "ktrc-ctl status");
		return;
	}
	if (nr == 0)
		fine(doctor, "sessions",
		     is_held() ? "none, but " KTRC_DEVICE
				 " is open or mapped and holds the module: "
				 "sudo fuser -v " KTRC_DEVICE :
				 "none; the module can be unloaded (sudo rmmod ktrc)");
	for (size_t i = 0; i < nr; i++) {
		const struct ktrc_session *s = &sessions[i];

		if (s->is_bound)
			snprintf(text, sizeof(text),
				 "%s (%s) holds the module until its process ends", s->name,
				 ktrc_word(&ktrc_states, s->state));
		else
			snprintf(text, sizeof(text),
				 "%s (%s) holds the module; to end it: ktrc-ctl reset --session=%s",
				 s->name, ktrc_word(&ktrc_states, s->state), s->name);
		fine(doctor, "session", text);
		if (!doctor->next)
			doctor->next = "ktrc-read    shows what is recorded";
	}
}

int ktrc_ctl_doctor(int argc, char **argv)
{
	static const struct argp_option options[] = { { 0 } };
	static const char doc[] =
		"Look at everything a recording needs, and say what to type next.\n\n"
		"  ktrc-ctl doctor";
	__ktrc_nl struct ktrc_nl *nl = NULL;
	struct doctor doctor = { .file = stdout };
	struct ktrc_ctl_show show;
	struct ktrc_error err;

	ktrc_ctl_parse_show(options, doc, argc, argv, &show);
	check_kernel(&doctor);
	check_rights(&doctor);
	check_signature(&doctor, access("/sys/module/ktrc", F_OK) == 0);
	if (check_module(&doctor)) {
		check_device(&doctor);
		if (ktrc_nl_open(&nl, &err) < 0) {
			wrong(&doctor, (int)err.code, "control", err.text, err.hint);
		} else {
			check_events(&doctor, nl);
			check_sessions(&doctor, nl);
		}
	}
	printf("next   %s\n", doctor.next ? doctor.next : "sudo ktrc-ctl run 10s");
	return doctor.code;
}
