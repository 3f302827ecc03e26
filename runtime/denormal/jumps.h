/* SPDX-License-Identifier: MIT */
/*
 * longjmp() and its kin of a library that looks at each jump: for the one file of it that defines
 * jump_begins(), whatever has to happen before the jump to the environment @to.
 */
#ifndef PERSEUS_RUNTIME_DENORMAL_JUMPS_H
#define PERSEUS_RUNTIME_DENORMAL_JUMPS_H

#include <dlfcn.h>
#include <setjmp.h>

#include "runtime/denormal/den.h"

void jump_begins(const void *to);

static __attribute__((noreturn)) void jump(const char *name, const void *to, int value)
{
	void (*next)(const void *, int) = NULL;

	jump_begins(to);
	*(void **)&next = dlsym(RTLD_NEXT, name);
	next(to, value);
	__builtin_unreachable();
}

DEN_EXPORT void longjmp(struct __jmp_buf_tag to[1], int value)
{
	jump("longjmp", to, value);
}

DEN_EXPORT void _longjmp(struct __jmp_buf_tag to[1], int value)
{
	jump("_longjmp", to, value);
}

DEN_EXPORT void siglongjmp(sigjmp_buf to, int value)
{
	jump("siglongjmp", to, value);
}

void __longjmp_chk(struct __jmp_buf_tag to[1], int value) __attribute__((noreturn));
DEN_EXPORT void __longjmp_chk(struct __jmp_buf_tag to[1], int value)
{
	jump("__longjmp_chk", to, value);
}

#endif
