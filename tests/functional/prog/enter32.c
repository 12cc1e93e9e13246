// SPDX-License-Identifier: GPL-2.0
/* enter32 NUMBER: makes the system call of 32-bit programs of that number, with zeros. */
#include <err.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	long ret;

	if (argc != 2)
		errx(2, "usage: enter32 NUMBER");
	ret = strtol(argv[1], NULL, 10);
	__asm__ volatile("int $0x80"
			 : "+a"(ret)
			 : "b"(0), "c"(0), "d"(0), "S"(0), "D"(0)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret < 0;
}
