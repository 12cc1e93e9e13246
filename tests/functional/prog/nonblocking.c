// SPDX-License-Identifier: GPL-2.0
/*
 * nonblocking COMMAND...: runs it with a standard output that does not wait for its reader, as
 * some program that shares it may have made it.
 */
#include <err.h>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	if (argc < 2)
		errx(2, "usage: nonblocking COMMAND...");
	if (flags < 0 || fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK))
		err(1, "standard output");
	execvp(argv[1], argv + 1);
	err(1, "%s", argv[1]);
}
