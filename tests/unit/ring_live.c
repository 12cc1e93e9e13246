// SPDX-License-Identifier: GPL-2.0
/*
 * A reader on another CPU, following uapi/ktrc.h, while a writer and its interrupts
 * overwrite the ring as fast as they can.  What it accepts is whole.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "rig.h"

/* Both outcomes of the race are wanted so often; how long that takes is the machine's affair. */
#define WANT_ACCEPTED 10000
#define WANT_DISCARDED 500
#define GIVE_UP_NS 60000000000ll

static const struct rig_config config = { KTRC_MODE_FLIGHT, KTRC_CLOCK_TSC, 11, 4 };
static struct rig rig;
static bool is_enough, is_over;

struct reader {
	u64 accepted;
	u64 discarded;
	u64 records;
	const char *wrong;
};

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void interrupt(void *context)
{
	u32 outer, *seed = context;
	enum rig_level level;

	*seed = *seed * 1103515245 + 12345;
	level = *seed >> 16 & 3;
	if (*seed >> 26 || level <= rig_level())
		return;
	rig_enter(level, &outer);
	rig_emit(&rig, *seed >> 25 & 1 ? KTRC_EV_fault : KTRC_EV_fault_light);
	rig_leave(outer);
}

static void *write_all(void *unused)
{
	long long end = now_ns() + GIVE_UP_NS;
	u32 i, seed = 1;

	shim.on_step = interrupt;
	shim.context = &seed;
	while (!__atomic_load_n(&is_enough, __ATOMIC_RELAXED) && now_ns() < end)
		for (i = 0; i < 200; i++) {
			shim.task = &rig.task[i / 50];
			rig_emit(&rig, KTRC_EV_fault);
		}
	shim.on_step = NULL;
	__atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
	return unused;
}

/* a slow copy: the writer comes in between */
static void copy_packet(u64 *to, const u8 *from, bool is_slow)
{
	const volatile u64 *words = (const volatile u64 *)from;
	const struct timespec pause = { .tv_nsec = 50000 };
	u32 i, nr = 1u << config.shift >> 3;

	for (i = 0; i < nr; i++) {
		to[i] = words[i];
		if (is_slow && i == nr / 2)
			nanosleep(&pause, NULL);
	}
}

static void read_packet(struct reader *me, u64 packet, u64 head)
{
	static u64 copy[1 << 11 >> 3];
	struct observer o = { .nr_events = 2 };
	struct ktrc_status *st = rig_status(&rig);
	u64 end = (packet + 1) << config.shift;
	u32 i;

	copy_packet(copy, rig.cpu.ring.data + (packet % config.nr_packets << config.shift),
		    (me->accepted + me->discarded) % 8 == 0);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&st->tail, __ATOMIC_RELAXED) > packet << config.shift) {
		me->discarded++;
		return;
	}
	observer_start(&o, (const u8 *)copy, packet, config.shift);
	for (i = 0; i < KTRC_NR_EVENTS; i++)
		me->records -= o.records[i];
	me->wrong = observer_read(&o, (const u8 *)copy, config.shift, head > end ? end + 1 : head);
	for (i = 0; i < KTRC_NR_EVENTS; i++)
		me->records += o.records[i];
	me->accepted++;
}

static void *read_all(void *context)
{
	struct reader *me = context;
	struct ktrc_status *st = rig_status(&rig);
	u64 packet = 0;

	while (!me->wrong && !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
		u64 head = __atomic_load_n(&st->head, __ATOMIC_ACQUIRE);
		u64 tail = __atomic_load_n(&st->tail, __ATOMIC_RELAXED) >> config.shift;

		/* now and then the oldest, which the writer is about to reach */
		packet = packet < tail || me->accepted % 2 ? tail : packet;
		if (head <= packet << config.shift)
			continue;
		read_packet(me, packet, head);
		packet += head > (packet + 1) << config.shift;
		if (me->wrong || (me->accepted >= WANT_ACCEPTED && me->discarded >= WANT_DISCARDED))
			__atomic_store_n(&is_enough, true, __ATOMIC_RELAXED);
	}
	if (me->wrong)
		me->wrong = strdup(me->wrong);
	return NULL;
}

static const char *accepted_is_whole(void)
{
	struct reader reader = { 0 };
	pthread_t writer, other;

	rig_init(&rig, &config);
	TAP_NEED(!pthread_create(&other, NULL, read_all, &reader), "no thread");
	TAP_NEED(!pthread_create(&writer, NULL, write_all, NULL), "no thread");
	TAP_NEED(!pthread_join(writer, NULL) && !pthread_join(other, NULL), "no end");
	tap_note("%llu packets written, %llu copies accepted with %llu records, %llu discarded",
		 rig.cpu.ring.head >> config.shift, reader.accepted, reader.records,
		 reader.discarded);
	if (reader.wrong) {
		const char *why = tap_why("%s", reader.wrong);

		free((void *)reader.wrong);
		return why;
	}
	TAP_NEED(reader.accepted >= WANT_ACCEPTED && reader.discarded >= WANT_DISCARDED, "no race");
	return NULL;
}

static const struct tap_case cases[] = {
	{ "accepted_is_whole", accepted_is_whole },
};

int main(void)
{
	return tap_run(cases, sizeof(cases) / sizeof(cases[0]));
}
