// SPDX-License-Identifier: GPL-2.0
/* attend: comes again and again to consume session "default" and takes nothing, so that it goes on. */
#include "ring.h"

int main(void)
{
	struct reader r;

	for (;;) {
		reader_open(&r, "default", KTRC_ATTACH_CONSUME);
		close(r.fd);
		sleep(1);
	}
}
