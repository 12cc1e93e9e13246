// SPDX-License-Identifier: GPL-2.0
/* A ring that contradicts itself writes nothing more, shows nothing more and counts nothing more. */
#include "rig.h"

#define HITS 40

static const struct rig_config stream = { KTRC_MODE_STREAM, KTRC_CLOCK_TSC, 11, 4 };
static struct rig rig;

/* what breaks one thing that the ring knows about itself */
static void spoil_base(struct ktrc_ring *r)
{
	r->base += 8;
}

static void spoil_end(struct ktrc_ring *r)
{
	r->end += 4096;
}

static void spoil_head(struct ktrc_ring *r)
{
	r->head += 3 << stream.shift;
}

static void spoil_published(struct ktrc_ring *r)
{
	r->published += 64;
}

static void spoil_cons(struct ktrc_ring *r)
{
	r->cons = r->published + 1;
}

static void (*const spoils[])(struct ktrc_ring *r) = { spoil_base, spoil_end, spoil_head,
						       spoil_published, spoil_cons };

static const char *latched(size_t i)
{
	static u8 memory[sizeof(rig.memory)];
	struct ktrc_ring *r = &rig.cpu.ring;
	struct ktrc_status *status = rig_status(&rig);
	long hits;
	int n;

	rig_init(&rig, &stream);
	for (n = 0; n < HITS; n++)
		rig_emit(&rig, KTRC_EV_fault);
	rig_consume(&rig);
	hits = rig.cpu.count[KTRC_EV_fault].hits.value;
	memcpy(memory, rig.memory, sizeof(memory));
	spoils[i](r);
	r->tid = 0; /* the slow path, as for another task */
	for (n = 0; n < HITS; n++)
		rig_emit(&rig, KTRC_EV_fault);
	TAP_NEED(r->off == KTRC_BROKEN, "%zu: not found", i);
	TAP_NEED(rig.cpu.count[KTRC_EV_fault].hits.value == hits + 1, "%zu: hits go on", i);
	TAP_NEED(rig.cpu.lost.value == 1, "%zu: %ld lost", i, rig.cpu.lost.value);
	ktrc_ring_settle(r, 1);
	TAP_NEED(!memcmp(memory + PAGE_SIZE, rig.memory + PAGE_SIZE, sizeof(memory) - PAGE_SIZE),
		 "%zu: something was written", i);
	TAP_NEED(status->head == ((struct ktrc_status *)memory)->head, "%zu: head moves", i);
	TAP_NEED(r->active == KTRC_IDLE, "%zu: left active", i);
	return NULL;
}

static const char *broken_is_latched(void)
{
	size_t i;

	for (i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++)
		TAP_TRY(latched(i));
	return NULL;
}

static const struct tap_case cases[] = {
	{ "a ring that contradicts itself is latched", broken_is_latched },
};

int main(void)
{
	return tap_run(cases, sizeof(cases) / sizeof(cases[0]));
}
