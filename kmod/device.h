/* SPDX-License-Identifier: GPL-2.0 */
/* The character device: device.c. */
#ifndef KTRC_DEVICE_H
#define KTRC_DEVICE_H

int ktrc_device_init(void);
void ktrc_device_exit(void);

#endif /* KTRC_DEVICE_H */
