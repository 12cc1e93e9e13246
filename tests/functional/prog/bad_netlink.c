// SPDX-License-Identifier: GPL-2.0
/*
 * bad_netlink: sends the module every kind of request that it must refuse, while
 * session "default" exists and is stopped, then good ones without the right to.
 * bad_netlink running: what it refuses while the session runs.
 * Each row expects an errno and a part of the kernel's sentence; sessions and
 * counters must be the same after it.  Exit status 1 if any row differs.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "genl.h"

/* beside a command: how it is asked, and how its attributes are packed */
enum {
	DUMP = 0x100,
	TOP = 0x200, /* at the top level, not in KTRC_A_SESSION */
	UNFLAGGED = 0x400, /* KTRC_A_SESSION without NLA_F_NESTED */
};

struct attr {
	uint16_t type, bytes;
	const void *data;
};

struct row {
	const char *what;
	uint16_t cmd;
	int want;
	const char *text; /* part of the sentence; NULL: this kernel may send none */
	struct attr attrs[3];
};

#define ROW(what, cmd, want, text, ...) \
	{                               \
		what, cmd, want, text,  \
		{                       \
			__VA_ARGS__     \
		}                       \
	}
#define ATTACHED 42 /* a descriptor of the device, with a session */
#define ANY "" /* a sentence, whatever it says */
#define U32(value)           \
	4, &(const uint32_t) \
	{                    \
		value        \
	}
#define U64(value)           \
	8, &(const uint64_t) \
	{                    \
		value        \
	}
#define TEXT(value) sizeof(value), value
#define NAME KTRC_A_SESSION_NAME
#define EVENTS KTRC_A_SESSION_EVENTS
#define MEMORY KTRC_A_SESSION_MEMORY
#define PACKET KTRC_A_SESSION_PACKET_BYTES
#define STATE KTRC_A_SESSION_STATE
#define MODE KTRC_A_SESSION_MODE
#define NEW KTRC_CMD_SESSION_NEW
#define SET KTRC_CMD_SESSION_SET
#define GET KTRC_CMD_SESSION_GET
#define DEL KTRC_CMD_SESSION_DEL
#define SCHEMA KTRC_CMD_SCHEMA_GET
#define COUNTERS KTRC_CMD_COUNTERS_GET
#define NAMES KTRC_CMD_NAMES_GET
#define PID KTRC_A_SESSION_PID
#define CGROUP KTRC_A_SESSION_CGROUP
#define SECONDS KTRC_A_SESSION_MAX_SECONDS
#define RULE (KTRC_A_SESSION_RULE | NLA_F_NESTED)
#define OTHER                   \
	{                       \
		NAME, TEXT("x") \
	}
/* the attributes of a rule: event, and another one of 4 or 8 bytes */
#define RULE_U32(event, type, value)                                        \
	16, &(const uint32_t[])                                             \
	{                                                                   \
		8 | KTRC_A_RULE_EVENT << 16, event, 8 | (type) << 16, value \
	}
#define RULE_U64(event, type, value)                                                      \
	20, &(const uint32_t[])                                                           \
	{                                                                                 \
		8 | KTRC_A_RULE_EVENT << 16, event, 12 | (type) << 16, (uint32_t)(value), \
			(uint32_t)((uint64_t)(value) >> 32)                               \
	}
#define FAULT                                      \
	{                                          \
		EVENTS, U64(1ull << KTRC_EV_fault) \
	}
#define REPLACE                                 \
	{                                       \
		KTRC_A_SESSION_REPLACE, 0, NULL \
	}

