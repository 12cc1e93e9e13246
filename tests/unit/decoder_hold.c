// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who follows holds back what another CPU's records may still overtake, and gets longer copies meanwhile:
 * of each CPU every record is read once, by rising time, whole, whatever is held back.
 */
#include <stdint.h>
#include <stdio.h>

#include "decoder_synth.h"
#include "decoder_tap.h"

#define START_TICKS (1ull << 40)
#define NR_CPUS 3
#define NR_ROUNDS 2000

static struct ktrc_reader *reader;
static struct synth_stream streams[NR_CPUS];
static u8 *copies[NR_CPUS]; /* each round another one, and the last one is overwritten */
static u64 now = START_TICKS;
static u64 seed = 1;
static u64 last_seq[NR_CPUS]; /* of the packets that were fed */
static u64 nr_held; /* times that records were held back and more came */

static u64 random_below(u64 limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % limit;
}

static struct ktrc_ev_task task_of(u32 cpu)
{
	return (struct ktrc_ev_task){ .tid = 100 + cpu, .pid = 100 + cpu, .comm = "touch" };
}

/* A fault whose page is its time. */
static void put(u32 cpu)
{
	struct synth_stream *s = &streams[cpu];
	const struct ktrc_ev_task task = task_of(cpu);
	const struct ktrc_ev_fault fault = { .page = ++now };

	if (!s->bytes || synth_is_full(s)) {
		if (s->bytes)
			synth_close(s);
		synth_open(s, now, &task);
	}
	synth_fault(s, now, &fault);
}

/* A copy of what is there, from the packet on that was not read to its end, is fed. */
static void feed(u32 cpu)
{
	struct synth_stream copy = streams[cpu];
	size_t from;

	if (!copy.bytes)
		return;
	if (!ktrc_reader_is_drained(reader, cpu)) {
		last_seq[cpu] = ktrc_reader_packet(reader, cpu);
		nr_held++;
	}
	from = last_seq[cpu] * SYNTH_PACKET_BYTES;
	last_seq[cpu] = copy.seq - 1;
	copy.bytes = malloc(copy.packet + SYNTH_PACKET_BYTES);
	memcpy(copy.bytes, streams[cpu].bytes, copy.packet + SYNTH_PACKET_BYTES);
	synth_close(&copy);
	memmove(copy.bytes, copy.bytes + from, copy.len - from);
	if (ktrc_reader_feed(reader, cpu, copy.bytes, copy.len - from) < 0)
		abort();
	if (copies[cpu])
		memset(copies[cpu], 0xff, SYNTH_PACKET_BYTES);
	free(copies[cpu]);
	copies[cpu] = copy.bytes;
}

/* How many records come, each newer than the one before, and its CPU's; -1: not so. */
static int read_all(u64 hold, u64 *last)
{
	const struct ktrc_record *r;
	int nr = 0;

	ktrc_reader_hold(reader, hold);
	while ((r = ktrc_reader_next(reader)) != NULL) {
		struct ktrc_ev_fault fault;

		if (r->event->id != KTRC_EV_fault)
			continue;
		memcpy(&fault, r->payload, sizeof(fault));
		if (r->ticks <= *last || r->ticks > hold || fault.page != r->ticks ||
		    r->task->tid != 100 + r->cpu)
			return -1;
		*last = r->ticks;
		nr++;
	}
	return nr;
}

int main(void)
{
	struct ktrc_schema *schema = synth_schema();
	u64 last = 0, put_all = 0;
	int nr, read = 0;
	bool is_right = true;

	reader = ktrc_reader_create(schema);
	for (int round = 0; round < NR_ROUNDS && is_right; round++) {
		u64 hold = now;

		for (u64 i = random_below(200); i; i--, put_all++)
			put((u32)random_below(NR_CPUS));
		for (u32 cpu = 0; cpu < NR_CPUS; cpu++) {
			feed(cpu);
			/* comes too late for the copy */
			put(cpu);
			put_all++;
		}
		nr = read_all(hold, &last);
		is_right = nr >= 0;
		read += nr;
	}
	for (u32 cpu = 0; cpu < NR_CPUS; cpu++)
		feed(cpu);
	nr = is_right ? read_all(UINT64_MAX, &last) : -1;
	printf("# %llu records, %d at last; %llu times some were held back\n", put_all, nr,
	       nr_held);
	ok(is_right && nr >= 0, "by rising time");
	ok((u64)(read + nr) == put_all && nr_held > NR_ROUNDS, "each once");
	ktrc_reader_destroy(reader);
	ktrc_schema_destroy(schema);
	for (u32 cpu = 0; cpu < NR_CPUS; cpu++) {
		free(streams[cpu].bytes);
		free(copies[cpu]);
	}
	return end_of_tests();
}
