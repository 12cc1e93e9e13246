/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ways through a writer: a state of the ring, and what is done in it.
 */
#ifndef KTRC_TESTS_UNIT_SCENARIOS_H
#define KTRC_TESTS_UNIT_SCENARIOS_H

#include "rig.h"

/**
 * struct scenario - a way through a writer
 * @name: for people
 * @config: the ring
 * @prepare: brings the ring into the state; undisturbed
 * @act: what the outermost writer does; may be disturbed
 */
struct scenario {
	const char *name;
	struct rig_config config;
	void (*prepare)(struct rig *rig);
	void (*act)(struct rig *rig);
};

extern const struct scenario scenarios[];
extern const u32 nr_scenarios;

#endif /* KTRC_TESTS_UNIT_SCENARIOS_H */
