// SPDX-License-Identifier: GPL-2.0
/*
 * Packets: filled to every remainder, wrapped, overwritten, consumed, refused.
 */
#include "rig.h"

#define TIMED_BYTES (4 + sizeof(struct ktrc_ev_fault))

static struct rig rig;

static const struct rig_config flight = { KTRC_MODE_FLIGHT, KTRC_CLOCK_TSC, 11, 3 };
static const struct rig_config stream = { KTRC_MODE_STREAM, KTRC_CLOCK_TSC, 11, 3 };

static void emit_many(u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		rig_emit(&rig, i % 3 ? KTRC_EV_fault : KTRC_EV_fault_light);
		rig_observe(&rig);
	}
}

/* as if an interrupt came while a task is in the fast path */
static void emit_nested(u32 nr)
{
	struct ktrc_ring *r = &rig.cpu.ring;
	u32 outer;

	r->active = KTRC_LEAF;
	rig_enter(RIG_IRQ, &outer);
	while (nr--)
		rig_emit(&rig, KTRC_EV_fault);
	rig_leave(outer);
	ktrc_ring_leave(r, KTRC_IDLE);
}

static const char *status_page(void)
{
	const struct ktrc_status *st = rig_status(&rig);

	rig_init(&rig, &stream);
	TAP_NEED(st->magic == KTRC_STATUS_MAGIC && st->abi == KTRC_ABI &&
			 st->length == sizeof(*st) && st->cpu == 3 &&
			 st->status_bytes == PAGE_SIZE && st->packet_bytes == 2048 &&
			 st->nr_packets == 3 && st->mode == KTRC_MODE_STREAM,
		 "a field of the status page is wrong");
	TAP_NEED(!memcmp(st, "ktrc", 4), "magic does not read \"ktrc\"");
	return rig_audit(&rig);
}

static const char *fields_land(void)
{
	static const struct ktrc_listeners all = { .nr = 1, .at = { { .cpus = &rig.cpu } } };
	static const struct ktrc_outlet outlet = { .all = &all };
	struct ktrc_ring *r = &rig.cpu.ring;
	struct ktrc_ev_fault got;
	u64 word = 0;

	rig_init(&rig, &flight);
	ktrc_emit(&outlet, fault, .page = 0xabcdef0123456, .write = 1,
		  .class = KTRC_fault_class_shmem, .dur = 77);
	memcpy(&got, r->data + r->head - sizeof(got), sizeof(got));
	memcpy(&word, &got, sizeof(word));
	TAP_NEED(got.page == 0xabcdef0123456 && got.write == 1 && got.class == 4 && got.dur == 77 &&
			 !got.mode && !got.exec && !got.tried && !got.result,
		 "a field was lost or made up: %#llx", word);
	return NULL;
}

#define BYTES_DATA(id, ev) [id] = sizeof(struct ktrc_ev_##ev),
#define BYTES_PART BYTES_DATA
#define BYTES_DICT(id, ev)
static const u32 record_bytes[KTRC_NR_EVENTS] = {
#define KTRC_EVENT(id, ev, label, kind, doc) BYTES_##kind(id, ev)
#include "../../uapi/ktrc_events.def"
};

/* of each event a record takes what it has, and nothing is written behind it */
static const char *each_event_ends(void)
{
	static const struct ktrc_listeners all = { .nr = 1, .at = { { .cpus = &rig.cpu } } };
	static const struct ktrc_outlet outlet = { .all = &all };
	static const u8 rec[PAGE_SIZE];
	struct ktrc_ring *r = &rig.cpu.ring;
	u32 id, i;

	for (id = 0; id < KTRC_NR_EVENTS; id++) {
		u32 bytes = record_bytes[id];
		u64 head;

		if (!bytes)
			continue;
		rig_init(&rig, &flight);
		rig_emit(&rig, KTRC_EV_fault);
		head = r->head;
		memset(r->data + head, 0x5a, RIG_RING_BYTES - head);
		ktrc_outlet_emit(&outlet, id, rec, bytes, &ktrc_no_facts);
		TAP_NEED(r->head == head + KTRC_COMPACT_BYTES + bytes, "event %u takes %llu bytes",
			 id, r->head - head);
		for (i = r->head; i < RIG_RING_BYTES; i++)
			TAP_NEED(r->data[i] == 0x5a, "event %u: byte %llu behind it is written", id,
				 i - r->head);
	}
	return NULL;
}

