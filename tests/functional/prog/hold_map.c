// SPDX-License-Identifier: GPL-2.0
/*
 * hold_map [SESSION]: maps all its rings (of "default"), closes the file, says so and
 * keeps the mappings until it is killed.
 */
#include "ring.h"

int main(int argc, char **argv)
{
	struct reader r;

	reader_open(&r, argc > 1 ? argv[1] : "", 0);
	reader_map(&r);
	close(r.fd);
	printf("mapped\n");
	fflush(stdout);
	for (;;)
		pause();
}
