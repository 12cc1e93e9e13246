/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a recording holds no record. */
#ifndef KTRC_EMPTY_H
#define KTRC_EMPTY_H

#include "../lib/capture.h"

/**
 * ktrc_explain_empty() - say why nothing was read
 * @capture: a capture that yielded no DATA record
 * @err: filled in, with exit code 3
 */
void ktrc_explain_empty(const struct ktrc_capture *capture, struct ktrc_error *err);

#endif
