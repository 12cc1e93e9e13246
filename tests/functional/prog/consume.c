// SPDX-License-Identifier: GPL-2.0
/*
 * consume FILE [SLOW_US]: the one consumer of session "default" in stream mode.
 * Keeps in FILE, for each CPU and packet, how many records of each event it
 * saw, so that it can be killed at any moment and followed by another: a packet
 * is written down before it is consumed, and again with the same numbers if
 * the killed one had not consumed it.  Ends when the session stopped and all is
 * read; then prints "cpu event read" for each.
 */
#include <poll.h>

#include "ring.h"

#define MAX_PACKETS (1u << 16) /* a CPU */

struct cell {
	uint32_t records[KTRC_NR_EVENTS];
};

static struct cell *cells_of(const char *name, uint32_t nr_cpus)
{
	size_t bytes = sizeof(struct cell) * MAX_PACKETS * nr_cpus;
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	void *p;

	if (fd < 0 || ftruncate(fd, bytes))
		err(1, "%s", name);
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		err(1, "mmap %s", name);
	return p;
}

static void write_down(struct cell *cell, const struct tally *t)
{
	uint32_t i;

	for (i = 0; i < KTRC_NR_EVENTS; i++)
		cell->records[i] = t->records[i];
}

/* read one packet; Return: whether there was anything new */
static int read_packet(struct reader *r, uint32_t cpu, struct cell *cells, int last)
{
	struct ring *ring = &r->rings[cpu];
	struct ktrc_ioc_consume c = { .size = sizeof(c), .cpu = cpu };
	uint64_t head = ring_head(ring), k = ring->st->cons / r->info.packet_bytes;
	uint32_t from = ring->st->cons % r->info.packet_bytes; /* another consumer's place */
	const char *packet = ring->data + k % r->info.nr_packets * r->info.packet_bytes;
	struct tally t = { 0 };

	if (k >= MAX_PACKETS)
		errx(1, "too many packets");
	if (head <= (k + 1) * r->info.packet_bytes && !(last && head > ring->st->cons))
		return 0;
	packet_tally(packet, k, from, packet_content(r, packet, k, head), &t);
	write_down(&cells[(size_t)cpu * MAX_PACKETS + k], &t);
	c.position = (k + 1) * r->info.packet_bytes;
	if (c.position > head)
		c.position = head;
	if (ioctl(r->fd, KTRC_IOC_CONSUME, &c))
		err(1, "KTRC_IOC_CONSUME cpu %u position %ju", cpu, (uintmax_t)c.position);
	return 1;
}

static int read_all(struct reader *r, struct cell *cells, int last, useconds_t slow)
{
	uint32_t cpu;
	int any = 0;

	for (cpu = 0; cpu < r->info.nr_cpus; cpu++) {
		while (r->rings[cpu].st && read_packet(r, cpu, cells, last)) {
			any = 1;
			if (slow)
				usleep(slow);
		}
	}
	return any;
}

static void print(struct reader *r, struct cell *cells)
{
	uint32_t cpu, i, k;

	for (cpu = 0; cpu < r->info.nr_cpus; cpu++) {
		for (i = 0; i < KTRC_NR_EVENTS; i++) {
			uint64_t sum = 0;

			for (k = 0; k < MAX_PACKETS; k++)
				sum += cells[(size_t)cpu * MAX_PACKETS + k].records[i];
			if (r->info.events >> i & 1)
				printf("%u %u %ju\n", cpu, i, (uintmax_t)sum);
		}
	}
}

int main(int argc, char **argv)
{
	struct reader r;
	struct cell *cells;
	useconds_t slow = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (argc < 2)
		errx(2, "usage: consume FILE [SLOW_US]");
	reader_open(&r, "", KTRC_ATTACH_CONSUME);
	reader_map(&r);
	cells = cells_of(argv[1], r.info.nr_cpus);
	for (;;) {
		struct pollfd p = { .fd = r.fd, .events = POLLIN };

		if (poll(&p, 1, 100) < 0)
			err(1, "poll");
		reader_refresh(&r);
		if (r.info.state == KTRC_STATE_STOPPED)
			break;
		read_all(&r, cells, 0, slow);
	}
	while (read_all(&r, cells, 1, 0))
		;
	print(&r, cells);
	return 0;
}