static const struct row rows[] = {
	/* no such command, or not in this way */
	ROW("command 0", 0, EOPNOTSUPP, NULL, { 0 }),
	ROW("command after the last", KTRC_CMD_MAX + 1, EOPNOTSUPP, NULL, { 0 }),
	ROW("command 255", 255, EOPNOTSUPP, NULL, { 0 }),
	ROW("new as a dump", NEW | DUMP, EOPNOTSUPP, NULL, FAULT),
	ROW("set as a dump", SET | DUMP, EOPNOTSUPP, NULL, { 0 }),
	ROW("del as a dump", DEL | DUMP, EOPNOTSUPP, NULL, { 0 }),
	ROW("schema not as a dump", SCHEMA, EOPNOTSUPP, NULL, { 0 }),
	ROW("counters not as a dump", COUNTERS, EOPNOTSUPP, NULL, { 0 }),
	ROW("names not as a dump", NAMES, EOPNOTSUPP, NULL, { 0 }),
	ROW("a notice", KTRC_CMD_NOTICE, EOPNOTSUPP, NULL, { 0 }),

	/* around the nest */
	ROW("top level type 0", DEL | TOP, EINVAL, ANY, { 0, U32(1) }),
	ROW("unknown at top level", DEL | TOP, EINVAL, ANY, { KTRC_A_MAX + 1, U32(1) }),
	ROW("event in a request", DEL | TOP, EINVAL, ANY, { KTRC_A_EVENT, U32(1) }),
	ROW("nest not flagged", DEL | UNFLAGGED, EINVAL, ANY, { NAME, TEXT("x") }),
	ROW("session is no nest", DEL | TOP, EINVAL, ANY, { KTRC_A_SESSION, U32(1) }),
	ROW("unknown, in a dump", SCHEMA | DUMP | TOP, EINVAL, ANY, { 99, U32(1) }),

	/* new */
	ROW("new: no nest", NEW | TOP, EINVAL, "events is missing", { 0 }),
	ROW("new: empty nest", NEW, EINVAL, "events is missing", { 0 }),
	ROW("new: no event", NEW, EINVAL, "events is empty", { EVENTS, U64(0) }),
	ROW("new: dictionary event", NEW, EINVAL, "no recordable event",
	    { EVENTS, U64(1ull << KTRC_EV_task) }),
	ROW("new: event 63", NEW, EINVAL, "no recordable event",
	    { EVENTS, U64(1ull << 63 | 1ull << KTRC_EV_fault) }),
	ROW("new: events of 4 bytes", NEW, EINVAL, "events must be a u64", { EVENTS, U32(2) }),
	ROW("new: events of 16 bytes", NEW, EINVAL, "events must be a u64",
	    { EVENTS, TEXT("123456789012345") }),
	ROW("new: name empty", NEW, EEXIST, "exists", FAULT, { NAME, TEXT("") }),
	ROW("new: name with /", NEW, EINVAL, "1 to 31", FAULT, { NAME, TEXT("../x") }),
	ROW("new: name with a blank", NEW, EINVAL, "1 to 31", FAULT, { NAME, TEXT("a b") }),
	ROW("new: name not ASCII", NEW, EINVAL, "1 to 31", FAULT, { NAME, TEXT("\303\244") }),
	ROW("new: name of 32", NEW, EINVAL, "1 to 31", FAULT,
	    { NAME, TEXT("12345678901234567890123456789012") }),
	ROW("new: name without NUL", NEW, EINVAL, "1 to 31", FAULT, { NAME, 3, "abc" }),
	ROW("new: name of 0 bytes", NEW, EINVAL, ANY, FAULT, { NAME, 0, NULL }),
	ROW("new: mode 2", NEW, ERANGE, "0 (flight) or 1 (stream)", FAULT, { MODE, U32(2) }),
	ROW("new: mode of 1 byte", NEW, EINVAL, "mode must be a u32", FAULT, { MODE, 1, "" }),
	ROW("new: packet of 8 bytes", NEW, EINVAL, "packet-bytes must be a u32", FAULT,
	    { PACKET, U64(65536) }),
	ROW("new: stopped", NEW, ERANGE, "0 (new) or 1 (running)", FAULT,
	    { STATE, U32(KTRC_STATE_STOPPED) }),
	ROW("new: bound to no file", NEW, EBADF, "not an open file", FAULT, OTHER,
	    { KTRC_A_SESSION_BIND, U32(~0u) }),
	ROW("new: bound to another file", NEW, EBADF, "not an open file", FAULT, OTHER,
	    { KTRC_A_SESSION_BIND, U32(0) }),
	ROW("new: bound twice", NEW, EISCONN, "has a session", FAULT, OTHER,
	    { KTRC_A_SESSION_BIND, U32(ATTACHED) }),
	ROW("new: bound", NEW, EINVAL, "bound is for replies", FAULT,
	    { KTRC_A_SESSION_BOUND, 0, NULL }),
	ROW("new: padding", NEW, EINVAL, ANY, FAULT, { KTRC_A_SESSION_PAD, 0, NULL }),
	ROW("new: type 0", NEW, EINVAL, ANY, FAULT, { 0, U32(1) }),
	ROW("new: unknown", NEW, EINVAL, ANY, FAULT, { KTRC_A_SESSION_MAX + 1, U32(1) }),
	ROW("replace: packet of 3000", NEW, EINVAL, "4096 to 1048576", FAULT, { PACKET, U32(3000) },
	    REPLACE),
	ROW("replace: packet of 2048", NEW, EINVAL, "4096 to 1048576", FAULT, { PACKET, U32(2048) },
	    REPLACE),
	ROW("replace: packet of 2 MiB", NEW, EINVAL, "4096 to 1048576", FAULT,
	    { PACKET, U32(2u << 20) }, REPLACE),
	ROW("replace: memory of 1", NEW, EINVAL, "too small", FAULT, { MEMORY, U64(1) }, REPLACE),
	ROW("replace: memory of 2^63", NEW, E2BIG, "max_mb", FAULT, { MEMORY, U64(1ull << 63) },
	    REPLACE),
	ROW("replace: memory of 2^64-1", NEW, E2BIG, "max_mb", FAULT, { MEMORY, U64(~0ull) },
	    REPLACE),
	ROW("new: replace of 4 bytes", NEW, ERANGE, "replace must be a flag", FAULT,
	    { KTRC_A_SESSION_REPLACE, U32(1) }),
	ROW("new: the same name", NEW, EEXIST, "exists", FAULT),

	/* new: filters */
	ROW("new: process 0", NEW, ERANGE, "pid must be a u32 from 1", FAULT, OTHER,
	    { PID, U32(0) }),
	ROW("new: process of 8 bytes", NEW, EINVAL, "pid must be", FAULT, OTHER, { PID, U64(1) }),
	ROW("new: no such cgroup", NEW, ENOENT, "no cgroup", FAULT, OTHER,
	    { CGROUP, U64(0x7fffffff) }),
	ROW("new: 31 days", NEW, ERANGE, "30 days", FAULT, OTHER, { SECONDS, U32(31 * 86400) }),
	ROW("new: names missed", NEW, EINVAL, "names-missed is for replies", FAULT, OTHER,
	    { KTRC_A_SESSION_NAMES_MISSED, U64(1) }),
	ROW("rule: empty", NEW, EINVAL, "event is missing", FAULT, OTHER, { RULE, 0, NULL }),
	ROW("rule: no nest", NEW, EINVAL, "rule must be a nest", FAULT, OTHER,
	    { KTRC_A_SESSION_RULE, U32(1) }),
	ROW("rule: event 64", NEW, ERANGE, "an id of the schema", FAULT, OTHER,
	    { RULE, RULE_U32(64, KTRC_A_RULE_FLAGS, 1) }),
	ROW("rule: of another event", NEW, EINVAL, "not among", FAULT, OTHER,
	    { RULE, RULE_U32(KTRC_EV_fault_light, KTRC_A_RULE_FLAGS, 1) }),
	ROW("rule: of a dictionary event", NEW, EINVAL, ANY, FAULT, OTHER,
	    { RULE, RULE_U32(KTRC_EV_task, KTRC_A_RULE_FLAGS, 1) }),
	ROW("rule: flag 16", NEW, EINVAL, "1, 2, 4, 8", FAULT, OTHER,
	    { RULE, RULE_U32(KTRC_EV_fault, KTRC_A_RULE_FLAGS, 16) }),
	ROW("rule: user and kernel", NEW, EINVAL, "exclude", FAULT, OTHER,
	    { RULE, RULE_U32(KTRC_EV_fault, KTRC_A_RULE_FLAGS, 12) }),
	ROW("rule: one of 0", NEW, ERANGE, "sample must be a u32 from 1", FAULT, OTHER,
	    { RULE, RULE_U32(KTRC_EV_fault, KTRC_A_RULE_SAMPLE, 0) }),
	ROW("rule: two hours", NEW, ERANGE, "an hour", FAULT, OTHER,
	    { RULE, RULE_U64(KTRC_EV_fault, KTRC_A_RULE_MIN_NS, 7200000000000ull) }),
	ROW("rule: an event without a duration", NEW, EINVAL, "cannot tell",
	    { EVENTS, U64(1ull << KTRC_EV_fault_light) }, OTHER,
	    { RULE, RULE_U64(KTRC_EV_fault_light, KTRC_A_RULE_MIN_NS, 1000) }),
	ROW("rule: 65 frames", NEW, ERANGE, "user-frames must be a u32 up to 64", FAULT, OTHER,
	    { RULE, RULE_U32(KTRC_EV_fault, KTRC_A_RULE_USER_FRAMES, 65) }),
	ROW("rule: 65 frames of the kernel", NEW, ERANGE, "kernel-frames must be", FAULT, OTHER,
	    { RULE, RULE_U32(KTRC_EV_fault, KTRC_A_RULE_KERNEL_FRAMES, 65) }),
	ROW("rule: frames of 8 bytes", NEW, EINVAL, "user-frames must be", FAULT, OTHER,
	    { RULE, RULE_U64(KTRC_EV_fault, KTRC_A_RULE_USER_FRAMES, 1) }),
	ROW("rule: frames of an event without", NEW, EINVAL, "cannot tell",
	    { EVENTS, U64(1ull << KTRC_EV_throttle) }, OTHER,
	    { RULE, RULE_U32(KTRC_EV_throttle, KTRC_A_RULE_KERNEL_FRAMES, 1) }),
	ROW("rule: 2056 bytes", NEW, ERANGE, "user-bytes must be a u32 up to 2048",
	    { EVENTS, U64(1ull << KTRC_EV_madvise) }, OTHER,
	    { RULE, RULE_U32(KTRC_EV_madvise, KTRC_A_RULE_USER_BYTES, 2056) }),
	ROW("rule: half a word", NEW, EINVAL, "no multiple of 8",
	    { EVENTS, U64(1ull << KTRC_EV_madvise) }, OTHER,
	    { RULE, RULE_U32(KTRC_EV_madvise, KTRC_A_RULE_USER_BYTES, 12) }),
	ROW("rule: a copy for each fault", NEW, EINVAL, "cannot tell", FAULT, OTHER,
	    { RULE, RULE_U32(KTRC_EV_fault, KTRC_A_RULE_USER_BYTES, 8) }),
	ROW("rule: two of one event", NEW, EINVAL, "at most one", FAULT,
	    { RULE, RULE_U32(KTRC_EV_fault, KTRC_A_RULE_SAMPLE, 2) },
	    { RULE, RULE_U32(KTRC_EV_fault, KTRC_A_RULE_FLAGS, 1) }),
	ROW("rule: unknown", NEW, EINVAL, ANY, FAULT, OTHER,
	    { RULE, RULE_U32(KTRC_EV_fault, KTRC_A_RULE_MAX + 1, 1) }),

	/* set */
	ROW("set: no state", SET, EINVAL, "state is missing", { 0 }),
	ROW("set: state new", SET, ERANGE, "2 (stopped)", { STATE, U32(KTRC_STATE_NEW) }),
	ROW("set: state 3", SET, ERANGE, "2 (stopped)", { STATE, U32(3) }),
	ROW("set: state of 8 bytes", SET, EINVAL, "state must be a u32", { STATE, U64(1) }),
	ROW("set: mode", SET, EINVAL, "mode must be", { STATE, U32(1) }, { MODE, U32(1) }),
	ROW("set: replace", SET, EINVAL, "replace must be", { STATE, U32(1) }, REPLACE),
	ROW("set: nobody", SET, ENOENT, "no session", { STATE, U32(1) }, { NAME, TEXT("nobody") }),
	ROW("set: stop the stopped", SET, EALREADY, "not running",
	    { STATE, U32(KTRC_STATE_STOPPED) }),

	/* get, del, dumps */
	ROW("get: nobody", GET, ENOENT, "no session", { NAME, TEXT("nobody") }),
	ROW("get: state", GET, EINVAL, "state must be", { STATE, U32(1) }),
	ROW("get: long name", GET, EINVAL, "1 to 31",
	    { NAME, TEXT("default.default.default.default.") }),
	ROW("get: state, in a dump", GET | DUMP, EINVAL, NULL, { STATE, U32(1) }),
	ROW("del: nobody", DEL, ENOENT, "no session", { NAME, TEXT("nobody") }),
	ROW("del: prefix", DEL, ENOENT, "no session", { NAME, TEXT("defaul") }),
	ROW("del: unknown", DEL, EINVAL, ANY, { 99, U32(1) }),
	ROW("del: name without NUL", DEL, EINVAL, "1 to 31", { NAME, 7, "default" }),
	ROW("counters: nobody", COUNTERS | DUMP, ENOENT, "no session", { NAME, TEXT("nobody") }),
	ROW("counters: state", COUNTERS | DUMP, EINVAL, NULL, { STATE, U32(1) }),
	ROW("schema: unknown", SCHEMA | DUMP, EINVAL, NULL, { 99, U32(1) }),
};

