// SPDX-License-Identifier: GPL-2.0
/*
 * What one instruction of the kernel does is one step here: built without steps inside.
 */
#include "kernel_shim.h"
#undef memcpy

struct shim shim;

void shim_step(void)
{
	shim.nr_steps++;
	if (shim.on_step)
		shim.on_step(shim.context);
}

u64 cmpxchg_local(u64 *p, u64 old, u64 new)
{
	u64 now;

	shim_step();
	now = *p;
	if (now == old)
		*p = new;
	return now;
}

long local_add_return(long n, local_t *l)
{
	shim_step();
	return l->value += n;
}

u64 ktrc_arch_tsc(void)
{
	shim_step();
	return shim.tsc += shim.tsc_step;
}

void *shim_memcpy(void *to, const void *from, size_t bytes)
{
	size_t half = bytes / 2;

	shim_step();
	memcpy(to, from, half);
	shim_step();
	memcpy((u8 *)to + half, (const u8 *)from + half, bytes - half);
	return to;
}

/* called by clang's -fsanitize-coverage=trace-loads,trace-stores before each access */
#define STEP_AT_ACCESS(bytes)                                   \
	void __sanitizer_cov_load##bytes(const void *address);  \
	void __sanitizer_cov_load##bytes(const void *address)   \
	{                                                       \
		(void)address;                                  \
		shim_step();                                    \
	}                                                       \
	void __sanitizer_cov_store##bytes(const void *address); \
	void __sanitizer_cov_store##bytes(const void *address)  \
	{                                                       \
		(void)address;                                  \
		shim_step();                                    \
	}

STEP_AT_ACCESS(1)
STEP_AT_ACCESS(2)
STEP_AT_ACCESS(4)
STEP_AT_ACCESS(8)
STEP_AT_ACCESS(16)
