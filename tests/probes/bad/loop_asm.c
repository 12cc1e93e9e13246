// SPDX-License-Identifier: GPL-2.0
/* refused: asm: nobody looks at what it does */
/* refused: __asm__: nobody looks at what it does */
/* refused: asm_inline: nobody looks at what it does */
/* refused: __asm: nobody looks at what it does */
#include <linux/compiler_types.h>

static int ktrc_on_bad(const volatile int *at)
{
	unsigned long n = at[9];
	int i, sum = 0;

	for (i = 0; i < 8; i++) {
		sum += at[i];
		asm("decl %0" : "+r"(i));
	}
	__asm__ volatile("rep stosb" : "+c"(n) : "D"(at), "a"(0) : "memory");
	asm_inline volatile("rep stosb" : "+c"(n) : "D"(at), "a"(0) : "memory");
	__asm __volatile("rep stosb" : "+c"(n) : "D"(at), "a"(0) : "memory");
	return sum;
}

void *ktrc_bad_loop_asm = ktrc_on_bad;
