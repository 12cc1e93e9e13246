// SPDX-License-Identifier: GPL-2.0
/*
 * hostile_consume CALLS: throws CALLS consume positions and CPUs at the stream
 * session "default" while it records, half of them picked near the limits.  The
 * kernel must accept exactly those that grow and stay within what is published.
 */
#include "ring.h"

static struct reader r;
static uint64_t position[1024]; /* accepted so far, by CPU */

static uint64_t seed = 88172645463325252ull;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint64_t pick(uint32_t cpu, uint64_t head)
{
	uint64_t edges[] = {
		0,	    1,	      position[cpu],	  position[cpu] - 1, position[cpu] + 1,
		head,	    head - 1, head + (64u << 20), 1ull << 31,	     (1ull << 32) + 1,
		1ull << 63, ~0ull,
	};
	uint64_t n = draw();

	if (n & 1)
		return draw();
	return edges[(n >> 1) % (sizeof(edges) / sizeof(*edges))];
}

static int consume(uint32_t cpu, uint64_t at)
{
	struct ktrc_ioc_consume c = { .size = sizeof(c), .cpu = cpu, .position = at };

	return ioctl(r.fd, KTRC_IOC_CONSUME, &c) ? errno : 0;
}

static void expect(uint32_t cpu, uint64_t at, int got, int want)
{
	if (got != want)
		errx(1, "cpu %u position %ju: got %s, want %s", cpu, (uintmax_t)at,
		     got ? strerror(got) : "success", want ? strerror(want) : "success");
}

static void attack(uint32_t cpu)
{
	uint64_t before = ring_head(&r.rings[cpu]), at = pick(cpu, before), after;
	int got = consume(cpu, at);

	after = ring_head(&r.rings[cpu]);
	if (at < position[cpu] || at > after + r.info.packet_bytes)
		expect(cpu, at, got, EINVAL);
	else if (at <= before)
		expect(cpu, at, got, 0);
	if (!got)
		position[cpu] = at;
	if (r.rings[cpu].st->cons != position[cpu])
		errx(1, "cpu %u: cons is %ju, accepted was %ju", cpu,
		     (uintmax_t)r.rings[cpu].st->cons, (uintmax_t)position[cpu]);
}

int main(int argc, char **argv)
{
	unsigned long calls = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, i;
	struct reader other;

	reader_open(&r, "", KTRC_ATTACH_CONSUME);
	reader_map(&r);
	reader_open(&other, "", 0);
	for (i = 0; i < calls; i++) {
		uint32_t cpu = draw() % r.info.nr_cpus;

		if (r.rings[cpu].st)
			attack(cpu);
		expect(r.info.nr_cpus, 0, consume(r.info.nr_cpus, 0), EINVAL);
		expect(~0u, 0, consume(~0u, 0), EINVAL);
	}
	struct ktrc_ioc_consume c = { .size = sizeof(c) };
	expect(0, 0, ioctl(other.fd, KTRC_IOC_CONSUME, &c) ? errno : 0, EPERM);
	return 0;
}
