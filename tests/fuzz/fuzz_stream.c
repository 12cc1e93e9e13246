// SPDX-License-Identifier: GPL-2.0-or-later
/* One CPU's packets, of a schema that is sound.  An input: options, the packets. */
#include "../../userspace/lib/cleanup.h"
#include "../../userspace/lib/packet.h"
#include "../unit/decoder_synth.h"
#include "fuzz.h"

static u8 *copy_of(const u8 *bytes, size_t len)
{
	u8 *copy = malloc(len);

	must(copy);
	return memcpy(copy, bytes, len);
}

/* DATA records of a packet; @end: why there are no more. */
static u64 count_data(const struct ktrc_packet *packet, const struct ktrc_schema *schema, int *end)
{
	struct ktrc_cursor cursor = ktrc_packet_begin(packet);
	const u8 *payload;
	u64 nr = 0;

	while ((*end = ktrc_cursor_next(&cursor, schema, &payload)) >= 0)
		nr += ktrc_event_is_data(&schema->events[*end]);
	return nr;
}

/* A consumer had taken the first @taken bytes: what is left of a packet is one like before. */
static void trim(const struct ktrc_schema *schema, u8 *bytes, size_t len, u32 taken)
{
	struct ktrc_packet packet;
	int before, after;
	u64 nr;
	u32 kept;

	if (ktrc_packet_parse(&packet, bytes, len) < 0)
		return;
	nr = count_data(&packet, schema, &before);
	kept = ktrc_packet_trim(bytes, packet.size, taken, schema);
	must(kept <= packet.size && ktrc_packet_parse(&packet, bytes, kept) == 0);
	must(count_data(&packet, schema, &after) <= nr && before == after);
}

/* A packet that was open, of which @len bytes are there: its copy is closed and whole. */
static void close_copy(const struct ktrc_schema *schema, u8 *bytes, size_t len)
{
	struct ktrc_packet packet;

	if (len < KTRC_PACKET_HEADER_BYTES || len > 1 << 20 ||
	    ktrc_load_u32(bytes) != KTRC_PACKET_MAGIC)
		return;
	ktrc_packet_close(bytes, (u32)len, 0, schema);
	must(ktrc_packet_parse(&packet, bytes, len) == 0 && packet.size == len);
}

static u64 drain(struct ktrc_reader *reader)
{
	u64 nr = 0;

	while (ktrc_reader_next(reader))
		nr++;
	return nr;
}

/* The end of the last record of a packet that ends at or before @offset; 0: there is none. */
static u32 boundary(const struct ktrc_packet *packet, const struct ktrc_schema *schema, u32 offset)
{
	struct ktrc_cursor cursor = ktrc_packet_begin(packet);
	const u8 *payload;
	u32 end = 0;

	while (ktrc_cursor_next(&cursor, schema, &payload) >= 0 &&
	       cursor.pos <= packet->bytes + offset)
		end = (u32)(cursor.pos - packet->bytes);
	return end;
}

/* Read while it is written: first what is there of the first packet, then all; each record once. */
static void follow(const struct ktrc_schema *schema, const u8 *bytes, size_t len, u32 offset)
{
	struct ktrc_reader *whole = ktrc_reader_create(schema), *parts = ktrc_reader_create(schema);
	struct ktrc_packet packet;
	__ktrc_free u8 *first = copy_of(bytes, len);
	u32 there = 0;
	u64 nr = 0;

	must(whole && parts && ktrc_reader_feed(whole, 0, bytes, len) == 0);
	if (ktrc_packet_parse(&packet, bytes, len) == 0)
		there = boundary(&packet, schema, offset);
	if (there) {
		ktrc_packet_close(first, there, 0, schema);
		must(ktrc_reader_feed(parts, 0, first, there) == 0);
		nr = drain(parts);
		must(nr && ktrc_reader_is_drained(parts, 0));
	}
	must(ktrc_reader_feed(parts, 0, bytes, len) == 0);
	must(nr + drain(parts) == drain(whole));
	must(memcmp(ktrc_reader_damage(parts), ktrc_reader_damage(whole),
		    sizeof(struct ktrc_damage)) == 0);
	ktrc_reader_destroy(parts);
	ktrc_reader_destroy(whole);
}

static void read_packets(const u8 *bytes, size_t len, u16 options)
{
	struct synth_stream stream = { .bytes = copy_of(bytes, len), .len = len, .written = 41 };
	__ktrc_capture struct ktrc_capture *capture = synth_capture(&stream, 1);
	__ktrc_free u8 *trimmed = copy_of(bytes, len), *closed = copy_of(bytes, len);
	const u32 place = (options & FUZZ_PLACE) / 2048 * 128;
	struct ktrc_error err;

	synth_add_wide(capture->schema);
	capture->session.events = ~0ull;
	if (options & FUZZ_RUNNING)
		capture->session.state = KTRC_STATE_RUNNING;
	capture->end_ticks =
		capture->start_ticks + (options & FUZZ_RUNNING ? SYNTH_HZ : 100 * SYNTH_HZ);
	capture->settled_ticks = capture->end_ticks;
	must(ktrc_capture_start_reader(capture, &err) == 0);
	fuzz_read(capture, options);
	follow(capture->schema, bytes, len, place);
	trim(capture->schema, trimmed, len, place);
	close_copy(capture->schema, closed, len);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	/* what is shorter has no UUID to take the capture's from */
	if (size >= FUZZ_OPTIONS_BYTES + 20)
		read_packets(data + FUZZ_OPTIONS_BYTES, size - FUZZ_OPTIONS_BYTES,
			     fuzz_options(data));
	return 0;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	if (fuzz_mutate_input(data, &size, max, &seed))
		return size;
	return FUZZ_OPTIONS_BYTES + fuzz_mutate_stream(data + FUZZ_OPTIONS_BYTES,
						       size - FUZZ_OPTIONS_BYTES,
						       max - FUZZ_OPTIONS_BYTES, seed);
}
