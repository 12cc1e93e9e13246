// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what the default session's records take on CPU 0: bytes of ring used in all,
 * records of DATA events in all, bytes of the last such record, hits lost, frames that most of
 * their user stacks have; 0: most have none.
 *
 * Reads the open packet: its `counts` records tell what was written before it; frames are
 * those of the packet before, as the last records are not the workload's.
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

#define NR_SLOTS (1 << 12) /* of stack_ref's user_slot */
#define MAX_FRAMES 255 /* of a stack's nr_frames */

static const struct {
	enum kind kind;
	size_t bytes;
} events[] = {
#define KTRC_EVENT(id, ev, label, kind, doc) [id] = { kind, sizeof(struct ktrc_ev_##ev) },
#include "../../uapi/ktrc_events.def"
};

/*
 * @nr_frames: of the user stack that has the slot now
 * @with_frames: records whose user stack has so many frames
 */
struct totals {
	unsigned long long records;
	size_t record_bytes;
	__u32 nr_frames[NR_SLOTS];
	__u32 with_frames[MAX_FRAMES + 1];
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

/* Whose frames @payload tells, or which stack the next record has. */
static void note_stack(__u32 id, const char *payload, struct totals *t)
{
	struct ktrc_ev_stack stack;
	struct ktrc_ev_stack_ref ref;

	if (id == KTRC_EV_stack) {
		memcpy(&stack, payload, sizeof(stack));
		if (!stack.is_kernel)
			t->nr_frames[stack.slot] = stack.nr_frames;
	} else if (id == KTRC_EV_stack_ref) {
		memcpy(&ref, payload, sizeof(ref));
		t->with_frames[ref.user_slot ? t->nr_frames[ref.user_slot] : 0]++;
	}
}

/* Returns how many frames most user stacks have. */
static __u32 usual_frames(const struct totals *t)
{
	__u32 usual = 0;

	for (__u32 nr = 1; nr <= MAX_FRAMES; nr++) {
		if (t->with_frames[nr] > t->with_frames[usual])
			usual = nr;
	}
	return usual;
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
	note_stack(id, p + header, t);
	if (events[id].kind != DICT) {
		t->records++;
		t->record_bytes = header + events[id].bytes;
	}
	return header + events[id].bytes;
}

static const char *slot_of(const struct ktrc_status *st, const struct ktrc_ioc_info *info,
			   __u64 packet)
{
	return (const char *)st + info->status_bytes +
	       packet % info->nr_packets * info->packet_bytes;
}

/* Add the records of a packet up to the position @end of the ring. */
static void add_packet(const struct ktrc_status *st, const struct ktrc_ioc_info *info, __u64 packet,
		       __u64 end, struct totals *t)
{
	const char *slot = slot_of(st, info, packet);
	__u64 pos = packet * info->packet_bytes + sizeof(struct ktrc_packet_header);

	while (pos < end)
		pos += add_record(slot + pos % info->packet_bytes, t);
	if (pos != end) {
		fprintf(stderr, "ring: the last record does not end where the packet ends\n");
		exit(1);
	}
}

/* Where the records of a packet that is full end, in the ring. */
static __u64 end_of(const struct ktrc_status *st, const struct ktrc_ioc_info *info, __u64 packet)
{
	const struct ktrc_packet_header *header = (const void *)slot_of(st, info, packet);

	return packet * info->packet_bytes + header->content_bits / 8;
}

int main(void)
{
	static struct totals open, full; /* of the last packet, and of the one before it */
	struct ktrc_ioc_info info;
	const struct ktrc_status *st = map_ring(&info);
	__u64 head = __atomic_load_n(&st->head, __ATOMIC_ACQUIRE);
	__u64 packet = head ? (head - 1) / info.packet_bytes : 0;

	if (head)
		add_packet(st, &info, packet, head, &open);
	if (packet)
		add_packet(st, &info, packet - 1, end_of(st, &info, packet - 1), &full);
	printf("%llu %llu %zu %llu %u\n", (unsigned long long)head, open.records, open.record_bytes,
	       (unsigned long long)st->lost, usual_frames(packet ? &full : &open));
	return 0;
}
