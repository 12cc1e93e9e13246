// SPDX-License-Identifier: GPL-2.0
/* A packet names each task in full once, whatever it is called and whoever had its slot. */
#include <kunit/test.h>
#include <linux/sched.h>

#include "../../kmod/dict.h"
#include "../../uapi/ktrc_events.h"

#define PACKET 7

static struct ktrc_dict *make_dict(struct kunit *test)
{
	struct ktrc_dict *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, d);
	return d;
}

/* Write @who as the dictionary wants it. Return: bytes written. */
static u32 name_task(struct ktrc_dict *d, const struct ktrc_who *who, u64 packet, u32 *words)
{
	struct ktrc_pen pen = { .w = words };

	ktrc_dict_write(d, who, current, ktrc_dict_form(d, who, packet), packet, &pen);
	return (pen.w - words) * sizeof(*words);
}

static void full_then_reference(struct kunit *test)
{
	struct ktrc_dict *d = make_dict(test);
	struct ktrc_ev_task full;
	struct ktrc_who who;
	u32 words[32];

	ktrc_who_is(&who, current);
	KUNIT_EXPECT_EQ(test, name_task(d, &who, PACKET, words), ktrc_dict_bytes(KTRC_TASK_FULL));
	memcpy(&full, words + 1, sizeof(full));
	KUNIT_EXPECT_EQ(test, words[0] & KTRC_ID_EXTENDED, (u32)KTRC_EV_task);
	KUNIT_EXPECT_EQ(test, full.tid, (u32)current->pid);
	KUNIT_EXPECT_EQ(test, full.pid, (u32)current->tgid);
	KUNIT_EXPECT_EQ(test, full.start_ns, current->start_boottime);
	KUNIT_EXPECT_EQ(test, full.cgid, ktrc_current_cgid());
	KUNIT_EXPECT_STREQ(test, (char *)full.comm, current->comm);
	KUNIT_EXPECT_EQ(test, name_task(d, &who, PACKET, words), ktrc_dict_bytes(KTRC_TASK_REF));
	KUNIT_EXPECT_EQ(test, words[0] & KTRC_ID_EXTENDED, (u32)KTRC_EV_task_ref);
	KUNIT_EXPECT_EQ(test, words[1], (u32)current->pid);
}

static void each_packet_anew(struct kunit *test)
{
	struct ktrc_dict *d = make_dict(test);
	struct ktrc_who who;
	u32 words[32];
	u64 packet;

	ktrc_who_is(&who, current);
	for (packet = 0; packet < 5; packet++)
		KUNIT_EXPECT_EQ(test, name_task(d, &who, packet, words),
				ktrc_dict_bytes(KTRC_TASK_FULL));
}

/* a name, a start and a thread id make a task; each change needs the full form again */
static void changes_are_seen(struct kunit *test)
{
	struct ktrc_dict *d = make_dict(test);
	struct ktrc_who who, other;
	char comm[TASK_COMM_LEN];
	u32 words[32];

	ktrc_who_is(&who, current);
	name_task(d, &who, PACKET, words);
	get_task_comm(comm, current);
	strscpy_pad(current->comm, "another", sizeof(comm));
	ktrc_who_is(&other, current);
	memcpy(current->comm, comm, sizeof(comm));
	KUNIT_EXPECT_NE(test, other.key, who.key);
	KUNIT_EXPECT_EQ(test, ktrc_dict_form(d, &other, PACKET), KTRC_TASK_FULL);
	other = who;
	other.tid++;
	KUNIT_EXPECT_EQ(test, ktrc_dict_form(d, &other, PACKET), KTRC_TASK_FULL);
	KUNIT_EXPECT_EQ(test, ktrc_dict_form(d, &who, PACKET), KTRC_TASK_REF);
}

static void slot_is_shared(struct kunit *test)
{
	struct ktrc_dict *d = make_dict(test);
	struct ktrc_who one, two;
	u32 words[32];

	ktrc_who_is(&one, current);
	two = one;
	two.tid += KTRC_DICT_TASKS;
	name_task(d, &one, PACKET, words);
	name_task(d, &two, PACKET, words);
	KUNIT_EXPECT_EQ(test, ktrc_dict_form(d, &two, PACKET), KTRC_TASK_REF);
	KUNIT_EXPECT_EQ(test, ktrc_dict_form(d, &one, PACKET), KTRC_TASK_FULL);
}

static struct kunit_case cases[] = { KUNIT_CASE(full_then_reference),
				     KUNIT_CASE(each_packet_anew),
				     KUNIT_CASE(changes_are_seen),
				     KUNIT_CASE(slot_is_shared),
				     {} };

static struct kunit_suite suite = {
	.name = "ktrc_dict",
	.test_cases = cases,
};
kunit_test_suites(&suite);
