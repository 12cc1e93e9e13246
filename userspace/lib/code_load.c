// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of processes may be made to do harm, or be on a file system that does not answer: a child looks at them. */
#include "code.h"

#include <errno.h>

#include "child.h"
#include "cleanup.h"
#include "json.h"

#define MAX_LOAD_NS (60 * NSEC_PER_SEC)

struct question {
	const struct ktrc_seen *seen;
	const struct ktrc_names *names;
};

/* As JSON. */
static int answer(const void *data, FILE *out)
{
	const struct question *question = data;
	struct ktrc_code code = { 0 };
	json_t *document;

	if (ktrc_code_look(&code, question->seen, question->names) < 0)
		return -ENOMEM;
	document = ktrc_code_to_json(&code);
	return document ? json_dumpf(document, out, JSON_COMPACT) : -ENOMEM;
}

/* What the child does not say to its end is of no use: there are no names. */
int ktrc_code_load(struct ktrc_code *code, const struct ktrc_seen *seen,
		   const struct ktrc_names *names)
{
	const struct question question = { seen, names };
	const struct ktrc_patience patience = { .max_ns = MAX_LOAD_NS };
	__ktrc_free char *text = NULL;
	__ktrc_json json_t *document = NULL;
	int ret;

	if (!seen->user.nr && !seen->copied.nr)
		return 0;
	text = ktrc_child_ask(answer, &question, &patience);
	document = text ? json_loads(text, 0, NULL) : NULL;
	ret = document ? ktrc_code_from_json(code, document) : 0;
	if (ret == 0)
		return 0;
	ktrc_code_release(code);
	return ret == -ENOMEM ? ret : 0;
}