/* what cannot be done while it runs */
static const struct row running[] = {
	ROW("start the running", SET, EALREADY, "is running", { STATE, U32(KTRC_STATE_RUNNING) }),
	ROW("replace the running", NEW, EEXIST, "exists", FAULT, REPLACE),
};

/* good requests, from somebody who may not make them */
static const struct row forbidden[] = {
	ROW("new", NEW, EPERM, ANY, FAULT, { NAME, TEXT("x") }),
	ROW("start", SET, EPERM, ANY, { STATE, U32(1) }),
	ROW("get", GET, EPERM, ANY, { 0 }),
	ROW("sessions", GET | DUMP, EPERM, NULL, { 0 }),
	ROW("del", DEL, EPERM, ANY, { 0 }),
	ROW("schema", SCHEMA | DUMP, EPERM, NULL, { 0 }),
	ROW("counters", COUNTERS | DUMP, EPERM, NULL, { 0 }),
	ROW("names", NAMES | DUMP, EPERM, NULL, { 0 }),
};

static struct genl genl;
static struct answer sessions, counters; /* before everything */
static int failed;

static void judge(const char *who, const struct row *row, const struct answer *a)
{
	if (a->error == row->want && (!row->text || (*a->text && strstr(a->text, row->text))))
		return;
	failed = 1;
	printf("# %s%s: got %s, \"%s\"; want %s, \"%s\"\n", who, row->what,
	       a->error ? strerror(a->error) : "success", a->text, strerror(row->want),
	       row->text ? row->text : "");
}

