// SPDX-License-Identifier: GPL-2.0
/*
 * mnl_client: a client of the netlink family that shares nothing with the tools but
 * the header.  It records while it touches pages, by a session with a filter, and prints
 * what the module says, "WORD VALUE..." a line: notices, the session, its counters, the
 * fields of event fault, the name of the root cgroup.  Deletes it after a line of input.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../uapi/ktrc.h"
#include "../../../uapi/ktrc_events.h"

#define NAME "independent"
#define PAGES 1009
#define PAGE 4096

struct client {
	struct mnl_socket *socket;
	uint16_t family;
	uint32_t group;
	uint32_t seq;
};

static char buffer[65536];

static struct client open_client(void)
{
	struct client c = { .socket = mnl_socket_open(NETLINK_GENERIC), .family = GENL_ID_CTRL };

	if (!c.socket || mnl_socket_bind(c.socket, 0, MNL_SOCKET_AUTOPID) < 0)
		err(1, "netlink");
	return c;
}

static struct nlmsghdr *request(struct client *c, uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *nl = mnl_nlmsg_put_header(buffer);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nl, sizeof(*genl));

	nl->nlmsg_type = c->family;
	nl->nlmsg_flags = NLM_F_REQUEST | flags;
	nl->nlmsg_seq = ++c->seq;
	genl->cmd = cmd;
	genl->version = 1;
	return nl;
}

/* Return: 0 or the errno of the answer; each message of it goes to @on_message */
static int ask(struct client *c, const struct nlmsghdr *nl, mnl_cb_t on_message)
{
	unsigned int port = mnl_socket_get_portid(c->socket);
	ssize_t got;
	int more = MNL_CB_OK;

	if (mnl_socket_sendto(c->socket, nl, nl->nlmsg_len) < 0)
		err(1, "send");
	while (more == MNL_CB_OK) {
		got = mnl_socket_recvfrom(c->socket, buffer, sizeof(buffer));
		if (got < 0)
			err(1, "receive");
		more = mnl_cb_run(buffer, got, c->seq, port, on_message, c);
	}
	return more == MNL_CB_ERROR ? errno : 0;
}

static int into_table(const struct nlattr *attr, void *data)
{
	const struct nlattr **table = data;

	if (mnl_attr_get_type(attr) < 64)
		table[mnl_attr_get_type(attr)] = attr;
	return MNL_CB_OK;
}

/* ---- the controller: the family's number and its group's ---- */

static int on_family(const struct nlmsghdr *nl, void *data)
{
	const struct nlattr *a[64] = { NULL }, *group, *g[64] = { NULL };
	struct client *c = data;

	mnl_attr_parse(nl, sizeof(struct genlmsghdr), into_table, a);
	c->family = mnl_attr_get_u16(a[CTRL_ATTR_FAMILY_ID]);
	mnl_attr_for_each_nested(group, a[CTRL_ATTR_MCAST_GROUPS])
	{
		mnl_attr_parse_nested(group, into_table, g);
		if (!strcmp(mnl_attr_get_str(g[CTRL_ATTR_MCAST_GRP_NAME]), KTRC_GENL_NOTICES))
			c->group = mnl_attr_get_u32(g[CTRL_ATTR_MCAST_GRP_ID]);
	}
	return MNL_CB_OK;
}

static void find_family(struct client *c)
{
	struct nlmsghdr *nl = request(c, CTRL_CMD_GETFAMILY, NLM_F_ACK);

	mnl_attr_put_strz(nl, CTRL_ATTR_FAMILY_NAME, KTRC_GENL_NAME);
	if (ask(c, nl, on_family) || !c->group)
		errx(1, "no family " KTRC_GENL_NAME " with a group " KTRC_GENL_NOTICES);
}

/* ---- what the module says ---- */

/* the attributes of the first nest of that type */
static int take(const struct nlmsghdr *nl, uint16_t type, const struct nlattr **table)
{
	const struct nlattr *a[64] = { NULL };

	mnl_attr_parse(nl, sizeof(struct genlmsghdr), into_table, a);
	memset(table, 0, 64 * sizeof(*table));
	return a[type] && mnl_attr_parse_nested(a[type], into_table, table) == MNL_CB_OK;
}

