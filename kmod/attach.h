/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks and who listens to them.  Process context, under ktrc_control.
 */
#ifndef KTRC_ATTACH_H
#define KTRC_ATTACH_H

#include "session.h"

const struct ktrc_probe *ktrc_attach_probe(u32 event);
int ktrc_attach_session(struct ktrc_session *s, struct ktrc_why *why);
void ktrc_detach_session(struct ktrc_session *s);
u64 ktrc_attach_missed(const struct ktrc_session *s, u32 event);

#endif /* KTRC_ATTACH_H */
