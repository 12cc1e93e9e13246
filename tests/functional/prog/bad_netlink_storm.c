// SPDX-License-Identifier: GPL-2.0
/*
 * bad_netlink_storm MESSAGES [SEED]: sends the module so many requests, of every command,
 * attribute and length, each with at least one fault that no module may overlook, and
 * demands that each is refused.  Sessions and counters must be the same after each thousand.
 * Its name lets the kernel's remarks about broken messages pass.
 */
#include "genl.h"

static uint64_t state = 88172645463325252ull;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % below;
}

static struct genl genl;
static unsigned long refused;

/* attributes that a command takes in its nest SESSION, as bits */
static uint32_t taken_by(uint32_t cmd)
{
	uint32_t name = 1u << KTRC_A_SESSION_NAME;

	if (cmd == KTRC_CMD_SESSION_SET)
		return name | 1u << KTRC_A_SESSION_STATE;
	if (cmd != KTRC_CMD_SESSION_NEW)
		return name;
	return name | 1u << KTRC_A_SESSION_MODE | 1u << KTRC_A_SESSION_EVENTS |
	       1u << KTRC_A_SESSION_MEMORY | 1u << KTRC_A_SESSION_PACKET_BYTES |
	       1u << KTRC_A_SESSION_REPLACE | 1u << KTRC_A_SESSION_RULE | 1u << KTRC_A_SESSION_PID |
	       1u << KTRC_A_SESSION_CGROUP | 1u << KTRC_A_SESSION_MAX_SECONDS |
	       1u << KTRC_A_SESSION_STATE | 1u << KTRC_A_SESSION_BIND;
}

/* its length as it should be; 0: none is right for all values */
static uint16_t length_of(uint32_t type)
{
	switch (type) {
	case KTRC_A_SESSION_EVENTS:
	case KTRC_A_SESSION_MEMORY:
	case KTRC_A_SESSION_CGROUP:
		return 8;
	case KTRC_A_SESSION_MODE:
	case KTRC_A_SESSION_PACKET_BYTES:
	case KTRC_A_SESSION_STATE:
	case KTRC_A_SESSION_PID:
	case KTRC_A_SESSION_MAX_SECONDS:
	case KTRC_A_SESSION_BIND:
		return 4;
	default:
		return 0;
	}
}

static void put_garbage(struct request *r, uint16_t type, uint16_t bytes)
{
	char data[256];
	uint16_t i;

	for (i = 0; i < bytes; i++)
		data[i] = draw(256);
	put(r, type, data, bytes);
}

/* anything, right or wrong */
static void put_anything(struct request *r)
{
	uint16_t type = draw(KTRC_A_SESSION_MAX + 3);
	uint16_t bytes = draw(2) && length_of(type) ? length_of(type) : draw(40);

	put_garbage(r, type | (draw(8) ? 0 : NLA_F_NESTED), bytes);
}

/* ---- faults: each alone is enough to be refused ---- */

static void attribute_not_taken(struct request *r, uint32_t cmd)
{
	uint16_t type;

	do {
		type = draw(64);
	} while (type <= KTRC_A_SESSION_MAX && taken_by(cmd) >> type & 1);
	put_garbage(r, type, draw(64));
}

static void wrong_length(struct request *r, uint32_t cmd)
{
	uint16_t type, bytes;

	do {
		type = draw(KTRC_A_SESSION_MAX + 1);
	} while (!(taken_by(cmd) >> type & 1));
	if (type == KTRC_A_SESSION_NAME) {
		put(r, type, "12345678901234567890123456789012", draw(2) ? 33 : 0);
		return;
	}
	do {
		bytes = draw(70);
	} while (bytes == length_of(type) || (type == KTRC_A_SESSION_REPLACE && !bytes));
	if (type == KTRC_A_SESSION_RULE)
		put(r, type, "", draw(2)); /* no nest at all */
	else
		put_garbage(r, type, bytes);
}

static void bad_rule(struct request *r, uint32_t cmd)
{
	struct nlattr *nest = put(r, KTRC_A_SESSION_RULE | NLA_F_NESTED, NULL, 0);
	uint32_t event = draw(KTRC_NR_EVENTS), none = 0, flags = 16u << draw(28);

	(void)cmd; /* those that take no rule refuse it as well */
	switch (draw(4)) {
	case 0:
		event = KTRC_NR_EVENTS + draw(1u << 31);
		put(r, KTRC_A_RULE_EVENT, &event, 4);
		break;
	case 1:
		put(r, KTRC_A_RULE_EVENT, &event, 4);
		put(r, KTRC_A_RULE_SAMPLE, &none, 4);
		break;
	case 2:
		put(r, KTRC_A_RULE_EVENT, &event, 4);
		put(r, KTRC_A_RULE_FLAGS, &flags, 4);
		break;
	default:
		put_garbage(r, KTRC_A_RULE_MAX + 1 + draw(40), draw(30));
	}
	nest_end(r, nest);
}

