/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A reader written from uapi/ktrc.h alone, for tests that must not trust the
 * library: attach, map, and count the records of a packet by event.
 */
#ifndef KTRC_TEST_RING_H
#define KTRC_TEST_RING_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../uapi/ktrc.h"
#include "../../../uapi/ktrc_events.h"

struct ring {
	const struct ktrc_status *st;
	const char *data;
};

struct reader {
	int fd;
	struct ktrc_ioc_info info;
	struct ring *rings; /* by CPU; st is NULL where there is none */
};

struct tally {
	uint64_t records[KTRC_NR_EVENTS];
	uint64_t written_before[KTRC_NR_EVENTS]; /* from the packet's counts records */
	uint64_t last_time;
};

static inline size_t ring_bytes(const struct ktrc_ioc_info *i)
{
	return i->status_bytes + (size_t)i->packet_bytes * i->nr_packets;
}

static inline void reader_refresh(struct reader *r)
{
	r->info.size = sizeof(r->info);
	if (ioctl(r->fd, KTRC_IOC_INFO, &r->info))
		err(1, "KTRC_IOC_INFO");
}

static inline void reader_open(struct reader *r, const char *name, uint32_t flags)
{
	struct ktrc_ioc_attach a = { .size = sizeof(a), .flags = flags };

	r->fd = open(KTRC_DEVICE, O_RDWR | O_CLOEXEC);
	if (r->fd < 0)
		err(1, KTRC_DEVICE);
	snprintf(a.name, sizeof(a.name), "%s", name);
	if (ioctl(r->fd, KTRC_IOC_ATTACH, &a))
		err(1, "KTRC_IOC_ATTACH");
	reader_refresh(r);
}

static inline void *reader_map_cpu(struct reader *r, uint32_t cpu)
{
	return mmap(NULL, ring_bytes(&r->info), PROT_READ, MAP_SHARED, r->fd,
		    (off_t)cpu << KTRC_MMAP_CPU_SHIFT);
}

static inline void reader_map(struct reader *r)
{
	uint32_t cpu;

	r->rings = calloc(r->info.nr_cpus, sizeof(*r->rings));
	if (!r->rings)
		err(1, "calloc");
	for (cpu = 0; cpu < r->info.nr_cpus; cpu++) {
		char *p = reader_map_cpu(r, cpu);

		if (p == MAP_FAILED && errno == ENXIO)
			continue;
		if (p == MAP_FAILED)
			err(1, "mmap CPU %u", cpu);
		r->rings[cpu].st = (void *)p;
		r->rings[cpu].data = p + r->info.status_bytes;
	}
}

/* whether this process has mapped anything of the device */
static inline int is_mapped(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	int found = 0;

	if (!maps)
		err(1, "/proc/self/maps");
	while (fgets(line, sizeof(line), maps))
		found |= strstr(line, KTRC_DEVICE) != NULL;
	fclose(maps);
	return found;
}

static inline uint64_t ring_head(const struct ring *ring)
{
	return __atomic_load_n(&ring->st->head, __ATOMIC_ACQUIRE);
}

static inline uint32_t event_bytes(uint32_t id)
{
	static const uint32_t bytes[KTRC_NR_EVENTS] = {
#define KTRC_EVENT(id, ev, label, kind, doc) [id] = sizeof(struct ktrc_ev_##ev),
#include "../../../uapi/ktrc_events.def"
	};

	return id < KTRC_NR_EVENTS ? bytes[id] : 0;
}

/* bytes of packet @k that are published, given the head */
static inline uint32_t packet_content(const struct reader *r, const char *packet, uint64_t k,
				      uint64_t head)
{
	const struct ktrc_packet_header *h = (const void *)packet;

	if (head > (k + 1) * r->info.packet_bytes)
		return h->content_bits / 8;
	return head - k * r->info.packet_bytes;
}

/* add up one packet's records from byte @from on; exits when it is not well formed */
static inline void packet_tally(const char *packet, uint64_t k, uint32_t from, uint32_t content,
				struct tally *t)
{
	const struct ktrc_packet_header *h = (const void *)packet;
	uint32_t at = sizeof(*h);
	uint64_t time = h->begin;

	if (h->magic != KTRC_PACKET_MAGIC || h->seq != k)
		errx(1, "packet %ju: bad header: magic %x seq %ju", (uintmax_t)k, h->magic,
		     (uintmax_t)h->seq);
	while (at < content) {
		const uint32_t *w = (const uint32_t *)(packet + at);
		uint32_t id = *w & 31, ticks = *w >> KTRC_ID_BITS;
		uint64_t now = time >> KTRC_TIME_BITS << KTRC_TIME_BITS | ticks;
		int is_new = at >= from;

		at += 4;
		if (id == KTRC_ID_EXTENDED) {
			id = w[1];
			now = w[2] | (uint64_t)w[3] << 32;
			at += 12;
		}
		if (!event_bytes(id) || now < time)
			errx(1, "packet %ju: byte %u: event %u, time %ju after %ju", (uintmax_t)k,
			     at, id, (uintmax_t)now, (uintmax_t)time);
		if (id == KTRC_EV_counts) {
			const struct ktrc_ev_counts *c = (const void *)(packet + at);

			t->written_before[c->event_id] = c->written;
		}
		time = now;
		t->records[id] += is_new;
		at += event_bytes(id);
	}
	if (at != content)
		errx(1, "packet %ju: records end at %u, content at %u", (uintmax_t)k, at, content);
	t->last_time = time;
}

#endif
