/* SPDX-License-Identifier: GPL-2.0 */
/* The character device: device.c. */
#ifndef KTRC_DEVICE_H
#define KTRC_DEVICE_H

#include "session.h"

struct file *ktrc_device_get(u32 fd);
bool ktrc_device_is_attached(struct file *file);
void ktrc_device_bind(struct file *file, struct ktrc_session *s);

int ktrc_device_init(void);
void ktrc_device_exit(void);

#endif /* KTRC_DEVICE_H */
