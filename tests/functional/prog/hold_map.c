// SPDX-License-Identifier: GPL-2.0
/*
 * hold_map: maps all rings of session "default", closes the file, says so and keeps
 * the mappings until it is killed.
 */
#include "ring.h"

int main(void)
{
	struct reader r;

	reader_open(&r, "", 0);
	reader_map(&r);
	close(r.fd);
	printf("mapped\n");
	fflush(stdout);
	for (;;)
		pause();
}
