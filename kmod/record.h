/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Laying records into reserved bytes.
 */
#ifndef KTRC_RECORD_H
#define KTRC_RECORD_H

#include "env.h"
#include "ring_math.h"

/**
 * struct ktrc_pen - writes records one after the other
 * @w: where the next one goes
 * @time: clock ticks of all of them
 * @extended: the next one needs an extended header
 */
struct ktrc_pen {
	u32 *w;
	u64 time;
	bool extended;
};

/**
 * ktrc_record_bytes() - size of a record with a compact header
 * @payload: size of its struct ktrc_ev_*
 */
static inline u32 ktrc_record_bytes(u32 payload)
{
	return KTRC_COMPACT_BYTES + payload;
}

/**
 * ktrc_record_put() - write a record
 * @pen: moves on by the record
 * @id: event id, at most 30
 * @payload: a struct ktrc_ev_*
 * @bytes: its size, a multiple of 4
 */
static inline void ktrc_record_put(struct ktrc_pen *pen, u32 id, const void *payload, u32 bytes)
{
	if (pen->extended) {
		*pen->w++ = KTRC_ID_EXTENDED;
		*pen->w++ = id;
		*pen->w++ = (u32)pen->time;
		*pen->w++ = pen->time >> 32;
		pen->extended = false;
	} else {
		*pen->w++ = ktrc_compact_header(id, pen->time);
	}
	memcpy(pen->w, payload, bytes);
	pen->w += bytes / sizeof(*pen->w);
}

#endif /* KTRC_RECORD_H */
