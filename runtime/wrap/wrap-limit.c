/* SPDX-License-Identifier: MIT */
/* Limits that the program sets and reads: the one of its address space is another for the kernel (limit.c). */
#include "runtime/limit.h"
#include "runtime/wrap/real.h"

/* On x86-64 the two kinds of each are one; other names here, as libc's prototypes differ. */
#ifdef PRS_TEST_BUILT_IN /* sanitizers ask for limits before they can be called */
#define LIMIT_NAME(name)
#define LIMIT_ALSO(name, of)
#else
#define LIMIT_NAME(name)     __asm__(#name) __attribute__((visibility("default")))
#define LIMIT_ALSO(name, of) __asm__(".globl " #name "\n.set " #name ", " #of);
#endif

int seen_prlimit(pid_t pid, int what, const struct rlimit *in, struct rlimit *out) LIMIT_NAME(prlimit);
int seen_setrlimit(int what, const struct rlimit *in) LIMIT_NAME(setrlimit);
int seen_getrlimit(int what, struct rlimit *out) LIMIT_NAME(getrlimit);

int seen_prlimit(pid_t pid, int what, const struct rlimit *in, struct rlimit *out)
{
	return limit_change(pid, what, in, out);
}

int seen_setrlimit(int what, const struct rlimit *in)
{
	return limit_change(0, what, in, NULL);
}

int seen_getrlimit(int what, struct rlimit *out)
{
	return limit_change(0, what, NULL, out);
}

LIMIT_ALSO(prlimit64, prlimit)
LIMIT_ALSO(setrlimit64, setrlimit)
LIMIT_ALSO(getrlimit64, getrlimit)
