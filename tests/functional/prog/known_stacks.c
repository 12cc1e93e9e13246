// SPDX-License-Identifier: GPL-2.0
/*
 * known_stacks [stay|touch|wait] two NR NR | deep NR DEPTH | lost|swapped NR: gives advice (MADV_NORMAL) from stacks that it
 * knows, and prints each, innermost first, in hexadecimal.
 *
 * two:  NR times from one caller, NR times from another
 * deep: NR times under DEPTH callers
 * lost: NR times with a frame pointer to a page that was dropped; prints then which page, and how
 *       often it was there afterwards
 * swapped: the same with a page that was swapped out
 * touch: raises a fault of a page instead, each time the same; prints which page, last
 * wait: prints a line and reads one before it begins
 * stay: it does not end when it is done, but becomes another program when it is told so (SIGUSR1)
 *
 * Nobody has called the outermost function: its frame says so.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "swap.h"
#include "touch.h"

#define MAX_FRAMES 256
#define NOBODYS ((void *)0x10000000000) /* where the loader has never had anything */

static char *page;
static unsigned long frames[MAX_FRAMES];
static int nr_frames;

/* by the compiler's own means, from the caller on */
static __attribute__((noinline)) void remember(void *ip, void **frame)
{
	nr_frames = 0;
	frames[nr_frames++] = (unsigned long)ip;
	for (; frame && nr_frames < MAX_FRAMES; frame = *frame)
		frames[nr_frames++] = (unsigned long)frame[1];
}

static __attribute__((noinline)) void advise(void)
{
	long ret = SYS_madvise;
	void *ip;

	__asm__ volatile("lea 1f(%%rip), %1\n\tsyscall\n1:"
			 : "+a"(ret), "=&r"(ip)
			 : "D"(page), "S"(PAGE), "d"(MADV_NORMAL)
			 : "rcx", "r11", "memory");
	if (ret)
		abort();
	remember(ip, __builtin_frame_address(0));
}

static __attribute__((noinline)) void touch(void)
{
	void *ip;

	if (madvise(page, PAGE, MADV_DONTNEED))
		abort();
	__asm__ volatile("lea 1f(%%rip), %0\n1:\ttestb %%al, (%1)" : "=&r"(ip) : "r"(page) : "cc");
	remember(ip, __builtin_frame_address(0));
}

static void (*act)(void) = advise;

static __attribute__((noinline)) void one_caller(void)
{
	act();
	__asm__ volatile("");
}

static __attribute__((noinline)) void inner_caller(void)
{
	act();
	__asm__ volatile("");
}

static __attribute__((noinline)) void another_caller(void)
{
	inner_caller();
	__asm__ volatile("");
}

static __attribute__((noinline)) void call_below(int depth)
{
	if (depth > 1)
		call_below(depth - 1);
	else
		act();
	__asm__ volatile("");
}

static int depth;

static void deep(void)
{
	call_below(depth);
	__asm__ volatile("");
}

/* from an outermost function: what is above it is not on its stack */
static void call_from_nowhere(void (*function)(void))
{
	/* below what the compiler may use without telling */
	__asm__ volatile("sub $128, %%rsp\n\tpush %%rbp\n\txor %%ebp, %%ebp\n\tcall *%0\n\t"
			 "pop %%rbp\n\tadd $128, %%rsp"
			 :
			 : "r"(function)
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
}

static void print_frames(void)
{
	int i;

	for (i = 0; i < nr_frames; i++)
		printf("%s%#lx", i ? " " : "", frames[i]);
	putchar('\n');
}

static void many(int nr, void (*function)(void))
{
	while (nr--)
		call_from_nowhere(function);
	print_frames();
}

/* on a stack below the page, with a frame pointer into it */
static void *advise_lost(char *below, char *lost)
{
	long ret = SYS_madvise;
	void *ip;

	__asm__ volatile("sub $128, %%rsp\n\tpush %%rbp\n\tmov %%rsp, %%r8\n\t"
			 "mov %5, %%rsp\n\tmov %6, %%rbp\n\t"
			 "lea 1f(%%rip), %1\n\tsyscall\n1:\n\t"
			 "mov %%r8, %%rsp\n\tpop %%rbp\n\tadd $128, %%rsp"
			 : "+a"(ret), "=&b"(ip)
			 : "D"(page), "S"(PAGE), "d"(MADV_NORMAL), "r"(below), "r"(lost)
			 : "rcx", "r8", "r11", "memory");
	if (ret)
		abort();
	return ip;
}

static void lose(int nr, bool swaps)
{
	char *pages =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *lost = pages + PAGE;
	int present = 0;
	void *ip = NULL;

	if (pages == MAP_FAILED)
		abort();
	store(pages, 2);
	if (swaps)
		swap_out(lost);
	while (nr--) {
		if (!swaps && madvise(lost, PAGE, MADV_DONTNEED))
			abort();
		ip = advise_lost(lost - 64, lost + 512);
		present += is_page(lost, IS_PRESENT);
	}
	printf("%p\n%lu\n%d\n", ip, (unsigned long)lost / PAGE, present);
}

static void become(int signal)
{
	(void)signal;
	execlp("sleep", "known_stacks", "1000", NULL);
	abort();
}

static void stay(void)
{
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	bool stays = argc > 1 && !strcmp(argv[1], "stay");
	bool touches = argc > 1 && !strcmp(argv[1], "touch");
	bool waits = argc > 1 && !strcmp(argv[1], "wait");

	if (touches)
		act = touch;
	argc -= stays || touches || waits;
	argv += stays || touches || waits;
	signal(SIGUSR1, become);
	page = mmap(NOBODYS, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		    0);
	if (page == MAP_FAILED)
		abort();
	if (waits) {
		puts("ready");
		fflush(stdout);
		getchar();
	}
	if (argc == 4 && !strcmp(argv[1], "two")) {
		many(atoi(argv[2]), one_caller);
		many(atoi(argv[3]), another_caller);
	} else if (argc == 4 && !strcmp(argv[1], "deep")) {
		depth = atoi(argv[3]);
		many(atoi(argv[2]), deep);
	} else if (argc == 3 && !strcmp(argv[1], "lost")) {
		lose(atoi(argv[2]), false);
	} else if (argc == 3 && !strcmp(argv[1], "swapped")) {
		lose(atoi(argv[2]), true);
	} else {
		fputs("usage: known_stacks [stay|touch|wait] two NR NR | deep NR DEPTH | lost|swapped NR\n",
		      stderr);
		return 2;
	}
	if (touches)
		printf("%lu\n", (unsigned long)page / PAGE);
	if (stays)
		stay();
	return 0;
}
