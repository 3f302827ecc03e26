/* SPDX-License-Identifier: MIT */
/*
 * Probes in a linked file: one that is written here byte by byte, with what may and what
 * may not stand between a probe and its call, files that are none, and damaged ones.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/fs.h"
#include "perseus/abi.h"
#include "record/probes/check.h"
#include "record/probes/image.h"

#define BASE 0x400000u
#define HEAD 0x100u    /* of the object, in the file and behind BASE */
#define CODE 0x180u    /* the probed call */
#define DESC 0x410000u /* its descriptor, which has no bytes in the file */
#define SITE 3u

static uint8_t image[0x400];
static size_t at;
static char path[] = "/tmp/t-check.XXXXXX";

static void put(const char *hex)
{
	for (; *hex; hex += 2) {
		char two[3] = {hex[0], hex[1], '\0'};

		image[at++] = (uint8_t)strtoul(two, NULL, 16);
	}
}

static void put32(int64_t v)
{
	int32_t n = (int32_t)v;

	memcpy(image + at, &n, sizeof(n));
	at += sizeof(n);
}

/* @hex and the way from behind it to the address @to. */
static void put_way(const char *hex, uint64_t to)
{
	put(hex);
	put32((int64_t)to - (int64_t)(BASE + at + 4));
}

/* The way that ends at @end, which is known now. */
static void fix_way(size_t end, size_t to)
{
	int32_t n = (int32_t)((int64_t)to - (int64_t)end);

	memcpy(image + end - 4, &n, sizeof(n));
}

/* The enter probe of slot SITE, whose token is in r11. */
static void put_enter(void)
{
	size_t back, cold, negative;

	put_way("4c8b1d", DESC); /* mov desc.tls(%rip), %r11 */
	put("4d85db");           /* test %r11, %r11 */
	put_way("0f84", 0);      /* je back */
	back = at;
	put("644d8b1b4d85db"); /* mov %fs:(%r11), %r11; test */
	put_way("0f84", 0);    /* je cold */
	cold = at;
	put_way("4c031d", DESC + PRS_DESC_BASE);
	put("4183ab"); /* subl $1, SLOT(%r11) */
	put32(SITE * sizeof(struct prs_slot));
	put("01");
	put_way("0f88", 0); /* js cold */
	negative = at;
	put("4531db"); /* xor %r11d, %r11d */
	fix_way(back, at);
	fix_way(cold, at + 0x100);
	fix_way(negative, at + 0x100);
}

/* A call with its probes, @before and @behind standing between. */
static void put_call(const char *before, const char *behind, uint32_t site)
{
	size_t jump, behind_leave;

	at = CODE;
	put_enter();
	put(before);
	put_way("e8", BASE + CODE); /* the call */
	put(behind);
	put("4d85db"); /* the leave probe: test, jne cold */
	put_way("0f85", 0);
	jump = behind_leave = at;
	put("c3");
	fix_way(jump, at);
	put_way("e8", BASE + CODE); /* the stub */
	put("a9");
	put32(site);
	put_way("e9", BASE + behind_leave);
}

static void put_file(const char *before, const char *behind, uint32_t site)
{
	Elf64_Ehdr h = {.e_type = ET_EXEC,
			.e_machine = EM_X86_64,
			.e_phoff = sizeof(h),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1};
	Elf64_Phdr p = {.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_vaddr = BASE,
			.p_filesz = sizeof(image),
			.p_memsz = sizeof(image)};
	struct prs_head head = {.magic = PRS_HEAD_MAGIC,
				.desc = (int32_t)(DESC - BASE - HEAD),
				.version = PRS_ABI_VERSION,
				.n_calls = 4,
				.unit_id = 0xaa};

	memset(image, 0, sizeof(image));
	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	memcpy(image, &h, sizeof(h));
	memcpy(image + sizeof(h), &p, sizeof(p));
	memcpy(image + HEAD, &head, sizeof(head));
	put_call(before, behind, site);
}

static struct run_call_site calls[4];
static struct sites_unit unit = {.calls = calls, .n_calls = 4, .unit_id = 0xaa};
static const struct sites sites = {.units = &unit, .n_units = 1};

/* Check @n bytes of the image; the findings are counted, the first one is *@first. */
static int check(size_t n, struct region_counts *counts, struct region_finding *first, struct err *err)
{
	struct region_findings f;
	int ret, found;

	for (size_t i = 0; i < 4; i++)
		calls[i] = (struct run_call_site){.flags = "-"};
	for (size_t i = 0; i < 4; i++)
		snprintf(calls[i].id, sizeof(calls[i].id), "%016zx", i),
			strcpy(calls[i].instance, "00000000");
	assert_int_equal(fs_write(path, (char *)image, n, NULL), 0);
	ret = sites_check(path, &sites, counts, &f, err);
	found = (int)f.n;
	if (f.n)
		*first = f.at[0];
	vec_release(&f);
	return ret ? ret : found;
}

