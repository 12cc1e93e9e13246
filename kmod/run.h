/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Periods in a row in which a quota was used up, as its timer counts them.
 * Pure functions of their arguments; also compiled by tests/unit.
 */
#ifndef KTRC_RUN_H
#define KTRC_RUN_H

#include "env.h"

/**
 * union ktrc_run - periods in a row
 * @first: the first of them
 * @end: the one after the last; @first: there are none
 * @word: both
 */
union ktrc_run {
	struct {
		u32 first;
		u32 end;
	};
	u64 word;
};

/**
 * ktrc_run_until() - those in which a quota was used up on one CPU without a break
 * @began: the period in which it was used up
 * @now: the present one, which has only just begun if it is another one
 */
static inline union ktrc_run ktrc_run_until(u32 began, u32 now)
{
	return (union ktrc_run){ .first = began, .end = now == began ? now + 1 : now };
}

/**
 * ktrc_run_join() - both, if the new one begins in the old one or right after it, else the new one
 * @old: a run
 * @new: one that has just ended
 */
static inline union ktrc_run ktrc_run_join(union ktrc_run old, union ktrc_run new)
{
	if (new.first - old.first > old.end - old.first)
		return new;
	if (new.end - old.first > old.end - old.first)
		old.end = new.end;
	return old;
}

#endif /* KTRC_RUN_H */
