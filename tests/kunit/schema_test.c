// SPDX-License-Identifier: GPL-2.0
/* The descriptors that user space gets describe the structs that probes write. */
#include <kunit/test.h>
#include <linux/string.h>

#include "../../kmod/attach.h"
#include "../../kmod/schema.h"
#include "../../uapi/ktrc_events.h"

static void fields_fill_the_payload(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < ktrc_nr_event_descs; i++) {
		const struct ktrc_event_desc *e = &ktrc_event_descs[i];
		u32 bits = 0;

		for (j = 0; j < ktrc_nr_field_descs; j++)
			bits += ktrc_field_descs[j].event == e->id ? ktrc_field_descs[j].width : 0;
		KUNIT_EXPECT_EQ_MSG(test, bits, 8 * e->bytes, "%s", e->name);
		KUNIT_EXPECT_EQ_MSG(test, e->bytes % 4, 0u, "%s", e->name);
	}
}

static void ids_and_names_are_unique(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < ktrc_nr_event_descs; i++) {
		const struct ktrc_event_desc *e = &ktrc_event_descs[i];

		KUNIT_EXPECT_LT(test, e->id, (u32)KTRC_NR_EVENTS);
		for (j = 0; j < i; j++) {
			KUNIT_EXPECT_NE(test, ktrc_event_descs[j].id, e->id);
			KUNIT_EXPECT_NE(test, strcmp(ktrc_event_descs[j].name, e->name), 0);
			KUNIT_EXPECT_NE(test, strcmp(ktrc_event_descs[j].label, e->label), 0);
		}
	}
}

/* an event's fields are neighbours: a field begins where the one before it ends */
static void fields_are_neighbours(struct kunit *test)
{
	u32 i, j;

	for (i = 2; i < ktrc_nr_field_descs; i++) {
		u32 event = ktrc_field_descs[i].event;

		if (ktrc_field_descs[i - 1].event == event)
			continue;
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, ktrc_field_descs[j].event, event);
	}
}

static bool has_values(const char *enumeration)
{
	u32 i;

	for (i = 0; i < ktrc_nr_value_descs; i++) {
		if (!strcmp(ktrc_value_descs[i].enumeration, enumeration))
			return true;
	}
	return false;
}

static void enumerations_have_values(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ktrc_nr_field_descs; i++) {
		const struct ktrc_field_desc *f = &ktrc_field_descs[i];

		KUNIT_EXPECT_EQ_MSG(test, f->format == KTRC_FMT_ENUM, f->enumeration != NULL, "%s",
				    f->name);
		if (f->enumeration)
			KUNIT_EXPECT_TRUE_MSG(test, has_values(f->enumeration), "%s", f->name);
	}
}

/* what can be asked for has a probe, what describes has none */
static void data_has_a_probe(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ktrc_nr_event_descs; i++) {
		const struct ktrc_event_desc *e = &ktrc_event_descs[i];

		KUNIT_EXPECT_EQ_MSG(test, e->kind != KTRC_KIND_DICT,
				    ktrc_attach_probe(e->id) != NULL, "%s", e->name);
	}
	KUNIT_EXPECT_NULL(test, ktrc_attach_probe(KTRC_NR_EVENTS));
	KUNIT_EXPECT_NULL(test, ktrc_attach_probe(~0u));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(fields_fill_the_payload), KUNIT_CASE(ids_and_names_are_unique),
	KUNIT_CASE(fields_are_neighbours),   KUNIT_CASE(enumerations_have_values),
	KUNIT_CASE(data_has_a_probe),	     {}
};

static struct kunit_suite suite = {
	.name = "ktrc_schema",
	.test_cases = cases,
};
kunit_test_suites(&suite);
