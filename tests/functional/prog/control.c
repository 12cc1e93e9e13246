// SPDX-License-Identifier: GPL-2.0
/*
 * control new: makes session "default" for event fault and does not start it.
 * control replace: the same, in the place of one that is there.
 * control start NAME: starts that session again, with what it holds.
 * control start_in_silence: starts it and at once switches kprobes off, without a fault
 *	in between: a session that nothing happens to.
 * control bind: binds session "default" to its file, says so, and keeps it until it is killed.
 * control sessions: prints all sessions, as bytes.
 * control state: and the counters of "default".
 * control names: prints all names that are kept, as bytes.
 * control policy: asks the kernel for the family's policy, says so, and takes no answer until it is killed.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "genl.h"

static void print(const char *what, const struct answer *a)
{
	size_t i;

	printf("%s errno %d ", what, a->error);
	for (i = 0; i < a->bytes; i++)
		printf("%02x", (unsigned char)a->data[i]);
	putchar('\n');
}

static void new_session(const struct genl *g, bool replace)
{
	uint64_t events = 1ull << KTRC_EV_fault;
	static struct answer a;
	struct nlattr *nest;
	struct request r;

	request_init(&r, g->family, KTRC_CMD_SESSION_NEW, 0);
	nest = put(&r, KTRC_A_SESSION | NLA_F_NESTED, NULL, 0);
	put(&r, KTRC_A_SESSION_EVENTS, &events, sizeof(events));
	if (replace)
		put(&r, KTRC_A_SESSION_REPLACE, NULL, 0);
	nest_end(&r, nest);
	transact(g, &r, &a);
	if (a.error)
		errx(1, "SESSION_NEW: %s: %s", strerror(a.error), a.text);
}

static void start(const struct genl *g, const char *name)
{
	uint32_t running = KTRC_STATE_RUNNING;
	static struct answer a;
	struct nlattr *nest;
	struct request r;

	request_init(&r, g->family, KTRC_CMD_SESSION_SET, 0);
	nest = put(&r, KTRC_A_SESSION | NLA_F_NESTED, NULL, 0);
	put(&r, KTRC_A_SESSION_NAME, name, strlen(name) + 1);
	put(&r, KTRC_A_SESSION_STATE, &running, sizeof(running));
	nest_end(&r, nest);
	transact(g, &r, &a);
	if (a.error)
		errx(1, "SESSION_SET: %s: %s", strerror(a.error), a.text);
}

static void start_in_silence(void)
{
	struct ktrc_ioc_attach attach = { .size = sizeof(attach) };
	int kprobes = open("/sys/kernel/debug/kprobes/enabled", O_WRONLY);
	int device = open("/dev/ktrc", O_RDONLY);

	if (kprobes < 0 || device < 0 || mlockall(MCL_CURRENT | MCL_FUTURE) ||
	    ioctl(device, KTRC_IOC_ATTACH, &attach))
		err(1, "before the start");
	if (ioctl(device, KTRC_IOC_START, 0) || write(kprobes, "0", 1) != 1)
		err(1, "start");
}

static void bind_until_killed(void)
{
	struct ktrc_ioc_attach attach = { .size = sizeof(attach), .flags = KTRC_ATTACH_BIND };
	int device = open("/dev/ktrc", O_RDONLY);

	if (device < 0 || ioctl(device, KTRC_IOC_ATTACH, &attach))
		err(1, "bind");
	puts("bound");
	fflush(stdout);
	for (;;)
		pause();
}

static void wait_for_policy(const struct genl *g)
{
	struct request r;

	request_init(&r, GENL_ID_CTRL, CTRL_CMD_GETPOLICY, NLM_F_DUMP);
	put(&r, CTRL_ATTR_FAMILY_NAME, KTRC_GENL_NAME, sizeof(KTRC_GENL_NAME));
	r.nl.nlmsg_len = r.bytes;
	if (send(g->fd, r.data, r.bytes, 0) < 0)
		err(1, "GETPOLICY");
	puts("asked");
	fflush(stdout);
	for (;;)
		pause();
}

static void print_names(const struct genl *g)
{
	static struct answer names;
	struct request r;

	request_init(&r, g->family, KTRC_CMD_NAMES_GET, NLM_F_DUMP);
	transact(g, &r, &names);
	print("names", &names);
}

int main(int argc, char **argv)
{
	static struct answer sessions, counters;
	struct genl g;
	int error = genl_open(&g);

	if (error)
		errx(1, "family: %s", strerror(error));
	if (argc == 2 && (!strcmp(argv[1], "new") || !strcmp(argv[1], "replace"))) {
		new_session(&g, !strcmp(argv[1], "replace"));
	} else if (argc == 3 && !strcmp(argv[1], "start")) {
		start(&g, argv[2]);
	} else if (argc == 2 && !strcmp(argv[1], "start_in_silence")) {
		start_in_silence();
	} else if (argc == 2 && !strcmp(argv[1], "bind")) {
		bind_until_killed();
	} else if (argc == 2 && (!strcmp(argv[1], "state") || !strcmp(argv[1], "sessions"))) {
		control_state(&g, &sessions, &counters);
		print("sessions", &sessions);
		if (!strcmp(argv[1], "state"))
			print("counters", &counters);
	} else if (argc == 2 && !strcmp(argv[1], "names")) {
		print_names(&g);
	} else if (argc == 2 && !strcmp(argv[1], "policy")) {
		wait_for_policy(&g);
	} else {
		errx(2,
		     "usage: control new|replace|start NAME|start_in_silence|bind|sessions|state|names|policy");
	}
	return 0;
}
