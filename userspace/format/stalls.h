/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of tables of struct ktrc_stalls, the same in each view that has such tables. */
#ifndef KTRC_FORMAT_STALLS_H
#define KTRC_FORMAT_STALLS_H

#include "../lib/capture.h"
#include "../views/stalls.h"
#include "../views/under_way.h"
#include "table.h"

/**
 * struct ktrc_stalls_data - what such a table is made of
 * @capture: where its rows come from
 * @start_ticks: start of the window
 * @stalls: the rows
 * @view: for columns of the view's own
 */
struct ktrc_stalls_data {
	const struct ktrc_capture *capture;
	u64 start_ticks;
	const struct ktrc_stalls *stalls;
	const void *view;
};

/* the table of a view's member @stalls_, which is its name too; @data_: room for what it is made of */
#define KTRC_STALLS_TABLE(title_, view_, stalls_, columns_, data_)                     \
	(*(data_) = (struct ktrc_stalls_data){ (view_)->capture, (view_)->start_ticks, \
					       &(view_)->stalls_, (view_) },           \
	 KTRC_TABLE(title_, #stalls_, columns_, (view_)->stalls_.nr, data_))

static inline const struct ktrc_stall_row *ktrc_stalls_row(const void *data, size_t row)
{
	return ((const struct ktrc_stalls_data *)data)->stalls->rows[row];
}

/* @view of a table's data */
static inline const void *ktrc_stalls_view(const void *data)
{
	return ((const struct ktrc_stalls_data *)data)->view;
}

/* where the key's first number is one: */
struct ktrc_cell ktrc_stalls_key(const void *data, size_t row);
/* of a process, or a thread's */
struct ktrc_cell ktrc_stalls_pid(const void *data, size_t row);
/* the key's second number */
struct ktrc_cell ktrc_stalls_gfp(const void *data, size_t row);
/* a cgroup's id, and its path */
struct ktrc_cell ktrc_stalls_cgid(const void *data, size_t row);
struct ktrc_cell ktrc_stalls_cgroup(const void *data, size_t row);

/* of a process */
struct ktrc_cell ktrc_stalls_comm(const void *data, size_t row);
struct ktrc_cell ktrc_stalls_cgroup_of_process(const void *data, size_t row);

struct ktrc_cell ktrc_stalls_number(const void *data, size_t row);
struct ktrc_cell ktrc_stalls_pages(const void *data, size_t row);
struct ktrc_cell ktrc_stalls_p50_ns(const void *data, size_t row);
struct ktrc_cell ktrc_stalls_p99_ns(const void *data, size_t row);
struct ktrc_cell ktrc_stalls_max_ns(const void *data, size_t row);
struct ktrc_cell ktrc_stalls_total_ns(const void *data, size_t row);
struct ktrc_cell ktrc_stalls_wall_percent(const void *data, size_t row);

struct ktrc_cell ktrc_cell_gfp(const struct ktrc_capture *capture, u32 gfp);

/* of a struct ktrc_under_way */
struct ktrc_cell ktrc_now_lasts_ns(const void *data, size_t row);
struct ktrc_cell ktrc_now_certain(const void *data, size_t row);
struct ktrc_cell ktrc_now_pid(const void *data, size_t row);
struct ktrc_cell ktrc_now_tid(const void *data, size_t row);
struct ktrc_cell ktrc_now_comm(const void *data, size_t row);
struct ktrc_cell ktrc_now_order(const void *data, size_t row);
struct ktrc_cell ktrc_now_gfp(const void *data, size_t row);
struct ktrc_cell ktrc_now_cgroup(const void *data, size_t row);
struct ktrc_cell ktrc_now_cgid(const void *data, size_t row);
struct ktrc_cell ktrc_now_limiter(const void *data, size_t row);
struct ktrc_cell ktrc_now_cpu(const void *data, size_t row);

/* how long they took */
#define KTRC_STALLS_TIMES                                                               \
	{ "p50_ns", ktrc_stalls_p50_ns }, { "p99_ns", ktrc_stalls_p99_ns },             \
		{ "max_ns", ktrc_stalls_max_ns }, { "total_ns", ktrc_stalls_total_ns }, \
	{                                                                               \
		"wall_percent", ktrc_stalls_wall_percent                                \
	}

/* how many, how much (@pages_name: what its pages are, @pages: their cell), how long */
#define KTRC_STALLS_MEASURES(pages_name, pages) \
	{ "stalls", ktrc_stalls_number }, { pages_name, pages }, KTRC_STALLS_TIMES

#endif