static int is_same(const struct answer *a, const struct answer *b)
{
	return a->error == b->error && a->bytes == b->bytes && !memcmp(a->data, b->data, a->bytes);
}

static void judge_state(const char *what)
{
	static struct answer now_sessions, now_counters;

	control_state(&genl, &now_sessions, &now_counters);
	if (is_same(&sessions, &now_sessions) && is_same(&counters, &now_counters))
		return;
	failed = 1;
	printf("# %s: changed sessions or counters\n", what);
}

static void build(const struct row *row, struct request *r)
{
	uint16_t type = KTRC_A_SESSION | (row->cmd & UNFLAGGED ? 0 : NLA_F_NESTED);
	struct nlattr *nest = NULL;
	size_t i;

	request_init(r, genl.family, row->cmd, row->cmd & DUMP ? NLM_F_DUMP : 0);
	if (!(row->cmd & TOP))
		nest = put(r, type, NULL, 0);
	for (i = 0; i < 3; i++) {
		const struct attr *a = &row->attrs[i];

		if (a->type || a->bytes)
			put(r, a->type, a->data, a->bytes);
	}
	if (nest)
		nest_end(r, nest);
}

#define SEND(who, list) send_rows(who, list, sizeof(list) / sizeof(*(list)))

static void send_rows(const char *who, const struct row *list, size_t nr)
{
	static struct answer a;
	struct request r;
	size_t i;

	for (i = 0; i < nr; i++) {
		build(&list[i], &r);
		transact(&genl, &r, &a);
		judge(who, &list[i], &a);
		if (!*who)
			judge_state(list[i].what);
	}
}