static int made(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	return fd < 0;
}

static int gone(void **state)
{
	(void)state;
	return unlink(path);
}

static void a_call_with_nothing_but_arguments_is_clean(void **state)
{
	static const char *const allowed[] = {"",       "4889df",     "8b7c2410", "4883ec08",
					      "0f1f00", "bf07000000", "31ff"};
	struct region_counts c;
	struct region_finding f;
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		put_file(allowed[i], "", SITE);
		assert_int_equal(check(sizeof(image), &c, &f, &err), 0);
		assert_true(c.slots == 4 && c.found == 1 && c.pairs == 1 && c.gone == 3 && !c.faulty);
	}
}

static void what_is_timed_beside_the_call_is_found(void **state)
{
	static const struct {
		const char *code;
		enum region_fault fault;
	} list[] = {
		{"48f7f9", REGION_DIVISION},   /* idiv %rcx */
		{"f20f5ec1", REGION_DIVISION}, /* divsd */
		{"480fafc1", REGION_WORK},     /* imul */
		{"4801c8", REGION_WORK},       /* add */
		{"488b07", REGION_LOAD},       /* mov (%rdi), %rax */
		{"488907", REGION_STORE},      /* mov %rax, (%rdi) */
		{"7400", REGION_BRANCH},       /* je */
		{"06", REGION_UNREADABLE},     /* no instruction of 64-bit code */
	};
	struct region_counts c;
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct region_finding f = {.address = 0};

		put_file(list[i].code, "", SITE);
		assert_int_equal(check(sizeof(image), &c, &f, &err), 1);
		assert_string_equal(region_fault_name(f.fault), region_fault_name(list[i].fault));
		assert_false(f.after);
		put_file("", list[i].code, SITE);
		assert_int_equal(check(sizeof(image), &c, &f, &err), 1);
		assert_string_equal(region_fault_name(f.fault), region_fault_name(list[i].fault));
		assert_true(f.after);
	}
}

static void a_second_call_and_another_leave_are_found(void **state)
{
	struct region_counts c;
	struct region_finding f;
	struct err err = ERR_INIT;

	(void)state;
	put_file("", "e800000000", SITE);
	assert_int_equal(check(sizeof(image), &c, &f, &err), 1);
	assert_int_equal(f.fault, REGION_CALL);
	put_file("", "", SITE - 1);
	assert_int_equal(check(sizeof(image), &c, &f, &err), 1);
	assert_int_equal(f.fault, REGION_WRONG);
	put_file("c3", "", SITE);
	assert_int_equal(check(sizeof(image), &c, &f, &err), 1);
	assert_int_equal(f.fault, REGION_NO_CALL);
}

static void what_is_no_program_for_us_is_refused(void **state)
{
	struct region_counts c;
	struct region_finding f;
	struct err err = ERR_INIT;
	Elf64_Ehdr h;

	(void)state;
	put_file("", "", SITE);
	assert_int_equal(check(10, &c, &f, &err), -ENOEXEC);
	assert_int_equal(check(80, &c, &f, &err), -EINVAL);
	memcpy(&h, image, sizeof(h));
	h.e_type = ET_REL;
	memcpy(image, &h, sizeof(h));
	assert_int_equal(check(sizeof(image), &c, &f, &err), -ENOTSUP);
	put_file("", "", SITE);
	memset(image + CODE, 0x90, 16); /* no probe of a known form */
	assert_int_equal(check(sizeof(image), &c, &f, &err), -ENOTSUP);
}

static void damaged_files_are_judged_or_refused(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 4000; i++) {
		struct region_counts c;
		struct region_finding f;
		struct err err = ERR_INIT;
		int ret;

		put_file("", "", SITE);
		for (int k = 0; k < 1 + i % 4; k++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			image[(seed >> 40) % (i % 2 ? at : 0x80)] = (uint8_t)(seed >> 32);
		}
		ret = check(sizeof(image), &c, &f, &err);
		assert_true(ret >= 0 || ret == -ENOEXEC || ret == -ENOTSUP || ret == -EINVAL);
		assert_true(ret >= 0 || err.msg[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_with_nothing_but_arguments_is_clean),
		cmocka_unit_test(what_is_timed_beside_the_call_is_found),
		cmocka_unit_test(a_second_call_and_another_leave_are_found),
		cmocka_unit_test(what_is_no_program_for_us_is_refused),
		cmocka_unit_test(damaged_files_are_judged_or_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, made, gone);
}
