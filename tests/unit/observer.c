// SPDX-License-Identifier: GPL-2.0
#include "observer.h"
#include "tap.h"
#undef memcpy

struct record {
	u32 id;
	u32 bytes; /* header and payload */
	u64 time;
	const u8 *payload;
};

static u32 mix(u32 seed, u32 word)
{
	seed = (seed ^ word) * 0x9e3779b1u;
	return seed ^ seed >> 15;
}

static u32 task_hash(const struct ktrc_ev_task *task)
{
	u32 words[sizeof(*task) / sizeof(u32)], hash = 1;
	size_t i;

	memcpy(words, task, sizeof(*task));
	for (i = 0; i < sizeof(*task) / sizeof(u32); i++)
		hash = mix(hash, words[i]);
	return hash;
}

struct payload payload_make(u32 level, u32 seq, u32 event, const struct ktrc_ev_task *task)
{
	struct payload p = { .origin = level << 24 | seq };

	p.seal = mix(mix(p.origin, event), task_hash(task));
	p.seal_2 = mix(p.seal, 7);
	return p;
}

u32 payload_bytes(u32 event)
{
	static const u32 bytes[KTRC_NR_EVENTS] = {
#define KTRC_EVENT(id, ev, label, kind, doc) [id] = sizeof(struct ktrc_ev_##ev),
#include "../../uapi/ktrc_events.def"
	};

	return event < KTRC_NR_EVENTS ? bytes[event] : 0;
}

static bool ktrc_is_data(u32 id)
{
	return id != KTRC_EV_task && id != KTRC_EV_task_ref && id != KTRC_EV_stack &&
	       id != KTRC_EV_stack_copy && id != KTRC_EV_stack_ref;
}

