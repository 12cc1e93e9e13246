/* SPDX-License-Identifier: GPL-2.0 */
/* What bounds the loops of the objects that run inside probes: kmod/probe_loops.awk. */
#ifndef KTRC_BOUND_H
#define KTRC_BOUND_H

/**
 * KTRC_MAX_ROUNDS - so many rounds has a loop at most: one for each CPU of the largest kernel
 */
#define KTRC_MAX_ROUNDS 8192

/**
 * KTRC_BOUND - states that a loop may begin with `i = @bound` or go on while `i < @bound`
 * @bound: what its head says, to the letter; no compiler takes it unless it is a constant of 0 to
 *	KTRC_MAX_ROUNDS.  Without brackets here, as it has none there.
 */
#define KTRC_BOUND(bound) \
	_Static_assert(!(KTRC_MAX_ROUNDS + 0ull < bound), #bound " is no bound of a loop")

#endif /* KTRC_BOUND_H */