/* a good DEL of "default" with one header or length spoiled */
static void send_spoiled(const char *what, uint32_t at, uint8_t value, uint32_t extra, int want)
{
	const struct row row = ROW(what, DEL, want, NULL, { NAME, TEXT("default") });
	static struct answer a;
	struct request r;

	build(&row, &r);
	if (at)
		r.data[at] = value;
	r.bytes += extra;
	transact(&genl, &r, &a);
	judge("", &row, &a);
	judge_state(what);
}

/* in a child, so that the rights come back */
static void as(const char *who, void (*drop)(void))
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		failed = 0;
		drop();
		SEND(who, forbidden);
		fflush(stdout);
		_exit(failed);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		err(1, "fork");
	if (status)
		failed = 1;
	judge_state(who);
}

static void as_nobody(void)
{
	if (setgid(65534) || setuid(65534))
		err(1, "setuid");
}

static void as_root_of_a_user_namespace(void)
{
	if (unshare(CLONE_NEWUSER))
		err(1, "unshare");
}

/* the family is not there for other network namespaces */
static void in_a_network_namespace(void)
{
	struct genl other;
	int got;

	if (unshare(CLONE_NEWNET))
		err(1, "unshare");
	got = genl_open(&other);
	if (got == ENOENT)
		return;
	failed = 1;
	printf("# family in a network namespace: got %s\n", got ? strerror(got) : "success");
}

