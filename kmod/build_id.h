/* SPDX-License-Identifier: GPL-2.0 */
/* By which build a file of code is known: the GNU build id among its notes. */
#ifndef KTRC_BUILD_ID_H
#define KTRC_BUILD_ID_H

#include <linux/types.h>

#define KTRC_BUILD_ID_BYTES 20 /* as linkers make them; a longer one is none */

struct file;

/**
 * struct ktrc_build_id - of a file
 * @len: its bytes; 0: there is none, or it is not known
 * @bytes: they
 */
struct ktrc_build_id {
	u8 len;
	u8 bytes[KTRC_BUILD_ID_BYTES];
};

void ktrc_build_id_parse(struct ktrc_build_id *id, const void *head, size_t bytes);
void ktrc_build_id_read(struct ktrc_build_id *id, const struct file *file, void *room);

#endif /* KTRC_BUILD_ID_H */