/* its length says more than there is */
static void beyond_the_nest(struct request *r, uint32_t cmd)
{
	struct nlattr *a = put(r, draw(64), NULL, 0);

	(void)cmd;
	a->nla_len = NLA_HDRLEN + 1 + draw(60000);
}

static void shorter_than_a_header(struct request *r, uint32_t cmd)
{
	(void)cmd;
	put_garbage(r, draw(64), draw(20));
	put(r, draw(64), NULL, 0)->nla_len = draw(NLA_HDRLEN);
}

static void (*const faults[])(struct request *r, uint32_t cmd) = {
	attribute_not_taken, wrong_length, bad_rule, beyond_the_nest, shorter_than_a_header,
};

/* a request with some attributes, one fault and some more, or a fault around all that */
static void build(struct request *r)
{
	uint32_t cmd = 1 + draw(KTRC_CMD_NOTICE - 1), around = draw(8), i;
	uint16_t type = KTRC_A_SESSION | NLA_F_NESTED;
	struct nlattr *nest;

	if (around == 0)
		cmd = draw(2) ? 0 : KTRC_CMD_NOTICE + draw(256 - KTRC_CMD_NOTICE);
	if (around == 1)
		type = draw(2) ? KTRC_A_SESSION : (KTRC_A_SESSION + 1 + draw(60)) | NLA_F_NESTED;
	request_init(r, genl.family, cmd, draw(2) ? NLM_F_DUMP : 0);
	nest = put(r, type, NULL, 0);
	for (i = draw(4); i; i--)
		put_anything(r);
	faults[draw(sizeof(faults) / sizeof(*faults))](r, cmd);
	if (draw(2))
		put_anything(r);
	nest_end(r, nest);
	if (around == 2) /* the reserved bytes of the header */
		r->data[NLMSG_HDRLEN + 2 + draw(2)] = 1 + draw(255);
	if (around == 3)
		nest->nla_len = draw(65536);
	if (around == 4) {
		r->bytes = GENL_HEAD + NLA_HDRLEN + draw(r->bytes - GENL_HEAD - NLA_HDRLEN);
		nest->nla_len = r->bytes - GENL_HEAD + 1 + draw(100);
	}
}

/* Return: the errno of the answer, 0 for success, -1 when there is none */
static int ask(struct request *r)
{
	static char buffer[65536] __attribute__((aligned(8)));
	int error = -1;
	ssize_t got;

	r->nl.nlmsg_len = r->bytes;
	if (send(genl.fd, r->data, r->bytes, 0) != (ssize_t)r->bytes)
		err(1, "send");
	while ((got = recv(genl.fd, buffer, sizeof(buffer), MSG_DONTWAIT)) > 0) {
		struct nlmsghdr *nl = (void *)buffer;

		for (; NLMSG_OK(nl, got); nl = NLMSG_NEXT(nl, got)) {
			if (nl->nlmsg_type == NLMSG_ERROR || nl->nlmsg_type == NLMSG_DONE)
				error = -*(const int *)NLMSG_DATA(nl);
		}
	}
	return error;
}

static void print(const struct request *r, int error, unsigned long nr)
{
	uint32_t i;

	printf("# message %lu: got %s:", nr, error ? "no answer" : "success");
	for (i = 0; i < r->bytes; i++)
		printf(" %02x", (unsigned char)r->data[i]);
	putchar('\n');
	exit(1);
}

static int is_same(const struct answer *a, const struct answer *b)
{
	return a->error == b->error && a->bytes == b->bytes && !memcmp(a->data, b->data, a->bytes);
}

static void storm(unsigned long messages)
{
	static struct answer sessions, counters, now_sessions, now_counters;
	struct request r;
	unsigned long i;

	control_state(&genl, &sessions, &counters);
	for (i = 1; i <= messages; i++) {
		int error;

		build(&r);
		error = ask(&r);
		if (error <= 0)
			print(&r, error, i);
		refused++;
		if (i % 1000 && i != messages)
			continue;
		control_state(&genl, &now_sessions, &now_counters);
		if (!is_same(&sessions, &now_sessions) || !is_same(&counters, &now_counters))
			errx(1, "sessions or counters have changed before message %lu", i);
	}
}

int main(int argc, char **argv)
{
	int error = genl_open(&genl);

	if (error || argc < 2)
		errx(2, "usage: bad_netlink_storm MESSAGES [SEED]; family: %s", strerror(error));
	if (argc > 2)
		state ^= strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15ull;
	storm(strtoul(argv[1], NULL, 10));
	printf("%lu refused\n", refused);
	return 0;
}