static void while_stopped(void)
{
	SEND("", rows);
	send_spoiled("reserved bytes of the header", NLMSG_HDRLEN + 2, 1, 0, EINVAL);
	send_spoiled("nest shorter than a header", GENL_HEAD, 2, 0, EINVAL);
	send_spoiled("nest beyond the message", GENL_HEAD, 200, 0, EINVAL);
	send_spoiled("name beyond its nest", GENL_HEAD + NLA_HDRLEN, 60, 0, EINVAL);
	send_spoiled("4 bytes after the nest", 0, 0, 4, EINVAL);
	as("nobody: ", as_nobody);
	as("root of a user namespace: ", as_root_of_a_user_namespace);
	in_a_network_namespace();
}

static void attach(void)
{
	struct ktrc_ioc_attach a = { .size = sizeof(a) };
	int fd = open(KTRC_DEVICE, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, KTRC_IOC_ATTACH, &a) || dup2(fd, ATTACHED) != ATTACHED)
		err(1, KTRC_DEVICE);
	close(fd);
}

int main(int argc, char **argv)
{
	int error = genl_open(&genl);

	if (error)
		errx(1, "family: %s", strerror(error));
	attach();
	control_state(&genl, &sessions, &counters);
	if (sessions.error || counters.error || !sessions.bytes || !counters.bytes)
		errx(1, "there is no session");
	if (argc == 2 && !strcmp(argv[1], "running"))
		SEND("", running);
	else
		while_stopped();
	return failed;
}
