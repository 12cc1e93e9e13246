// SPDX-License-Identifier: GPL-2.0
/* refused: ktrc_on_bad has a frame of 4 */
/* what the compiler does not know of: 50 words, pushed */
static void ktrc_on_bad(void)
{
	asm volatile(".rept 50; push %rax; .endr; add $400, %rsp");
}

void *ktrc_bad_frame_pushed = ktrc_on_bad;