static u32 load_u32(const u8 *p)
{
	u32 word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static const char *parse(const struct observer *o, const u8 *p, u64 left, struct record *rec)
{
	const u64 low = (1ull << KTRC_TIME_BITS) - 1;
	u32 word, header = 4;

	TAP_NEED(left >= 4, "position %llu: half a record header", o->pos);
	word = load_u32(p);
	rec->id = word & KTRC_ID_EXTENDED;
	rec->time = (o->time & ~low) | word >> KTRC_ID_BITS;
	if (rec->id == KTRC_ID_EXTENDED) {
		header = 16;
		TAP_NEED(left >= header, "position %llu: half an extended header", o->pos);
		rec->id = load_u32(p + 4);
		rec->time = load_u32(p + 8) | (u64)load_u32(p + 12) << 32;
	}
	rec->payload = p + header;
	rec->bytes = header + payload_bytes(rec->id);
	TAP_NEED(rec->bytes > header, "position %llu: no event has id %u", o->pos, rec->id);
	TAP_NEED(rec->bytes <= left, "position %llu: record straddles the content's end", o->pos);
	TAP_NEED(rec->time >= o->time, "position %llu: time runs back from %llu to %llu", o->pos,
		 o->time, rec->time);
	return NULL;
}

static const char *read_packet_record(struct observer *o, const struct record *rec)
{
	struct ktrc_ev_packet p;
	u64 lost;

	memcpy(&p, rec->payload, sizeof(p));
	lost = p.lost_full + p.lost_nest + p.lost_recursion + p.lost_noring;
	TAP_NEED(o->packet_record == 0, "packet record is not the first");
	TAP_NEED(p.hits == p.written + p.filtered + lost, "packet record: books do not balance");
	TAP_NEED(o->nr_packets == 1 || lost == o->discarded,
		 "packet opens with %llu lost, the one before closed with %llu", lost,
		 o->discarded);
	TAP_NEED(p.ticks >= o->time, "packet record: calibration before the packet's begin");
	return NULL;
}

static const char *read_counts(struct observer *o, const struct record *rec)
{
	struct ktrc_ev_counts c;

	memcpy(&c, rec->payload, sizeof(c));
	TAP_NEED(o->packet_record >= 1 && c.event_id < KTRC_NR_EVENTS,
		 "counts record out of place");
	TAP_NEED(c.hits == c.written + c.filtered + c.lost, "counts record: does not balance");
	TAP_NEED(c.written == o->records[c.event_id],
		 "packet at %llu opens with %llu written of event %u, but %llu stand before it",
		 o->pos, c.written, c.event_id, o->records[c.event_id]);
	TAP_NEED(c.lost >= o->books[c.event_id], "counts record: lost runs back");
	o->books[c.event_id] = c.lost;
	return NULL;
}

static const char *read_task(struct observer *o, const struct record *rec)
{
	TAP_NEED(o->nr_known < OBSERVER_TASKS, "more tasks than ever ran");
	memcpy(&o->task, rec->payload, sizeof(o->task));
	o->known[o->nr_known++] = o->task;
	o->has_task = true;
	o->nr_full++;
	return NULL;
}

static const char *read_task_ref(struct observer *o, const struct record *rec)
{
	u32 i, tid = load_u32(rec->payload);

	for (i = o->nr_known; i > 0; i--) {
		if (o->known[i - 1].tid == tid) {
			o->task = o->known[i - 1];
			o->nr_ref++;
			return NULL;
		}
	}
	return tap_why("task_ref to %u, whose full form is not in the packet", tid);
}

/* a part that goes on where the last one ended, or begins; its frames are those of its seed */
static const char *read_stack(struct observer *o, const struct record *rec)
{
	struct ktrc_ev_stack s;
	u64 frame[4];
	u32 i, seed;

	memcpy(&s, rec->payload, sizeof(s));
	frame[0] = s.frame0;
	frame[1] = s.frame1;
	frame[2] = s.frame2;
	frame[3] = s.frame3;
	if (!s.first)
		o->got = 0;
	seed = (u32)((s.first ? o->stack_in.frame0 : frame[0]) >> 12);
	TAP_NEED(s.slot && s.slot < OBSERVER_SLOTS && s.nr_frames &&
			 (o->has_real_stacks || s.nr_frames == observer_nr_frames(seed)),
		 "position %llu: slot %u, %u frames", o->pos, s.slot, s.nr_frames);
	TAP_NEED(s.first == o->got && (!s.first || (s.slot == o->stack_in.slot &&
						    s.is_kernel == o->stack_in.is_kernel &&
						    s.nr_frames == o->stack_in.nr_frames)),
		 "position %llu: a part of another stack", o->pos);
	for (i = 0; i < 4; i++) {
		bool is_there = s.first + i < s.nr_frames;
		u64 want = is_there ? observer_frame(seed, s.first + i) : 0;

		TAP_NEED(o->has_real_stacks ? is_there == !!frame[i] : frame[i] == want,
			 "position %llu: frame %u of stack %u is %#llx", o->pos, s.first + i, seed,
			 frame[i]);
	}
	if (!s.first)
		o->stack_in = s;
	o->got += 4;
	o->stack[s.is_kernel][s.slot] = o->got < s.nr_frames ? 0 : o->has_real_stacks ? 1 : seed;
	o->nr_stacks += o->got >= s.nr_frames;
	return NULL;
}

/* the same of a copy, and its words */
static const char *read_copy(struct observer *o, const struct record *rec)
{
	struct ktrc_ev_stack_copy c;
	u64 word[16];
	u32 i, seed;

	memcpy(&c, rec->payload, sizeof(c));
	memcpy(word, rec->payload + sizeof(c) - sizeof(word), sizeof(word));
	if (!c.first)
		o->got_words = 0;
	seed = (u32)((c.first ? o->copy_in.word0 : word[0]) >> 12);
	TAP_NEED(c.slot && c.slot <= 128 && c.words == observer_nr_words(seed) && c.regs == 17,
		 "position %llu: slot %u, %u words, %u registers", o->pos, c.slot, c.words, c.regs);
	TAP_NEED(c.first == o->got_words &&
			 (!c.first || (c.slot == o->copy_in.slot && c.words == o->copy_in.words)),
		 "position %llu: a part of another copy", o->pos);
	for (i = 0; i < 16; i++) {
		u64 want = c.first + i < c.words ? observer_frame(seed, c.first + i) : 0;

		TAP_NEED(word[i] == want, "position %llu: word %u of copy %u is %#llx", o->pos,
			 c.first + i, seed, word[i]);
	}
	if (!c.first)
		o->copy_in = c;
	o->got_words += 16;
	o->stack[2][c.slot] = o->got_words >= c.words ? seed : 0;
	o->nr_copies += o->got_words >= c.words;
	return NULL;
}

static const char *read_stack_ref(struct observer *o, const struct record *rec)
{
	struct ktrc_ev_stack_ref r;

	memcpy(&r, rec->payload, sizeof(r));
	TAP_NEED(r.user_slot < OBSERVER_SLOTS && r.kernel_slot < OBSERVER_SLOTS &&
			 (r.user_slot || r.kernel_slot || r.copy_slot),
		 "position %llu: slots %u, %u, %u", o->pos, r.user_slot, r.kernel_slot,
		 r.copy_slot);
	o->ref[0] = o->stack[0][r.user_slot];
	o->ref[1] = o->stack[1][r.kernel_slot];
	o->ref[2] = o->stack[2][r.copy_slot];
	TAP_NEED(!r.user_slot == !o->ref[0] && !r.kernel_slot == !o->ref[1] &&
			 !r.copy_slot == !o->ref[2],
		 "position %llu: slot %u, %u or %u is empty", o->pos, r.user_slot, r.kernel_slot,
		 r.copy_slot);
	o->has_ref = true;
	o->nr_stack_refs++;
	return NULL;
}

static const char *check_stacks(struct observer *o, const struct span *hit)
{
	u32 user = o->has_ref ? o->ref[0] : 0, kernel = o->has_ref ? o->ref[1] : 0;
	u32 copied = o->has_ref ? o->ref[2] : 0;

	TAP_NEED(user == hit->user_stack && kernel == hit->kernel_stack && copied == hit->copied,
		 "position %llu: stacks %u, %u and %u, not %u, %u and %u", o->pos, user, kernel,
		 copied, hit->user_stack, hit->kernel_stack, hit->copied);
	return NULL;
}

static const char *read_data(struct observer *o, const struct record *rec)
{
	struct payload want, got = { 0 };
	u32 level, seq;

	memcpy(&got, rec->payload, payload_bytes(rec->id));
	level = got.origin >> 24;
	seq = got.origin & 0xffffff;
	TAP_NEED(o->has_task, "position %llu: record without a task", o->pos);
	want = payload_make(level, seq, rec->id, &o->task);
	TAP_NEED(level < OBSERVER_LEVELS && got.seal == want.seal &&
			 (rec->id == KTRC_EV_fault_light || got.seal_2 == want.seal_2),
		 "position %llu: record torn, or not of task %u", o->pos, o->task.tid);
	TAP_NEED(seq >= o->next_seq[level], "position %llu: record %u of level %u again", o->pos,
		 seq, level);
	TAP_NEED(!o->has_real_stacks || o->has_ref == !level,
		 "position %llu: record %u of level %u %s", o->pos, seq, level,
		 o->has_ref ? "has stacks" : "has none");
	if (o->spans) {
		const struct span *hit = &o->spans[level][seq % OBSERVER_SPANS];

		TAP_NEED(rec->time >= hit->begin && rec->time <= hit->end,
			 "position %llu: time %llu is not in %llu to %llu", o->pos, rec->time,
			 hit->begin, hit->end);
		TAP_TRY(check_stacks(o, hit));
	}
	o->has_ref = false;
	o->next_seq[level] = seq + 1;
	o->records[rec->id]++;
	return NULL;
}

static const char *read_record(struct observer *o, const struct record *rec)
{
	if (rec->id == KTRC_EV_packet)
		return read_packet_record(o, rec);
	if (rec->id == KTRC_EV_counts)
		return read_counts(o, rec);
	TAP_NEED(o->packet_record > o->nr_events, "position %llu: prologue cut short", o->pos);
	TAP_NEED(!o->has_ref || ktrc_is_data(rec->id),
		 "position %llu: a stack_ref with no record behind it", o->pos);
	if (rec->id == KTRC_EV_stack)
		return read_stack(o, rec);
	if (rec->id == KTRC_EV_stack_copy)
		return read_copy(o, rec);
	if (rec->id == KTRC_EV_stack_ref)
		return read_stack_ref(o, rec);
	if (rec->id == KTRC_EV_task)
		return read_task(o, rec);
	if (rec->id == KTRC_EV_task_ref)
		return read_task_ref(o, rec);
	return read_data(o, rec);
}

void observer_start(struct observer *o, const u8 *bytes, u64 packet, u32 shift)
{
	const u8 *p = bytes + sizeof(struct ktrc_packet_header);
	struct ktrc_ev_counts c;
	u32 i;

	o->packet = packet;
	o->pos = packet << shift;
	p += 4 + sizeof(struct ktrc_ev_packet);
	for (i = 0; i < o->nr_events; i++) {
		memcpy(&c, p + 4, sizeof(c));
		p += 4 + sizeof(c);
		if (c.event_id >= KTRC_NR_EVENTS)
			continue;
		o->records[c.event_id] = c.written;
		o->discarded += c.lost;
	}
}

static const char *open_packet(struct observer *o, const struct ktrc_packet_header *h, u32 shift)
{
	TAP_NEED(h->magic == KTRC_PACKET_MAGIC && h->packet_bits == 8ull << shift && !h->pad &&
			 !h->stream_id && h->uuid[0] == 0xa5 && h->uuid[15] == 0x5a,
		 "position %llu: bad packet header", o->pos);
	TAP_NEED(h->seq == o->packet, "position %llu: packet %llu", o->pos, h->seq);
	TAP_NEED(h->begin >= o->time, "position %llu: packet begins in the past", o->pos);
	o->time = h->begin;
	o->is_inside = true;
	o->packet_record = 0;
	o->has_task = false;
	o->has_ref = false;
	o->nr_known = 0;
	o->got = 0;
	o->got_words = 0;
	memset(o->stack, 0, sizeof(o->stack));
	o->nr_packets++;
	o->pos += sizeof(*h);
	return NULL;
}

static const char *close_packet(struct observer *o, const struct ktrc_packet_header *h, u32 shift)
{
	TAP_NEED(h->end >= o->time, "packet %llu ends before its last record", h->seq);
	TAP_NEED(h->discarded >= o->discarded, "packet %llu: discarded runs back", h->seq);
	o->time = h->end;
	o->discarded = h->discarded;
	o->is_inside = false;
	o->pos = ++o->packet << shift;
	return NULL;
}

const char *observer_read(struct observer *o, const u8 *bytes, u32 shift, u64 head)
{
	u64 start = o->packet << shift, next = start + (1ull << shift);
	struct ktrc_packet_header h;
	struct record rec = { 0 };
	u64 end = head;

	memcpy(&h, bytes, sizeof(h));
	if (head > next)
		end = start + h.content_bits / 8;
	TAP_NEED(end >= start + sizeof(h) && end <= next && end >= o->pos,
		 "packet at %llu: content ends at %llu", start, end);
	if (!o->is_inside)
		TAP_TRY(open_packet(o, &h, shift));
	while (o->pos < end) {
		TAP_TRY(parse(o, bytes + (o->pos - start), end - o->pos, &rec));
		TAP_TRY(read_record(o, &rec));
		o->nr_extended += rec.bytes - payload_bytes(rec.id) > 4;
		o->packet_record++;
		o->time = rec.time;
		o->pos += rec.bytes;
	}
	return head > next ? close_packet(o, &h, shift) : NULL;
}
