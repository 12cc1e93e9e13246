// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what the default session's records take on CPU 0: bytes of ring used in all,
 * records of DATA events in all, bytes of the last such record, hits lost.
 *
 * Reads the open packet only: its `counts` records tell what was written before it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "../../uapi/ktrc.h"
#include "../../uapi/ktrc_events.h"

enum kind { DICT, DATA, PART };

static const struct {
	enum kind kind;
	size_t bytes;
} events[] = {
#define KTRC_EVENT(id, ev, label, kind, doc) [id] = { kind, sizeof(struct ktrc_ev_##ev) },
#include "../../uapi/ktrc_events.def"
};

struct totals {
	unsigned long long records;
	size_t record_bytes;
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static const struct ktrc_status *map_ring(struct ktrc_ioc_info *info)
{
	struct ktrc_ioc_attach attach = { .size = sizeof(attach) };
	int fd = open(KTRC_DEVICE, O_RDONLY | O_CLOEXEC);
	void *ring;

	*info = (struct ktrc_ioc_info){ .size = sizeof(*info) };
	if (fd < 0 || ioctl(fd, KTRC_IOC_ATTACH, &attach) || ioctl(fd, KTRC_IOC_INFO, info))
		fail(KTRC_DEVICE);
	ring = mmap(NULL, info->status_bytes + (size_t)info->packet_bytes * info->nr_packets,
		    PROT_READ, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		fail("mmap");
	return ring;
}

/* Add the record at @p to @t.  Returns its size. */
static size_t add_record(const char *p, struct totals *t)
{
	__u32 word, id, header = 4;

	memcpy(&word, p, sizeof(word));
	id = word & ((1u << KTRC_ID_BITS) - 1);
	if (id == KTRC_ID_EXTENDED) {
		memcpy(&id, p + 4, sizeof(id));
		header = 16;
	}
	if (id >= KTRC_NR_EVENTS) {
		fprintf(stderr, "ring: a record with id %u\n", id);
		exit(1);
	}
	if (id == KTRC_EV_counts) {
		struct ktrc_ev_counts counts;

		memcpy(&counts, p + header, sizeof(counts));
		t->records += counts.written;
	}
	if (events[id].kind != DICT) {
		t->records++;
		t->record_bytes = header + events[id].bytes;
	}
	return header + events[id].bytes;
}

int main(void)
{
	struct totals t = { 0 };
	struct ktrc_ioc_info info;
	const struct ktrc_status *st = map_ring(&info);
	__u64 head = __atomic_load_n(&st->head, __ATOMIC_ACQUIRE);
	__u64 packet = head ? (head - 1) / info.packet_bytes : 0;
	__u64 pos = packet * info.packet_bytes + sizeof(struct ktrc_packet_header);
	const char *slot =
		(const char *)st + info.status_bytes + packet % info.nr_packets * info.packet_bytes;

	if (!head)
		pos = 0;
	while (pos < head)
		pos += add_record(slot + pos % info.packet_bytes, &t);
	if (pos != head) {
		fprintf(stderr, "ring: the last record does not end where the packet ends\n");
		return 1;
	}
	printf("%llu %llu %zu %llu\n", (unsigned long long)head, t.records, t.record_bytes,
	       (unsigned long long)st->lost);
	return 0;
}
