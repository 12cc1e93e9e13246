// SPDX-License-Identifier: GPL-2.0
/*
 * tally: counts what a stopped flight session "default" holds.  Prints
 * "cpu event overwritten read" for each CPU with a ring and each event.
 */
#include "ring.h"

static void tally_cpu(struct reader *r, uint32_t cpu)
{
	struct ring *ring = &r->rings[cpu];
	uint64_t head = ring_head(ring), first = ring->st->tail / r->info.packet_bytes, k;
	struct tally all = { 0 };
	uint64_t overwritten[KTRC_NR_EVENTS] = { 0 };
	uint32_t i;

	for (k = first; k * r->info.packet_bytes < head; k++) {
		const char *p = ring->data + k % r->info.nr_packets * r->info.packet_bytes;

		packet_tally(p, k, 0, packet_content(r, p, k, head), &all);
		if (k == first)
			memcpy(overwritten, all.written_before, sizeof(overwritten));
	}
	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		if (r->info.events >> i & 1)
			printf("%u %u %ju %ju\n", cpu, i, (uintmax_t)overwritten[i],
			       (uintmax_t)all.records[i]);
	}
}

int main(void)
{
	struct reader r;
	uint32_t cpu;

	reader_open(&r, "", 0);
	if (r.info.state != KTRC_STATE_STOPPED)
		errx(1, "the session is not stopped");
	reader_map(&r);
	for (cpu = 0; cpu < r.info.nr_cpus; cpu++) {
		if (r.rings[cpu].st)
			tally_cpu(&r, cpu);
	}
	return 0;
}
