/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CTF 1.8 description of a saved trace, generated from its schema. */
#ifndef KTRC_METADATA_H
#define KTRC_METADATA_H

#include "capture.h"

/** ktrc_metadata_text() - TSDL for babeltrace2 and its like; the caller frees it; NULL without memory */
char *ktrc_metadata_text(const struct ktrc_capture *capture);

#endif
