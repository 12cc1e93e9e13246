// SPDX-License-Identifier: GPL-2.0-or-later
/* Cells. */
#include "stalls.h"

#include "../lib/kernel.h"
#include "format.h"

static const struct ktrc_stalls_data *data_of(const void *data)
{
	return data;
}

static struct ktrc_cell ns_cell(const struct ktrc_capture *capture, u64 ticks)
{
	return ktrc_cell_number(ktrc_ticks_to_ns(&capture->clock, ticks));
}

/* Of a row without a stall of its own nobody knows how many there were, or how long. */
static bool has_stalls(const void *data, size_t row)
{
	return ktrc_stalls_row(data, row)->stalls;
}

static struct ktrc_cell time_cell(const void *data, size_t row, u64 ticks)
{
	return has_stalls(data, row) ? ns_cell(data_of(data)->capture, ticks) : KTRC_CELL_EMPTY;
}

static struct ktrc_cell id_cell(u64 number)
{
	return number ? ktrc_cell_number(number) : KTRC_CELL_EMPTY;
}

struct ktrc_cell ktrc_cell_gfp(const struct ktrc_capture *capture, u32 gfp)
{
	static char room[KTRC_GFP_ROOM];

	return ktrc_cell_text(ktrc_gfp_text(capture->kernel, gfp, room));
}

struct ktrc_cell ktrc_stalls_key(const void *data, size_t row)
{
	return ktrc_cell_number(ktrc_stalls_row(data, row)->key.a);
}

struct ktrc_cell ktrc_stalls_pid(const void *data, size_t row)
{
	return ktrc_cell_number(ktrc_stalls_row(data, row)->pid);
}

struct ktrc_cell ktrc_stalls_gfp(const void *data, size_t row)
{
	return ktrc_cell_gfp(data_of(data)->capture, (u32)ktrc_stalls_row(data, row)->key.b);
}

struct ktrc_cell ktrc_stalls_cgid(const void *data, size_t row)
{
	return id_cell(ktrc_stalls_row(data, row)->key.a);
}

struct ktrc_cell ktrc_stalls_cgroup(const void *data, size_t row)
{
	return ktrc_cell_cgroup(data_of(data)->capture, ktrc_stalls_row(data, row)->key.a);
}

struct ktrc_cell ktrc_stalls_comm(const void *data, size_t row)
{
	return ktrc_cell_text(ktrc_stalls_row(data, row)->comm);
}

struct ktrc_cell ktrc_stalls_cgroup_of_process(const void *data, size_t row)
{
	return ktrc_cell_cgroup(data_of(data)->capture, ktrc_stalls_row(data, row)->cgid);
}

struct ktrc_cell ktrc_stalls_number(const void *data, size_t row)
{
	return has_stalls(data, row) ? ktrc_cell_number(ktrc_stalls_row(data, row)->stalls) :
				       KTRC_CELL_EMPTY;
}

struct ktrc_cell ktrc_stalls_pages(const void *data, size_t row)
{
	return ktrc_cell_number(ktrc_stalls_row(data, row)->pages);
}

struct ktrc_cell ktrc_stalls_p50_ns(const void *data, size_t row)
{
	return time_cell(data, row, ktrc_stall_percentile_ticks(ktrc_stalls_row(data, row), 50));
}

struct ktrc_cell ktrc_stalls_p99_ns(const void *data, size_t row)
{
	return time_cell(data, row, ktrc_stall_percentile_ticks(ktrc_stalls_row(data, row), 99));
}

struct ktrc_cell ktrc_stalls_max_ns(const void *data, size_t row)
{
	return time_cell(data, row, ktrc_stalls_row(data, row)->max_ticks);
}

struct ktrc_cell ktrc_stalls_total_ns(const void *data, size_t row)
{
	return time_cell(data, row, ktrc_stalls_row(data, row)->total_ticks);
}

struct ktrc_cell ktrc_stalls_wall_percent(const void *data, size_t row)
{
	const struct ktrc_stalls_data *d = data_of(data);

	if (!has_stalls(data, row))
		return KTRC_CELL_EMPTY;
	return ktrc_cell_percent(ktrc_capture_percent(d->capture, d->start_ticks,
						      ktrc_stalls_row(data, row)->total_ticks));
}

/* ---- under way ---- */

static const struct ktrc_under_way *under_way_of(const void *data)
{
	return data;
}

static const struct ktrc_stall_now *now_at(const void *data, size_t row)
{
	return &under_way_of(data)->nows[row];
}

struct ktrc_cell ktrc_now_lasts_ns(const void *data, size_t row)
{
	const struct ktrc_capture *capture = under_way_of(data)->capture;

	return ns_cell(capture, ktrc_stall_now_ticks(capture, now_at(data, row)));
}

struct ktrc_cell ktrc_now_certain(const void *data, size_t row)
{
	return ktrc_cell_text(now_at(data, row)->is_certain ? "yes" : "no");
}

struct ktrc_cell ktrc_now_pid(const void *data, size_t row)
{
	return ktrc_cell_number(now_at(data, row)->pid);
}

struct ktrc_cell ktrc_now_tid(const void *data, size_t row)
{
	return ktrc_cell_number(now_at(data, row)->tid);
}

struct ktrc_cell ktrc_now_comm(const void *data, size_t row)
{
	return ktrc_cell_text(now_at(data, row)->comm);
}

struct ktrc_cell ktrc_now_order(const void *data, size_t row)
{
	return ktrc_cell_number(now_at(data, row)->order);
}

struct ktrc_cell ktrc_now_gfp(const void *data, size_t row)
{
	return ktrc_cell_gfp(under_way_of(data)->capture, now_at(data, row)->gfp);
}

struct ktrc_cell ktrc_now_cgroup(const void *data, size_t row)
{
	return ktrc_cell_cgroup(under_way_of(data)->capture, now_at(data, row)->cgid);
}

struct ktrc_cell ktrc_now_cgid(const void *data, size_t row)
{
	return id_cell(now_at(data, row)->cgid);
}

struct ktrc_cell ktrc_now_limiter(const void *data, size_t row)
{
	return ktrc_cell_cgroup(under_way_of(data)->capture, now_at(data, row)->limiter);
}

struct ktrc_cell ktrc_now_cpu(const void *data, size_t row)
{
	return ktrc_cell_number(now_at(data, row)->cpu);
}
