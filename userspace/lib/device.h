/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data: /dev/ktrc attached to a session, and its mapped rings. */
#ifndef KTRC_DEVICE_H
#define KTRC_DEVICE_H

#include "error.h"
#include "schema.h"

/**
 * struct ktrc_ring - one CPU's mapped ring
 * @cpu: the CPU
 * @status: first page of the mapping
 * @data: first packet
 * @map_bytes: size of the mapping
 */
struct ktrc_ring {
	u32 cpu;
	const struct ktrc_status *status;
	const u8 *data;
	size_t map_bytes;
};

/**
 * struct ktrc_device - an open file attached to a session
 * @fd: the file
 * @info: as of the last ktrc_device_info()
 * @rings: the mapped rings; CPUs that were never online have none
 * @nr_rings: their number
 */
struct ktrc_device {
	int fd;
	struct ktrc_ioc_info info;
	struct ktrc_ring *rings;
	size_t nr_rings;
};

/** ktrc_device_create() - open the device, attached to nothing yet */
int ktrc_device_create(struct ktrc_device **dev, struct ktrc_error *err);

/**
 * ktrc_device_attach() - attach to a session
 * @dev: not attached yet
 * @name: the session
 * @flags: KTRC_ATTACH_*
 */
int ktrc_device_attach(struct ktrc_device *dev, const char *name, u32 flags,
		       struct ktrc_error *err);

/** ktrc_device_open() - both */
int ktrc_device_open(const char *name, u32 flags, struct ktrc_device **dev, struct ktrc_error *err);
void ktrc_device_close(struct ktrc_device *dev);
void ktrc_cleanup_device(struct ktrc_device **dev);
#define __ktrc_device KTRC_CLEANUP(ktrc_cleanup_device)

/** ktrc_device_info() - refresh @dev->info */
int ktrc_device_info(struct ktrc_device *dev, struct ktrc_error *err);

/** ktrc_device_is_half_full() - is a ring more than half full of what is not consumed, or overwritten */
bool ktrc_device_is_half_full(const struct ktrc_device *dev);

/** ktrc_device_map() - map the rings of CPUs that are not mapped yet */
int ktrc_device_map(struct ktrc_device *dev, struct ktrc_error *err);

int ktrc_device_start(struct ktrc_device *dev, struct ktrc_error *err);
int ktrc_device_stop(struct ktrc_device *dev, struct ktrc_error *err);

/** ktrc_device_consume() - let the writer have everything before @position */
int ktrc_device_consume(struct ktrc_device *dev, u32 cpu, u64 position, struct ktrc_error *err);

/** ktrc_ring_head() - position before which everything is published */
u64 ktrc_ring_head(const struct ktrc_ring *ring);

/** ktrc_ring_oldest() - position before which nothing is left: overwritten or consumed */
u64 ktrc_ring_oldest(const struct ktrc_ring *ring);

/** ktrc_ring_lost() - hits lost on this CPU so far */
u64 ktrc_ring_lost(const struct ktrc_ring *ring);

/**
 * ktrc_ring_oldest_begin() - when the oldest packet in the ring was opened
 * @ticks: set to that time
 *
 * Return: true; false when the ring is empty.
 */
bool ktrc_ring_oldest_begin(const struct ktrc_ring *ring, u64 *ticks);

/**
 * struct ktrc_span - what to copy out of a ring
 * @from: position to start at; rounded down to its packet
 * @to: position to end at, at most the head, also in a packet closed since the caller
 *	looked at the head
 * @skip: DATA records before this position, at most @from, have been consumed by
 *	somebody: they are left out
 */
struct ktrc_span {
	u64 from;
	u64 to;
	u64 skip;
};

/**
 * ktrc_ring_copy() - copy packets out of a live ring, each closed and whole
 * @ring: the ring
 * @span: what of it
 * @schema: to close the open packet
 * @bytes: room for the span rounded up to whole packets at both ends
 *
 * If packets are overwritten meanwhile the older part of the span is missing:
 * what is copied ends at @span->to and has no gap.
 * Return: bytes copied.
 */
size_t ktrc_ring_copy(const struct ktrc_ring *ring, const struct ktrc_span *span,
		      const struct ktrc_schema *schema, u8 *bytes);

/**
 * ktrc_ring_snapshot() - copy all that is left, of a ring that may be overwriting itself
 * @bytes: room for the whole ring
 *
 * Return: bytes copied; 0 when the ring is empty, or overwrote even the newest
 * packet each time it was tried.
 */
size_t ktrc_ring_snapshot(const struct ktrc_ring *ring, const struct ktrc_schema *schema,
			  u8 *bytes);

#endif