/* @bytes are left to outermost writers; a record of 16 comes, by the fast or slow path */
static const char *with_room(u64 bytes, bool is_other_task)
{
	u64 packets, need = TIMED_BYTES;

	rig_init(&rig, &flight);
	emit_many(1);
	rig_fill(&rig, bytes);
	rig_observe(&rig);
	if (is_other_task) {
		shim.task = &rig.task[1];
		need += 4 + sizeof(struct ktrc_ev_task);
	}
	packets = rig.seen.nr_packets;
	rig_emit(&rig, KTRC_EV_fault);
	TAP_TRY(rig_audit(&rig));
	TAP_NEED(rig.seen.nr_packets - packets == (bytes < need), "room %llu, need %llu: %llu",
		 bytes, need, rig.seen.nr_packets);
	emit_many(300);
	return rig_audit(&rig);
}

static const char *each_remainder(void)
{
	u64 bytes;

	for (bytes = 0; bytes <= 96; bytes += 4) {
		TAP_TRY(with_room(bytes, false));
		TAP_TRY(with_room(bytes, true));
	}
	return NULL;
}

/* interrupts fill the slack to the last word, then are lost */
static const char *each_remainder_of_slack(void)
{
	u64 bytes;

	for (bytes = 0; bytes <= 64; bytes += 4) {
		u64 fit = (KTRC_SLACK_BYTES + bytes) / TIMED_BYTES, left;

		rig_init(&rig, &flight);
		emit_many(1);
		rig_fill(&rig, bytes);
		emit_nested((u32)fit + 5);
		TAP_TRY(rig_audit(&rig));
		left = ktrc_packet_end(rig.cpu.ring.head, 11) - rig.cpu.ring.head;
		TAP_NEED(left == (KTRC_SLACK_BYTES + bytes) % TIMED_BYTES,
			 "room %llu: %llu bytes left by interrupts", bytes, left);
		TAP_NEED(rig_lost(&rig, KTRC_LOST_NEST) == 5, "room %llu: %llu lost", bytes,
			 rig_lost(&rig, KTRC_LOST_NEST));
		emit_many(300);
		TAP_TRY(rig_audit(&rig));
	}
	return NULL;
}

static const char *nested_before_first_packet(void)
{
	rig_init(&rig, &flight);
	emit_nested(3);
	TAP_TRY(rig_audit(&rig));
	TAP_NEED(rig_lost(&rig, KTRC_LOST_NEST) == 3, "not lost");
	emit_many(3);
	return rig_audit(&rig);
}

static const char *wraps(void)
{
	static const struct rig_config configs[] = {
		{ KTRC_MODE_FLIGHT, KTRC_CLOCK_TSC, 10, 2 },
		{ KTRC_MODE_FLIGHT, KTRC_CLOCK_TSC, 10, 8 },
		{ KTRC_MODE_FLIGHT, KTRC_CLOCK_MONO, 11, 3 },
		{ KTRC_MODE_FLIGHT, KTRC_CLOCK_TSC, 12, 2 },
	};
	size_t i;

	for (i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		const struct rig_config *c = &configs[i];
		u64 open;

		rig_init(&rig, c);
		emit_many(20000);
		TAP_TRY(rig_audit(&rig));
		open = (rig.cpu.ring.head - 1) >> c->shift;
		TAP_NEED(rig_status(&rig)->tail == (open + 1 - c->nr_packets) << c->shift,
			 "tail %llu, open packet %llu", rig_status(&rig)->tail, open);
		TAP_NEED(rig.seen.nr_packets == open + 1 && shim.wakes == open + 1,
			 "%llu packets, %llu read, %llu wakes", open + 1, rig.seen.nr_packets,
			 shim.wakes);
		TAP_NEED(!rig.cpu.lost.value, "%ld lost", rig.cpu.lost.value);
	}
	return NULL;
}

static const char *stream_drops_newest(void)
{
	struct ktrc_ring *r = &rig.cpu.ring;
	u64 head, lap, lost;

	rig_init(&rig, &stream);
	for (lap = 1; lap < 20; lap++) {
		lost = rig_lost(&rig, KTRC_LOST_FULL);
		while (rig_lost(&rig, KTRC_LOST_FULL) < lost + 3)
			emit_many(1);
		head = r->head;
		emit_many(100);
		TAP_TRY(rig_audit(&rig));
		TAP_NEED(r->head == head, "a full stream took a record");
		/* the packet it was full in is consumed in part, so that two are free */
		TAP_NEED((head - 1) >> 11 == 2 * lap, "full at %llu in lap %llu", head, lap);
		rig_consume(&rig);
	}
	TAP_NEED(rig.seen.nr_packets == 2 * 19 + 1, "%llu packets", rig.seen.nr_packets);
	return NULL;
}