static int on_session(const struct nlmsghdr *nl, void *data)
{
	const struct nlattr *s[64], *r[64] = { NULL };

	(void)data;
	if (!take(nl, KTRC_A_SESSION, s))
		errx(1, "no session in the answer");
	mnl_attr_parse_nested(s[KTRC_A_SESSION_RULE], into_table, r);
	printf("session %s state %u reason %u pid %u max %u events %" PRIx64 "\n",
	       mnl_attr_get_str(s[KTRC_A_SESSION_NAME]), mnl_attr_get_u32(s[KTRC_A_SESSION_STATE]),
	       mnl_attr_get_u32(s[KTRC_A_SESSION_STOP_REASON]),
	       mnl_attr_get_u32(s[KTRC_A_SESSION_PID]) == (uint32_t)getpid(),
	       mnl_attr_get_u32(s[KTRC_A_SESSION_MAX_SECONDS]),
	       mnl_attr_get_u64(s[KTRC_A_SESSION_EVENTS]));
	printf("rule event %u flags %u min %" PRIu64 " sample %u\n",
	       mnl_attr_get_u32(r[KTRC_A_RULE_EVENT]), mnl_attr_get_u32(r[KTRC_A_RULE_FLAGS]),
	       mnl_attr_get_u64(r[KTRC_A_RULE_MIN_NS]), mnl_attr_get_u32(r[KTRC_A_RULE_SAMPLE]));
	return MNL_CB_OK;
}

static uint64_t hits, written, filtered, lost;

static int on_counters(const struct nlmsghdr *nl, void *data)
{
	const struct nlattr *n[64];
	int i;

	(void)data;
	if (!take(nl, KTRC_A_COUNTERS, n))
		errx(1, "no counters in the answer");
	hits += mnl_attr_get_u64(n[KTRC_A_COUNTERS_HITS]);
	written += mnl_attr_get_u64(n[KTRC_A_COUNTERS_WRITTEN]);
	filtered += mnl_attr_get_u64(n[KTRC_A_COUNTERS_FILTERED]);
	for (i = KTRC_A_COUNTERS_LOST_FULL; i <= KTRC_A_COUNTERS_LOST_MISSED; i++)
		lost += mnl_attr_get_u64(n[i]);
	return MNL_CB_OK;
}

static int on_schema(const struct nlmsghdr *nl, void *data)
{
	const struct nlattr *e[64], *f[64], *field;
	const struct nlattr *nest;

	(void)data;
	if (!take(nl, KTRC_A_EVENT, e) || strcmp(mnl_attr_get_str(e[KTRC_A_EVENT_LABEL]), "fault"))
		return MNL_CB_OK;
	nest = mnl_nlmsg_get_payload_offset(nl, sizeof(struct genlmsghdr));
	printf("fault bytes %u fields", mnl_attr_get_u32(e[KTRC_A_EVENT_BYTES]));
	mnl_attr_for_each_nested(field, nest)
	{
		if (mnl_attr_get_type(field) != KTRC_A_EVENT_FIELD)
			continue;
		mnl_attr_parse_nested(field, into_table, f);
		printf(" %s:%u", mnl_attr_get_str(f[KTRC_A_FIELD_NAME]),
		       mnl_attr_get_u32(f[KTRC_A_FIELD_WIDTH]));
	}
	putchar('\n');
	return MNL_CB_OK;
}

static int on_name(const struct nlmsghdr *nl, void *data)
{
	const struct nlattr *n[64];

	(void)data;
	if (take(nl, KTRC_A_NAME, n) && mnl_attr_get_u64(n[KTRC_A_NAME_CGROUP]) == 1)
		printf("cgroup 1 %s\n", mnl_attr_get_str(n[KTRC_A_NAME_PATH]));
	return MNL_CB_OK;
}

static int on_notice(const struct nlmsghdr *nl, void *data)
{
	const struct nlattr *n[64], *s[64];

	(void)data;
	if (!take(nl, KTRC_A_NOTICE, n) || !take(nl, KTRC_A_SESSION, s))
		errx(1, "no notice");
	printf("notice %u of %s lost %" PRIu64 "\n", mnl_attr_get_u32(n[KTRC_A_NOTICE_KIND]),
	       mnl_attr_get_str(s[KTRC_A_SESSION_NAME]), mnl_attr_get_u64(n[KTRC_A_NOTICE_LOST]));
	return MNL_CB_OK;
}

/* ---- what it asks ---- */

