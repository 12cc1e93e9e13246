// SPDX-License-Identifier: GPL-2.0
/*
 * ask_early: waits for the netlink family, and asks for a session that records and for the schema
 * as long as it is there.  Prints how often each was refused because the module is not loaded
 * yet; exit status 1 as soon as it gets anything else.
 */
#include "genl.h"

static int ask_session(const struct genl *genl, struct answer *answer)
{
	uint64_t events = 1 << KTRC_EV_fault;
	uint32_t state = KTRC_STATE_RUNNING;
	struct request r;
	struct nlattr *nest;

	request_init(&r, genl->family, KTRC_CMD_SESSION_NEW, 0);
	nest = put(&r, KTRC_A_SESSION | NLA_F_NESTED, NULL, 0);
	put(&r, KTRC_A_SESSION_EVENTS, &events, sizeof(events));
	put(&r, KTRC_A_SESSION_STATE, &state, sizeof(state));
	nest_end(&r, nest);
	transact(genl, &r, answer);
	return answer->error;
}

static int ask_schema(const struct genl *genl, struct answer *answer)
{
	struct request r;

	request_init(&r, genl->family, KTRC_CMD_SCHEMA_GET, NLM_F_DUMP);
	transact(genl, &r, answer);
	return answer->error;
}

/* Return: whether it was refused; not: there is no family any more */
static int is_refused(int error, const char *what, const struct answer *answer)
{
	if (error != EBUSY && error != ENOENT)
		errx(1, "%s: %s: %s", what, strerror(error), answer->text);
	return error == EBUSY;
}

int main(void)
{
	static struct answer answer;
	int nr_sessions = 0, nr_dumps = 0;
	struct genl genl;

	while (genl_open(&genl)) {
		close(genl.fd);
		usleep(1000);
	}
	while (is_refused(ask_session(&genl, &answer), "session", &answer)) {
		if (strcmp(answer.text, "the module is not loaded yet; start again"))
			errx(1, "session: %s", answer.text);
		nr_sessions++;
		nr_dumps += is_refused(ask_schema(&genl, &answer), "schema", &answer);
		usleep(1000);
	}
	printf("%d sessions, %d dumps\n", nr_sessions, nr_dumps);
	return 0;
}
