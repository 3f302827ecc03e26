// SPDX-License-Identifier: MIT
/* glibc's jmp_buf: the stack pointer is word 6, mixed with a secret of the thread and rotated. */
#include <setjmp.h>

#include "runtime/denormal/den.h"

#define WORD_SP 6
#define ROTATED 17

uint64_t den_jump_stack(const void *buf)
{
	uint64_t sp = (uint64_t)((const struct __jmp_buf_tag *)buf)->__jmpbuf[WORD_SP], secret;

	__asm__("movq %%fs:0x30, %0" : "=r"(secret));
	return (sp >> ROTATED | sp << (64 - ROTATED)) ^ secret;
}