static int about(struct client *c, uint8_t cmd, uint16_t flags, uint32_t state, mnl_cb_t on_message)
{
	struct nlmsghdr *nl = request(c, cmd, flags);
	struct nlattr *nest = mnl_attr_nest_start(nl, KTRC_A_SESSION);

	mnl_attr_put_strz(nl, KTRC_A_SESSION_NAME, NAME);
	if (state)
		mnl_attr_put_u32(nl, KTRC_A_SESSION_STATE, state);
	mnl_attr_nest_end(nl, nest);
	return ask(c, nl, on_message);
}

static int make(struct client *c)
{
	struct nlmsghdr *nl = request(c, KTRC_CMD_SESSION_NEW, NLM_F_ACK);
	struct nlattr *nest = mnl_attr_nest_start(nl, KTRC_A_SESSION), *rule;

	mnl_attr_put_strz(nl, KTRC_A_SESSION_NAME, NAME);
	mnl_attr_put_u64(nl, KTRC_A_SESSION_EVENTS, 1ull << KTRC_EV_fault);
	mnl_attr_put_u64(nl, KTRC_A_SESSION_MEMORY, 4 << 20);
	mnl_attr_put_u32(nl, KTRC_A_SESSION_PID, getpid());
	mnl_attr_put_u32(nl, KTRC_A_SESSION_MAX_SECONDS, 1000);
	rule = mnl_attr_nest_start(nl, KTRC_A_SESSION_RULE);
	mnl_attr_put_u32(nl, KTRC_A_RULE_EVENT, KTRC_EV_fault);
	mnl_attr_put_u32(nl, KTRC_A_RULE_FLAGS, KTRC_RULE_USER);
	mnl_attr_put_u64(nl, KTRC_A_RULE_MIN_NS, 1);
	mnl_attr_put_u32(nl, KTRC_A_RULE_SAMPLE, 1);
	mnl_attr_nest_end(nl, rule);
	mnl_attr_nest_end(nl, nest);
	return ask(c, nl, NULL);
}

static void touch(void)
{
	char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	size_t i;

	if (p == MAP_FAILED || madvise(p, PAGES * PAGE, MADV_NOHUGEPAGE))
		err(1, "mmap");
	for (i = 0; i < PAGES; i++)
		((volatile char *)p)[i * PAGE] = 1;
}

static void must(const char *what, int error)
{
	if (error)
		errx(1, "%s: %s", what, strerror(error));
}

static void listen_to(struct client *c)
{
	find_family(c);
	if (mnl_socket_setsockopt(c->socket, NETLINK_ADD_MEMBERSHIP, &c->group, sizeof(c->group)))
		err(1, "group");
}

static void print_notices(const struct client *c, int nr)
{
	while (nr--) {
		ssize_t got = mnl_socket_recvfrom(c->socket, buffer, sizeof(buffer));

		if (got < 0 || mnl_cb_run(buffer, got, 0, 0, on_notice, NULL) < 0)
			err(1, "notice");
	}
}

int main(void)
{
	struct client c = open_client(), listener = open_client();

	find_family(&c);
	listen_to(&listener);
	must("new", make(&c));
	must("start", about(&c, KTRC_CMD_SESSION_SET, NLM_F_ACK, KTRC_STATE_RUNNING, NULL));
	touch();
	must("stop", about(&c, KTRC_CMD_SESSION_SET, NLM_F_ACK, KTRC_STATE_STOPPED, NULL));
	must("get", about(&c, KTRC_CMD_SESSION_GET, NLM_F_ACK, 0, on_session));
	must("counters", about(&c, KTRC_CMD_COUNTERS_GET, NLM_F_DUMP, 0, on_counters));
	must("schema", ask(&c, request(&c, KTRC_CMD_SCHEMA_GET, NLM_F_DUMP), on_schema));
	must("names", ask(&c, request(&c, KTRC_CMD_NAMES_GET, NLM_F_DUMP), on_name));
	printf("counters balance %d enough %d lost %" PRIu64 "\n",
	       hits == written + filtered + lost, written >= PAGES, lost);
	printf("counters %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", hits, written, filtered);
	fflush(stdout);
	getchar();
	must("delete", about(&c, KTRC_CMD_SESSION_DEL, NLM_F_ACK, 0, NULL));
	printf("deleted, then: %s\n",
	       strerror(about(&c, KTRC_CMD_SESSION_GET, NLM_F_ACK, 0, on_session)));
	print_notices(&listener, 3);
	return 0;
}
