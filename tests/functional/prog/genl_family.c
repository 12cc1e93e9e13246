// SPDX-License-Identifier: GPL-2.0
/* Asks generic netlink for the family, as any client does first; the kernel may load it. */
#include "genl.h"

int main(void)
{
	struct genl g;
	int error = genl_open(&g);

	puts(error ? strerror(error) : "found");
	return 0;
}
