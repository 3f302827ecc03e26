/* SPDX-License-Identifier: MIT */
/* Lengths and operands of instructions; the bytes are those that GNU as writes. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/inspect/x86.h"

static struct x86_insn decode(const char *hex)
{
	uint8_t code[16] = {0};
	struct x86_insn x;
	size_t n = strlen(hex) / 2;

	for (size_t i = 0; i < n; i++) {
		char two[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

		code[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	if (x86_decode(code, sizeof(code), &x))
		fail_msg("%s is not decoded", hex);
	if (x.length != n)
		fail_msg("%s has %u bytes, not %zu", hex, x.length, n);
	return x;
}

static void lengths_of_all_forms(void **state)
{
	static const char *const list[] = {
		"90",                   /* nop */
		"660f1f840000000000",   /* nopw 0(%rax,%rax,1) */
		"f30f1efa",             /* endbr64 */
		"4889e5",               /* mov %rsp,%rbp */
		"48b88877665544332211", /* movabs $0x1122334455667788,%rax */
		"66b83412",             /* mov $0x1234,%ax */
		"a18877665544332211",   /* movabs 0x1122334455667788,%eax */
		"67a144332211",         /* mov 0x11223344,%eax (address size) */
		"c8100000",             /* enter $16,$0 */
		"c20800",               /* ret $8 */
		"f6c101",               /* test $1,%cl */
		"f7c101000000",         /* test $1,%ecx */
		"66f7c10100",           /* test $1,%cx */
		"f7f9",                 /* idiv %ecx */
		"48f7f9",               /* idiv %rcx */
		"6bc00a",               /* imul $10,%eax,%eax */
		"69c0e8030000",         /* imul $1000,%eax,%eax */
		"e800000000",           /* call */
		"0f84f8030000",         /* je */
		"74fe",                 /* je */
		"f20f5ec1",             /* divsd %xmm1,%xmm0 */
		"660f3a0fc104",         /* palignr $4,%xmm1,%xmm0 */
		"660f3800c1",           /* pshufb %xmm1,%xmm0 */
		"0fc6c11b",             /* shufps $0x1b,%xmm1,%xmm0 */
		"660f71d004",           /* psrlw $4,%xmm0 */
		"c5f877",               /* vzeroupper */
		"c5fc28c1",             /* vmovaps %ymm1,%ymm0 */
		"c4e27d18c0",           /* vbroadcastss %xmm0,%ymm0 */
		"c4e37d19c001",         /* vextractf128 $1,%ymm0,%xmm0 */
		"62f17c4828c1",         /* vmovaps %zmm1,%zmm0 */
		"62f37d4839c001",       /* vextracti32x4 $1 */
		"62f17c48284801",       /* vmovaps 64(%rax),%zmm1 */
		"8fe97880c1",           /* XOP vfrczps */
		"f0480fb10f",           /* lock cmpxchg %rcx,(%rdi) */
		"f348a5",               /* rep movsq */
		"64488b042500000000",   /* mov %fs:0,%rax */
		"4a8b8cc510000000",     /* mov 0x10(,%r8,8),%rcx */
		"0f0b",                 /* ud2 */
		"0f01d0",               /* xgetbv */
		"4366be74b0",           /* mov $0xb074,%si; the REX prefix before another one is void */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		decode(list[i]);
}

static void operands_are_told(void **state)
{
	struct x86_insn x = decode("4c8b1d10000000"); /* mov 16(%rip),%r11 */

	(void)state;
	assert_true(x.wide && x.memory && x.base == X86_RIP && x.index == X86_NONE);
	assert_int_equal(x.reg, 11);
	assert_int_equal(x.disp, 16);
	x = decode("836c24f801"); /* subl $1,-8(%rsp) */
	assert_true(x.memory && x.base == X86_RSP && x.index == X86_NONE && !x.wide);
	assert_int_equal(x.reg, 5);
	assert_int_equal(x.disp, -8);
	assert_int_equal(x.imm, 1);
	x = decode("438d4c8520"); /* lea 0x20(%r13,%r8,4),%ecx */
	assert_int_equal(x.base, 13);
	assert_int_equal(x.index, 8);
	x = decode("41833c2400"); /* cmpl $0,(%r12) */
	assert_int_equal(x.base, 12);
	x = decode("8b042544332211"); /* mov 0x11223344,%eax */
	assert_int_equal(x.base, X86_NONE);
	assert_int_equal(x.disp, 0x11223344);
	x = decode("4883c480"); /* add $-128,%rsp */
	assert_true(!x.memory && x.rm == X86_RSP && x.imm == -128);
	x = decode("ebfe");
	assert_int_equal(x.imm, -2);
	x = decode("a978563412"); /* test $0x12345678,%eax */
	assert_int_equal(x.imm, 0x12345678);
	x = decode("a18877665544332211"); /* movabs 0x1122334455667788,%eax: an address, no constant */
	assert_int_equal(x.imm_bytes, 0);
	x = decode("64488b0424"); /* mov %fs:(%rsp),%rax */
	assert_int_equal(x.segment, 0x64);
}

static void vector_forms_tell_map_and_prefix(void **state)
{
	struct x86_insn x = decode("c4c17b10442408"); /* vmovsd 8(%r12),%xmm0 */

	(void)state;
	assert_true(x.form == X86_VEX && x.map == 1 && x.opcode == 0x10 && x.repne);
	assert_int_equal(x.base, 12);
	x = decode("62c17c48280c24"); /* vmovaps (%r12),%zmm17 */
	assert_true(x.form == X86_EVEX && x.map == 1 && x.opcode == 0x28);
	x = decode("660fefc0");
	assert_true(x.form == X86_LEGACY && x.map == 1 && x.data16 && x.reg == x.rm);
}

static void what_is_no_instruction_is_refused(void **state)
{
	static const char *const list[] = {"06", "d6", "60", "9a", "ea", "82"};
	uint8_t code[16] = {0};
	struct x86_insn x;

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		code[0] = (uint8_t)strtoul(list[i], NULL, 16);
		assert_int_equal(x86_decode(code, sizeof(code), &x), -EINVAL);
	}
	memset(code, 0x66, sizeof(code)); /* nothing but prefixes */
	assert_int_equal(x86_decode(code, sizeof(code), &x), -EINVAL);
}

static void nothing_is_read_beyond_the_end(void **state)
{
	static const uint8_t call[] = {0xe8, 0, 0, 0, 0};
	struct x86_insn x;
	uint64_t seed = 1;

	(void)state;
	for (size_t n = 0; n < sizeof(call); n++) {
		uint8_t *exact = malloc(n + 1);

		memcpy(exact, call, n);
		assert_int_equal(x86_decode(exact, n, &x), -EINVAL);
		free(exact);
	}
	for (int i = 0; i < 200000; i++) {
		uint8_t code[16];

		for (size_t k = 0; k < sizeof(code); k++)
			code[k] = (uint8_t)((seed = seed * 6364136223846793005ull + 1442695040888963407ull) >>
					    56);
		if (!x86_decode(code, sizeof(code), &x))
			assert_true(x.length >= 1 && x.length <= 15);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_of_all_forms),
		cmocka_unit_test(operands_are_told),
		cmocka_unit_test(vector_forms_tell_map_and_prefix),
		cmocka_unit_test(what_is_no_instruction_is_refused),
		cmocka_unit_test(nothing_is_read_beyond_the_end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