/* only a wholly consumed packet makes room, and then for exactly one */
static const char *stream_makes_room_by_packet(void)
{
	struct ktrc_ring *r = &rig.cpu.ring;
	u64 head;

	rig_init(&rig, &stream);
	emit_many(1000);
	head = r->head;
	TAP_NEED(!ktrc_ring_consume(r, 2047), "consume refused");
	emit_many(10);
	TAP_NEED(r->head == head, "part of a packet made room");
	TAP_NEED(!ktrc_ring_consume(r, 2048), "consume refused");
	emit_many(1000);
	TAP_NEED((r->head - 1) >> 11 == 3, "not one packet was opened");
	TAP_NEED(rig_status(&rig)->cons == 2048, "status page: cons %llu", rig_status(&rig)->cons);
	return rig_audit(&rig);
}

static const char *hostile_consumer(void)
{
	struct ktrc_ring *r = &rig.cpu.ring;
	u64 i;

	rig_init(&rig, &stream);
	TAP_NEED(ktrc_ring_consume(r, 1) == -EINVAL, "consumed what was not written");
	emit_many(50);
	TAP_NEED(!ktrc_ring_consume(r, 500), "consume refused");
	for (i = 0; i < 500; i++)
		TAP_NEED(ktrc_ring_consume(r, i) == -EINVAL, "consumer ran back to %llu", i);
	for (i = 0; i < 64; i++)
		TAP_NEED(ktrc_ring_consume(r, r->head + (1ull << i)) == -EINVAL,
			 "consumer ran ahead by 2^%llu", i);
	TAP_NEED(!ktrc_ring_consume(r, 500) && r->cons == 500, "position did not stay");
	TAP_NEED(!ktrc_ring_consume(r, r->head), "consume of all refused");
	emit_many(2000);
	return rig_audit(&rig);
}

static u32 nr_refused, nr_accepted;

static void consume_reserved(void *context)
{
	struct ktrc_ring *r = &rig.cpu.ring;

	if (r->head == r->published)
		return;
	shim.on_step = NULL;
	*(ktrc_ring_consume(r, r->head) == -EINVAL ? &nr_refused : &nr_accepted) += 1;
	shim.on_step = context;
}

/* what is reserved but not published cannot be consumed, at any step of a writer */
static const char *early_consumer(void)
{
	rig_init(&rig, &stream);
	shim.context = (void *)consume_reserved;
	shim.on_step = consume_reserved;
	emit_many(50);
	shim.on_step = NULL;
	TAP_NEED(nr_refused > 100 && !nr_accepted, "%u refused, %u accepted", nr_refused,
		 nr_accepted);
	return rig_audit(&rig);
}

static const char *no_ring(void)
{
	rig_init(&rig, &flight);
	rig.cpu.ring.status = NULL;
	emit_many(100);
	emit_nested(7);
	TAP_NEED(rig_lost(&rig, KTRC_LOST_NORING) == 107 && rig.cpu.lost.value == 107, "%llu lost",
		 rig_lost(&rig, KTRC_LOST_NORING));
	TAP_NEED(ktrc_ring_consume(&rig.cpu.ring, 0) == -EINVAL, "consume without a ring");
	rig.cpu.ring.status = rig_status(&rig);
	rig_emit(&rig, KTRC_EV_fault);
	rig_status(&rig)->lost = 107; /* shown with the next loss */
	return rig_audit(&rig);
}

static const char *off_records_nothing(void)
{
	u64 head;

	rig_init(&rig, &flight);
	emit_many(10);
	head = rig.cpu.ring.head;
	rig.cpu.ring.off = 1;
	emit_many(10);
	TAP_NEED(rig.cpu.ring.head == head, "recorded while off");
	TAP_TRY(rig_audit(&rig));
	rig.cpu.ring.off = 0;
	emit_many(10);
	TAP_NEED(rig.seen.records[KTRC_EV_fault] + rig.seen.records[KTRC_EV_fault_light] == 20,
		 "not 20 records");
	return rig_audit(&rig);
}

static const struct tap_case cases[] = {
	{ "status_page", status_page },
	{ "fields_land", fields_land },
	{ "each_event_ends", each_event_ends },
	{ "each_remainder", each_remainder },
	{ "each_remainder_of_slack", each_remainder_of_slack },
	{ "nested_before_first_packet", nested_before_first_packet },
	{ "wraps", wraps },
	{ "stream_drops_newest", stream_drops_newest },
	{ "stream_makes_room_by_packet", stream_makes_room_by_packet },
	{ "hostile_consumer", hostile_consumer },
	{ "early_consumer", early_consumer },
	{ "no_ring", no_ring },
	{ "off_records_nothing", off_records_nothing },
};

int main(void)
{
	return tap_run(cases, sizeof(cases) / sizeof(cases[0]));
}
