/* SPDX-License-Identifier: MIT */
/*
 * A probe stands between the arguments of a call and the call, and behind it between the call and
 * its result: vector and floating-point registers may be in use.  The generated code is ordinary C.
 */
#include <cpuid.h>

#include "runtime/trial/trial.h"

#define LEGACY_BYTES 512
#define HEADER_BYTES 64
#define STATES       0xe7u /* x87, SSE, AVX, masks and upper halves of AVX-512; no code here uses the rest */
#define STATE_FIRST  2u    /* behind the header */
#define STATE_LAST   7u

/* Read by the text below. */
uint64_t trial_save_bytes __attribute__((visibility("hidden"))) = LEGACY_BYTES;
uint32_t trial_save_states __attribute__((visibility("hidden"))); /* 0: fxsave */

void trial_save_begin(void)
{
	uint32_t eax, ebx, ecx, edx, states, high;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
		return;
	__asm__("xgetbv" : "=a"(states), "=d"(high) : "c"(0));
	states &= STATES;
	trial_save_bytes = LEGACY_BYTES + HEADER_BYTES;
	for (uint32_t i = STATE_FIRST; i <= STATE_LAST; i++) {
		if (!(states >> i & 1))
			continue;
		__cpuid_count(0xd, i, eax, ebx, ecx, edx);
		if (ebx + eax > trial_save_bytes)
			trial_save_bytes = ebx + eax;
	}
	trial_save_states = states;
}

/* clang-format off */
__attribute__((naked, noinline)) void trial_run(void (*f)(void))
{
	(void)f;
	__asm__ volatile(
		"	pushq %%rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset %%rbp, -16\n"
		"	movq %%rsp, %%rbp\n	.cfi_def_cfa_register %%rbp\n"
		"	subq trial_save_bytes(%%rip), %%rsp\n"
		"	andq $-64, %%rsp\n"
		"	movl trial_save_states(%%rip), %%eax\n"
		"	testl %%eax, %%eax\n"
		"	je 1f\n"
		"	xorl %%edx, %%edx\n"
		"	movq %%rdx, 512(%%rsp)\n	movq %%rdx, 520(%%rsp)\n"
		"	movq %%rdx, 528(%%rsp)\n	movq %%rdx, 536(%%rsp)\n"
		"	movq %%rdx, 544(%%rsp)\n	movq %%rdx, 552(%%rsp)\n"
		"	movq %%rdx, 560(%%rsp)\n	movq %%rdx, 568(%%rsp)\n"
		"	xsave64 (%%rsp)\n"
		"	cld\n"
		"	call *%%rdi\n"
		"	movl trial_save_states(%%rip), %%eax\n"
		"	xorl %%edx, %%edx\n"
		"	xrstor64 (%%rsp)\n"
		"	jmp 2f\n"
		"1:	fxsave64 (%%rsp)\n"
		"	cld\n"
		"	call *%%rdi\n"
		"	fxrstor64 (%%rsp)\n"
		"2:	movq %%rbp, %%rsp\n"
		"	popq %%rbp\n	.cfi_def_cfa %%rsp, 8\n"
		"	ret\n" : :);
}
/* clang-format on */
