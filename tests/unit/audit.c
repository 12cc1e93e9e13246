// SPDX-License-Identifier: GPL-2.0
/*
 * The promises that hold whenever no writer is at work.
 */
#include "rig.h"

u64 rig_lost(const struct rig *rig, enum ktrc_loss reason)
{
	u64 lost = 0;
	u32 i;

	for (i = 0; i < KTRC_NR_EVENTS; i++)
		lost += rig->cpu.count[i].lost[reason].value;
	return lost;
}

static const char *audit_books(struct rig *rig)
{
	u64 lost = 0;
	u32 i;

	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		const struct ktrc_count *n = &rig->cpu.count[i];
		struct ktrc_books b;

		ktrc_count_read(n, &b);
		lost += b.lost;
		TAP_NEED(b.hits == rig->hits[i], "event %u: %llu hits, %llu counted", i,
			 rig->hits[i], b.hits);
		TAP_NEED(b.written == rig->seen.records[i], "event %u: %llu written, %llu read", i,
			 b.written, rig->seen.records[i]);
		TAP_NEED(b.hits == b.written + b.filtered + b.lost, "event %u: no balance", i);
		TAP_NEED(b.lost_by[KTRC_LOST_RECURSION] == rig->recursions[i],
			 "event %u: %llu recursions, %llu counted", i, rig->recursions[i],
			 b.lost_by[KTRC_LOST_RECURSION]);
		TAP_NEED((u64)n->nested.value == rig->nested[i],
			 "event %u: %llu nested, %ld counted", i, rig->nested[i], n->nested.value);
	}
	TAP_NEED((u64)rig->cpu.lost.value == lost && rig_status(rig)->lost == lost,
		 "%llu lost, total says %ld, status page %llu", lost, rig->cpu.lost.value,
		 rig_status(rig)->lost);
	return NULL;
}

/* written = overwritten, from the oldest packet's books, + what can be read from there */
static const char *audit_oldest(struct rig *rig)
{
	const struct ktrc_ring *r = &rig->cpu.ring;
	u64 newest = (r->head - 1) >> r->shift, oldest = rig_status(rig)->tail >> r->shift;
	struct observer o = { .nr_events = rig->seen.nr_events };
	u32 i;

	if (r->mode == KTRC_MODE_STREAM && newest >= r->nr_packets)
		oldest = newest - r->nr_packets + 1;
	observer_start(&o, r->data + (oldest % r->nr_packets << r->shift), oldest, r->shift);
	while (o.pos < r->head)
		TAP_TRY(observer_read(&o, r->data + (o.packet % r->nr_packets << r->shift),
				      r->shift, r->head));
	for (i = 0; i < KTRC_NR_EVENTS; i++)
		TAP_NEED(o.records[i] == rig->seen.records[i],
			 "event %u: %llu written, %llu overwritten or unread", i,
			 rig->seen.records[i], o.records[i]);
	return NULL;
}

const char *rig_audit(struct rig *rig)
{
	const struct ktrc_ring *r = &rig->cpu.ring;

	shim.on_step = NULL;
	rig_observe(rig);
	TAP_NEED(!rig->wrong[0], "%s", rig->wrong);
	TAP_NEED(r->active == KTRC_IDLE, "ring left active: %u", r->active);
	TAP_NEED(r->head == rig_status(rig)->head, "reserved to %llu, published to %llu", r->head,
		 rig_status(rig)->head);
	TAP_TRY(audit_books(rig));
	return r->head ? audit_oldest(rig) : NULL;
}
