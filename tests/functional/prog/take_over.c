// SPDX-License-Identifier: GPL-2.0
/*
 * take_over: consumes session "default" by the loop for streams in docs/abi.md, to the letter,
 * from where the consumer before it left off.  Ends when the session stopped and all is read;
 * then prints "event read" for each event of the session.
 */
#include <poll.h>

#include "ring.h"

/* the complete packets from @pos on, and up to @head when @last */
static uint64_t read_ring(const struct reader *r, uint32_t cpu, uint64_t pos, int last,
			  struct tally *t)
{
	uint32_t bytes = r->info.packet_bytes;
	uint64_t head = ring_head(&r->rings[cpu]), open = head ? (head - 1) / bytes * bytes : 0;
	uint64_t end = last ? head : open, k;

	for (k = pos / bytes; k * bytes < end; k++) {
		const char *packet = r->rings[cpu].data + k % r->info.nr_packets * bytes;
		uint32_t from = pos > k * bytes ? pos - k * bytes : 0;

		packet_tally(packet, k, from, packet_content(r, packet, k, head), t);
	}
	return pos > end ? pos : end;
}

static void round_of(struct reader *r, uint64_t *pos, int last, struct tally *t)
{
	uint32_t cpu;

	for (cpu = 0; cpu < r->info.nr_cpus; cpu++) {
		struct ktrc_ioc_consume c = { .size = sizeof(c), .cpu = cpu };

		if (!r->rings[cpu].st)
			continue;
		c.position = pos[cpu] = read_ring(r, cpu, pos[cpu], last, t);
		if (ioctl(r->fd, KTRC_IOC_CONSUME, &c))
			err(1, "KTRC_IOC_CONSUME cpu %u position %ju", cpu, (uintmax_t)c.position);
	}
}

int main(void)
{
	struct tally t = { 0 };
	struct reader r;
	uint64_t *pos;
	uint32_t i;

	reader_open(&r, "", KTRC_ATTACH_CONSUME);
	reader_map(&r);
	pos = calloc(r.info.nr_cpus, sizeof(*pos));
	if (!pos)
		err(1, "calloc");
	for (i = 0; i < r.info.nr_cpus; i++)
		pos[i] = r.rings[i].st ? r.rings[i].st->cons : 0;
	do {
		struct pollfd p = { .fd = r.fd, .events = POLLIN };

		if (poll(&p, 1, 100) < 0)
			err(1, "poll");
		reader_refresh(&r);
		round_of(&r, pos, r.info.state == KTRC_STATE_STOPPED, &t);
	} while (r.info.state != KTRC_STATE_STOPPED);
	for (i = 0; i < KTRC_NR_EVENTS; i++) {
		if (r.info.events >> i & 1)
			printf("%u %ju\n", i, (uintmax_t)t.records[i]);
	}
	return 0;
}
